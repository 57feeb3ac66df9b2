"""finance-api transfers"""

import click

from finance_api.cli.editing import Edit, edit_options
from finance_api.ledger.edits.transfers import (
    dismiss_transfers,
    find_transfers,
    link_records,
    unlink_records,
)


@click.group()
def transfers() -> None:
    """Transfers between a user's accounts: pairs of records, which budgets leave out."""


@transfers.command(epilog="Example: finance-api transfers find me@example.com --apply")
@edit_options("With --apply: list only; nothing is changed.")
@click.option("--apply", "link", is_flag=True, help="Link all listed pairs.")
def find(edit: Edit, link: bool) -> None:
    """List pairs of records that look like transfers between two accounts of the user.

    Amounts are equal and opposite, at most three days apart, and no other record fits; or one
    record names the number of the other's account.
    """
    edit("transfers find", lambda s: find_transfers(s, link=link))


@transfers.command(epilog="Example: finance-api transfers link me@example.com ID ID")
@edit_options()
@click.argument("record_id", metavar="ID")
@click.argument("other_id", metavar="ID")
def link(edit: Edit, record_id: str, other_id: str) -> None:
    """Link two records of different accounts as a transfer; their currencies may differ."""
    edit("transfers link", lambda s: link_records(s, record_id, other_id))


@transfers.command(epilog="Example: finance-api transfers dismiss me@example.com ID ID")
@edit_options()
@click.argument("record_id", metavar="ID")
@click.argument("other_id", metavar="ID")
def dismiss(edit: Edit, record_id: str, other_id: str) -> None:
    """Dismiss a proposed transfer.

    The first ID is the record of the outgoing money. The pair is not proposed again.
    """
    edit("transfers dismiss", lambda s: dismiss_transfers(s, [(record_id, other_id)]))


@transfers.command(epilog="Example: finance-api transfers unlink me@example.com ID")
@edit_options()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def unlink(edit: Edit, ids: tuple[str, ...]) -> None:
    """Unlink transfers, each named by one of its records. They are not proposed again."""
    edit("transfers unlink", lambda s: unlink_records(s, ids))
