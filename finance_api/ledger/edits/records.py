"""Adds, edits and removes records."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.importers.native import ValueRefused, reader_of
from finance_api.ledger.brought import NOWHERE, note_brought, read_brought
from finance_api.ledger.derivation import Rules
from finance_api.ledger.edits.naming import (
    editable_fields,
    find_row,
    parse_assignments,
    refuse_unknown,
    rows_with_ids,
    stored_records,
)
from finance_api.ledger.edits.proposals import waiting_ids
from finance_api.ledger.edits.record_changes import RecordChanges, set_by_hand
from finance_api.ledger.edits.record_file import ID, FileRow, RecordFile
from finance_api.ledger.edits.report import EditReport, title_of
from finance_api.ledger.edits.transfers import check_halves
from finance_api.ledger.matching.stated import REACH_DAYS, is_out_of_reach
from finance_api.ledger.rows import batched, blank_row
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.splits import is_stated, keep_deleted
from finance_api.resources import CATEGORIES, LABELS, RECORDS, SPLITS
from finance_api.resources.field import Field, Kind
from finance_api.resources.records import ENTERED, VOID
from finance_api.serialization.values import text_writer
from finance_api.storage.interface import Proposed
from finance_api.values import Row
from finance_api.values.ids import new_id
from finance_api.values.spreadsheet import harmless, in_cell, without_apostrophes
from finance_api.values.text import shown

#: The editable columns of files -> the fields that they set.
EDITED = {
    "category": "categoryId",
    "labels": "labelIds",
    **{field.name: field.name for field in ENTERED if field.kind is Kind.TEXT},
    "recordState": "recordState",
}
#: The fields in which the two halves of a transfer must fit each other.
_OF_HALVES = ("accountId", "amount")


def edit_records(session: LedgerSession, file: RecordFile) -> EditReport:
    """Update records with the cells of a file that differ from them, as manual edits.

    Raises ChangeRefused, also for records that are in the file twice or do not exist.
    """
    columns = [column for column in EDITED if column in file.columns]
    if not columns:
        raise ChangeRefused(f"has none of the columns that can be edited: {', '.join(EDITED)}")
    changes = RecordChanges(session)
    cells = _Cells(session)
    unknown: list[str] = []
    for batch in batched(_each_once(file.rows())):
        stored = rows_with_ids(session, [row.id for row in batch])
        for row in batch:
            before = stored.get(row.id.lower())
            if before is None:
                unknown.append(f"{shown(row.id) or 'none'} in line {row.line}")
            elif (values := cells.changed(row, columns, before)) and not cells.faults:
                changes.put(before, set_by_hand(before, values))
    refuse_unknown(unknown)
    if cells.faults:
        raise ChangeRefused("; ".join(cells.faults))
    if others := [c for c in file.columns if c and c not in (ID, *columns)]:
        changes.report.remarks.append(f"not edited: {', '.join(map(shown, others))}")
    return changes.close()


def change_records(
    session: LedgerSession,
    ids: Iterable[str],
    values: Mapping[str, Any],
    *,
    add_labels: Collection[str] = (),
    remove_labels: Collection[str] = (),
    are_duplicates: bool = False,
) -> EditReport:
    """Set values of records, and add or remove labels. All changes count as manual edits.

    values: stored values of `editable_fields`. Labels are ids. are_duplicates: whether the records
    are voided as duplicates. Raises ChangeRefused if a record does not exist, or is half of a
    transfer that it would no longer fit.
    """
    changes = RecordChanges(session, are_duplicates=are_duplicates)
    halves: list[Row] = []
    for rows in stored_records(session, ids):
        for row in rows:
            wanted = dict(values)
            if add_labels or remove_labels:
                kept = (i for i in row["labelIds"] if i not in remove_labels)
                wanted["labelIds"] = tuple(dict.fromkeys((*kept, *add_labels)))
            changed = {name: value for name, value in wanted.items() if value != row[name]}
            if changed:
                after = set_by_hand(row, changed, is_duplicate=are_duplicates)
                if is_stated(row) and is_out_of_reach(row, after):
                    _refuse_half(row)
                    changes.move(row, after)
                else:
                    changes.put(row, after)
                if row["transferId"] is not None and not changed.keys().isdisjoint(_OF_HALVES):
                    halves.append(after)
    changes.flush()
    check_halves(session, halves)
    return changes.close()


def _refuse_half(row: Row) -> None:
    if row["transferId"] is not None:
        raise ChangeRefused(
            f"the record {title_of(RECORDS, row)} is half of a transfer: unlink it before you "
            f"move it to another account or by more than {REACH_DAYS} days"
        )


def remove_records(session: LedgerSession, ids: Iterable[str]) -> EditReport:
    """Delete records; files that state them do not bring them back.

    Raises ChangeRefused if a record does not exist.
    """
    changes = RecordChanges(session)
    for rows in stored_records(session, ids):
        changes.remove(rows)
        keep_deleted(session, rows)
    return changes.close()


def void_duplicates(session: LedgerSession, ids: Iterable[str]) -> EditReport:
    """Void records, which then count as if no file had brought them.

    If the other record of such a pair was added by hand, it counts as the file's instead. Raises
    ChangeRefused if one does not exist.
    """
    voided = {row_id.lower() for row_id in ids}
    _hand_over(session, voided)
    return change_records(session, sorted(voided), {"recordState": VOID}, are_duplicates=True)


def _hand_over(session: LedgerSession, voided: Collection[str]) -> None:
    """Note what files brought of these records at their likely duplicates that no file brought."""
    for pair in waiting_ids(session, Proposed.DUPLICATE):
        gone, kept = sorted(pair, key=lambda row_id: row_id not in voided)
        if gone not in voided or kept in voided:
            continue
        rows = session.get_rows(RECORDS, pair)
        brought, row, other = read_brought(rows[gone]), rows[gone], rows[kept]
        if brought is None or not brought.counted or other["brought"] != NOWHERE:
            continue
        # What files brought of a part is noted at its whole.
        if row["splitId"] is None:
            added = {**other}
            note_brought(added, brought._replace(number=brought.number or row["importId"]))
            session.write(RECORDS, [(other, added), (row, {**row, "brought": NOWHERE})])


class _Cells:
    """Converts cells to values of records.

    faults: messages about unknown or ambiguous names, each once.
    """

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self.faults: dict[str, None] = {}
        fields = [f for f in RECORDS.fields if f.name in EDITED]
        self._fields = {f.name: (f, text_writer(f)) for f in fields}

    def changed(self, row: FileRow, columns: list[str], before: Row) -> dict[str, Any]:
        """Return the new values, by field, of the cells that differ from ``before``."""
        values = {}
        for column in columns:
            field, write = self._fields[column]
            stored = before[column]
            text = "" if stored is None else write(stored)
            cell = row.cells.get(column)
            if cell is None and text:
                raise ChangeRefused(
                    f"the row has no cell for {column}, which is {shown(text)} in the record: to "
                    "empty it, give the row an empty cell for it",
                    row.line,
                )
            if cell is None or cell in (text, harmless(text), in_cell(text)):
                continue
            _refuse_lost_letters(cell, text, row.line)
            value = self._value(field, before, without_apostrophes(cell), row.line)
            if value != before[EDITED[column]]:
                values[EDITED[column]] = value
        return values

    def _value(self, field: Field, before: Row, text: str, line: int) -> Any:
        if field.name == "category":
            return self._id(field, text.strip()) if text.strip() else None
        if field.name == "labels":
            if any(";" in name for name in before["labels"]):
                raise ChangeRefused(
                    "the record has a label with a semicolon in its name: rename it first", line
                )
            names = [name.strip() for name in text.split(";")]
            return tuple(dict.fromkeys(self._id(field, name) for name in names if name))
        if not text.strip():
            return None
        try:
            return reader_of(field)(text.strip() if field.choices else text)
        except ValueRefused as error:
            raise ChangeRefused(f"{field.name} {error}", line) from None

    def _id(self, field: Field, name: str) -> str:
        """Return the id of the category or label with this name; note a fault if it is unknown."""
        resource = CATEGORIES if field.name == "category" else LABELS
        try:
            return str(find_row(self._session, resource, name)["id"])
        except ChangeRefused as error:
            self.faults[error.reason] = None
            return name


def _refuse_lost_letters(cell: str, text: str, line: int) -> None:
    """Refuse a cell with question marks in place of letters that a program could not save."""
    if len(cell) == len(text) and all(
        c == t or (c == "?" and not t.isascii()) for c, t in zip(cell, text, strict=True)
    ):
        raise ChangeRefused(
            f"letters of {shown(text)} were turned into question marks: save the file as CSV UTF-8",
            line,
        )


def _each_once(rows: Iterable[FileRow]) -> Iterator[FileRow]:
    seen: set[str] = set()
    for row in rows:
        if row.id.lower() in seen:
            raise ChangeRefused(f"the record {shown(row.id)} appears twice", row.line)
        seen.add(row.id.lower())
        yield row


ADD, SET = "records add", "records set"


def add_record(
    session: LedgerSession, values: Mapping[str, Any], record_id: str | None = None
) -> EditReport:
    """Add a record. Rules give it the category and labels that ``values`` lack.

    values: stored values of `editable_fields`. record_id: the id of the new record. If the user has
    a record with this id, the form was sent twice: nothing is added. Raises ChangeRefused.
    """
    changes = RecordChanges(session)
    if record_id is not None and is_there(session, record_id):
        return changes.report
    row = {**blank_row(RECORDS), **values, "id": record_id or new_id()}
    row |= {"createdAt": session.now, "updatedAt": session.now, "importId": session.number}
    given = {name for name, value in values.items() if value not in (None, ())}
    category_id, label_ids = Rules(session).apply(row["accountId"], [row["payee"]], row["note"])
    if category_id is not None and row["categoryId"] is None:
        row["categoryId"], row["categoryByRule"] = category_id, True
    row["labelIds"] = row["labelIds"] or label_ids
    row["setByHand"] = tuple(sorted(given))
    row["brought"] = NOWHERE
    changes.add([row])
    return changes.close()


def is_there(session: LedgerSession, record_id: str) -> bool:
    """Return whether the user has a record or a split record with this id."""
    return any(session.get_rows(resource, [record_id]) for resource in (RECORDS, SPLITS))


def add_assigned(session: LedgerSession, given: Mapping[str, str]) -> EditReport:
    """Add a record. given: see `parse_assignments`. Raises ChangeRefused."""
    values = parse_assignments(session, RECORDS, given)
    for name, field in editable_fields(RECORDS).items():
        if field.required and values.get(field.name) is None:
            raise ChangeRefused(f"{name} is missing: a record needs an account, date and amount")
    return add_record(session, values)


def set_assigned(session: LedgerSession, record_id: str, given: Mapping[str, str]) -> EditReport:
    """Change a record. given: see `parse_assignments`. Raises ChangeRefused."""
    values = parse_assignments(session, RECORDS, given)
    for name, field in editable_fields(RECORDS).items():
        if field.required and field.name in values and values[field.name] is None:
            raise ChangeRefused(f"a record cannot be without {name}")
    return change_records(session, [record_id], values)
