"""finance-api records"""

import click

from finance_api.cli.editing import Edit, edit_options, fields_argument
from finance_api.ledger.edits.records import (
    ADD,
    SET,
    add_assigned,
    edit_records,
    remove_records,
    set_assigned,
)
from finance_api.ledger.edits.splits import join_parts, named_parts, split_record
from finance_api.values.ids import are_ids


@click.group()
def records() -> None:
    """Stored records."""


@records.command(
    epilog="Example: finance-api records add EMAIL account=ID recordDate=$DAY amount=-9"
)
@edit_options()
@fields_argument
def add(edit: Edit, given: dict[str, str]) -> None:
    """Add a record, such as a cash payment.

    Money going out has a negative amount. Record rules give it the category and labels that you
    leave out.
    """
    edit(ADD, lambda s: add_assigned(s, given))


@records.command(
    "set", epilog="Example: finance-api records set EMAIL ID amount=-12.90 note=corrected"
)
@edit_options()
@click.argument("record_id", metavar="ID")
@fields_argument
def set_command(edit: Edit, record_id: str, given: dict[str, str]) -> None:
    """Change a record by id. No later statement changes these fields.

    FIELD= without a value clears the field.
    """
    edit(SET, lambda s: set_assigned(s, record_id, given))


@records.command("edit", epilog="Example: finance-api records edit me@example.com records.csv")
@edit_options()
@click.argument("file")
def edit_command(edit: Edit, file: str) -> None:
    """Update records from the cells of a file; - is standard input.

    FILE is a CSV file or a spreadsheet with a column id and any of category, labels, payee, note
    and recordState, e.g. one downloaded from the API. All records are updated, or none.
    """
    edit.from_file("records edit", file, edit_records)


@records.command(epilog="Example: finance-api records remove me@example.com doubled.csv")
@edit_options()
@click.argument("ids", nargs=-1, required=True, metavar="FILE|ID...")
def remove(edit: Edit, ids: tuple[str, ...]) -> None:
    """Remove records by id, or all records in a file with a column id.

    A file may also have just one id on each line; - is standard input. Statement files with such a
    record do not bring it back; imports undo does.
    """
    if len(ids) > 1 or are_ids(ids[0]):
        edit("records remove", lambda s: remove_records(s, ids))
    else:
        edit.by_ids_in("records remove", ids[0], remove_records)


@records.command(
    epilog="Example: finance-api records split EMAIL ID --part -9 Food --part rest Home"
)
@edit_options()
@click.argument("record_id", metavar="ID")
@click.option(
    "--part",
    "parts",
    nargs=2,
    multiple=True,
    required=True,
    metavar="AMOUNT CATEGORY",
    help='A part. AMOUNT: "rest" for what is left. CATEGORY: name or id, "" for none. Repeatable.',
)
def split(edit: Edit, record_id: str, parts: tuple[tuple[str, str], ...]) -> None:
    """Split a record into parts, which take its place and add up to it.

    If the record is already split, or is a part of a split, the given parts replace the old parts.
    """
    row_id = record_id.lower()
    edit("records split", lambda s: split_record(s, row_id, named_parts(s, row_id, parts)))


@records.command(epilog="Example: finance-api records join me@example.com ID")
@edit_options()
@click.argument("record_id", metavar="ID")
def join(edit: Edit, record_id: str) -> None:
    """Join the parts of a split again. ID is the id of the split record or of one of its parts."""
    edit("records join", lambda s: join_parts(s, record_id.lower()))
