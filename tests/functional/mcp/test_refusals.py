"""What agents are told when a call of an MCP tool fails, and who is refused."""

import subprocess
import sys
from typing import Any

import pytest

from finance_api.storage.errors import StorageUnavailable
from support.mcp_client import TRANSPORTS, Site, refusal, run_async, told, with_client
from support.native_rows import account
from support.programs import CLOSED_PORT

httpx2 = pytest.importorskip("httpx2")
mcp = pytest.importorskip("mcp")
make_server = pytest.importorskip("finance_api.clients.mcp.server").make_server


def test_errors_say_how_to_go_on(site: Site) -> None:
    async def work(client: Any) -> None:
        for arguments in ({"amont": "gte.5"}, {"limit": 1000}):
            found = await refusal(client, "search_records", **arguments)
            assert "amount" in found["howToGoOn"]
        found = await refusal(client, "search_records", amount="much")
        assert (found["status"], "amount" in found["error"]) == (400, True)
        assert found["quota"]["remaining"] > 0
        assert (await refusal(client, "changes", since="77"))["status"] == 410
        with pytest.raises(mcp.MCPError, match="search_records"):
            await client.call_tool("pay", {})

    with_client(site, "http", site.one, work)


def test_a_scope_that_is_missing_and_a_quota_that_is_used_up_are_reported(site: Site) -> None:
    limited = site.service.client(scopes=("accounts",))
    limited.load(account(3, name="Limited"))

    async def work(client: Any) -> None:
        assert (await refusal(client, "search_records"))["status"] == 403
        assert (await told(client, "list_accounts"))["shown"] == 1
        while limited.get("accounts").status_int == 200:
            pass
        found = await refusal(client, "list_accounts")
        assert (found["status"], found["quota"]["remaining"]) == (429, 0)
        wait = found["retryAfterSeconds"]
        assert wait > 0 and f"Wait {wait} seconds" in found["howToGoOn"]
        # The tool usage is free.
        answer = await client.call_tool("usage", {})
        assert answer.structured_content["rateLimit"]["remaining"] == 0

    with_client(site, "http", limited, work)


async def _refused_at(base: str, token: str) -> dict[str, Any]:
    async with mcp.Client(make_server(base, lambda _: f"Bearer {token}")) as client:
        return await refusal(client, "list_accounts")


def test_a_service_that_is_down_or_unhealthy_is_reported(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise StorageUnavailable("away")

    token = site.one.token
    elsewhere = run_async(_refused_at, f"{site.base}/elsewhere", token)
    assert elsewhere["status"] == 404 and "There is nothing" in elsewhere["error"]
    closed = f"http://127.0.0.1:{CLOSED_PORT}"
    nobody = run_async(_refused_at, closed, token)
    assert closed in nobody["error"] and "whether the service runs" in nobody["howToGoOn"]
    # The token is looked up in the storage first, so a cached answer does not help.
    site.service.client().load(account(4))
    monkeypatch.setattr(site.service.backend, "read", away)
    unwell = run_async(_refused_at, site.base, token)
    assert unwell["status"] == 503 and unwell["retryAfterSeconds"] > 0


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_invalid_token_gives_nothing(site: Site, transport: str) -> None:
    async def work(client: Any) -> None:
        for name in ("list_accounts", "usage"):
            assert (await refusal(client, name))["status"] == 401

    with_client(site, transport, "nothing", work)


def test_over_http_each_user_sees_only_their_own_data(site: Site) -> None:
    async def work(client: Any) -> Any:
        return [row["name"] for row in (await told(client, "list_accounts"))["accounts"]]

    assert with_client(site, "http", site.one, work) == ["Main"]
    assert with_client(site, "http", site.other, work) == ["Theirs"]


CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "list_accounts", "arguments": {}},
}


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"Authorization": None}, 401),
        ({"Authorization": "Basic bWU6bWU="}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:6544"}, 403),
        ({}, 200),
    ],
)
def test_other_headers_are_refused(site: Site, changed: dict[str, Any], status: int) -> None:
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
        **site.one.headers,
        **changed,
    }
    kept = {name: value for name, value in headers.items() if value is not None}
    answer = httpx2.post(site.url, json=CALL, headers=kept)
    assert answer.status_code == status
    assert ("Main" in answer.text) == (status == 200)


@pytest.mark.parametrize(
    ("variables", "arguments", "message"),
    [
        ({}, [], "FINANCE_TOKEN"),
        ({"FINANCE_TOKEN": "fin_x y"}, [], "FINANCE_TOKEN"),
        ({"FINANCE_TOKEN": "fin_x"}, ["--http"], "FINANCE_TOKEN"),
        ({"FINANCE_BASE": "http://me:secret@127.0.0.1"}, ["--http"], "FINANCE_BASE"),
        ({"FINANCE_BASE": "ftp://127.0.0.1"}, ["--http"], "FINANCE_BASE"),
    ],
)
def test_the_command_refuses_what_it_cannot_serve_with(
    variables: dict[str, str], arguments: list[str], message: str
) -> None:
    from click.testing import CliRunner

    from finance_api.cli.mcp import mcp as command

    done = CliRunner().invoke(command, arguments, env=variables)
    assert done.exit_code == 2 and message in done.output
    assert "secret" not in done.output


def test_other_commands_start_without_it() -> None:
    code = "import sys, finance_api.cli; print([m for m in sys.modules if m[:4] == 'mcp.'])"
    command = [sys.executable, "-W", "ignore", "-c", code]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "[]\n"
