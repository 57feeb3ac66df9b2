"""The command itself: its options, its commands, its exit codes."""

import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING

import click

from finance_api.cli.context import CliContext
from finance_api.cli.output import say
from finance_api.values.text import shown
from finance_api.values.version import __version__

if TYPE_CHECKING:
    from finance_api.importers.interface import Command


#: For each command: its module in this package and its name there, and its line in ``--help``.
_COMMANDS = {
    "add": ("objects:add", "Add an account, category, budget, goal, standing order or label."),
    "audit": ("audit:audit", "Show who did what, when and from where."),
    "backup": ("backup:backup", "Write the whole database to a file."),
    "check": ("check:check", "Look for faults in settings, keys, the database and stored data."),
    "db": ("backup:db", "Create or upgrade the tables of the database."),
    "dump": ("dump:dump", "Write all data of a user to standard output."),
    "duplicates": ("duplicates:duplicates", "List records that look like duplicates."),
    "follow": ("follow:follow", "Import followed books whose files have changed."),
    "import": ("importing:import_command", "Import files into a user's data."),
    "imports": ("imports:imports", "List, show and undo imports and edits."),
    "init": ("init:init", "Create an ini file, a data folder and a signing key."),
    "jwt": ("jwts:jwt", "Manage JSON Web Tokens of the internal API."),
    "load-demo": ("demo:load_demo", "Create demo users with data."),
    "mcp": ("mcp:mcp", "Serve the API as tools for agents."),
    "mirror": ("mirror:mirror", "Keep a SQLite file up to date with a service."),
    "payees": ("payees:payees", "Give several payees one name."),
    "profiles": ("profiles:profiles", "List, show and test layouts of CSV files."),
    "question": ("questions:question", "Manage saved questions and print their answers."),
    "rates": ("rates:rates", "Import and list exchange rates."),
    "records": ("records:records", "Edit and remove stored records."),
    "remove": (
        "objects:remove",
        "Remove an account, category, budget, goal, standing order or label.",
    ),
    "restore": ("backup:restore", "Replace the whole database with a backup."),
    "rules": ("rules:rules", "Manage rules, which give records a category and labels."),
    "serve": ("serve:serve", "Run the service."),
    "set": (
        "objects:set_command",
        "Change an account, category, budget, goal, standing order or label.",
    ),
    "token": ("tokens:token", "Manage personal tokens of the public API."),
    "transfers": ("transfers:transfers", "Manage transfers between a user's accounts."),
    "user": ("users:user", "Manage users."),
}


class _Commands(click.Group):
    """Imports a command's module only when the command runs, so that all commands start quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        found: click.Command = getattr(import_module(f"finance_api.cli.{module}"), name)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in _COMMANDS.items()])


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
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


def run(arguments: list[str] | None = None) -> None:
    """Run the command. Exit with 0, with 1 after an error message, or with 2 for wrong usage."""
    cli = CliContext()
    try:
        command.main(arguments, prog_name="finance-api", standalone_mode=False, obj=cli)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
    except click.UsageError as error:
        click.UsageError(shown(error.format_message()), error.ctx).show()
        sys.exit(2)
    except BrokenPipeError:
        # The reader of the output has gone.
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
    """Return the message and the command to copy, if any; several commands get separate lines."""
    message = f"finance-api: {_message(error, cli)}"
    commands: list[Command] = getattr(error, "commands", [])
    if len(commands) > 1:
        lines = [f"{message}; copy the command that fits:"]
        for command in commands:
            lines += [f"# {command.meaning}", command.line]
        return lines
    return [f"{message}; to copy: {commands[0].line}" if commands else message]


#: An option of the command -> the end of a refusal that it resolves.
_WAYS = {
    "with_later": ". Undo them as well with --with-later",
    "keep_changed": ", or keep later manual edits with --keep-changed",
    "with_records": "; --with-records removes its records as well",
}


def _message(error: Exception, cli: CliContext) -> str:
    if isinstance(error, click.Abort):
        return f"cancelled; {', '.join(cli.done) or 'nothing was changed'}"
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, click.ClickException):
        return error.format_message()
    if not _is_expected(error):
        return f"unexpected {type(error).__name__}: {error}"
    from finance_api.cli.import_texts import refusal_text
    from finance_api.importers.interface import ImportRefused

    if isinstance(error, ImportRefused):
        error.written = error.written or refusal_text(error)
    return f"{error}{''.join(_WAYS[way] for way in getattr(error, 'ways', ()))}"


def _is_expected(error: Exception) -> bool:
    """Whether the user or the operator can act on the error."""
    from finance_api.auth.jwt_keys import KeyFileError
    from finance_api.auth.jwts import RevokeRefused
    from finance_api.auth.passwords import PasswordRefused
    from finance_api.auth.personal_tokens import IssueRefused
    from finance_api.importers.interface import ChangeRefused
    from finance_api.questions.addresses import AddressRefused
    from finance_api.runtime.settings import SettingError
    from finance_api.storage.errors import StorageError
    from finance_api.values.text import EmailRefused

    expected = (
        *(AddressRefused, EmailRefused, ChangeRefused, IssueRefused, KeyFileError),
        *(PasswordRefused, RevokeRefused, SettingError, StorageError, OSError),
    )
    return isinstance(error, expected)
