"""The MCP tools, called by the SDK's client over stdio and over streamable HTTP."""

from collections.abc import Callable
from typing import Any

import pytest
from webtest.http import StopableWSGIServer

from finance_api.clients.mcp.tool_table import BY_NAME
from support.mcp_client import INJECTED, TRANSPORTS, Site, refusal, run_async, told, with_client
from support.native_rows import account, category, label, record, split_record, standing_order, uid
from support.nightly import count
from support.service import Service

mcp = pytest.importorskip("mcp")
make_server = pytest.importorskip("finance_api.clients.mcp.server").make_server


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_each_tool_answers(site: Site, transport: str) -> None:
    async def work(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == set(BY_NAME)
        for tool in tools:
            assert tool.annotations.read_only_hint and tool.output_schema["properties"]
        found = await told(client, "search_records", amount="gte.-3", sortBy="+amount")
        assert [row["amount"] for row in found["records"]] == [-3, -2, -1]
        assert found["total"] == {"records": 3} and found["shortened"] is True
        assert found["records"][0]["payee"] == INJECTED
        one = found["records"][0]["id"]
        gone = uid("Record", 999)
        found = await told(client, "get_records", id=f"{one},{gone}")
        assert (found["shown"], found["missingIds"]) == (1, [gone])
        found = await told(client, "list_accounts")
        balance = 100 - sum(range(1, 151))
        assert found["sums"] == [{"currencyCode": "EUR", "balance": balance}]
        found = await told(client, "balances", interval="month", **{"from": "2026-01-01"})
        assert found["totals"][-1]["balance"] == found["balances"][-1]["balance"] == balance
        assert (await told(client, "list_budgets"))["budgets"] == []
        assert (await told(client, "list_goals"))["goals"] == []
        found = await told(client, "upcoming", days=10)
        assert found["totals"][0]["expense"] == -850
        found = await told(client, "categories_and_labels")
        assert [row["name"] for row in found["categories"]] == ["Groceries"]
        assert [row["name"] for row in found["labels"]] == ["household"]
        assert found["total"] == {"categories": 1, "labels": 1}
        found = await told(client, "saved_questions")
        ids = {row["name"]: row["id"] for row in found["questions"]}
        found = await told(client, "answer_question", id=ids["Newest"])
        assert [row["amount"] for row in found["rows"]] == [-1, -2]
        assert (found["isPart"], found["others"]) == (True, {})
        found = await told(client, "answer_question", id=ids["Balances"])
        assert [row.get("account") for row in found["rows"]] == ["Main", None]
        assert (found["isPart"], found["others"]["to"]) == (False, "2026-03-18")
        found = await told(client, "answer_question", id=ids["Unknown"])
        assert found["hints"] == ["No category is called groceries. Did you mean Groceries?"]
        assert (await refusal(client, "answer_question", id="../records"))["status"] == 404
        gone = await refusal(client, "answer_question", id="0b7e1c9a-5f0e-4a43-9d53-0f6a3f1f7a11")
        assert gone["error"] == "There is no question with this id."
        assert "id from a list" in gone["howToGoOn"]
        old = await refusal(client, "answer_question", id=ids["Old"])
        assert old["status"] == 409 and "on the page Questions" in old["howToGoOn"]
        assert (await told(client, "usage", period="1days"))["rateLimit"]["limit"] > 0

    with_client(site, transport, site.one, work)


def test_the_list_of_tools_takes_at_most_7000_tokens(site: Site) -> None:
    """Counts four bytes as a token."""

    async def work(client: Any) -> int:
        tools = (await client.list_tools()).tools
        return sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools)

    assert with_client(site, "http", site.one, work) / 4 <= 7_000


def test_groceries_per_month_of_a_year_are_one_call(site: Site) -> None:
    async def work(client: Any) -> None:
        found = await told(
            client, "summarize", groupBy="month", category="eq.Groceries", recordDate="eq.2026"
        )
        months = {group["month"]: group["expense"] for group in found["groups"]}
        assert months == {
            f"2026-{1 + rest:02}": -sum(n for n in range(1, 151) if n % 3 == rest)
            for rest in range(3)
        }
        (sums,) = found["sums"]
        assert (sums["count"], sums["expense"]) == (150, -sum(range(1, 151)))
        found = await told(client, "summarize", category="eq.groceries")
        assert found["hints"] == ["No category is called groceries. Did you mean Groceries?"]

    with_client(site, "http", site.one, work)


def test_answers_tell_the_user_s_day_and_currency(site: Site) -> None:
    """In Kiritimati it is already tomorrow."""
    service = site.service
    client = service.client()
    client.load(account(5))
    changed = {"time_zone": "Pacific/Kiritimati", "base_currency": "CHF"}
    service.change(lambda storage: storage.users.update(client.user.id, **changed))

    async def work(agent: Any) -> None:
        for name in ("list_accounts", "usage"):
            found = (await agent.call_tool(name, {})).structured_content
            assert (found["today"], found["baseCurrency"]) == ("2026-03-19", "CHF")

    with_client(site, "http", client, work)


