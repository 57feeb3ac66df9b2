"""finance-api init"""

import os
import shlex
from pathlib import Path

import click

from finance_api.cli.context import INI_FILES, CliContext, pass_cli_context
from finance_api.values.text import shown

_NEXT = """\
created {ini}, with a signing key in {keys}

Next:

{enter}  finance-api db upgrade
  finance-api user add me@example.com --premium
  finance-api user set-password me@example.com
  finance-api token create me@example.com --name first
  finance-api serve"""


@click.command(epilog="Example: finance-api init ~/finance")
@click.argument("directory", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@pass_cli_context
def init(cli: CliContext, directory: Path) -> None:
    """Create an ini file, the folder of the data and a signing key. DIR: the current directory."""
    from importlib.resources import files

    from finance_api.auth.key_rotation import add_signing_key

    ini, data = directory / INI_FILES[0], directory / "var"
    keys = data / "jwt-keys.json"
    for path in (ini, keys):
        if path.exists():
            raise click.ClickException(f"{path} exists already; nothing was changed")
    for folder in (directory, data):
        folder.mkdir(0o700, parents=True, exist_ok=True)
    text = files("finance_api.cli").joinpath("finance-api.ini").read_text("utf-8")
    # It may come to hold the password of a database.
    with open(os.open(ini, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(text)
    add_signing_key(str(keys), now=cli.clock.now(), overlap_seconds=0)
    enter = "" if directory == Path() else f"  cd {shlex.quote(str(directory))}\n"
    click.echo(_NEXT.format(ini=shown(str(ini)), keys=shown(str(keys)), enter=enter))
