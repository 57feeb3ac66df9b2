"""Texts in the records of the default order, looked for where it costs least.

A text that is common is soon met by walking down the list; one that is rare is found by an index
of trigrams. PostgreSQL knows roughly how rare a text is, and chooses. SQLite's index finds what it
finds in the order of the list (`search_keys`), so only some more than are wanted are taken from it.
The index finds candidates; what is a match is decided by the same comparison everywhere.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, select, text
from sqlalchemy.sql import ColumnElement, Executable

from finance_api.query.model import Condition, Operator
from finance_api.resources import RECORDS
from finance_api.storage.interface import DataState
from finance_api.storage.sql import search_keys
from finance_api.storage.sql.clauses import Bound, has_text
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.driver import PLANNED_ANEW
from finance_api.storage.sql.fetching import Fetching
from finance_api.storage.sql.parts import COUNT, SKIP, USER, of_user
from finance_api.storage.sql.tables import DATA_TABLES, listed_records
from finance_api.values.text import fold

#: The fields that stand, folded, in `listed_records` and in the index.
SEARCHED = {"payee": listed_records.c.payee_folded, "note": listed_records.c.note_folded}

#: How many candidates SQLite's index is asked for, in turn: as many times what is wanted, and at
#: most so many.
ROUNDS = (1, 8, 64)
_MOST_CANDIDATES = 20_000
#: Wanted beside the matches: for candidates that are none, and a day that is not whole.
_SPARE = 10

#: The index knows nothing of shorter texts.
_TRIGRAM = 3
#: More of them make nothing more certain.
_MOST_TRIGRAMS = 16

_LISTED = listed_records.c


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
    needles, has_first, has_last = shape
    user_id, last = values["user"], values["last"]
    low, high = search_keys.keys_between(user_id, values["first"], last)
    asked = {"user": user_id, "match": _match(indexed), "low": low, "high": high}
    if has_first:
        asked["overflow_low"], asked["overflow_high"] = search_keys.overflow_keys(user_id)
    wanted = values["skip"] + values["count"] + _SPARE
    for most in [wanted * times for times in ROUNDS if wanted * times <= _MOST_CANDIDATES]:
        found = storage.fetch(_candidates, has_first, values={**asked, "most": most})
        if not found:
            break
        keys = json.loads(found[0][1])
        is_all = len(keys) < most
        chosen = {**values, "search_keys": found[0][1]}
        if not is_all:
            known = search_keys.last_of_whole_days(keys[-1])
            chosen["last"] = known if last is None else min(last, known)
        state, lines = storage.fetch_lines(
            _chosen, needles, has_first, has_last or not is_all, values=chosen
        )
        # Otherwise somebody has imported in between.
        is_of_one_state = state.revision == found[0][0]
        if is_of_one_state and (is_all or lines.count(b"\n") + 1 == values["count"]):
            return state, lines
    return storage.fetch_lines(_walk, *shape, values=values)


def _match(needles: list[Needle]) -> str:
    """What FTS5 finds candidates by: some trigrams of the texts, wherever they stand.

    It keeps neither their places nor their columns, which would take four times the room.
    """
    trigrams = dict.fromkeys(t for needle in needles for t in _trigrams(needle.folded))
    quoted = [trigram.replace('"', '""') for trigram in list(trigrams)[:_MOST_TRIGRAMS]]
    return " AND ".join(f'"{trigram}"' for trigram in quoted)


def _trigrams(text: str) -> list[str]:
    """As few as all characters are in, evenly spread."""
    last = len(text) - _TRIGRAM
    gaps = -(-len(text) // _TRIGRAM) - 1
    starts = [round(number * last / gaps) for number in range(gaps + 1)] if gaps else [0]
    return [text[start : start + _TRIGRAM] for start in starts]


def _candidates(database: str, has_overflow: bool) -> Executable:
    """The revision, and a JSON list of search keys that the index finds, in their order.

    has_overflow: whether the keys asked for are not next to those of the overflow.
    """
    keys = _KEYS_BETWEEN.format(low=":low", high=":high")
    if has_overflow:
        overflow = _KEYS_BETWEEN.format(low=":overflow_low", high=":overflow_high")
        keys = (
            f"SELECT rowid FROM (SELECT rowid FROM ({overflow})"  # noqa: S608 (no input)
            f" UNION ALL SELECT rowid FROM ({keys})) LIMIT :most"
        )
    return text(
        f"SELECT users.data_revision, (SELECT json_group_array(rowid) FROM ({keys}))"  # noqa: S608
        " FROM users WHERE users.id = :user"
    )


_KEYS_BETWEEN = (
    "SELECT rowid FROM record_search WHERE record_search MATCH :match"
    " AND rowid BETWEEN {low} AND {high} ORDER BY rowid LIMIT :most"
)


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
