"""The recipes in other languages, run if their interpreter is installed."""

import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from jinja2 import Environment
from webtest.http import StopableWSGIServer

from finance_api.auth.user_accounts import make_user
from finance_api.clients.mirror.source import Source
from finance_api.clients.mirror.updating import update
from support.native_rows import account, record, uid
from support.programs import missing
from support.service import Service, native_line

RECIPES = Path(__file__).parents[2] / "docs" / "recipes"
#: Google's services, as far as the recipe uses them.
GOOGLE = """
const { execFileSync } = require('node:child_process');
const given = JSON.parse(process.argv[1]);
let refused = false, changed = false;
globalThis.PropertiesService = { getScriptProperties: () => ({ getProperty: (n) => given[n] }) };
globalThis.Utilities = { sleep: (ms) => { given.slept = ms; } };
given.asked = [];
globalThis.UrlFetchApp = { fetch: (url, options) => {
  if (!refused) {
    refused = true;
    return { getResponseCode: () => 429, getHeaders: () => ({ 'retry-after': '7' }) };
  }
  const { offset, revision } = Object.fromEntries(new URL(url).searchParams);
  given.asked.push(revision ? `${offset} ${revision}` : offset);
  if (!changed && /revision=/.test(url)) {
    changed = true;
    return { getResponseCode: () => 409, getContentText: () => '{"status": 409}' };
  }
  const headers = Object.entries(options.headers).flatMap(([n, v]) => ['-H', `${n}: ${v}`]);
  const body = execFileSync('curl', ['-s', ...headers, url]).toString();
  return { getResponseCode: () => JSON.parse(body).status ?? 200, getContentText: () => body };
} };
const setValues = (t) => { given.table = t; };
const sheet = { clearContents: () => {}, getRange: () => ({ setValues }) };
globalThis.SpreadsheetApp = { getActiveSheet: () => sheet };
"""


@pytest.fixture(scope="module")
def books() -> Iterator[tuple[Service, str, str]]:
    service = Service("memory", {"finance_api.storage": "memory"})
    client = service.client()
    client.load(
        account(1, name="One", initialBalance=100),
        *(
            record(n, accountId=uid("Account", 1), amount=-n, payee="=1+1", recordDate="2026-02-03")
            for n in range(1, 121)
        ),
    )
    server = StopableWSGIServer.create(service.app, ident=None, expose_tracebacks=False)
    yield service, server.application_url.rstrip("/"), client.token
    server.shutdown()
    service.stop()


