"""finance-api payees"""

import click

from finance_api.cli.editing import Edit, edit_options
from finance_api.ledger.edits.payees import MERGE, merge_payees


@click.group()
def payees() -> None:
    """Payees of records."""


@payees.command(
    epilog="Example: finance-api payees merge me@example.com 'AMZN Mktp' Amazon.de --into Amazon"
)
@edit_options()
@click.argument("names", nargs=-1, required=True, metavar="PAYEE...")
@click.option("--into", required=True, metavar="NAME", help="The payee that they all become.")
def merge(edit: Edit, names: tuple[str, ...], into: str) -> None:
    """Give all records of these payees another payee, and new records of files as well.

    Write each PAYEE exactly as in the records. A rule is made or extended, which gives the new
    payee to later records whose payee in the file is one of the names.
    """
    edit(MERGE, lambda s: merge_payees(s, names, into))
