"""finance-api db"""

import click

from finance_api.cli.office import Office, pass_office


@click.group()
def db() -> None:
    """The database."""


@db.command()
@pass_office
def upgrade(office: Office) -> None:
    """Make the tables, or bring them to this version."""
    office.unchecked_backend.upgrade()
    office.backend.check()
    click.echo("the database is up to date")
