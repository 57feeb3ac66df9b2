"""finance-api dump"""

import sys

import click

from finance_api.auth.user_accounts import normal_email
from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.ledger.dump import dump_lines


@click.command()
@click.argument("email")
@pass_cli_context
def dump(cli: CliContext, email: str) -> None:
    """Write a user's whole data to standard output, in the native format."""
    out = sys.stdout.buffer
    with cli.reading() as storage:
        for line in dump_lines(storage, storage.users.get(normal_email(email)).id):
            out.write(line)
    out.flush()
