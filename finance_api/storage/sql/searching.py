"""Texts in the records of the default order, looked for where it costs least.

A text that is common is soon met by walking down the list; one that is rare is found by an index
of trigrams. PostgreSQL knows roughly how rare a text is. SQLite does not: there both are tried in
turn, each with a bound that rises. The index finds candidates; what is a match is decided by the
same comparison everywhere.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Select, and_, bindparam, select, text, tuple_
from sqlalchemy.sql import ColumnElement, Executable

from finance_api.query.model import Condition, Operator
from finance_api.resources import RECORDS
from finance_api.storage.interface import DataState
from finance_api.storage.sql.clauses import Bound, has_text
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.driver import PLANNED_ANEW
from finance_api.storage.sql.fetching import Fetching
from finance_api.storage.sql.parts import COUNT, SKIP, USER, of_user
from finance_api.storage.sql.tables import (
    DATA_TABLES,
    PLACE_DISTANCE,
    listed_records,
    record_places,
    users,
)
from finance_api.values.text import fold

#: The fields that stand, folded, in `listed_records` and in the index.
SEARCHED = {"payee": listed_records.c.payee_folded, "note": listed_records.c.note_folded}

#: How many candidates the index is asked for, and how many records are walked along, in turn.
ROUNDS = ((100, 2_500), (800, 20_000))

#: The index knows nothing of shorter texts.
_TRIGRAM = 3
#: In the index of SQLite a user's records are neighbours; see `listed_sqlite`.
KEYS_OF_A_USER = 1 << 36

_LISTED = listed_records.c
_ROWS: ColumnElement[int] = bindparam("rows", type_=BigInteger())


@dataclass(frozen=True, slots=True)
class Needle:
    """A text to look for. exact: the text with regard to case, where that matters."""

    field: str
    folded: str
    exact: str | None = None

    @property
    def shape(self) -> tuple[str, bool]:
        return self.field, self.exact is not None


def needle_of(condition: Condition) -> Needle:
    """The needle of a ``contains.`` or ``contains-i.``."""
    operand = condition.operand
    assert isinstance(operand, str)
    exact = operand if condition.operator is Operator.CONTAINS else None
    # Folding goes character by character: what contains a text contains it folded, too.
    return Needle(condition.field.name, fold(operand), exact)


def _meets(
    columns: Any, needles: tuple[tuple[str, bool], ...], bound: Bound
) -> list[ColumnElement[bool]]:
    """Whether every text is there, in columns named as those of `listed_records`."""
    records = DATA_TABLES[RECORDS.name]
    tests: list[ColumnElement[bool]] = []
    for field, is_exact in needles:
        tests.append(has_text(columns[SEARCHED[field].name], bound.parameter(CodePointText)))
        if is_exact:
            # A value and not an EXISTS, of which PostgreSQL would make a join with all records.
            exact = (
                select(records.columns[field])
                .where(records.user_id == USER, records.columns["id"] == columns.id)
                .scalar_subquery()
            )
            tests.append(has_text(exact, bound.parameter(CodePointText)))
    return tests


def _bound_values(needles: tuple[Needle, ...]) -> dict[str, str]:
    texts = [t for n in needles for t in (n.folded, n.exact) if t is not None]
    return {f"p{number}": value for number, value in enumerate(texts)}


def _walk(
    database: str, needles: tuple[tuple[str, bool], ...], has_first: bool, has_last: bool
) -> Select[Any]:
    """The matches, from the beginning of the list as far as necessary."""
    return (
        select(_LISTED.body)
        .where(*of_user(has_first, has_last), *_meets(_LISTED, needles, Bound()))
        .order_by(_LISTED.newest_first, _LISTED.id)
        .limit(COUNT)
        .offset(SKIP)
    )


def _short_walk(
    database: str, needles: tuple[tuple[str, bool], ...], has_first: bool, has_last: bool
) -> Select[Any]:
    """The matches among about so many records from the beginning of the list on."""
    place = (_record_count() - _ROWS) // PLACE_DISTANCE * PLACE_DISTANCE
    at_place = and_(record_places.c.user_id == USER, record_places.c.position == place)
    end = [
        select(column).where(at_place).scalar_subquery()
        for column in (record_places.c.newest_first, record_places.c.id)
    ]
    walk = _walk(database, needles, has_first, has_last)
    return walk.where(tuple_(_LISTED.newest_first, _LISTED.id) < tuple_(*end))


def _record_count() -> ColumnElement[int]:
    return select(users.c.record_count).where(users.c.id == USER).scalar_subquery()


def _size(database: str) -> Select[Any]:
    return select(users.c.record_count).where(users.c.id == USER)


def search(
    storage: Fetching,
    needles: tuple[Needle, ...],
    bounds: tuple[bool, bool],
    values: dict[str, Any],
) -> tuple[DataState, bytes]:
    """A page of the records in which all needles are found, and its state.

    values: user, count, skip and the bounds, as `listed.ListedQuery` gives them.
    """
    shape = (tuple([needle.shape for needle in needles]), *bounds)
    values = {**values, **_bound_values(needles)}
    indexed = [needle for needle in needles if len(needle.folded) >= _TRIGRAM]
    if not indexed:
        return storage.fetch_lines(_walk, *shape, values=values)
    if storage.data.dialect.name == "sqlite":
        return _search_sqlite(storage, indexed, shape, values)
    return _search_postgresql(storage, indexed, shape, values)


def _pattern(folded: str) -> str:
    """What LIKE finds a text by, wherever it stands."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", folded) + "%"


