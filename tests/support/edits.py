"""Edits of one user's data, and the stored images that undo them."""

import io
from collections.abc import Callable
from typing import Any

from finance_api.ledger.changing import changing
from finance_api.ledger.edits.record_file import record_file
from finance_api.ledger.edits.records import edit_records
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Role
from finance_api.serialization.formats import CSV, body_of
from finance_api.serialization.rows import encoder_of
from finance_api.storage.sql.backend import SqlBackend
from finance_api.values import Row
from support.ledger import Person
from support.service import native_line

_ALL = ("", "")


def edited(person: Person, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call the function in a new session, and return its report. Check that an undo is possible.

    dry_run: an option of the session.
    """
    before, count = kept(person), len(person.history())
    dry_run = options.pop("dry_run", False)
    now = person.clock.now()
    with changing(
        person.backend, person.user.email, now, action="edit", dry_run=dry_run
    ) as session:
        report = function(session, *arguments, **options)
    if len(person.history()) > count:
        assert restored(person) == before
    else:
        assert kept(person) == before
    person.audit()
    return report


def kept(person: Person) -> dict[str, dict[str, Row]]:
    """Return all rows, without the fields that are derived from other rows."""
    return {
        resource.name: {row["id"]: _own(resource, row) for row in person.rows(resource)}
        for resource in RESOURCES
    }


def restored(person: Person) -> dict[str, dict[str, Row]]:
    """Return all rows as they would be after an undo of the newest entry."""
    rows = kept(person)
    number = person.history()[-1].number
    images = person.look(
        lambda s: s.ledger.scan_before(person.user.id, number, after=_ALL, limit=10_000)
    )
    for row in person.rows(RECORDS):
        if row["importId"] == number:
            del rows[RECORDS.name][row["id"]]
    for image in images:
        if image.row is None:
            del rows[image.resource.name][image.row_id]
        else:
            rows[image.resource.name][image.row_id] = _own(image.resource, image.row)
    return rows


def _own(resource: Any, row: Row) -> Row:
    names = [f.name for f in resource.persisted_fields if f.role is not Role.DERIVED]
    # A record's currency comes from its account; a category's kind may come from its parent.
    own = {n: row[n] for n in names if (resource, n) != (RECORDS, "currencyCode")}
    return own | {"kind": None} if row.get("kindIsDerived") else own


def downloaded(person: Person) -> str:
    """Return all records as the API's CSV."""
    lines = encoder_of(RECORDS).lines(person.rows(RECORDS))
    return body_of(CSV, "records", RECORDS.fields, lines).decode()


def given_back(person: Person, data: str | bytes, **options: Any) -> Any:
    """Return the report of `records edit` for this file."""
    stream = io.BytesIO(data.encode() if isinstance(data, str) else data)

    def edit(session: Any) -> Any:
        with record_file(stream) as file:
            return edit_records(session, file)

    return edited(person, edit, **options)


def stored(command: Any, email: str, *rows: dict[str, Any]) -> None:
    """Store native rows for a user in the command's database."""
    backend = SqlBackend(command.settings["sqlalchemy.url"])
    stream = io.BytesIO("".join(map(native_line, rows)).encode())
    import_file(backend, ImportOrder(email, stream, now=1_790_000_000))
    backend.close()
