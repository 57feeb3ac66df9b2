"""Reads the rows that entries can match: records and the wholes of splits, but no parts."""

from collections.abc import Collection, Iterator, Sequence

from finance_api.ledger.session import LedgerSession
from finance_api.query.model import Query, SortKey, any_of, dated
from finance_api.resources import RECORDS, SPLITS
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

_PAGE = 2_000
_FEW = 2_000
_NEWEST_FIRST = (SortKey(RECORDS["recordDate"], descending=True),)


def is_whole(row: Row) -> bool:
    """Return whether one of these rows is the whole of a split."""
    return "splitId" not in row


def stated_pages(
    session: LedgerSession, account_ids: Sequence[str], first: int, last: int
) -> Iterator[list[Row]]:
    """Yield the accounts' rows from day ``first`` to ``last``, in pages sorted by id."""
    conditions = (
        any_of("accountId", account_ids),
        dated(first * DAY_SECONDS, (last + 1) * DAY_SECONDS),
    )
    data, user_id = session.storage.data, session.user.id
    # A few records are looked up by day; for many, one scan of all records is faster.
    by_date = Query(RECORDS, conditions, _NEWEST_FIRST, limit=_FEW)
    few = data.list_rows(user_id, by_date)
    if few.has_more:
        for page in data.scan_pages(user_id, RECORDS, _PAGE, conditions=conditions):
            yield _without_parts(page)
    else:
        found = data.get_rows(user_id, RECORDS, [row["id"] for row in few.rows])
        yield _without_parts([found[row_id] for row_id in sorted(found)])
    yield from data.scan_pages(user_id, SPLITS, _PAGE, conditions=conditions)


def _without_parts(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["splitId"] is None]


def get_stated(session: LedgerSession, ids: Collection[str]) -> dict[str, Row]:
    """Return the rows with these ids that exist, by id."""
    data, user_id = session.storage.data, session.user.id
    found = data.get_rows(user_id, RECORDS, ids)
    left = [row_id for row_id in ids if row_id not in found]
    return found | data.get_rows(user_id, SPLITS, left) if left else found


def get_stated_by_source(
    session: LedgerSession, source: str, source_ids: Collection[str]
) -> dict[str, Row]:
    """Return the rows of the source with these source ids, by source id."""
    data, user_id = session.storage.data, session.user.id
    found = data.get_rows_by_source(user_id, RECORDS, source, source_ids)
    left = [source_id for source_id in source_ids if source_id not in found]
    return found | data.get_rows_by_source(user_id, SPLITS, source, left) if left else found
