"""finance-api duplicates"""

import json
from typing import Any

import click

from finance_api.cli.context import CliContext, get_user
from finance_api.cli.editing import Edit, edit_options
from finance_api.cli.output import say
from finance_api.ledger.edits.records import void_duplicates
from finance_api.ledger.edits.report import title_of
from finance_api.ledger.matching.duplicates import find_duplicates, read_duplicates
from finance_api.resources import RECORDS
from finance_api.values import Row
from finance_api.values.text import message


@click.group()
def duplicates() -> None:
    """Records that look like duplicates."""


@duplicates.command(epilog="Example: finance-api duplicates find me@example.com")
@edit_options("With --void: report only; nothing is changed.")
@click.option("--void", "file", metavar="FILE", help="Void the records whose ids are in FILE.")
def find(edit: Edit, file: str | None) -> None:
    """List records of one account that look like duplicates, the later one first on each line.

    Their amounts are equal, their days close and their texts similar, and they come from different
    files. FILE has one id on each line, or is a CSV file with a column id; - is standard input.
    """
    if file is None:
        _list(edit.cli, edit.email, as_json=edit.as_json)
    else:
        edit.by_ids_in("duplicates find", file, void_duplicates)


def _list(cli: CliContext, email: str, *, as_json: bool) -> None:
    def side(row: Row) -> dict[str, Any]:
        name = message(title_of(RECORDS, row))
        return {"id": row["id"], "account": row["accountName"], "name": name}

    with cli.reading() as storage:
        user_id = get_user(storage, email).id
        found = read_duplicates(storage, user_id, find_duplicates(storage, user_id))
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
