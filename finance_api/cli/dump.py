"""finance-api dump"""

import sys

import click

from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.output import say
from finance_api.ledger.dump import dump as dumped
from finance_api.storage.errors import StorageUnavailable
from finance_api.storage.interface import AuditAction, unit_of_work


@click.command(epilog="Example: finance-api dump me@example.com > me.ndjson")
@click.argument("email")
@pass_cli_context
def dump(cli: CliContext, email: str) -> None:
    """Write a user's whole data to standard output, in the native format."""
    out = sys.stdout.buffer
    with cli.reading() as storage:
        user = get_user(storage, email)
        out.writelines(dumped(storage, user.id))
    out.flush()
    try:
        with unit_of_work(cli.backend, lock_timeout_seconds=1) as storage:
            storage.note(user.id, AuditAction.EXPORT, cli.clock.now(), "dump")
    except StorageUnavailable as error:
        # The audit log cannot be written, but a read-only database must still allow a dump.
        say(f"finance-api: this export is not in the audit log: {error}", err=True)
