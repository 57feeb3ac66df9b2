"""Searching for texts in the records of the default order, by the cheapest way.

A common text is soon met in a scan of the list; a rare one is found by an index of trigrams.
PostgreSQL knows roughly how rare a text is, and chooses. SQLite's index finds records in the order
of the list (`search_keys`), so only some more than are wanted are taken from it. The index finds
candidates; what is a match is decided by the same comparison everywhere.
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
from finance_api.storage.sql.clauses import BindNames, has_text, values_by_name
from finance_api.storage.sql.columns import CodePointText
from finance_api.storage.sql.driver import PLANNED_ANEW
from finance_api.storage.sql.projection import search_keys
from finance_api.storage.sql.statements import (
    LIMIT,
    OFFSET,
    USER,
    StatementConnection,
    by_user_and_date,
)
from finance_api.storage.sql.tables import DATA_TABLES, records_by_date
from finance_api.values.text import fold

#: The fields that are, folded, in `records_by_date` and in the index.
SEARCHED = {"payee": records_by_date.c.payee_folded, "note": records_by_date.c.note_folded}

#: The numbers of candidates that SQLite's index is asked for, in turn: multiples of what is wanted,
#: and at most so many.
ROUNDS = (1, 8, 64)
_MOST_CANDIDATES = 20_000
#: Wanted beside the matches: for candidates that are none, and a day that is not whole.
_SPARE = 10

#: The index knows nothing of shorter texts.
_TRIGRAM = 3
#: More of them make nothing more certain.
_MOST_TRIGRAMS = 16

_RECORDS = records_by_date.c


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """A text to search for. exact: the text with regard to case, where that matters."""

    field: str
    folded: str
    exact: str | None = None

    @property
    def shape(self) -> tuple[str, bool]:
        return self.field, self.exact is not None


def search_term_of(condition: Condition) -> SearchTerm:
    """The term of a ``contains.`` or ``contains-i.``."""
    operand = condition.operand
    assert isinstance(operand, str)
    exact = operand if condition.operator is Operator.CONTAINS else None
    # Folding goes character by character: what contains a text contains it folded, too.
    return SearchTerm(condition.field.name, fold(operand), exact)


def _term_clauses(
    database: str, columns: Any, terms: tuple[tuple[str, bool], ...]
) -> list[ColumnElement[bool]]:
    """Whether every text is there. columns: named as those of `records_by_date`."""
    records, names = DATA_TABLES[RECORDS.name], BindNames()
    found: list[ColumnElement[bool]] = []
    for field, is_exact in terms:
        found.append(has_text(database, columns[SEARCHED[field].name], names.parameter()))
        if is_exact:
            # A value and not an EXISTS, of which PostgreSQL would make a join with all records.
            exact = (
                select(records.columns[field])
                .where(records.user_id == USER, records.columns["id"] == columns.id)
                .scalar_subquery()
            )
            found.append(has_text(database, exact, names.parameter()))
    return found


def _scan_in_order(
    database: str, terms: tuple[tuple[str, bool], ...], has_first: bool, has_last: bool
) -> Select[Any]:
    """The matches, from the beginning of the list as far as necessary."""
    return (
        select(_RECORDS.json)
        .where(*by_user_and_date(has_first, has_last), *_term_clauses(database, _RECORDS, terms))
        .order_by(_RECORDS.newest_first, _RECORDS.id)
        .limit(LIMIT)
        .offset(OFFSET)
    )


def search(
    connection: StatementConnection,
    terms: tuple[SearchTerm, ...],
    bounds: tuple[bool, bool],
    values: dict[str, Any],
) -> tuple[DataState, bytes]:
    """A page of the records in which all terms are found, and its state.

    values: user, limit, offset and the bounds, as `RecordsByDateQuery.values` gives them.
    """
    shape = (tuple([term.shape for term in terms]), *bounds)
    texts = [text for term in terms for text in (term.folded, term.exact) if text is not None]
    values = {**values, **values_by_name(texts)}
    indexed = [term for term in terms if len(term.folded) >= _TRIGRAM]
    if not indexed:
        return connection.fetch_lines(_scan_in_order, *shape, values=values)
    if connection.database == "sqlite":
        return _search_sqlite(connection, indexed, shape, values)
    return _search_postgresql(connection, indexed, shape, values)


def _pattern(folded: str) -> str:
    """The LIKE pattern of a text, wherever it stands."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", folded) + "%"


