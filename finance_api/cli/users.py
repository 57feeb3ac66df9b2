"""finance-api user"""

import sys
from collections.abc import Callable
from typing import Any

import click

from finance_api.auth.passwords import PasswordRefused, checked_hash
from finance_api.auth.user_accounts import make_user, set_enabled, set_password, sign_out
from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.output import instant, json_option, say, show_list
from finance_api.resources.currencies import CURRENCIES
from finance_api.values.regions import RegionError, parse_region
from finance_api.values.text import normal_email
from finance_api.values.time import TimeError, parse_time_zone

_OPTIONS = (
    click.option(
        "--time-zone",
        metavar="ZONE",
        help="The user's time zone, which decides which day is today: Europe/Berlin, UTC.",
    ),
    click.option(
        "--region",
        metavar="REGION",
        help='Region for numbers and dates on the pages, such as de-AT; "" for the browser\'s.',
    ),
    click.option(
        "--base-currency",
        metavar="CODE",
        help='Currency in which the pages also show amounts of other currencies; "" for none.',
    ),
)


def _profile_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of what a profile has."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _changes(
    time_zone: str | None, region: str | None, base_currency: str | None
) -> dict[str, str | None]:
    """Return the given values, as a user has them. Raises click.UsageError."""
    changes: dict[str, str | None] = {}
    try:
        if time_zone is not None:
            changes["time_zone"] = parse_time_zone(time_zone)
        if region is not None:
            changes["region"] = parse_region(region) if region else None
    except TimeError as error:
        raise click.UsageError(f"--time-zone: {time_zone!r} {error}") from None
    except RegionError as error:
        raise click.UsageError(f"--region: {region!r} {error}") from None
    if base_currency:
        changes["base_currency"] = base_currency.upper()
        if changes["base_currency"] not in CURRENCIES:
            fault = "is not an ISO 4217 code such as EUR"
            raise click.UsageError(f"--base-currency: {base_currency!r} {fault}")
    elif base_currency is not None:
        changes["base_currency"] = None
    return changes


@click.group()
def user() -> None:
    """Users."""


@user.command(epilog="Example: finance-api user add me@example.com --premium")
@click.argument("email")
@click.option("--premium", is_flag=True, help="Give premium, which the public API needs.")
@click.option("--password-stdin", is_flag=True, help="Read a password from standard input.")
@_profile_options
@pass_cli_context
def add(
    cli: CliContext, /, email: str, premium: bool, password_stdin: bool, **profile: str | None
) -> None:
    """Create a user."""
    changes = _changes(**profile)
    if password_stdin:
        changes["password_hash"] = checked_hash(password_line(), normal_email(email))
    add_user(cli, email, premium=premium, changes=changes)


def add_user(cli: CliContext, email: str, *, premium: bool, changes: dict[str, str | None]) -> None:
    """Create a user, and say so. changes: the values that differ from a new user's."""
    with cli.writing() as storage:
        made = make_user(storage, email, premium=premium, password=None, now=cli.clock.now())
        if changes:
            storage.users.update(made.id, **changes)
    say(f"created user {made.email} ({made.uuid})")


def password_line() -> str:
    """Read a password from standard input. Raises PasswordRefused."""
    try:
        return sys.stdin.buffer.readline().decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise PasswordRefused("the password is not UTF-8") from None


@user.command("set-password", epilog="Example: finance-api user set-password me@example.com")
@click.argument("email")
@click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input, and do not ask."
)
@click.option(
    "--revoke-tokens", is_flag=True, help="Revoke the user's personal tokens and links as well."
)
@pass_cli_context
def change_password(cli: CliContext, email: str, password_stdin: bool, revoke_tokens: bool) -> None:
    """Set a user's password. All sessions and JWTs of the user end."""
    cli.require_persistence()
    with cli.reading() as storage:
        found = get_user(storage, email)
    if password_stdin:
        password_hash = checked_hash(password_line(), found.email, found.password_hash)
    else:
        password_hash = prompt_for_hash(found.email, found.password_hash)
    with cli.writing() as storage:
        set_password(storage, found, password_hash, cli.clock.now(), revoke_tokens=revoke_tokens)
    ended = "sessions, JWTs, tokens and links" if revoke_tokens else "sessions and JWTs"
    say(f"changed the password of {found.email}; all its {ended} have ended")


