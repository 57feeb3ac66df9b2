"""finance-api db"""

import click

from finance_api.cli.context import CliContext, pass_cli_context


@click.group()
def db() -> None:
    """The database."""


@db.command(epilog="Example: finance-api db upgrade")
@pass_cli_context
def upgrade(cli: CliContext) -> None:
    """Create the tables, or upgrade them to this version."""
    cli.unchecked_backend.upgrade()
    cli.backend.check()
    click.echo("the database is up to date")
