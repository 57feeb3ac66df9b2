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
@click.argument("email")
@click.option("--apply", "link", is_flag=True, help="Link all listed pairs.")
@edit_options("With --apply: list only; nothing is changed.")
def find(edit: Edit, email: str, link: bool) -> None:
    """List pairs of records that look like transfers between two accounts of the user.

    Amounts are equal and opposite, at most three days apart, and no other record fits; or one
    record names the number of the other's account.
    """
    edit(email, "transfers find", lambda s: find_transfers(s, link=link))


@transfers.command(epilog="Example: finance-api transfers link me@example.com ID ID")
@click.argument("email")
@click.argument("record_id", metavar="ID")
@click.argument("other_id", metavar="ID")
@edit_options()
def link(edit: Edit, email: str, record_id: str, other_id: str) -> None:
    """Link two records of different accounts as a transfer; their currencies may differ."""
    edit(email, "transfers link", lambda s: link_records(s, record_id, other_id))


@transfers.command(epilog="Example: finance-api transfers dismiss me@example.com ID ID")
@click.argument("email")
@click.argument("record_id", metavar="ID")
@click.argument("other_id", metavar="ID")
@edit_options()
def dismiss(edit: Edit, email: str, record_id: str, other_id: str) -> None:
    """Dismiss a proposed transfer.

    The first ID is the record of the outgoing money. The pair is not proposed again.
    """
    edit(email, "transfers dismiss", lambda s: dismiss_transfers(s, [(record_id, other_id)]))


@transfers.command(epilog="Example: finance-api transfers unlink me@example.com ID")
@click.argument("email")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@edit_options()
def unlink(edit: Edit, email: str, ids: tuple[str, ...]) -> None:
    """Unlink transfers, each named by one of its records. They are not proposed again."""
    edit(email, "transfers unlink", lambda s: unlink_records(s, ids))
