"""The examples of the docs are run, on the demo's data at a fixed time, and give what is shown.

``pytest tests/docs --update-examples`` writes the answers of today into the pages.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from webtest.http import StopableWSGIServer

from finance_api.auth.issuing import issue_token
from finance_api.auth.key_rotation import add_signing_key
from finance_api.auth.user_accounts import make_user
from finance_api.demo import Household
from finance_api.ledger.importing import import_rows
from finance_api.storage.interface import User
from support.clock import HeldClock
from support.examples import Block, Example, examples_of, matches, rewrite, rewritten
from support.programs import missing
from support.service import USUAL_LIMITS, Service

PROJECT = Path(__file__).parents[2]
PAGES = (PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md")))
#: When the demo data of the examples was made, and when they are run.
NOW = "2026-11-21T12:00:00Z"
EMAIL, PASSWORD = "demo@example.com", "demo-password"
RECORDS = 2_000
#: What the pages call the service.
ADDRESS = "http://127.0.0.1:6543"
#: The calls of an example on these pages build on those before it.
CONSECUTIVE = ("importing.md",)
#: page -> how many blocks of commands and answers are not run. Each says why.
NOT_RUN = {"errors.md": 2, "importing.md": 1, "settings-pages.md": 1, "settings.md": 2}

_SECONDS = 60
#: Runs a command at the time of the examples.
_COMMAND = """#!/bin/sh
exec "{python}" -c "
from finance_api import clock
clock.SystemClock.now = lambda self: {now}
clock.SystemClock.now_ms = lambda self: {now}000
from finance_api.cli import run
run()" "$@"
"""


@pytest.fixture(scope="session")
def demo(new_sqlite_url: Callable[[], str]) -> str:
    """A database with the demo's data."""
    url = new_sqlite_url()
    service = Service("sqlite", {"finance_api.storage": "sql", "sqlalchemy.url": url})
    service.clock.set(NOW)
    now = service.clock.now()
    service.change(lambda s: make_user(s, EMAIL, premium=True, password=PASSWORD, now=now))
    household = Household(10_001, RECORDS, now)
    import_rows(service.backend, EMAIL, household.documents(), household.records, now=now)
    service.stop()
    return url


class Workplace:
    """A directory as the reader's, with a database and a service that is asked over HTTP."""

    def __init__(self, directory: Path, demo: str) -> None:
        self.directory = directory
        self._database = directory / "var" / "finance.db"
        self._database.parent.mkdir()
        shutil.copy(demo.removeprefix("sqlite:///"), self._database)
        ini = (PROJECT / "development.ini").read_text()
        (directory / "development.ini").write_text(ini)
        programs = directory / ".venv" / "bin"
        programs.mkdir(parents=True)
        command = programs / "finance-api"
        now = HeldClock(NOW).now()
        self._keys = directory / "var" / "jwt-keys.json"
        add_signing_key(str(self._keys), now=now, overlap_seconds=0)
        command.write_text(_COMMAND.format(python=sys.executable, now=now))
        command.chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("FINANCE_API_")}
        self._environment = {
            **kept,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, example: Example) -> str:
        """What the example prints. Raises AssertionError where a command of it fails."""
        with self._serving(example.condition) as (address, variables):
            code = example.command.body.replace(ADDRESS, address)
            program = [sys.executable, "-c"]
            if example.command.language == "sh":
                # Without an answer to compare with, an error must not pass for one.
                strict = 'curl() { command curl --fail "$@"; }\n' if not example.answer else ""
                program = ["bash", "-e", "-o", "pipefail", "-c"]
                code = strict + code
            done = subprocess.run(
                [*program, code],
                cwd=self.directory,
                env={**self._environment, "BASE": address, **variables},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout.replace(address, ADDRESS)

    @contextmanager
    def _serving(self, condition: str) -> Iterator[tuple[str, dict[str, str]]]:
        """The address of the service, and variables with fresh credentials."""
        settings = {
            "finance_api.storage": "sql",
            "finance_api.jwt.keys": str(self._keys),
            "sqlalchemy.url": f"sqlite:///{self._database}",
            "finance_api.metrics.clients": "127.0.0.1",
        }
        service = Service("sqlite", {**USUAL_LIMITS, **settings})
        service.clock.set(NOW)
        user: User = service.change(lambda storage: storage.users.get(EMAIL))
        scopes = {"scopes": ("accounts",)} if condition == "a token for accounts" else {}
        token: str = service.change(
            lambda s: issue_token(s, user, name="docs", now=service.clock.now(), **scopes)
        )
        if condition == "no premium":
            service.change(lambda storage: storage.users.update(user.id, premium=False))
        (self.directory / "var" / "demo-token").write_text(token)
        server = StopableWSGIServer.create(service.app, ident=None, expose_tracebacks=False)
        try:
            if condition == "quota used up":
                headers = {"Authorization": f"Bearer {token}"}
                while (
                    service.web.get("/v1/api/labels", headers=headers, status="*").status_int == 200
                ):
                    pass
            yield server.application_url.rstrip("/"), {"TOKEN": token, "JWT": service.jwt(user)}
        finally:
            server.shutdown()
            service.stop()


def _use_up_quota(service: Service, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    while service.web.get("/v1/api/labels", headers=headers, status="*").status_int == 200:
        pass


@dataclass(slots=True)
class Run:
    """What has come of the examples of a page."""

    wrong: list[str] = field(default_factory=list)
    new: dict[Block, str] = field(default_factory=dict)


def run_page(page: Path, workplaces: Callable[[], Workplace]) -> Run:
    examples, _ = read(page)
    found = Run()
    workplace = workplaces()
    for example in examples:
        if page.name not in CONSECUTIVE:
            workplace = workplaces()
        where = f"{page.name}, line {example.command.line}"
        try:
            output = workplace.run(example)
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
    """Whether no list in it is empty: of the JSON documents, or of the lines of CSV."""
    decoder = json.JSONDecoder()
    while output.lstrip().startswith("{"):
        document, end = decoder.raw_decode(output.lstrip())
        if any(value == [] for value in document.values()):
            return False
        output = output.lstrip()[end:]
    return "text/csv" not in command or len(output.splitlines()) != 1


@pytest.fixture
def workplaces(tmp_path: Path, demo: str) -> Callable[[], Workplace]:
    if shutil.which("curl") is None:
        missing("curl")
    count = 0

    def make() -> Workplace:
        nonlocal count
        count += 1
        directory = tmp_path / str(count)
        directory.mkdir()
        return Workplace(directory, demo)

    return make


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_give_what_they_show(
    page: Path, workplaces: Callable[[], Workplace], request: pytest.FixtureRequest
) -> None:
    found = run_page(page, workplaces)
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
