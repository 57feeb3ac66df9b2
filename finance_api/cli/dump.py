"""finance-api dump"""

import sys

import click

from finance_api.auth.user_accounts import normal_email
from finance_api.cli.office import Office, pass_office
from finance_api.ledger.dump import dump_lines


@click.command()
@click.argument("email")
@pass_office
def dump(office: Office, email: str) -> None:
    """Write a user's whole data to standard output, in the native format."""
    out = sys.stdout.buffer
    with office.reading() as storage:
        for line in dump_lines(storage, storage.get_user(normal_email(email)).id):
            out.write(line)
    out.flush()
