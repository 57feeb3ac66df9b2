"""The command itself: its options, its commands, its exit codes."""

import sys
import traceback
from typing import TYPE_CHECKING

import click

from finance_api.cli.audit import audit
from finance_api.cli.backup import backup, restore
from finance_api.cli.check import check
from finance_api.cli.context import CliContext
from finance_api.cli.database import db
from finance_api.cli.demo import load_demo
from finance_api.cli.dump import dump
from finance_api.cli.duplicates import duplicates
from finance_api.cli.importing import import_command
from finance_api.cli.imports import imports
from finance_api.cli.init import init
from finance_api.cli.jwts import jwt
from finance_api.cli.mcp import mcp
from finance_api.cli.objects import add, remove, set_command
from finance_api.cli.output import say
from finance_api.cli.profiles import profiles
from finance_api.cli.rates import rates
from finance_api.cli.records import records
from finance_api.cli.rules import rules
from finance_api.cli.serve import serve
from finance_api.cli.tokens import token
from finance_api.cli.transfers import transfers
from finance_api.cli.users import user
from finance_api.values.text import shown
from finance_api.version import __version__

if TYPE_CHECKING:
    from finance_api.importers.interface import Command


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: finance-api -c production.ini user list",
)
@click.option(
    "-c",
    "--config",
    "config",
    envvar="FINANCE_API_CONFIG",
    metavar="INI",
    help="The ini file. Default: $FINANCE_API_CONFIG, else finance-api.ini or development.ini in "
    "the current directory.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(__version__, prog_name="finance-api")
@click.pass_obj
def command(cli: CliContext, config: str | None, debug: bool) -> None:
    """Keep and serve personal finance data."""
    cli.config, cli.debug = config, debug


for _command in (
    init,
    db,
    serve,
    user,
    token,
    jwt,
    import_command,
    imports,
    profiles,
    dump,
    add,
    set_command,
    remove,
    rules,
    records,
    transfers,
    duplicates,
    rates,
    load_demo,
    audit,
    check,
    backup,
    restore,
    mcp,
):
    command.add_command(_command)


def run(arguments: list[str] | None = None) -> None:
    """The entry point. Ends with exit code 0, 1 (a message on standard error) or 2 (usage)."""
    cli = CliContext()
    try:
        command.main(arguments, prog_name="finance-api", standalone_mode=False, obj=cli)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
    except click.UsageError as error:
        click.UsageError(shown(error.format_message()), error.ctx).show()
        sys.exit(2)
    except BrokenPipeError:
        # Whoever read the output has gone; there is nobody to tell.
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        if cli.debug:
            traceback.print_exc()
        for line in _lines(error, cli):
            say(line, err=True)
        sys.exit(1)
    finally:
        cli.close()


def _lines(error: Exception, cli: CliContext) -> list[str]:
    """The message, and command lines to choose from below it; a single one stands in it."""
    message = f"finance-api: {_message(error, cli)}"
    commands: list[Command] = getattr(error, "commands", [])
    if len(commands) > 1:
        lines = [f"{message}; to copy, the one that is meant:"]
        for command in commands:
            lines += [f"# {command.meaning}", command.line]
        return lines
    return [f"{message}; to copy: {commands[0].line}" if commands else message]


def _message(error: Exception, cli: CliContext) -> str:
    if isinstance(error, click.Abort):
        return f"cancelled; {', '.join(cli.done) or 'nothing was changed'}"
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, click.ClickException):
        return error.format_message()
    return str(error) if _is_expected(error) else f"unexpected {type(error).__name__}: {error}"


def _is_expected(error: Exception) -> bool:
    """Whether the user or operator can do something about it."""
    from finance_api.auth.emails import EmailRefused
    from finance_api.auth.issuing import IssueRefused
    from finance_api.auth.jwt_issuing import RevokeRefused
    from finance_api.auth.jwt_keys import KeyFileError
    from finance_api.auth.passwords import PasswordRefused
    from finance_api.importers.interface import ChangeRefused
    from finance_api.runtime.settings import SettingError
    from finance_api.storage.errors import StorageError

    expected = (
        *(EmailRefused, ChangeRefused, IssueRefused, KeyFileError, PasswordRefused),
        *(RevokeRefused, SettingError, StorageError, OSError),
    )
    return isinstance(error, expected)
