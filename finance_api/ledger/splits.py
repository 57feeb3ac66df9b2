"""Split records: the whole is a row of `SPLITS`, which no sum includes; its parts are records.

Statements state the whole, so only the whole has a statement's ids and values. The parts add up to
it, and have its account, date and import. Every change to wholes or parts ends with `check_splits`.

A deleted record that a file brought is a whole without parts. If statements state it, it still
matches their entries, so that no file brings it back.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from finance_api.importers import NATIVE
from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.brought import NOWHERE, as_deleted, note_by_hand
from finance_api.ledger.derivation import derive
from finance_api.ledger.rows import batched, blank_row
from finance_api.ledger.session import LedgerSession, Pair, UserRows
from finance_api.query.model import Query, SortKey, any_of, dated
from finance_api.resources import RECORDS, SPLITS
from finance_api.resources.currencies import money_text
from finance_api.resources.field import Role
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.ids import derived_id
from finance_api.values.number import MAX_UNITS
from finance_api.values.text import counted_text, day_text, message
from finance_api.values.time import DAY_SECONDS

_BATCH = 500
_WHOLE = tuple(field.name for field in SPLITS.persisted_fields)
#: The values of a record that no statement states.
UNSTATED: Row = {
    **dict.fromkeys(("source", "sourceId", "stated", "bookState")),
    "furtherSources": (),
}
#: Values of the whole that its parts never have.
_OF_WHOLE = {**UNSTATED, **dict.fromkeys(("brought", "originalAmount", "originalCurrencyCode"))}
#: Values that are the same in the whole and all parts.
_SHARED = ("accountId", "recordDate")
#: If one of these values of a whole changes, it also changes in parts that had the same value.
_FOLLOWED = tuple(
    field.name
    for field in SPLITS.having_role(Role.STORED)
    if field.name not in ("id", "amount", "createdAt", "updatedAt", *_SHARED, *_OF_WHOLE)
)


def whole_of(record: Row) -> Row:
    """Return the row of `SPLITS` for a record that is to be split."""
    return {name: record[name] for name in _WHOLE}


def record_of(whole: Row) -> Row:
    """Return the whole as a record, still without category, labels and derived fields."""
    return {**blank_row(RECORDS), **whole}


def part_of(record: Row, part_id: str, amount: int, now: int) -> Row:
    """Return a new part with the values of the record that is split; `derive` completes it."""
    own = {"id": part_id, "splitId": record["id"], "createdAt": now, "updatedAt": now}
    return {**record, **_OF_WHOLE, **own, "amount": amount}


def is_stated(row: Row) -> bool:
    """Return whether a statement stated this record (or whole), so that a later one may again."""
    is_own = row["sourceId"] is None or row["source"] == NATIVE
    return not is_own or row["stated"] is not None or bool(row["furtherSources"])


def is_kept(row: Row) -> bool:
    """Return whether a whole without parts is kept: whether it is of a record from a file."""
    return is_stated(row) or row["brought"] not in (None, NOWHERE)


def keep_deleted(session: LedgerSession, records: Iterable[Row]) -> None:
    """Keep deleted records from files: they decide balances, and no file brings them back."""
    gone = [as_deleted(whole_of(row)) for row in records if row["splitId"] is None]
    session.write(SPLITS, [(None, row) for row in gone if is_kept(row)])


def moved_id(session: LedgerSession, record_id: str) -> str:
    """Return the id of the record that takes this one's place if it is moved; see `move`."""
    return derived_id(session.user.uuid, "moved", record_id)


def moved_from(session: LedgerSession, ids: Collection[str]) -> dict[str, Row]:
    """Return the records and wholes that were moved here from these ids, however often.

    Those that a statement has at their new place are left out.
    """
    found: dict[str, Row] = {}
    while ids:
        rows = get_stated(session, [moved_id(session, row_id) for row_id in ids])
        found |= rows
        ids = rows.keys()
    return {row_id: row for row_id, row in found.items() if not is_stated(row)}


def forget_deleted(session: LedgerSession, account_id: str) -> None:
    """Delete the wholes of an account that is removed with its records."""
    for page in session.pages(SPLITS, any_of("accountId", [account_id])):
        session.write(SPLITS, [(row, None) for row in page])


def deleted_among(owned: UserRows, wholes: Iterable[str]) -> set[str]:
    """Return the ids of the wholes that have no parts: deleted records."""
    return {split_id for split_id, parts in parts_of(owned, wholes).items() if not parts}


