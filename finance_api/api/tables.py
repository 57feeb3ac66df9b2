"""Answers that are worked out: rows with columns of their own, and what belongs to all of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from finance_api.api.data_request import DataRequest, Payload
from finance_api.api.listing import next_link
from finance_api.api.representation import JSON, OF_LISTS, HeaderItems, body_of
from finance_api.resources.field import Field
from finance_api.resources.wire import RowEncoder
from finance_api.storage.interface import DataState
from finance_api.values import Row


class TableRequest(DataRequest):
    """A request that is answered by a table. name: of the rows in the envelope."""

    forms = OF_LISTS
    name: str

    def table(
        self,
        state: DataState,
        columns: Sequence[Field],
        rows: Sequence[Row],
        members: Mapping[str, Any],
        headers: HeaderItems = (),
        *,
        has_more: bool | None = None,
    ) -> Payload:
        """members: of the envelope, after the rows, for orjson.

        headers: in place of the members where there is no envelope. has_more: whether there is a
        page after this one; None: the table has no pages.
        """
        link: HeaderItems = ()
        if has_more is not None:
            limit, offset = self.given["limit"], self.given["offset"]
            following = offset + limit if has_more else None
            members = {**members, "limit": limit, "offset": offset, "nextOffset": following}
            headers = (("X-Next-Offset", str(following or "")), *headers)
            link = next_link(self.target, following)
        encoder = RowEncoder(columns)
        if self.representation is JSON:
            return Payload(
                state, orjson.dumps({self.name: encoder.documents(rows), **members}), link
            )
        body = body_of(self.representation, columns, encoder.lines(rows))
        return Payload(state, body, (*headers, *link))
