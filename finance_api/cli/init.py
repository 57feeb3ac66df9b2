"""finance-api init"""

import os
import shlex
import sys
from pathlib import Path

import click

from finance_api.auth.jwt_keys import add_signing_key
from finance_api.cli.context import INI_FILES, CliContext, pass_cli_context
from finance_api.values.text import shown

_NEXT = """\
created {ini}, with a signing key in {keys}

Next:

{enter}  finance-api db upgrade
  finance-api user add me@example.com{premium}
  finance-api user set-password me@example.com
  finance-api token create me@example.com --name first
  finance-api serve

Then sign in at http://127.0.0.1:6543/ and import your files at http://127.0.0.1:6543/import, or
import them by command:

  finance-api import me@example.com statement.ofx"""

_API_ACCESS = "finance_api.users.api_access = {}\n"


@click.command(epilog="Example: finance-api init ~/finance")
@click.argument("directory", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option(
    "--api-access",
    type=click.Choice(["premium", "all"]),
    help="Who may use the public API: users with premium, or all users. On a terminal the "
    "command asks. Default: premium.",
)
@pass_cli_context
def init(cli: CliContext, directory: Path, api_access: str | None) -> None:
    """Create an ini file, the folder of the data and a signing key. DIR: the current directory."""
    ini, data = directory / INI_FILES[0], directory / "var"
    keys = data / "jwt-keys.json"
    for path in (ini, keys):
        if path.exists():
            raise click.ClickException(f"{path} exists already; nothing was changed")
    if api_access is None:
        api_access = _asked() if sys.stdin.isatty() else "premium"
    for folder in (directory, data):
        folder.mkdir(0o700, parents=True, exist_ok=True)
    write_ini(ini, api_access)
    add_signing_key(str(keys), now=cli.clock.now(), overlap_seconds=0)
    enter = "" if directory == Path() else f"  cd {shlex.quote(str(directory))}\n"
    premium = " --premium" if api_access == "premium" else ""
    places = {"ini": shown(str(ini)), "keys": shown(str(keys))}
    click.echo(_NEXT.format(**places, enter=enter, premium=premium))


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
