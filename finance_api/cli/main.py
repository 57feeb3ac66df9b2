"""The command itself: its option for the ini file, its commands, its exit codes."""

import sys

import click

from finance_api import __version__
from finance_api.auth.issuing import IssueRefused
from finance_api.auth.jwt_issuing import RevokeRefused
from finance_api.auth.jwt_keys import KeyFileError
from finance_api.auth.passwords import PasswordRefused
from finance_api.auth.user_accounts import EmailRefused
from finance_api.cli.context import CliContext
from finance_api.cli.database import db
from finance_api.cli.demo import load_demo
from finance_api.cli.dump import dump
from finance_api.cli.importing import import_command
from finance_api.cli.jwts import jwt
from finance_api.cli.output import say
from finance_api.cli.tokens import token
from finance_api.cli.users import user
from finance_api.importers.interface import ImportRefused
from finance_api.settings import SettingError
from finance_api.storage.errors import StorageError

#: What is said in one line, without a traceback: the user or operator can do something about it.
_EXPECTED = (
    EmailRefused,
    ImportRefused,
    IssueRefused,
    KeyFileError,
    PasswordRefused,
    RevokeRefused,
    SettingError,
    StorageError,
    OSError,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-c",
    "--config",
    "config",
    envvar="FINANCE_API_CONFIG",
    default="development.ini",
    show_default=True,
    metavar="INI",
    help="The ini file; by default $FINANCE_API_CONFIG, else development.ini.",
)
@click.version_option(__version__, prog_name="finance-api")
@click.pass_context
def command(context: click.Context, config: str) -> None:
    """Keep and serve personal finance data."""
    context.obj = CliContext(config)
    context.call_on_close(context.obj.close)


for _command in (db, user, token, jwt, import_command, dump, load_demo):
    command.add_command(_command)


def run(arguments: list[str] | None = None) -> None:
    """The entry point. Ends with exit code 0, 1 (a message on standard error) or 2 (usage)."""
    try:
        command.main(arguments, prog_name="finance-api", standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        _fail("stopped; nothing of the running step is kept")
    except click.ClickException as error:
        _fail(error.format_message())
    except BrokenPipeError:
        # Whoever read the output has gone; there is nobody to tell.
        sys.stderr.close()
        sys.exit(1)
    except _EXPECTED as error:
        _fail(str(error))
    except Exception as error:
        _fail(f"unexpected {type(error).__name__}: {error}")


def _fail(message: str) -> None:
    say(f"finance-api: {message}", err=True)
    sys.exit(1)
