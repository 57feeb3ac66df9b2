"""finance-api init"""

import os
import shlex
import sys
from pathlib import Path
from zoneinfo import ZoneInfoNotFoundError

import click

from finance_api.auth.jwt_keys import add_signing_key
from finance_api.auth.passwords import checked_hash
from finance_api.cli.context import INI_FILES, CliContext, pass_cli_context
from finance_api.cli.users import add_user, password_line, prompt_for_hash
from finance_api.values.text import normal_email, shown
from finance_api.values.time import UTC, TimeError, parse_time_zone

_NEXT = """
Next:

{commands}

Then sign in at http://127.0.0.1:6543/ and import your files at http://127.0.0.1:6543/import, or
import them by command:

  finance-api import {person} statement.ofx"""

_API_ACCESS = "finance_api.users.api_access = {}\n"


@click.command(epilog="Example: finance-api init ~/finance --user me@example.com")
@click.argument("directory", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option(
    "--api-access",
    type=click.Choice(["premium", "all"]),
    help="Who may use the public API: users with premium, or all users. On a terminal the "
    "command asks, unless there is --user. Default: premium.",
)
@click.option(
    "--user",
    "email",
    metavar="EMAIL",
    help="Also create a user, with access to the API and the time zone of this computer. On a "
    "terminal the command asks for a password.",
)
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
@pass_cli_context
def init(
    cli: CliContext,
    directory: Path,
    api_access: str | None,
    email: str | None,
    password_stdin: bool,
) -> None:
    """Create an ini file, the folder of the data, a signing key and the tables.

    DIR: the current directory.
    """
    if password_stdin and email is None:
        raise click.UsageError("--password-stdin is for the user that --user names")
    is_asking = sys.stdin.isatty()
    ini, data = directory / INI_FILES[0], directory / "var"
    keys = data / "jwt-keys.json"
    for path in (ini, keys):
        if path.exists():
            raise click.ClickException(f"{path} exists already; nothing was changed")
    # Before anything is written, because a wrong address or password is refused.
    changes = {} if email is None else _new_user(email, password_stdin, is_asking)
    if api_access is None:
        api_access = _asked() if is_asking and email is None else "premium"
    for folder in (directory, data):
        folder.mkdir(0o700, parents=True, exist_ok=True)
    write_ini(ini, api_access)
    add_signing_key(str(keys), now=cli.clock.now(), overlap_seconds=0)
    cli.config = str(ini)
    cli.unchecked_backend.upgrade()
    click.echo(f"created {shown(str(ini))}, a signing key in {shown(str(keys))}, and the tables")
    has_premium = api_access == "premium"
    if email is not None:
        add_user(cli, email, premium=has_premium, changes=changes)
        click.echo(f"its time zone is {changes['time_zone']}, as on this computer")
    person = shlex.quote(email or "me@example.com")
    premium = " --premium" if has_premium else ""
    commands = [
        *([] if directory == Path() else [f"cd {shlex.quote(str(directory))}"]),
        *([f"finance-api user add {person}{premium}"] if email is None else []),
        *([] if "password_hash" in changes else [f"finance-api user set-password {person}"]),
        f"finance-api token create {person} --name first",
        "finance-api serve",
    ]
    lines = "\n".join(f"  {command}" for command in commands)
    click.echo(_NEXT.format(commands=lines, person=person))


def _new_user(email: str, password_stdin: bool, is_asking: bool) -> dict[str, str | None]:
    """Return the values of the new user: see `add_user`. Raises EmailRefused, PasswordRefused."""
    address = normal_email(email)
    changes: dict[str, str | None] = {"time_zone": _local_time_zone()}
    if password_stdin:
        changes["password_hash"] = checked_hash(password_line(), address)
    elif is_asking:
        changes["password_hash"] = prompt_for_hash(address)
    return changes


def _local_time_zone() -> str:
    """Return the time zone of this computer; UTC if it has none of the IANA database.

    Most servers have Etc/UTC, which is UTC: a zone that nobody chose, so the pages propose another.
    """
    from tzlocal import get_localzone_name

    try:
        name = get_localzone_name() or UTC
        return UTC if name == "Etc/UTC" else parse_time_zone(name)
    except (TimeError, ZoneInfoNotFoundError):
        return UTC


def write_ini(path: Path, api_access: str = "premium") -> None:
    """Create an ini file with every setting. Raises FileExistsError."""
    from importlib.resources import files

    text = files("finance_api.cli").joinpath("finance-api.ini").read_text("utf-8")
    # The file may get the password of a database later.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(text.replace(_API_ACCESS.format("premium"), _API_ACCESS.format(api_access)))


def _asked() -> str:
    click.echo("Who may use the public API? premium: users to whom you give it; all: every user.")
    return str(click.prompt("API access", type=click.Choice(["premium", "all"]), default="premium"))
