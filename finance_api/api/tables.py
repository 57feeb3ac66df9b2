"""Answers that are worked out: rows with columns of their own, and what belongs to all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from finance_api.api.representation import JSON, HeaderItems, Representation, body_of
from finance_api.resources.field import Field
from finance_api.resources.wire import RowEncoder
from finance_api.values import Row


@dataclass(frozen=True)
class TableResponse:
    """name: of the rows in the envelope. members: of the envelope, after the rows, for orjson.

    headers: what stands for the members where there is no envelope.
    """

    name: str
    columns: Sequence[Field]
    rows: Sequence[Row]
    members: Mapping[str, Any] = field(default_factory=dict)
    headers: HeaderItems = ()


def write_table(answer: TableResponse, representation: Representation) -> tuple[bytes, HeaderItems]:
    """The body, and the headers that belong to it."""
    encoder = RowEncoder(answer.columns)
    if representation is JSON:
        return orjson.dumps({answer.name: encoder.documents(answer.rows), **answer.members}), ()
    return body_of(representation, answer.columns, encoder.lines(answer.rows)), answer.headers


def page_members(limit: int, offset: int, *, has_more: bool) -> dict[str, int | None]:
    """The page in the envelope."""
    next_offset = offset + limit if has_more else None
    return {"limit": limit, "offset": offset, "nextOffset": next_offset}


def next_offset_header(page: Mapping[str, int | None]) -> HeaderItems:
    """nextOffset, where there is no envelope."""
    offset = page["nextOffset"]
    return (("X-Next-Offset", "" if offset is None else str(offset)),)
