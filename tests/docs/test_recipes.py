"""The recipes in other languages: run here as far as what runs them is here."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment
from webtest.http import StopableWSGIServer

from support.books import account, record, uid
from support.programs import missing
from support.service import Service

RECIPES = Path(__file__).parents[2] / "docs" / "recipes"
#: Google's services, as far as the recipe uses them.
GOOGLE = """
const { execFileSync } = require('node:child_process');
const given = JSON.parse(process.argv[1]);
let refused = false;
globalThis.PropertiesService = { getScriptProperties: () => ({ getProperty: (n) => given[n] }) };
globalThis.Utilities = { sleep: (ms) => { given.slept = ms; } };
globalThis.UrlFetchApp = { fetch: (url, options) => {
  if (!refused) {
    refused = true;
    return { getResponseCode: () => 429, getHeaders: () => ({ 'retry-after': '7' }) };
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


def block(name: str, language: str) -> str:
    text = (RECIPES / name).read_text(encoding="utf-8")
    found = re.search(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


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


def test_the_expressions_of_n8n_go_through_all_pages() -> None:
    text = (RECIPES / "n8n.md").read_text(encoding="utf-8")
    offset, complete = re.findall(r"`\{\{ (.*?) \}\}`", text)
    code = f"""
    const pages = [undefined, 100, 200, null];
    console.log(JSON.stringify(pages.map((nextOffset) => {{
      const $response = {{ body: {{ nextOffset }} }};
      return [{offset}, {complete}];
    }})));"""
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


def test_every_recipe_says_whether_it_was_tried() -> None:
    table = (RECIPES / "README.md").read_text(encoding="utf-8")
    for path in RECIPES.glob("*.md"):
        assert path.name == "README.md" or f"]({path.name})" in table


def test_the_mirror_has_40_lines() -> None:
    lines = [line for line in block("mirror.md", "python").splitlines() if line.strip()]
    assert len(lines) <= 40