def _search_postgresql(
    storage: Fetching, indexed: list[Needle], shape: tuple[Any, ...], values: dict[str, Any]
) -> tuple[DataState, bytes]:
    """PostgreSQL keeps statistics of what stands in the texts, and chooses by them."""
    patterns = {f"like{n}": _pattern(needle.folded) for n, needle in enumerate(indexed)}
    fields = tuple([needle.field for needle in indexed])
    return storage.fetch_lines(_planned, fields, *shape, values=values | patterns)


def _planned(database: str, fields: tuple[str, ...], *shape: Any) -> Select[Any]:
    """As `_walk`, with conditions that pg_trgm's index serves."""
    patterns = [
        SEARCHED[field].like(bindparam(f"like{number}", type_=CodePointText))
        for number, field in enumerate(fields)
    ]
    return _walk(database, *shape).where(*patterns).execution_options(**{PLANNED_ANEW: True})


def _search_sqlite(
    storage: Fetching, indexed: list[Needle], shape: tuple[Any, ...], values: dict[str, Any]
) -> tuple[DataState, bytes]:
    storage.begin_snapshot()
    size = storage.fetch(_size, values=values)
    if size and size[0][0] > ROUNDS[0][1]:
        match = " AND ".join(map(_match, indexed))
        for most, rows in ROUNDS:
            asked = {"user": values["user"], "match": match, "most": most + 1}
            keys = [row[0] for row in storage.fetch(_candidates, values=asked)]
            if len(keys) <= most:
                chosen = {**values, "search_keys": json.dumps(keys)}
                return storage.fetch_lines(_chosen, *shape, values=chosen)
            found = storage.fetch_lines(_short_walk, *shape, values={**values, "rows": rows})
            if found[1].count(b"\n") + 1 == values["count"]:
                return found
    return storage.fetch_lines(_walk, *shape, values=values)


def _match(needle: Needle) -> str:
    """What FTS5 finds a text by."""
    quoted = needle.folded.replace('"', '""')
    return f'{SEARCHED[needle.field].name} : "{quoted}"'


def _candidates(database: str) -> Executable:
    """Search keys of the user's records that the index finds."""
    return text(
        "SELECT rowid FROM record_search WHERE record_search MATCH :match"
        " AND rowid BETWEEN :user * :keys AND :user * :keys + :keys - 1 LIMIT :most"
    ).bindparams(keys=KEYS_OF_A_USER)


# A cross join, because SQLite then begins with the keys and not with all of the user's records.
_OF_KEYS = text(
    "SELECT listed_records.* FROM json_each(:search_keys) AS keys CROSS JOIN listed_records"
    " ON listed_records.user_id = :user AND listed_records.search_key = keys.value"
).columns(*listed_records.columns)


def _chosen(
    database: str, needles: tuple[tuple[str, bool], ...], has_first: bool, has_last: bool
) -> Select[Any]:
    """The matches among records with certain search keys."""
    chosen = _OF_KEYS.subquery("chosen")
    return (
        select(chosen.c.body)
        .where(*of_user(has_first, has_last, chosen.c), *_meets(chosen.c, needles, Bound()))
        .order_by(chosen.c.newest_first, chosen.c.id)
        .limit(COUNT)
        .offset(SKIP)
    )
