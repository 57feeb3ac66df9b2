"""Whatever a server answers, a tool returns rows or a sentence that says how to go on."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.nightly import count

api_client = pytest.importorskip("finance_api.clients.mcp.api_client")
tool_table = pytest.importorskip("finance_api.clients.mcp.tool_table")

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


class Fixed(api_client.Api):
    """An API that answers every request with the same body."""

    def __init__(self, body: bytes) -> None:
        super().__init__("http://a.example", "Bearer x")
        object.__setattr__(self, "body", body)

    async def get(self, path: str, query: Mapping[str, Any]) -> Any:
        body = api_client._parse(self.body)
        if body is None:
            raise api_client.Refused({"error": "x", "howToGoOn": "y"})
        return api_client.Response(body, {})


def asked(tool: Any, body: bytes) -> Any:
    arguments = dict.fromkeys(tool.required, "x")
    return asyncio.run(api_client.call(tool, arguments, Fixed(body)))


@pytest.mark.parametrize("tool", tool_table.TOOLS, ids=lambda tool: tool.name)
@given(data=st.data())
@settings(max_examples=count(8, 2_000), deadline=None)
def test_no_response_makes_a_tool_fail(tool: Any, data: Any) -> None:
    lists = [name for names in tool.reads.values() for name in names]
    names = [*lists, *tool.repeats, "nextOffset", "total", "hints", "overlapping", "limit"]
    columns = ["currencyCode", "id", "name", *tool.sums]
    rows = st.lists(st.dictionaries(st.sampled_from(columns), _VALUES, max_size=6) | _VALUES)
    body = data.draw(st.dictionaries(st.sampled_from(names), rows | _VALUES, max_size=8))
    text = json.dumps(body).encode()
    found = asked(tool, text)
    if found.is_error:
        assert json.loads(found.content[0].text)["howToGoOn"]


@pytest.mark.parametrize("body", [b"1e999999999", b'{"a": 1e999999999}', b"[" * 100_000, b"\xff"])
def test_a_body_that_cannot_be_read_safely_is_none(body: bytes) -> None:
    assert api_client._parse(body) is None


def test_a_number_with_thousands_of_digits_in_a_header_is_left_out() -> None:
    assert [api_client._whole(text) for text in ("7", "9" * 5_000, "x", None)] == [
        7,
        None,
        None,
        None,
    ]
