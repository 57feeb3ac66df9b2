"""finance-api transfers"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.editing import edit, edit_options, json_option

if TYPE_CHECKING:
    from finance_api.ledger.edits.report import EditReport
    from finance_api.ledger.session import LedgerSession


@click.group()
def transfers() -> None:
    """Transfers between own accounts: two records each, which budgets leave out."""


@transfers.command(epilog="Example: finance-api transfers find me@example.com --apply")
@click.argument("email")
@click.option("--apply", "link", is_flag=True, help="Link all that is listed.")
@click.option("--dry-run", is_flag=True, help="With --apply: list only; nothing is changed.")
@json_option
@pass_cli_context
def find(cli: CliContext, email: str, link: bool, dry_run: bool, as_json: bool) -> None:
    """List pairs of records that look like transfers between two accounts of the user.

    Amounts are equal and opposite, at most three days apart, and nothing else fits; or one record
    names the number of the other's account.
    """
    from finance_api.ledger.edits.transfers import find_transfers

    def work(session: LedgerSession) -> EditReport:
        return find_transfers(session, link=link)

    edit(cli, email, "transfers find", work, dry_run=dry_run, as_json=as_json)


@transfers.command(epilog="Example: finance-api transfers link me@example.com ID ID")
@click.argument("email")
@click.argument("record_id", metavar="ID")
@click.argument("other_id", metavar="ID")
@edit_options
def link(
    cli: CliContext, email: str, record_id: str, other_id: str, dry_run: bool, as_json: bool
) -> None:
    """Make two records of different accounts a transfer, of different currencies, too."""
    from finance_api.ledger.edits.transfers import link_records

    def work(session: LedgerSession) -> EditReport:
        return link_records(session, record_id, other_id)

    edit(cli, email, "transfers link", work, dry_run=dry_run, as_json=as_json)


@transfers.command(epilog="Example: finance-api transfers dismiss me@example.com ID ID")
@click.argument("email")
@click.argument("record_id", metavar="ID")
@click.argument("other_id", metavar="ID")
@edit_options
def dismiss(
    cli: CliContext, email: str, record_id: str, other_id: str, dry_run: bool, as_json: bool
) -> None:
    """Say of two records that wait to be confirmed that they are no transfer.

    The first is the one that money goes out by. Neither is proposed again.
    """
    from finance_api.ledger.edits.transfers import dismiss_transfers

    def work(session: LedgerSession) -> EditReport:
        return dismiss_transfers(session, [(record_id, other_id)])

    edit(cli, email, "transfers dismiss", work, dry_run=dry_run, as_json=as_json)


@transfers.command(epilog="Example: finance-api transfers unlink me@example.com ID")
@click.argument("email")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@edit_options
def unlink(cli: CliContext, email: str, ids: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Take transfers apart, each named by one of its records; they are not proposed again."""
    from finance_api.ledger.edits.transfers import unlink_records

    def work(session: LedgerSession) -> EditReport:
        return unlink_records(session, ids)

    edit(cli, email, "transfers unlink", work, dry_run=dry_run, as_json=as_json)
