"""Answers of a limited size: totals and counts first, then as many rows as fit."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

from mcp.types import CallToolResult, TextContent

#: Maximum size of an answer, which is sent twice: as data for programs, and as text.
MAX_BYTES = 24_000
#: Maximum characters of a text and elements of a list. If a row is still too large, the second
#: pair applies.
_LENGTHS = ((500, 20), (60, 5))
_EXACT_WHOLE = 2**53

#: The name of a list, and an element of it.
Item = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Found:
    """The response of the API, from the offset on.

    items: the elements of all lists, in order. more: whether more elements follow. total: the
    number of rows of each list on all pages. members: other members of the answer.
    """

    items: Sequence[Item]
    more: bool
    total: dict[str, int | None]
    members: dict[str, Any]


#: The answer if the service does not respond as the API does.
UNLIKE = {
    "error": "The response is not like one of finance_api.",
    "howToGoOn": "Ask the user to check the address and version of the service.",
}


def answer(found: Found, *, lists: Iterable[str], offset: int | None, limit: int) -> CallToolResult:
    """Return an answer with the first rows that fit. offset: None if the API pages by cursor."""
    room = found.items[:limit]
    for characters, elements in _LENGTHS:
        short = [(name, _shortened(row, characters, elements)) for name, row in room]

        def made(count: int, short: list[Item] = short) -> CallToolResult:
            whole = count == len(found.items) and not found.more
            shown = short[:count]
            paging = {} if offset is None else {"nextOffset": None if whole else offset + count}
            document = {
                "shown": count,
                "total": found.total,
                **found.members,
                **paging,
                "shortened": any(
                    row != was for (_, row), (_, was) in zip(shown, room, strict=False)
                ),
                **{name: [row for of, row in shown if of == name] for name in lists},
            }
            return result(document)

        counts = range(1, len(short) + 1)
        count = bisect_right(counts, MAX_BYTES, key=lambda number: _size(made(number)))
        if count or not short:
            return made(count)
    return result(UNLIKE, is_error=True)


def result(document: dict[str, Any], *, is_error: bool = False) -> CallToolResult:
    """Return a result as data, and as text for clients that read only text; errors only as text."""
    plain = _plain(document)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=None if is_error else plain,
        is_error=is_error,
    )


def _size(answer: CallToolResult) -> int:
    return len(answer.model_dump_json(by_alias=True, exclude_none=True).encode())


def sums(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> list[dict[str, Any]] | None:
    """Return the sums by currency of the columns that all rows have; None if there is no sum."""

    def have(name: str, kind: Any) -> bool:
        return all(isinstance(row.get(name), kind) for row in rows)

    columns = [name for name in columns if have(name, (int, Decimal))]
    if not columns or not have("currencyCode", str):
        return None
    found: dict[str, dict[str, Any]] = {}
    # Enough digits for any sum to be exact.
    with localcontext(prec=100):
        for row in rows:
            of = found.setdefault(row["currencyCode"], dict.fromkeys(columns, Decimal(0)))
            for name in columns:
                of[name] += row[name]
    return [{"currencyCode": currency, **found[currency]} for currency in sorted(found)]


def _shortened(value: Any, characters: int, elements: int) -> Any:
    if isinstance(value, str) and len(value) > characters:
        return value[: characters - 1] + "…"
    if isinstance(value, list):
        kept = [_shortened(element, characters, elements) for element in value[:elements]]
        return kept + ["…"] if len(value) > elements else kept
    if isinstance(value, dict):
        return {name: _shortened(of, characters, elements) for name, of in value.items()}
    return value


def _plain(value: Any) -> Any:
    """Return the value. Numbers that a binary float would round become text."""
    if isinstance(value, dict):
        return {name: _plain(of) for name, of in value.items()}
    if isinstance(value, list):
        return [_plain(element) for element in value]
    if isinstance(value, Decimal):
        if value == value.to_integral_value():
            return _plain(int(value))
        return float(value) if Decimal(repr(float(value))) == value else format(value, "f")
    if isinstance(value, int) and abs(value) > _EXACT_WHOLE:
        return str(value)
    return value
