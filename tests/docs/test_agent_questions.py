"""The questions of an agent in mcp.md: each call, asked of the demo data, and what it costs.

``pytest tests/docs --update-examples`` writes the numbers of tokens into the page; with ``-s`` the
answers are printed.
"""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from webtest.http import StopableWSGIServer

from finance_api.demo import Household
from finance_api.ledger.importing import import_rows
from support.service import Client, Service

mcp = pytest.importorskip("mcp")
make_server = pytest.importorskip("finance_api.clients.mcp.server").make_server

PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"
_ROW = re.compile(r"^\| (.*?) \| `(\w+) (\{.*?\})` \| `(.*?)` \| (\d+) \|$", re.MULTILINE)
_BYTES_OF_A_TOKEN = 4
#: A new member of an answer does not yet require a change of the page.
_TOLERANCE = 0.15


class Asked(NamedTuple):
    """fragment: a part of the answer. tokens: of the call and its answer, as the page has them."""

    question: str
    tool: str
    arguments: str
    fragment: str
    tokens: str


@pytest.fixture(scope="module")
def demo() -> Iterator[tuple[str, Client]]:
    service = Service("memory", {"finance_api.storage": "memory"})
    service.clock.set("2026-11-21T12:00:00Z")
    client, now = service.client(), service.clock.now()
    household = Household(10_001, 2_000, now)
    documents = list(household.documents())
    import_rows(service.backend, client.user.email, documents, household.records, now=now)
    server = StopableWSGIServer.create(service.app, ident=None, expose_tracebacks=False)
    yield server.application_url.rstrip("/"), client
    server.shutdown()
    service.stop()


def answers(base: str, token: str, asked: list[Asked]) -> list[Any]:
    async def work() -> list[Any]:
        async with mcp.Client(make_server(base, lambda _: f"Bearer {token}")) as agent:
            return [await agent.call_tool(each.tool, json.loads(each.arguments)) for each in asked]

    # Use another thread: tests of browsers leave a running event loop in this one.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, work).result()


def test_twenty_questions_take_one_call_each_and_few_tokens(
    demo: tuple[str, Client], request: pytest.FixtureRequest
) -> None:
    base, client = demo
    page = PAGE.read_text(encoding="utf-8")
    asked = [Asked(*row) for row in _ROW.findall(page)]
    assert len(asked) == 20
    total, wrong = 0, []
    for each, answer in zip(asked, answers(base, client.token, asked), strict=True):
        text = answer.content[0].text
        # The quota differs each time.
        exchanged = re.sub(r'"quota":{.*?}', "", text) + each.tool + each.arguments
        tokens = len(exchanged.encode()) // _BYTES_OF_A_TOKEN
        total += tokens
        print(f"{tokens:5} {each.question}\n      {text}")
        assert not answer.is_error, text
        if each.fragment not in text:
            wrong.append(f"{each.question}: {each.fragment} is not in {text[:2_000]}")
        if abs(tokens - int(each.tokens)) > _TOLERANCE * tokens:
            wrong.append(f"{each.question}: {tokens} tokens, and the page has {each.tokens}")
        old = f"{each.arguments}` | `{each.fragment}` | {each.tokens} |"
        page = page.replace(old, old.replace(f"| {each.tokens} |", f"| {tokens} |"))
    print(f"{total:5} together")
    assert total <= 12_000
    if request.config.getoption("--update-examples"):
        page = re.sub(r"together [\d,]+ tokens", f"together {total:,} tokens", page)
        PAGE.write_text(page, encoding="utf-8")
    else:
        assert not wrong, "\n".join(wrong)
