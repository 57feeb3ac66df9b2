"""Splits a record into parts, changes the parts together, and joins them again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.naming import find_records, find_row
from finance_api.ledger.edits.record_changes import RecordChanges, set_by_hand
from finance_api.ledger.edits.report import EditReport, title_of
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.ledger.splits import (
    amount_of,
    part_of,
    parts_of,
    record_of,
    title_of_whole,
    whole_of,
)
from finance_api.resources import CATEGORIES, RECORDS, SPLITS
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.ids import new_id
from finance_api.values.number import NumberError, parse_decimal, to_units
from finance_api.values.text import shown

MAX_PARTS = 500
#: Stands for the amount that the other parts leave.
REST = "rest"
#: The fields of a part, besides its amount, that can differ from the whole.
OF_A_PART = ("categoryId", "labelIds", "note")


@dataclass(frozen=True)
class Part:
    """A part as the user wants it.

    amount: the amount in ten-thousandths. id: the id of an existing part; None: the part is new.
    values: stored values of fields in `OF_A_PART`; a new part gets other values from the record.
    """

    amount: int
    id: str | None = None
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Split:
    """A split record: its whole, as a row of `SPLITS`, and its parts in the order of their ids."""

    whole: Row
    parts: list[Row]


def find_split(owned: UserRows, row_id: str) -> Split | None:
    """Return the split whose whole or part has this id; None also for a deleted record."""
    record = owned.get_rows(RECORDS, [row_id]).get(row_id)
    split_id = row_id if record is None else record["splitId"]
    whole = owned.get_rows(SPLITS, [split_id]).get(split_id) if split_id else None
    parts = [] if whole is None else parts_of(owned, [split_id])[split_id]
    return Split(whole, parts) if whole is not None and parts else None


def split_record(session: LedgerSession, row_id: str, parts: Sequence[Part]) -> EditReport:
    """Split a record into at least two parts that add up to it, or change all parts of a split.

    row_id: the id of a record, a split, or a part. Parts of the split that are not in ``parts`` are
    removed. Raises ChangeRefused.
    """
    changes, split = RecordChanges(session), find_split(session, row_id)
    if split is None:
        record = _record(session, row_id)
        _check_amounts(session, parts, record)
        changes.remove([record])
        session.write(SPLITS, [(None, whole_of(record))])
        changes.add(_new_parts(session, record, parts))
    else:
        _check_amounts(session, parts, split.whole)
        _change_parts(session, changes, split, parts)
    return changes.close()


def named_parts(
    session: LedgerSession, row_id: str, given: Sequence[tuple[str, str]]
) -> list[Part]:
    """Return new parts for `split_record`.

    given: for each part, its amount (or `REST`), and the name or id of its category (or "" for
    none). Raises ChangeRefused.
    """
    split = find_split(session, row_id)
    whole = _record(session, row_id) if split is None else split.whole
    amounts = [None if text == REST else _amount(text) for text, _ in given]
    if amounts.count(None) > 1:
        raise ChangeRefused(f"only one part can have the amount {REST}")
    rest = whole["amount"] - sum(amount or 0 for amount in amounts)
    return [
        Part(
            rest if amount is None else amount,
            values={"categoryId": find_row(session, CATEGORIES, name)["id"] if name else None},
        )
        for amount, (_, name) in zip(amounts, given, strict=True)
    ]


def _amount(text: str) -> int:
    try:
        return to_units(parse_decimal(text))
    except NumberError as error:
        raise ChangeRefused(f"the amount {shown(text)} {error}") from None


def join_parts(session: LedgerSession, row_id: str) -> EditReport:
    """Make the whole of a split a record again, with the category and labels that all parts share.

    row_id: the id of the split or of one of its parts. Raises ChangeRefused.
    """
    split = find_split(session, row_id)
    if split is None:
        raise ChangeRefused(f"{row_id} is not the id of a split record or one of its parts")
    changes, parts = RecordChanges(session), split.parts
    record = {**record_of(split.whole), "updatedAt": session.now}
    given: dict[str, Any] = {}
    if len({part["categoryId"] for part in parts}) == 1:
        given["categoryId"] = parts[0]["categoryId"]
    common = set[str].intersection(*(set(part["labelIds"]) for part in parts))
    given["labelIds"] = tuple(i for i in parts[0]["labelIds"] if i in common)
    session.write(SPLITS, [(split.whole, None)])
    changes.remove(parts)
    changes.add([set_by_hand(record, {n: v for n, v in given.items() if v != record[n]})])
    return changes.close()


def _record(session: LedgerSession, row_id: str) -> Row:
    (record,) = find_records(session, [row_id])
    if record["recordState"] == VOID:
        raise ChangeRefused(
            f"the record {title_of(RECORDS, record)} is void and counts nowhere, so it cannot be "
            f"split: change its state first"
        )
    if record["transferId"] is not None:
        raise ChangeRefused(
            f"the record {title_of(RECORDS, record)} is half of a transfer, so it cannot be "
            f"split: unlink it first"
        )
    return record


def _check_amounts(session: LedgerSession, parts: Sequence[Part], whole: Row) -> None:
    title, amount = title_of_whole(session, whole), whole["amount"]
    if not 2 <= len(parts) <= MAX_PARTS:
        raise ChangeRefused(
            f"the record {title} needs 2 to {MAX_PARTS} parts; {len(parts)} were given"
        )
    total = sum(part.amount for part in parts)
    if total != amount:
        raise ChangeRefused(
            f"the parts of the record {title} add up to {amount_of(session, whole, total)}: "
            f"the difference is {amount_of(session, whole, amount - total)}"
        )


def _new_parts(session: LedgerSession, record: Row, parts: Sequence[Part]) -> list[Row]:
    """Return new parts, whose ids are in the order of ``parts``."""
    rows = []
    for part, part_id in zip(parts, sorted(new_id() for _ in parts), strict=True):
        row = part_of(record, part_id, part.amount, session.now)
        rows.append(_with_values(row, part.values))
    return rows


def _with_values(row: Row, values: dict[str, Any]) -> Row:
    changed = {name: value for name, value in values.items() if value != row[name]}
    return set_by_hand(row, changed) if changed else row


def _change_parts(
    session: LedgerSession, changes: RecordChanges, split: Split, parts: Sequence[Part]
) -> None:
    left = {part["id"]: part for part in split.parts}
    new = []
    for part in parts:
        if part.id is None:
            new.append(part)
            continue
        before = left.pop(part.id, None)
        if before is None:
            raise ChangeRefused(
                f"{part.id} is not the id of a part of the split record "
                f"{title_of_whole(session, split.whole)}, or was given twice"
            )
        changes.put(before, {**_with_values(before, part.values), "amount": part.amount})
    changes.remove(left.values())
    changes.add(_new_parts(session, record_of(split.whole), new))