def _search_postgresql(
    connection: StatementConnection,
    indexed: list[SearchTerm],
    shape: tuple[Any, ...],
    values: dict[str, Any],
) -> tuple[DataState, bytes]:
    """PostgreSQL keeps statistics of what stands in the texts, and chooses by them."""
    patterns = {f"like{n}": _pattern(term.folded) for n, term in enumerate(indexed)}
    fields = tuple([term.field for term in indexed])
    return connection.fetch_lines(_planned, fields, *shape, values=values | patterns)


def _planned(database: str, fields: tuple[str, ...], *shape: Any) -> Select[Any]:
    """As `_scan_in_order`, with conditions that pg_trgm's index serves."""
    patterns = [
        SEARCHED[field].like(bindparam(f"like{number}", type_=CodePointText))
        for number, field in enumerate(fields)
    ]
    return (
        _scan_in_order(database, *shape).where(*patterns).execution_options(**{PLANNED_ANEW: True})
    )


def _search_sqlite(
    connection: StatementConnection,
    indexed: list[SearchTerm],
    shape: tuple[Any, ...],
    values: dict[str, Any],
) -> tuple[DataState, bytes]:
    terms, has_first, has_last = shape
    user_id, last = values["user"], values["last"]
    low, high = search_keys.keys_between(user_id, values["first"], last)
    asked = {"user": user_id, "match": _match(indexed), "low": low, "high": high}
    if has_first:
        asked["overflow_low"], asked["overflow_high"] = search_keys.overflow_keys(user_id)
    wanted = values["offset"] + values["limit"] + _SPARE
    for most in [wanted * times for times in ROUNDS if wanted * times <= _MOST_CANDIDATES]:
        found = connection.fetch(_candidates, has_first, values={**asked, "most": most})
        if not found:
            break
        keys = json.loads(found[0][1])
        is_all = len(keys) < most
        chosen = {**values, "search_keys": found[0][1]}
        if not is_all:
            known = search_keys.last_of_whole_days(keys[-1])
            chosen["last"] = known if last is None else min(last, known)
        state, lines = connection.fetch_lines(
            _chosen, terms, has_first, has_last or not is_all, values=chosen
        )
        # Otherwise data was imported in between.
        is_of_one_state = state.tag == found[0][0]
        if is_of_one_state and (is_all or lines.count(b"\n") + 1 == values["limit"]):
            return state, lines
    return connection.fetch_lines(_scan_in_order, *shape, values=values)


def _match(terms: list[SearchTerm]) -> str:
    """The FTS5 query that finds candidates: some trigrams of the texts, wherever they stand.

    The index has neither their positions nor their columns, which would take four times the room.
    """
    trigrams = dict.fromkeys(t for term in terms for t in _trigrams(term.folded))
    quoted = [trigram.replace('"', '""') for trigram in list(trigrams)[:_MOST_TRIGRAMS]]
    return " AND ".join(f'"{trigram}"' for trigram in quoted)


def _trigrams(text: str) -> list[str]:
    """As few as all characters are in, evenly spread."""
    last = len(text) - _TRIGRAM
    gaps = -(-len(text) // _TRIGRAM) - 1
    starts = [round(number * last / gaps) for number in range(gaps + 1)] if gaps else [0]
    return [text[start : start + _TRIGRAM] for start in starts]


def _candidates(database: str, has_overflow: bool) -> Executable:
    """The state's tag, and a JSON list of search keys that the index finds, in their order.

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
        f"SELECT users.data_tag, (SELECT json_group_array(rowid) FROM ({keys}))"  # noqa: S608
        " FROM users WHERE users.id = :user"
    )


_KEYS_BETWEEN = (
    "SELECT rowid FROM record_search WHERE record_search MATCH :match"
    " AND rowid BETWEEN {low} AND {high} ORDER BY rowid LIMIT :most"
)


# A cross join, because SQLite then begins with the keys and not with all of the user's records.
_OF_KEYS = text(
    "SELECT records_by_date.* FROM json_each(:search_keys) AS keys CROSS JOIN records_by_date"
    " ON records_by_date.user_id = :user AND records_by_date.search_key = keys.value"
).columns(*records_by_date.columns)


def _chosen(
    database: str, terms: tuple[tuple[str, bool], ...], has_first: bool, has_last: bool
) -> Select[Any]:
    """The matches among records with certain search keys."""
    chosen = _OF_KEYS.subquery("chosen")
    return (
        select(chosen.c.json)
        .where(
            *by_user_and_date(has_first, has_last, chosen.c),
            *_term_clauses(database, chosen.c, terms),
        )
        .order_by(chosen.c.newest_first, chosen.c.id)
        .limit(LIMIT)
        .offset(OFFSET)
    )
