"""finance-api duplicates"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from finance_api.cli.context import CliContext, get_user
from finance_api.cli.editing import Edit, edit_options, naming
from finance_api.cli.output import say

if TYPE_CHECKING:
    from finance_api.ledger.edits.report import EditReport
    from finance_api.ledger.session import LedgerSession
    from finance_api.values import Row


@click.group()
def duplicates() -> None:
    """Records that look doubled."""


@duplicates.command(epilog="Example: finance-api duplicates find me@example.com")
@click.argument("email")
@click.option("--void", "file", metavar="FILE", help="Make the records void whose ids are in it.")
@edit_options("With --void: report only; nothing is changed.")
def find(edit: Edit, email: str, file: str | None) -> None:
    """List records of one account that look doubled, on each line the later one first.

    Amounts are equal, days near and texts alike, and not the same file brought both. FILE has an id
    on each line and nothing else, or is a CSV file with a column id; - is standard input.
    """
    if file is None:
        _list(edit.cli, email, as_json=edit.as_json)
        return
    from finance_api.cli.input_files import opened
    from finance_api.ledger.edits.record_file import record_file
    from finance_api.ledger.edits.records import void_records

    def work(session: LedgerSession) -> EditReport:
        with record_file(stream) as found:
            return void_records(session, (row.id for row in found.rows()))

    with naming(file), opened(file) as stream:
        edit(email, "duplicates find", work)


def _list(cli: CliContext, email: str, *, as_json: bool) -> None:
    from finance_api.ledger.edits.report import title_of
    from finance_api.ledger.matching.duplicates import find_duplicates
    from finance_api.resources import RECORDS

    def side(row: Row) -> dict[str, Any]:
        return {"id": row["id"], "account": row["accountName"], "name": title_of(RECORDS, row)}

    with cli.reading() as storage:
        found = find_duplicates(storage, get_user(storage, email).id)
        if as_json:
            pairs = [{"later": side(p.later), "earlier": side(p.earlier)} for p in found]
            click.echo(json.dumps(pairs))
            return
        for pair in found:
            later, earlier = side(pair.later), side(pair.earlier)
            say(
                f"{later['id']}  {later['account']}  {later['name']}  "
                f"like {earlier['id']}  {earlier['name']}"
            )
