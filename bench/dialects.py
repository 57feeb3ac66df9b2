"""Each server's URL for a query, and where the rows are in its response."""

import json
from abc import ABC, abstractmethod
from typing import Any
from urllib.parse import quote, urlencode

from bench.data import LAST_DAY
from bench.loads import FIRST, Kind, Query
from bench.sizes import PAGE

_LISTS = {
    Kind.RECORDS: "records",
    Kind.BY_ID: "records",
    Kind.CATEGORIES: "categories",
    Kind.SUMS: "groups",
    Kind.BALANCES: "balances",
    Kind.WALLET: "records",
}


class Dialect(ABC):
    """How to query a server. authenticates: whether requests carry the user's token."""

    authenticates = True

    @abstractmethod
    def path(self, query: Query) -> str:
        """Return the path with its query string."""

    @abstractmethod
    def rows(self, query: Query, response: Any) -> list[dict[str, Any]]:
        """Return the rows in the parsed response."""


def _limit(query: Query) -> int:
    return FIRST if query.word or query.kind is Kind.CATEGORIES else PAGE


def _with_query(path: str, **parameters: Any) -> str:
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"{path}?{urlencode(given, quote_via=quote, safe=',:')}" if given else path


class Ours(Dialect):
    """The public API."""

    def path(self, query: Query) -> str:
        if query.kind is Kind.CATEGORIES:
            return _with_query("/v1/api/categories", limit=FIRST)
        if query.kind is Kind.BY_ID:
            return _with_query("/v1/api/records/by-id", id=",".join(query.ids))
        if query.kind is Kind.CHANGES:
            return _with_query("/v1/api/changes", types="records", limit=PAGE)
        if query.kind is Kind.BALANCES:
            return _with_query(
                "/v1/api/accounts/balances",
                **{"interval": "month", "from": query.since, "to": LAST_DAY},
            )
        if query.kind is Kind.SUMS:
            return _with_query(
                "/v1/api/records/summary",
                groupBy="category,month",
                recordDate=f"gte.{query.since}",
                payee=f"eq.{query.payee}" if query.payee else None,
                offset=query.offset or None,
            )
        below = "/wallet" if query.kind is Kind.WALLET else ""
        return _with_query(
            f"{below}/v1/api/records",
            recordDate=f"gte.{query.since}" if query.since else None,
            note=f"contains-i.{query.word}" if query.word else None,
            limit=_limit(query),
            offset=query.offset or None,
        )

    def rows(self, query: Query, response: Any) -> list[dict[str, Any]]:
        if query.kind is Kind.CHANGES:
            return [change["data"] for change in response["changes"]]
        return list(response[_LISTS[query.kind]])


class FastApi(Dialect):
    """`bench.competitors.fastapi_app`."""

    def path(self, query: Query) -> str:
        if query.kind is Kind.CATEGORIES:
            return _with_query("/categories", limit=FIRST)
        if query.kind is Kind.BY_ID:
            return _with_query("/records/by-id", ids=",".join(query.ids))
        if query.kind is Kind.BALANCES:
            return _with_query("/accounts/balances", date_from=query.since)
        if query.kind is Kind.SUMS:
            return _with_query(
                "/records/summary",
                date_from=query.since,
                payee=query.payee,
                offset=query.offset or None,
            )
        return _with_query(
            "/records",
            date_from=query.since,
            note_contains=query.word,
            limit=_limit(query),
            offset=query.offset or None,
        )

    rows = Ours.rows


class Datasette(Dialect):
    """The queries of `bench.competitors.datasette_metadata`."""

    authenticates = False

    def __init__(self, database: str) -> None:
        self._database = database

    def path(self, query: Query) -> str:
        given: dict[str, Any] = {"user_id": query.person.number, "limit": _limit(query)}
        if query.kind is Kind.CATEGORIES:
            name = "categories"
        elif query.kind is Kind.BY_ID:
            name = "by_id"
            given = {**given, "limit": None, "ids": json.dumps(query.ids)}
        elif query.kind is Kind.BALANCES:
            name = "balances"
            assert query.since is not None
            given |= {"limit": None, "since": f"{query.since:%Y-%m}"}
        elif query.kind is Kind.SUMS:
            name = "payee_sums" if query.payee else "sums"
            given |= {"since": query.since, "payee": query.payee, "offset": query.offset}
        elif query.word:
            name = "search"
            given["word"] = query.word
        else:
            name = "page"
            # Datasette's dates are texts: the empty text comes before all of them.
            given |= {"since": query.since or "", "offset": query.offset}
        return _with_query(f"/{self._database}/{name}.json", **given, _shape="array")

    def rows(self, query: Query, response: Any) -> list[dict[str, Any]]:
        return list(response)