def prompt_for_hash(email: str, old_hash: str | None = None) -> str:
    """Ask for a new password, and return its hash; on a terminal, ask until it is accepted.

    Raises PasswordRefused.
    """
    while True:
        password = click.prompt("New password", hide_input=True, confirmation_prompt=True, err=True)
        try:
            return checked_hash(password, email, old_hash)
        except PasswordRefused as error:
            if not sys.stdin.isatty():
                raise
            say(f"Error: {error}", err=True)


@user.command("list", epilog="Example: finance-api user list --json")
@json_option
@pass_cli_context
def list_users(cli: CliContext, as_json: bool) -> None:
    """Show all users."""
    with cli.reading() as storage:
        rows = [
            {
                "email": u.email,
                "premium": u.premium,
                "enabled": u.enabled,
                "timeZone": u.time_zone,
                "region": u.region,
                "baseCurrency": u.base_currency,
                "createdAt": instant(u.created_at),
                "uuid": u.uuid,
            }
            for u in storage.users.list_all()
        ]
    cells = {
        "premium": lambda premium: "premium" if premium else "free",
        "enabled": lambda enabled: "enabled" if enabled else "disabled",
    }
    headings = ("EMAIL", "PLAN", "STATE", "TIME ZONE", "REGION", "CURRENCY", "CREATED", "UUID")
    show_list(rows, headings, as_json=as_json, cells=cells)


@user.command("set", epilog="Example: finance-api user set me@example.com --no-premium")
@click.argument("email")
@click.option(
    "--premium/--no-premium",
    default=None,
    help="Give or remove premium, which the public API needs.",
)
@click.option("--enable/--disable", "enabled", default=None, help="Disabling ends all access.")
@_profile_options
@pass_cli_context
def set_user(
    cli: CliContext,
    /,
    email: str,
    premium: bool | None,
    enabled: bool | None,
    **profile: str | None,
) -> None:
    """Change a user."""
    changes: dict[str, Any] = {**_changes(**profile)}
    if premium is not None:
        changes["premium"] = premium
    if not changes and enabled is None:
        raise click.UsageError(
            "say what to change: --premium, --no-premium, --enable, --disable, --time-zone, "
            "--region, --base-currency"
        )
    with cli.writing() as storage:
        changed = get_user(storage, email)
        if enabled is not None:
            set_enabled(storage, changed, enabled, cli.clock.now())
        if changes:
            storage.users.update(changed.id, **changes)
    ended = "; all its sessions, JWTs, tokens and links have ended" if enabled is False else ""
    say(f"changed user {changed.email}{ended}")


@user.command("sign-out", epilog="Example: finance-api user sign-out me@example.com")
@click.argument("email", required=False)
@click.option("--all", "is_all", is_flag=True, help="Sign out all users.")
@pass_cli_context
def sign_out_user(cli: CliContext, email: str | None, is_all: bool) -> None:
    """End all sessions of a user, who can sign in again. Tokens, links and JWTs stay."""
    if (email is None) != is_all:
        raise click.UsageError("give the user's e-mail address or --all")
    with cli.writing() as storage:
        users = storage.users.list_all() if email is None else [get_user(storage, email)]
        for each in users:
            sign_out(storage, each, cli.clock.now())
    for each in users:
        say(f"signed out {each.email}")


@user.command(epilog="Example: finance-api user delete me@example.com")
@click.argument("email")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@pass_cli_context
def delete(cli: CliContext, email: str, yes: bool) -> None:
    """Delete a user with all tokens and data."""
    cli.require_persistence()
    with cli.reading() as storage:
        found = get_user(storage, email)
    if not yes:
        click.confirm(f"Delete {found.email} with all tokens and data?", abort=True, err=True)
    with cli.writing() as storage:
        storage.users.delete(found.id)
    say(f"deleted user {found.email}")
