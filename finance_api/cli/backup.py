"""finance-api backup, finance-api restore, finance-api db"""

from pathlib import Path

import click

from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.output import say
from finance_api.storage.errors import StorageError
from finance_api.storage.interface import User, reading


@click.command(epilog="Example: finance-api backup finance.backup")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@pass_cli_context
def backup(cli: CliContext, file: Path, force: bool) -> None:
    """Write the whole database, of all users, to a file. Works while the service runs."""
    if file.exists() and not force:
        raise click.ClickException(f"{file} exists already; --force replaces it")
    cli.unchecked_backend.back_up(file)
    say(f"backed up the database to {file}")


@click.command(epilog="Example: finance-api restore finance.backup")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--revoke-tokens", is_flag=True, help="Revoke all tokens and links of the backup.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_cli_context
def restore(cli: CliContext, file: Path, revoke_tokens: bool, yes: bool) -> None:
    """Replace the whole database, of all users, with a backup. All sessions and JWTs end.

    Whatever was revoked since the backup stays revoked. Users disabled since stay disabled, and
    users deleted since come back disabled.
    """
    if not file.is_file():
        raise click.ClickException(f"there is no file {file}")
    if not yes:
        click.confirm(f"Replace all users and data with those of {file}?", abort=True, err=True)
    before = _users(cli)
    cli.unchecked_backend.restore(file, cli.clock.now(), revoke_tokens=revoke_tokens)
    cli.backend.check()
    say(f"restored the database from {file}; all sessions and JWTs have ended")
    for uuid, user in _users(cli).items():
        if user.premium and uuid in before and not before[uuid].premium:
            say(f"{user.email} has premium again, as in the backup")


def _users(cli: CliContext) -> dict[str, User]:
    """Return the users by their UUIDs; none if the database has no tables of this version."""
    try:
        cli.unchecked_backend.check()
    except StorageError:
        return {}
    with reading(cli.unchecked_backend) as storage:
        return {user.uuid: user for user in storage.users.list_all()}


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


@db.command(epilog="Example: finance-api db distribute --dry-run")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and change nothing.")
@pass_cli_context
def distribute(cli: CliContext, dry_run: bool) -> None:
    """Distribute users' data over the workers of a Citus cluster, by user.

    Requests for data wait meanwhile, and get 503 after five seconds.
    """
    was_distributed = True
    for step in cli.unchecked_backend.distribute(dry_run=dry_run):
        was_distributed = False
        click.echo(step)
    if was_distributed:
        click.echo("nothing to do: the database is distributed")
    elif not dry_run:
        click.echo("the database is distributed")
