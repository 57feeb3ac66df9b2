"""How each server spells a question, and where the rows are in its answer."""

import json
from abc import ABC, abstractmethod
from typing import Any
from urllib.parse import quote, urlencode

from bench.loads import FIRST, Kind, Question
from bench.sizes import PAGE


class Dialect(ABC):
    """authenticates: whether a request carries the user's token."""

    authenticates = True

    @abstractmethod
    def path(self, question: Question) -> str:
        """Path and query."""

    @abstractmethod
    def rows(self, question: Question, answer: Any) -> list[dict[str, Any]]:
        """The rows in the parsed answer."""


def _limit(question: Question) -> int:
    return FIRST if question.word or question.kind is Kind.CATEGORIES else PAGE


def _with_query(path: str, **parameters: Any) -> str:
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"{path}?{urlencode(given, quote_via=quote, safe=',:')}" if given else path


class Ours(Dialect):
    """The public surface."""

    def path(self, question: Question) -> str:
        if question.kind is Kind.CATEGORIES:
            return _with_query("/v1/api/categories", limit=FIRST)
        if question.kind is Kind.BY_ID:
            return _with_query("/v1/api/records/by-id", id=",".join(question.ids))
        return _with_query(
            "/v1/api/records",
            recordDate=f"gte.{question.since}" if question.since else None,
            note=f"contains-i.{question.word}" if question.word else None,
            limit=_limit(question),
            offset=question.offset or None,
        )

    def rows(self, question: Question, answer: Any) -> list[dict[str, Any]]:
        return list(answer["categories" if question.kind is Kind.CATEGORIES else "records"])


class FastApi(Dialect):
    """`bench.peers.fastapi_app`."""

    def path(self, question: Question) -> str:
        if question.kind is Kind.CATEGORIES:
            return _with_query("/categories", limit=FIRST)
        if question.kind is Kind.BY_ID:
            return _with_query("/records/by-id", ids=",".join(question.ids))
        return _with_query(
            "/records",
            date_from=question.since,
            note_contains=question.word,
            limit=_limit(question),
            offset=question.offset or None,
        )

    rows = Ours.rows


class Datasette(Dialect):
    """The queries of `bench.peers.datasette_metadata`."""

    authenticates = False

    def __init__(self, database: str) -> None:
        self._database = database

    def path(self, question: Question) -> str:
        given: dict[str, Any] = {"user_id": question.person.number, "limit": _limit(question)}
        if question.kind is Kind.CATEGORIES:
            name = "categories"
        elif question.kind is Kind.BY_ID:
            name = "by_id"
            given = {**given, "limit": None, "ids": json.dumps(question.ids)}
        elif question.word:
            name = "search"
            given["word"] = question.word
        else:
            name = "page"
            # Dates are texts there: the empty one is before them all.
            given |= {"since": question.since or "", "offset": question.offset}
        return _with_query(f"/{self._database}/{name}.json", **given, _shape="array")

    def rows(self, question: Question, answer: Any) -> list[dict[str, Any]]:
        return list(answer)
