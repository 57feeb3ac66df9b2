"""Adds records that the user types in, and changes the fields that people fill in."""

from collections.abc import Mapping
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.derivation import Rules
from finance_api.ledger.edits.naming import editable_fields, parse_assignments
from finance_api.ledger.edits.record_changes import RecordChanges
from finance_api.ledger.edits.records import change_records
from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.rows import blank_row
from finance_api.ledger.session import LedgerSession
from finance_api.resources import RECORDS, SPLITS
from finance_api.values.ids import new_id

ADD, SET = "records add", "records set"


def add_record(
    session: LedgerSession, values: Mapping[str, Any], record_id: str | None = None
) -> EditReport:
    """Add a record. Rules give it the category and labels that ``values`` lack.

    values: stored values of `editable_fields`. record_id: of the new record. If the user has a
    record with this id, the form was sent twice: nothing is added. Raises ChangeRefused.
    """
    changes = RecordChanges(session)
    if record_id is not None and is_there(session, record_id):
        return changes.report
    row = {**blank_row(RECORDS), **values, "id": record_id or new_id()}
    row |= {"createdAt": session.now, "updatedAt": session.now, "importId": session.number}
    given = {name for name, value in values.items() if value not in (None, ())}
    category_id, label_ids = Rules(session).apply(row["accountId"], row["payee"], row["note"])
    if category_id is not None and row["categoryId"] is None:
        row["categoryId"], row["categoryByRule"] = category_id, True
    row["labelIds"] = row["labelIds"] or label_ids
    row["setByHand"] = tuple(sorted(given))
    changes.add([row])
    changes.finish()
    return changes.close()


def is_there(session: LedgerSession, record_id: str) -> bool:
    """Return whether the user has a record with this id, or split one."""
    data, user_id = session.storage.data, session.user.id
    return any(data.get_rows(user_id, resource, [record_id]) for resource in (RECORDS, SPLITS))


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
