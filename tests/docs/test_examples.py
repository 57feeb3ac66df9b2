"""Runs the docs' examples on the demo data at a fixed time, and compares their answers.

``pytest tests/docs --update-examples`` writes the current answers into the pages.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from unittest.mock import patch

import pytest
from webtest.http import StopableWSGIServer

from finance_api.auth.jwt_keys import add_signing_key
from finance_api.auth.personal_tokens import issue_token
from finance_api.questions.addresses import normal_address
from finance_api.questions.asking import fault_of
from finance_api.questions.saved import add_question
from finance_api.storage.interface import User
from support.clock import HeldClock
from support.command import run_here
from support.examples import Block, Example, examples_of, matches, rewrite, rewritten
from support.programs import missing
from support.service import USUAL_LIMITS, Service

PROJECT = Path(__file__).parents[2]
PAGES = (PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md")))
#: The time at which the demo data is made and the examples run.
NOW = "2026-11-21T12:00:00Z"
EMAIL = "demo@example.com"
#: The service's address in the pages.
ADDRESS = "http://127.0.0.1:6543"
#: The folder with a page about the files of each format, app or bank.
IMPORTING = PROJECT / "docs" / "importing"
#: On these pages, commands are examples, too. Each example builds on the ones before it.
CONSECUTIVE = ("exchange-rates.md", "importing.md", *(page.name for page in IMPORTING.iterdir()))
#: The user into whose data the pages in `IMPORTING` import.
READER = "me@example.com"
#: page -> number of blocks that are not run. Each block has the reason in its comment.
NOT_RUN = {
    "actual.md": 1,
    "beancount.md": 2,
    "deploying.md": 9,
    "duckdb.md": 1,
    "exchange-rates.md": 3,
    "followed-books.md": 2,
    "gnucash.md": 1,
    "hledger.md": 2,
    "importing.md": 5,
    "mcp.md": 4,
    "pandas.md": 1,
    "settings.md": 2,
    "ynab.md": 1,
}

#: The programs and Python modules that a page needs, except curl.
PROGRAMS = {"curl-and-jq.md": "jq"}
MODULES = {"pandas.md": "pandas", "duckdb.md": "duckdb"}
#: Time limit of an example, long enough for the busiest machine.
_SECONDS = 300
#: Runs a command at the time of the examples.
_COMMAND = """#!/bin/sh
exec "{python}" -c "
from finance_api.runtime import clock
clock.SystemClock.now = lambda self: {now}
clock.SystemClock.now_ms = lambda self: {now}000
from finance_api.cli import run
run()" "$@"
"""

#: Final lines in which a shell only has to split words.
_PLAIN_LINES = re.compile(r"^((?:finance-api [^|<>;&`$*\\]*\n)+)\Z", re.MULTILINE)


@pytest.fixture(scope="session")
def demo(new_sqlite_url: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the data of ``finance-api load-demo``."""
    database = Path(new_sqlite_url().removeprefix("sqlite:///"))
    sandbox = Sandbox(tmp_path_factory.mktemp("demo"), database)
    sandbox.commands("finance-api load-demo\n")
    return sandbox.database


