"""Answers that are worked out: rows with columns of their own, and what belongs to all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from finance_api.api.csv import csv_body
from finance_api.api.representation import CSV, JSON, XLSX, HeaderItems, Representation
from finance_api.api.xlsx import xlsx_body
from finance_api.resources.field import Field
from finance_api.resources.wire import RowEncoder
from finance_api.values import Row


@dataclass(frozen=True)
class TableAnswer:
    """name: of the rows in the envelope. members: of the envelope, after the rows, for orjson.

    headers: what stands for the members where there is no envelope.
    """

    name: str
    columns: Sequence[Field]
    rows: Sequence[Row]
    members: Mapping[str, Any] = field(default_factory=dict)
    headers: HeaderItems = ()


def write_table(answer: TableAnswer, representation: Representation) -> tuple[bytes, HeaderItems]:
    """The body, and the headers that belong to it."""
    if representation is CSV:
        return csv_body(answer.columns, answer.rows), answer.headers
    if representation is XLSX:
        return xlsx_body(answer.columns, answer.rows), answer.headers
    lines = RowEncoder(answer.columns).lines(answer.rows)
    if representation is JSON:
        members = orjson.dumps(answer.members)[1:]
        comma = b"," if answer.members else b""
        begin = b'{"%b":[' % answer.name.encode()
        return b"".join((begin, lines.replace(b"\n", b","), b"]", comma, members)), ()
    return lines + b"\n" * bool(lines), answer.headers


def page_members(limit: int, offset: int, *, has_more: bool) -> dict[str, int | None]:
    """The page in the envelope."""
    next_offset = offset + limit if has_more else None
    return {"limit": limit, "offset": offset, "nextOffset": next_offset}


def next_offset_header(page: Mapping[str, int | None]) -> HeaderItems:
    """nextOffset, where there is no envelope."""
    offset = page["nextOffset"]
    return (("X-Next-Offset", "" if offset is None else str(offset)),)
