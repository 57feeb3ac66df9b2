"""finance-api user"""

import sys
from typing import Any

import click

from finance_api.auth.passwords import PasswordRefused
from finance_api.auth.user_accounts import make_user, normal_email, set_password
from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.table import table
from finance_api.values.time import instant_text


@click.group()
def user() -> None:
    """Users."""


@user.command()
@click.argument("email")
@click.option("--premium", is_flag=True, help="With the subscription that the public API needs.")
@click.option("--password-stdin", is_flag=True, help="Read a password from standard input.")
@pass_cli_context
def add(cli: CliContext, email: str, premium: bool, password_stdin: bool) -> None:
    """Make a user."""
    password = None
    if password_stdin:
        password = _password_line()
    with cli.writing() as storage:
        made = make_user(storage, email, premium=premium, password=password, now=cli.clock.now())
    click.echo(f"made {made.email} ({made.uuid})")


def _password_line() -> str:
    try:
        return sys.stdin.buffer.readline().decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise PasswordRefused("the password is not UTF-8") from None


@user.command("set-password")
@click.argument("email")
@click.option(
    "--password-stdin", is_flag=True, help="Read it from standard input; else it is asked for."
)
@pass_cli_context
def change_password(cli: CliContext, email: str, password_stdin: bool) -> None:
    """Set a user's password; all sessions and JWTs of the user end."""
    cli.require_persistence()
    if password_stdin:
        password = _password_line()
    else:
        password = click.prompt("New password", hide_input=True, confirmation_prompt=True, err=True)
    with cli.writing() as storage:
        found = storage.users.get(normal_email(email))
        set_password(storage, found, password, cli.clock.now())
    click.echo(f"changed the password of {found.email}; all its sessions and JWTs have ended")


@user.command("list")
@pass_cli_context
def list_users(cli: CliContext) -> None:
    """Show all users."""
    with cli.reading() as storage:
        users = storage.users.list_all()
    rows = [
        (
            u.email,
            "premium" if u.premium else "free",
            "enabled" if u.enabled else "disabled",
            instant_text(u.created_at),
            u.uuid,
        )
        for u in users
    ]
    click.echo(table(("EMAIL", "PLAN", "STATE", "CREATED", "UUID"), rows))


@user.command("set")
@click.argument("email")
@click.option("--premium/--no-premium", default=None, help="With or without the subscription.")
@click.option("--enable/--disable", "enabled", default=None, help="Whether tokens are accepted.")
@pass_cli_context
def set_user(cli: CliContext, /, email: str, **choices: bool | None) -> None:
    """Change a user."""
    changes: dict[str, Any] = {k: v for k, v in choices.items() if v is not None}
    if not changes:
        raise click.UsageError("say what to change: --premium, --no-premium, --enable, --disable")
    with cli.writing() as storage:
        storage.users.update(storage.users.get(normal_email(email)).id, **changes)
    click.echo(f"changed {normal_email(email)}")


@user.command()
@click.argument("email")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_cli_context
def delete(cli: CliContext, email: str, yes: bool) -> None:
    """Remove a user with all tokens and data."""
    cli.require_persistence()
    with cli.reading() as storage:
        found = storage.users.get(normal_email(email))
    if not yes:
        click.confirm(f"Remove {found.email} with all tokens and data?", abort=True, err=True)
    with cli.writing() as storage:
        storage.users.delete(found.id)
    click.echo(f"removed {found.email}")