def parts_of(owned: UserRows, split_ids: Iterable[str]) -> dict[str, list[Row]]:
    """Return the parts of each split, by id; an empty list for a split without parts."""
    found: dict[str, list[Row]] = {split_id: [] for split_id in split_ids}
    for batch in batched(list(found), _BATCH):
        for page in owned.pages(RECORDS, any_of("splitId", batch)):
            for row in page:
                found[row["splitId"]].append(row)
    return found


def title_of_whole(owned: UserRows, whole: Row) -> str:
    text = whole["payee"] or whole["note"] or "-"
    return f"{day_text(whole['recordDate'])} {text} {amount_of(owned, whole, whole['amount'])}"


def amount_of(owned: UserRows, whole: Row, units: int) -> str:
    """Write an amount in the whole's currency, for a `message`."""
    account = owned.accounts.rows.get(whole["accountId"])
    return money_text(units, account["currencyCode"] if account else None)


def put_records(session: LedgerSession, pairs: Sequence[Pair]) -> None:
    """Derive and store new, changed and deleted records."""
    for _, after in pairs:
        if after is not None:
            derive(session, after)
    session.write(RECORDS, pairs)


def follow(session: LedgerSession, before: Row, after: Row, parts: Sequence[Row]) -> list[Pair]:
    """Return the changes to the parts of a changed whole.

    Parts get the whole's account and date. They also get other changed values, unless they have
    their own. If the amount changed, the difference becomes an additional part, so that no amount
    from the user changes; later differences are added to that part. Raises ChangeRefused if the
    difference is out of range.
    """
    rest_id = derived_id(session.user.uuid, "split", f"{after['id']}/difference")
    others = [part for part in parts if part["id"] != rest_id]
    rest = after["amount"] - sum(part["amount"] for part in others)
    if abs(rest) > MAX_UNITS:
        raise ChangeRefused(
            f"the difference between the split record {title_of_whole(session, after)} and its "
            f"parts is out of range: join them first"
        )
    pairs: list[Pair] = []
    for part in parts:
        now: Row | None = {**part, **_followed(before, after, part)}
        if part["id"] == rest_id:
            now = {**(now or part), "amount": rest} if rest else None
        if now != part:
            pairs.append((part, now and {**now, "updatedAt": session.now}))
    if rest and len(others) == len(parts):
        pairs.append((None, part_of(record_of(after), rest_id, rest, session.now)))
    return pairs


def change_wholes(session: LedgerSession, pairs: Sequence[tuple[Row, Row]]) -> list[str]:
    """Store wholes that an import changed, and change their parts accordingly.

    Returns sentences about differences that became parts. Raises ChangeRefused.
    """
    if not pairs:
        return []
    session.write(SPLITS, pairs)
    parts = parts_of(session, [after["id"] for _, after in pairs])
    changes: list[Pair] = []
    remarks: list[str] = []
    for before, after in pairs:
        own = parts[after["id"]]
        if not own:
            continue
        changes += follow(session, before, after, own)
        if difference := after["amount"] - sum(part["amount"] for part in own):
            remarks.append(
                message(
                    f"the amount of the split record {title_of_whole(session, before)} is now "
                    f"{amount_of(session, after, after['amount'])}: the difference of "
                    f"{amount_of(session, after, difference)} is in a part of its own"
                )
            )
    put_records(session, changes)
    check_splits(session, parts)
    return remarks


def _followed(before: Row, after: Row, part: Row) -> dict[str, Any]:
    values = {name: after[name] for name in _SHARED}
    for name in _FOLLOWED:
        is_own = part[name] != before[name] or name in part["setByHand"]
        if after[name] != before[name] and not is_own:
            values[name] = after[name]
    if VOID in (before["recordState"], after["recordState"]):
        values["recordState"] = after["recordState"]
    return values