def node(code: str, *arguments: str) -> str:
    program = shutil.which("node")
    if program is None:
        missing("node")
    assert program is not None
    done = subprocess.run(
        [program, "-e", code, *arguments], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def block(name: str, language: str, number: int = 0) -> str:
    text = (RECIPES / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[number]


def test_the_script_of_google_sheets_reads_all_pages(books: tuple[Service, str, str]) -> None:
    _, base, token = books
    if shutil.which("curl") is None:
        missing("curl")
    script = block("google-sheets.md", "javascript")
    code = f"{GOOGLE}\n{script}\nloadRecords(); console.log(JSON.stringify(given));"
    told = json.loads(node(code, json.dumps({"FINANCE_BASE": base, "FINANCE_TOKEN": token})))
    head, *rows = told["table"]
    amounts = sorted(row[head.index("amount")] for row in rows)
    assert amounts == sorted(-n for n in range(1, 121))
    assert {row[head.index("payee")] for row in rows} == {"'=1+1"}
    assert told["slept"] == 7_000
    assert told["asked"] == ["0", "100 1", "0", "100 1"]


def test_the_expressions_of_n8n_go_through_all_pages() -> None:
    text = (RECIPES / "n8n.md").read_text(encoding="utf-8")
    revision, offset, complete = re.findall(r"`\{\{ (.*?) \}\}`", text)
    code = f"""
    const pages = [undefined, 100, 200, null];
    console.log(JSON.stringify(pages.map((nextOffset) => {{
      const $response = {{ body: {{ nextOffset }} }};
      return [{offset}, {complete}];
    }})));"""
    assert revision == "$json.revision"
    assert json.loads(node(code)) == [[0, False], [100, False], [200, False], [0, True]]


def test_the_template_of_home_assistant_adds_balances(books: tuple[Service, str, str]) -> None:
    service, _, token = books
    text = block("home-assistant.md", "yaml")
    found = re.search(r"resource: \S+?6543(/\S+)", text)
    template = re.search(r"\{\{.*?\}\}", text, re.DOTALL)
    assert found is not None and template is not None
    answer = service.web.get(found[1], headers={"Authorization": f"Bearer {token}"})
    shown = Environment(autoescape=True).from_string(template[0]).render(value_json=answer.json)
    assert float(shown) == 100 - sum(range(1, 121))


def test_the_query_of_power_bi_is_one() -> None:
    """Uses Microsoft's parser if installed: npm install --no-save @microsoft/powerquery-parser"""
    code = """
    let found;
    try { found = require('@microsoft/powerquery-parser'); } catch { console.log('missing'); }
    found?.TaskUtils.tryLexParse(found.DefaultSettings, process.argv[1])
      .then((parsed) => console.log(parsed.resultKind));"""
    query = block("power-query.md", "")
    told = node(code, query)
    if told == "missing\n":
        pytest.skip("Microsoft's parser of Power Query is not installed")
    assert told == "Ok\n"
    assert node(code, query.replace("then Function", "Function")) == "Error\n"


def test_the_command_of_a_drop_folder_puts_away_what_it_has_imported(
    tmp_path: Path, new_sqlite_url: Callable[[], str]
) -> None:
    url, email = new_sqlite_url(), "me@example.org"
    service = Service("sqlite", {"finance_api.storage": "sql", "sqlalchemy.url": url})
    service.change(lambda s: make_user(s, email, premium=True, password=None, now=0))
    done = tmp_path / "statements" / "done"
    done.mkdir(parents=True)
    (done.parent / "of march.ndjson").write_text(native_line(account()) + native_line(record()))
    (done.parent / "nothing.txt").write_text("nothing\n")
    settled = time.time() - 60
    for file in done.parent.iterdir():
        os.utime(file, (settled, settled))
    unit = block("drop-folder.md", "ini\n.Service.")
    (command,) = re.findall("ExecStart=%h/finance-env/bin/(.*)", unit)
    program, *arguments = shlex.split(command.replace("%h", str(tmp_path)))
    variables = {
        "FINANCE_API_CONFIG": str(RECIPES.parents[1] / "development.ini"),
        "FINANCE_API_SQLALCHEMY_URL": url,
    }
    told = subprocess.run(
        [Path(sys.executable).parent / program, *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )
    service.stop()
    assert "2 created" in told.stdout and "nothing.txt" in told.stderr
    assert sorted(path.name for path in done.parent.iterdir()) == ["done", "nothing.txt"]
    assert [path.name for path in done.iterdir()] == ["of march.ndjson"]


@pytest.fixture(scope="module")
def mirror(books: tuple[Service, str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that the recipe of the mirror makes."""
    _, base, token = books
    path = tmp_path_factory.mktemp("mirror") / "finance.db"
    update(path, Source(base, token, pytest.fail))
    return path


def test_datasette_shows_the_mirror(mirror: Path) -> None:
    if shutil.which("datasette", path=Path(sys.executable).parent) is None:
        missing("datasette")
    *_, line = block("datasette.md", "sh", 1).strip().splitlines()
    program, *arguments = shlex.split(line)
    done = subprocess.run(
        [Path(sys.executable).parent / program, *arguments],
        cwd=mirror.parent,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    (group,) = json.loads(done.stdout)
    assert (group["count"], group["expense"]) == (120, -sum(range(1, 121)))


@pytest.mark.parametrize("page", ["mirror.md", "grafana.md"])
def test_the_queries_of_the_mirror_run(mirror: Path, page: str) -> None:
    with closing(sqlite3.connect(mirror)) as file:
        (row,) = file.execute(block(page, "sql")).fetchall()
    assert row[-1] == sum(range(1, 121))


def test_every_recipe_says_whether_it_was_tried() -> None:
    table = (RECIPES / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in RECIPES.glob("*.md")} - {"README.md"}
    assert pages == set(re.findall(r"\]\(([\w-]+\.md)\)", table))