def test_pages_reach_every_row_once_however_long_they_are(site: Site) -> None:
    async def work(client: Any) -> None:
        seen: list[str] = []
        offset: int | None = 0
        while offset is not None:
            found = await told(client, "search_records", fields="id,note,payee", offset=offset)
            assert found["shown"] == len(found["records"]) > 0
            seen += [row["id"] for row in found["records"]]
            offset = found["nextOffset"]
        assert len(seen) == len(set(seen)) == 150
        rows, since, more = {}, "0", True
        while more:
            found = await told(client, "changes", since=since, limit=1000)
            rows |= {(row["type"], row["id"]): row for row in found["changes"]}
            since, more = found["next"], found["hasMore"]
        assert len([kind for kind, _ in rows if kind == "records"]) == 150

    with_client(site, "http", site.one, work)


@pytest.mark.nightly
def test_with_many_records_answers_are_as_small(new_sqlite_url: Callable[[], str]) -> None:
    """Loads texts that are several times longer in JSON, and many categories."""
    number, categories, payees = count(600, 100_000), count(151, 1_501), count(300, 20_000)
    awkward = '"\\\u0001漢' * 40
    service = Service("sqlite", {"finance_api.storage": "sql", "sqlalchemy.url": new_sqlite_url()})
    service.backend.upgrade()
    service.clock.set("2026-03-18T12:00:00Z")
    client = service.client()
    client.load(
        *(account(n, name=f"{awkward} {n}") for n in range(1, 101)),
        category(1, name="Groceries"),
        *(category(n, name=f"{awkward} {n}") for n in range(2, categories + 1)),
        *(label(n, name=f"{awkward} {n}") for n in range(1, 101)),
        *(standing_order(n, amount=-n, recurrenceRule="FREQ=DAILY") for n in range(1, 11)),
        *(
            record(
                n,
                accountId=uid("Account", 1 + n % 100),
                amount=-n,
                categoryId=uid("Category", 1 + n % categories),
                labelIds=[uid("Label", of) for of in range(1, n % 7)],
                recordDate=f"{2025 + n % 2}-{1 + n % 3:02}-10",
                payee=f"{awkward} {n % payees}",
                note=awkward * 3,
            )
            for n in range(1, number + 1)
        ),
    )
    server = StopableWSGIServer.create(service.app, ident=None, expose_tracebacks=False)
    base = server.application_url.rstrip("/")
    ids = ",".join(uid("Record", n) for n in range(1, 101))
    # All records of the month would be more groups than a summary may have.
    newest = {"recordDate": "eq.2026-01", "amount": f"gte.-{number // 2}"}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("search_records", {"fields": "id,payee,note,labels,labelIds", "q": "漢"}),
        ("search_records", {"offset": number - 50, "sortBy": "amount,note"}),
        ("get_records", {"id": ids}),
        *(("summarize", {"groupBy": by, "limit": 1000}) for by in ("payee", "category,day")),
        ("summarize", {"groupBy": "label,payee", "limit": 1000, **newest}),
        ("list_accounts", {"fields": "id,name,balance,currencyCode"}),
        ("balances", {"interval": "day", "from": "2026-02-20"}),
        ("upcoming", {"days": 366, "limit": 1000}),
        ("categories_and_labels", {"offset": categories - 50}),
        ("changes", {"limit": 1000}),
    ]

    async def work() -> dict[str, Any]:
        make = make_server(base, lambda _: f"Bearer {client.token}")
        async with mcp.Client(make, read_timeout_seconds=300) as agent:
            for name, arguments in asked:
                assert (await told(agent, name, **arguments))["shown"] > 0, name
            given = {"category": "eq.Groceries", "recordDate": "eq.2026"}
            return await told(agent, "summarize", groupBy="month", **given)

    try:
        found = run_async(work)
    finally:
        server.shutdown()
        service.stop()
    spent: dict[str, int] = {}
    for n in range(1, number + 1):
        if n % categories == 0 and n % 2:
            month = f"2026-{1 + n % 3:02}"
            spent[month] = spent.get(month, 0) - n
    assert spent
    assert {group["month"]: group["expense"] for group in found["groups"]} == spent
    assert found["sums"][0]["expense"] == sum(spent.values())
    assert found["nextOffset"] is None


def test_parts_of_a_split_are_found_and_the_whole_is_missing(site: Site) -> None:
    whole, parts = uid("Record", 1), [uid("Record", 11), uid("Record", 12)]
    person = site.service.client()
    person.load(
        account(1),
        split_record(1, id=whole, amount=-30, recordDate="2026-03-10"),
        record(11, amount=-20, recordDate="2026-03-10", splitId=whole),
        record(12, amount=-10, recordDate="2026-03-10", splitId=whole),
    )

    async def work(client: Any) -> None:
        found = await told(client, "search_records", splitId=whole, sortBy="amount")
        assert [row["id"] for row in found["records"]] == parts
        found = await told(client, "get_records", id=f"{whole},{parts[1]}")
        assert [row["splitId"] for row in found["records"]] == [whole]
        assert found["missingIds"] == [whole]

    with_client(site, "http", person, work)