def check_splits(
    session: LedgerSession,
    split_ids: Iterable[str],
    *,
    can_end: bool = True,
    by_hand: bool = False,
    are_duplicates: bool = False,
) -> None:
    """Check changed splits, and void wholes whose parts are void.

    A whole without parts is a deleted record; it is forgotten if no file brought it.
    can_end: whether wholes may be forgotten; if not, they are refused. by_hand: whether a person
    changed the parts. are_duplicates: whether the person voided them as duplicates. Raises
    ChangeRefused also if parts do not add up to their whole, or differ in account, date or state.
    """
    ids = list(dict.fromkeys(split_ids))
    if not ids:
        return
    wholes = session.get_rows(SPLITS, ids)
    pairs: list[Pair] = []
    for split_id, parts in parts_of(session, ids).items():
        whole = wholes.get(split_id)
        if whole is None:
            if parts:
                raise ChangeRefused(
                    f"splitId {split_id} is not the id of any split record of this user"
                )
        elif parts:
            state = _checked_state(session, whole, parts)
            if state != whole["recordState"]:
                after = {**whole, "recordState": state, "updatedAt": session.now}
                if by_hand:
                    note_by_hand(whole, after, is_duplicate=are_duplicates)
                pairs.append((whole, after))
        elif is_kept(deleted := as_deleted(whole) if by_hand else whole):
            if deleted != whole:
                pairs.append((whole, deleted))
        elif can_end:
            pairs.append((whole, None))
        else:
            raise ChangeRefused(
                f"the split record {title_of_whole(session, whole)} has no parts: add the records "
                f"that have its id {split_id} as splitId"
            )
    session.write(SPLITS, pairs)


def _checked_state(owned: UserRows, whole: Row, parts: list[Row]) -> str | None:
    """Return the state that the whole has with these parts. Raises ChangeRefused."""
    title, total = title_of_whole(owned, whole), sum(part["amount"] for part in parts)
    if total != whole["amount"]:
        raise ChangeRefused(
            f"the {counted_text(len(parts), 'part')} of the split record {title} would add up to "
            f"{amount_of(owned, whole, total)}: change or remove all of its parts together, or "
            f"join them first"
        )
    if any(part[name] != whole[name] for part in parts for name in _SHARED):
        raise ChangeRefused(
            f"the parts of the split record {title} must keep its account and date: join them "
            f"first to change these"
        )
    states = {part["recordState"] for part in parts}
    if VOID in states and len(states) > 1:
        raise ChangeRefused(
            f"only some parts of the split record {title} would be void: void all of its parts "
            f"together, or join them first"
        )
    state: str | None = whole["recordState"]
    if (VOID in states) != (state == VOID):
        state = min(states, key=str)
    return state


_FEW = 2_000
_NEWEST_FIRST = (SortKey(RECORDS["recordDate"], descending=True),)


def is_whole(row: Row) -> bool:
    """Return whether a row is a whole, not a record."""
    return "splitId" not in row


def stated_pages(
    session: LedgerSession, account_ids: Sequence[str], first: int, last: int
) -> Iterator[list[Row]]:
    """Yield the accounts' records that are not parts, then the wholes, in pages sorted by id.

    first, last: the first and last day to read, counted from 1970-01-01.
    """
    conditions = (
        any_of("accountId", account_ids),
        dated(first * DAY_SECONDS, (last + 1) * DAY_SECONDS),
    )
    # A few records are looked up by day; for many, one scan of all records is faster.
    by_date = Query(RECORDS, conditions, _NEWEST_FIRST, limit=_FEW)
    few = session.storage.data.list_rows(session.user.id, by_date)
    if few.has_more:
        for page in session.pages(RECORDS, *conditions):
            yield _without_parts(page)
    else:
        found = session.get_rows(RECORDS, [row["id"] for row in few.rows])
        yield _without_parts([found[row_id] for row_id in sorted(found)])
    for page in session.pages(SPLITS, *conditions):
        # A deleted record that no statement states is only kept for balances.
        unstated = (row["id"] for row in page if is_kept(row) and not is_stated(row))
        deleted = deleted_among(session, unstated)
        yield [row for row in page if row["id"] not in deleted]


def _without_parts(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["splitId"] is None]


def get_stated(session: LedgerSession, ids: Collection[str]) -> dict[str, Row]:
    """Return the records and wholes with these ids, by id; missing rows are left out."""
    found = session.get_rows(RECORDS, ids)
    left = [row_id for row_id in ids if row_id not in found]
    return found | session.get_rows(SPLITS, left) if left else found


def get_stated_by_source(
    session: LedgerSession, source: str, source_ids: Collection[str]
) -> dict[str, Row]:
    """Return the records and wholes of the source with these source ids, by source id."""
    data, user_id = session.storage.data, session.user.id
    found = data.get_rows_by_source(user_id, RECORDS, source, source_ids)
    left = [source_id for source_id in source_ids if source_id not in found]
    return found | data.get_rows_by_source(user_id, SPLITS, source, left) if left else found
