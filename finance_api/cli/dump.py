"""finance-api dump"""

import sys

import click

from finance_api.cli.context import CliContext, get_user, pass_cli_context


@click.command(epilog="Example: finance-api dump me@example.com > me.ndjson")
@click.argument("email")
@pass_cli_context
def dump(cli: CliContext, email: str) -> None:
    """Write a user's whole data to standard output, in the native format."""
    from finance_api.ledger.dump import dump as dumped

    out = sys.stdout.buffer
    with cli.reading() as storage:
        out.writelines(dumped(storage, get_user(storage, email).id))
    out.flush()
