"""finance-api profiles"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.import_texts import text
from finance_api.cli.input_files import opened
from finance_api.cli.output import json_option, say, show_list
from finance_api.importers import csv
from finance_api.importers.csv import CsvImporter, Profiles, load_profiles
from finance_api.importers.csv.profile import Profile
from finance_api.importers.csv.profile_file import parse_profile, profile_text
from finance_api.importers.interface import Entry, ImportRefused, Statement, quoted
from finance_api.ledger.edits.naming import find_row
from finance_api.ledger.matching.stated import answered_options
from finance_api.ledger.session import UserRows
from finance_api.resources import ACCOUNTS
from finance_api.values.number import decimal_text
from finance_api.values.text import counted, shown
from finance_api.values.time import date_text

#: Up to this many records of each account are printed.
_MOST_PRINTED = 5
#: Stands for the account if a file does not name it.
_UNNAMED = "the account of --account"


def known_profiles(cli: CliContext) -> Profiles:
    """Return the built-in profiles and the operator's. Raises ImportRefused if one is faulty."""
    return load_profiles(cli.settings["finance_api.imports.profiles_directory"])


class _ListedByDefault(click.Group):
    """A group that runs ``list`` if no command is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ListedByDefault, epilog="Example: finance-api profiles")
def profiles() -> None:
    """Layouts of CSV files that are recognised by their headings.

    'profiles' is the same as 'profiles list'.
    """


@profiles.command("list", epilog="Example: finance-api profiles list --json")
@json_option
@pass_cli_context
def list_profiles(cli: CliContext, as_json: bool) -> None:
    """List the profiles of this program and your own."""
    rows: list[dict[str, Any]] = [
        {
            "name": profile.name,
            "version": profile.version,
            "recognisedBy": "name" if profile.by_name_only else "headings",
            "title": profile.title,
        }
        for profile in known_profiles(cli)
    ]
    show_list(rows, ("NAME", "VERSION", "RECOGNISED BY", "TITLE"), as_json=as_json)


@profiles.command("show", epilog="Example: finance-api profiles show wallet > my-wallet.toml")
@click.argument("name")
@pass_cli_context
def show_profile(cli: CliContext, name: str) -> None:
    """Print the file of a profile."""
    click.echo(known_profiles(cli).get(name).text, nl=False)


@profiles.command("test", epilog="Example: finance-api profiles test wallet export.csv")
@click.argument("name")
@click.argument("file")
@click.option("--account", help="The account, if the file does not name it.")
@click.option("--currency", help="ISO 4217 code, if the file does not have its currency.")
@click.option(
    "--date-format", help="The date format, such as DD/MM/YYYY, if the profile does not set it."
)
@click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    help="The decimal sign, if the profile does not set it.",
)
@click.option("--only", multiple=True, metavar="COL=VALUE", help="Read only rows with this value.")
@pass_cli_context
def test_profile(
    cli: CliContext, /, name: str, file: str, account: str | None, **options: Any
) -> None:
    """Read a file with a profile, and print what would be imported. Nothing is stored."""
    known = known_profiles(cli)
    account = account or _account_of(known.get(name))
    importer = CsvImporter(csv.Mapping(profile=name, account=account, **options), known)
    found: dict[int, tuple[Statement, list[Entry]]] = {}
    with opened(file) as stream:
        for statement, entry in importer.read(stream):
            _, entries = found.setdefault(id(statement), (statement, []))
            entries += [] if entry is None else [entry]
    for statement, entries in found.values():
        _say_account(statement, entries)
    for statement, _ in found.values():
        for remark in statement.remarks:
            say(text(remark))


@profiles.command(
    "save", epilog="Example: finance-api profiles save my-bank --from me@example.com Giro"
)
@click.argument("name")
@click.option(
    "--from",
    "origin",
    nargs=2,
    required=True,
    metavar="EMAIL ACCOUNT",
    help="The user, and the account whose answers are saved.",
)
@pass_cli_context
def save_profile(cli: CliContext, name: str, origin: tuple[str, str]) -> None:
    """Write what was answered for an account's CSV files as a profile.

    The file works for other users and on other servers: import with --profile NAME.
    """
    directory = cli.settings["finance_api.imports.profiles_directory"]
    if not directory:
        raise ImportRefused(
            "profiles need a directory: set finance_api.imports.profiles_directory in the ini file"
        )
    if not re.fullmatch("[a-z0-9][a-z0-9_-]*", name):
        raise ImportRefused(f"{quoted(name)}: use small letters, digits, - and _ for the name")
    if name in known_profiles(cli).names:
        raise ImportRefused(f"there is a profile {quoted(name)} already")
    email, account = origin
    with cli.reading() as storage:
        rows = UserRows(storage, get_user(storage, email))
        row = find_row(rows, ACCOUNTS, account)
        options = answered_options(rows.history, row["id"]) or {}
    path = Path(directory, f"{name}.toml")
    path.write_text(_answers_as_profile(f"{name}: saved answers", account, options), "utf-8")
    say(f"wrote {path}; import such files with --profile {name}")


def _answers_as_profile(title: str, account: str, options: Mapping[str, Any]) -> str:
    """Return the text of a profile. Raises ImportRefused if the options do not make one."""
    if "profile" in options:
        raise ImportRefused(
            f"the files of {quoted(account)} are read with the profile "
            f"{quoted(options['profile'])}: copy its file, which 'finance-api profiles show "
            f"{options['profile']}' prints"
        )
    if "headings" not in options:
        raise ImportRefused(
            f"no headings are known of a CSV file of {quoted(account)}: import one that has "
            "headings, perhaps again"
        )
    text = profile_text(title, options["headings"], options)
    profile = parse_profile("", text)
    if not profile.mapping.stated() and not profile.ignore:
        raise ImportRefused(
            f"nothing was answered about the files of {quoted(account)}: they need no profile"
        )
    return text


def _account_of(profile: Profile) -> str | None:
    named = {*profile.map, *profile.preamble, *(name for leg in profile.legs for name in leg.map)}
    return None if {"account", "accountNumber"} & named else _UNNAMED


def _say_account(statement: Statement, entries: list[Entry]) -> None:
    account = statement.account
    money_in = sum(entry.amount for entry in entries if entry.amount > 0)
    money_out = -sum(entry.amount for entry in entries if entry.amount < 0)
    begins = f", begins with {decimal_text(statement.initial)}" if statement.initial else ""
    say(
        f"{account.name}: {counted(len(entries), 'record')}, {decimal_text(money_in)} in, "
        f"{decimal_text(money_out)} out{begins}, {account.currency or 'currency not named'}"
    )
    for entry in entries[:_MOST_PRINTED]:
        texts = (entry.payee, entry.note, entry.category, *entry.labels, entry.reference)
        line = "; ".join(shown(text) for text in texts if text)
        say(f"  {date_text(entry.date)} {decimal_text(entry.amount)} {line}".rstrip())
    if len(entries) > _MOST_PRINTED:
        say(f"  and {len(entries) - _MOST_PRINTED} more")
    if statement.skipped:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(statement.skipped.items()))
        say(f"  skipped: {kinds}")