@pytest.fixture(scope="session")
def with_reader(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the demo database with one more user, who imports files in `IMPORTING`'s pages."""
    sandbox = Sandbox(tmp_path_factory.mktemp("reader"), demo)
    sandbox.commands(f"finance-api user add {READER} --premium\n")
    return sandbox.database


class Sandbox:
    """A reader's directory, with a database and a service that listens on loopback."""

    def __init__(self, directory: Path, database: Path) -> None:
        self.database = directory / "var" / "finance.db"
        self.database.parent.mkdir()
        shutil.copy(database, self.database)
        shutil.copy(PROJECT / "development.ini", directory)
        now = HeldClock(NOW).now()
        self._keys = directory / "var" / "jwt-keys.json"
        add_signing_key(str(self._keys), now=now, overlap_seconds=0)
        programs = directory / ".venv" / "bin"
        programs.mkdir(parents=True)
        command = programs / "finance-api"
        command.write_text(_COMMAND.format(python=sys.executable, now=now))
        command.chmod(0o755)
        self._directory = directory
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("FINANCE_API_")}
        path = f"{programs}:{os.environ['PATH']}"
        self._environment = {**inherited, "PATH": path, "LC_ALL": "C.UTF-8"}

    def run(self, example: Example) -> str:
        """Return the example's output. Raises AssertionError if one of its commands fails."""
        if example.command.language != "python" and "curl" not in example.command.body:
            # This example needs no service.
            return self.commands(example.command.body)
        service, server = self._served
        address = server.application_url.rstrip("/")
        code = example.command.body.replace(ADDRESS, address)
        variables = {"BASE": address, **self._credentials(service, example.condition)}
        if example.command.language == "python":
            output = self._output([sys.executable, "-c", code], variables)
        elif example.answer is None:
            # Without an answer to compare with, an HTTP error must fail the example.
            output = self.shell('curl() { command curl --fail "$@"; }\n' + code, variables)
        else:
            output = self.shell(code, variables)
        return output.replace(address, ADDRESS)

    def commands(self, code: str) -> str:
        """Run plain lines of commands in this process, after the shell code that makes their
        files.
        """
        before, *lines = _PLAIN_LINES.split(code, maxsplit=1)
        if not lines or "finance-api" in before:
            return self.shell(code)
        output = self.shell(before)
        for line in lines[0].splitlines():
            with patch("finance_api.cli.context.SystemClock", partial(HeldClock, NOW)):
                done = run_here(shlex.split(line)[1:], self._directory, self._environment)
            assert done.code == 0, done
            output += done.out
        return output

    def shell(self, code: str, variables: dict[str, str] | None = None) -> str:
        return self._output(["bash", "-e", "-o", "pipefail", "-c", code], variables or {})

    def _output(self, program: list[str], variables: dict[str, str]) -> str:
        child = subprocess.Popen(
            program,
            cwd=self._directory,
            env={**self._environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            out, err = child.communicate(timeout=_SECONDS)
        except BaseException:
            # Kill its child processes, too, because they would keep the output open.
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            raise
        assert child.returncode == 0, err + out
        return out

    @cached_property
    def _served(self) -> tuple[Service, StopableWSGIServer]:
        """Return the service, which the first example that needs it starts."""
        settings = {
            "finance_api.storage": "sql",
            "finance_api.jwt.keys": str(self._keys),
            "sqlalchemy.url": f"sqlite:///{self.database}",
            "finance_api.metrics.clients": "127.0.0.1",
        }
        service = Service("sqlite", {**USUAL_LIMITS, **settings})
        service.clock.set(NOW)
        server = StopableWSGIServer.create(service.app, ident=None, expose_tracebacks=False)
        return service, server

    def client(self) -> tuple[Service, User, str]:
        """Return the service, the demo's user and a token."""
        service, _ = self._served
        user: User = service.change(lambda storage: storage.users.get(EMAIL))
        return service, user, self._credentials(service, "")["TOKEN"]

    def close(self) -> None:
        if "_served" in vars(self):
            service, server = self._served
            server.shutdown()
            service.stop()

    def _credentials(self, service: Service, condition: str) -> dict[str, str]:
        """Return variables with new credentials for which the condition holds."""
        user: User = service.change(lambda storage: storage.users.get(EMAIL))
        scopes = {"scopes": ("accounts",)} if condition == "a token for accounts" else {}
        token: str = service.change(
            lambda s: issue_token(s, user, name="docs", now=service.clock.now(), **scopes)
        )
        if condition == "no premium":
            service.change(lambda storage: storage.users.update(user.id, premium=False))
        (self._directory / "var" / "demo-token").write_text(token)
        if condition == "quota used up":
            _use_up_quota(service, token)
        return {"TOKEN": token, "JWT": service.jwt(user)}


def _use_up_quota(service: Service, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    while service.web.get("/v1/api/labels", headers=headers, status="*").status_int == 200:
        pass


@dataclass(slots=True)
class Run:
    """The results of a page's examples."""

    wrong: list[str] = field(default_factory=list)
    new: dict[Block, str] = field(default_factory=dict)


def run_page(page: Path, sandboxes: Callable[[Path], Sandbox]) -> Run:
    examples, _ = read(page)
    found = Run()
    shared = sandboxes(page)
    for example in examples:
        sandbox = sandboxes(page) if example.condition else shared
        where = f"{page.name}, line {example.command.line}"
        try:
            output = sandbox.run(example)
        except AssertionError as error:
            found.wrong.append(f"{where} fails:\n{example.command.body}{error}")
            continue
        answer = example.answer
        if answer is None:
            if not finds_something(example.command.body, output):
                found.wrong.append(f"{where} finds nothing:\n{example.command.body}{output}")
        elif not matches(answer, output):
            found.new[answer] = rewritten(answer, output)
            found.wrong.append(f"{where} gives\n{found.new[answer]}")
    return found


def read(page: Path) -> tuple[list[Example], list[Block]]:
    commands = ("curl", "finance-api") if page.name in CONSECUTIVE else ("curl",)
    return examples_of(page.read_text(encoding="utf-8"), commands=commands)


def finds_something(command: str, output: str) -> bool:
    """Return whether the output has no empty list, in JSON or as lines of CSV."""
    decoder = json.JSONDecoder()
    while output.lstrip().startswith("{"):
        document, end = decoder.raw_decode(output.lstrip())
        if any(value == [] for value in document.values()):
            return False
        output = output.lstrip()[end:]
    return "text/csv" not in command or len(output.splitlines()) != 1


@pytest.fixture
def sandboxes(tmp_path: Path, demo: Path, with_reader: Path) -> Iterator[Callable[[Path], Sandbox]]:
    if shutil.which("curl") is None:
        missing("curl")
    made: list[Sandbox] = []

    def make(page: Path) -> Sandbox:
        directory = tmp_path / str(len(made))
        directory.mkdir()
        made.append(Sandbox(directory, with_reader if page.parent == IMPORTING else demo))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_give_what_they_show(
    page: Path, sandboxes: Callable[[Path], Sandbox], request: pytest.FixtureRequest
) -> None:
    if page.name in PROGRAMS and shutil.which(PROGRAMS[page.name]) is None:
        missing(PROGRAMS[page.name])
    if page.name in MODULES:
        pytest.importorskip(MODULES[page.name])
    found = run_page(page, sandboxes)
    if found.new and request.config.getoption("--update-examples"):
        rewrite(page, found.new)
    assert not found.wrong, "\n".join(found.wrong)


def test_few_examples_are_not_run() -> None:
    left_out = {page.name: len(read(page)[1]) for page in PAGES}
    assert {name: count for name, count in left_out.items() if count} == NOT_RUN


def test_most_pages_for_users_have_examples() -> None:
    counts = {page.name: len(read(page)[0]) for page in PAGES}
    assert counts["api.md"] >= 20
    assert counts["filters.md"] >= 8


QUESTIONS = PROJECT / "docs" / "questions.md"
#: A row of the tables: a question, its request, and the cell of its answer.
_ROW = re.compile(r"^\| ([^|]+) \| `([^|]+)` \|(.*)\|$", re.MULTILINE)
_INNER_BLANK = re.compile(r"(?<=[\[{]) | (?=[\]}])")
#: Maximum number of lines shown of an answer.
_SHOWN = 3


def _shown(cell: str) -> Block:
    body = cell.strip().replace("`", "").replace("<br>", "\n")
    return Block("json" if body.startswith("{") else "", body, "", 0, 0, 0)


def _cell(shown: Block, told: str) -> str:
    """Return the answer's cell: lines of CSV, or JSON with the same omissions as before."""
    if shown.language:
        words = " ".join(rewritten(shown, told).split())
        return f"`{_INNER_BLANK.sub('', words)}`"
    lines = told.splitlines()
    return "<br>".join([*(f"`{line}`" for line in lines[:_SHOWN]), *["…"][len(lines) <= _SHOWN :]])


def test_each_question_takes_one_request_and_most_can_be_saved(
    sandboxes: Callable[[Path], Sandbox], request: pytest.FixtureRequest
) -> None:
    service, user, token = sandboxes(QUESTIONS).client()
    text, new, saved = QUESTIONS.read_text(encoding="utf-8"), {}, 0
    for row in _ROW.finditer(text):
        question, path, cell = row.groups()
        shown = _shown(cell)
        headers = {"Authorization": f"Bearer {token}"}
        headers["Accept"] = "application/json" if shown.language else "text/csv"
        told = service.web.get(f"/v1/api/{path}", headers=headers).text
        address = normal_address(f"/v1/api/{path}")
        if fault_of(service.app.registry, address) is None:
            kept = {"name": question, "address": address, "now": service.clock.now()}
            made = service.change(lambda s, kept=kept: add_question(s, user, **kept))
            assert (
                service.web.get(f"/v1/api/questions/{made.id}/answer", headers=headers).text == told
            )
            saved += 1
        if not shown.language:
            told = told.partition("\n")[2]
        if not matches(shown, told):
            new[row[0]] = f"| {question} | `{path}` | {_cell(shown, told)} |"
    if new and request.config.getoption("--update-examples"):
        for before, after in new.items():
            text = text.replace(before, after)
        QUESTIONS.write_text(text, encoding="utf-8")
    assert not new, "\n".join(new.values())
    assert saved >= 28
