"""finance-api imports"""

import json
from typing import Any

import click

from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.editing import change
from finance_api.cli.output import instant, json_option, json_report_option, say, show_list
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.undo import UndoReport, undo
from finance_api.resources import ACCOUNTS
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import HistoryEntry, Storage, User
from finance_api.values.ids import IdError, parse_id, serial_id, serial_number
from finance_api.values.time import date_text


class _ListedByDefault(click.Group):
    """A group that runs ``list`` if it gets an e-mail address instead of a command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and "@" in args[0]:
            args = ["list", *args]
        return super().resolve_command(ctx, args)


@click.group(cls=_ListedByDefault, epilog="Example: finance-api imports me@example.com")
def imports() -> None:
    """Imports and edits of a user's data, and undoing them.

    'imports EMAIL' is the same as 'imports list EMAIL'.
    """


_of_entry = click.argument("words", nargs=-1, required=True, metavar="EMAIL ID")


@imports.command("list", epilog="Example: finance-api imports list me@example.com --json")
@click.argument("email")
@json_option
@pass_cli_context
def list_imports(cli: CliContext, email: str, as_json: bool) -> None:
    """Show what changed a user's data, newest first."""
    with cli.reading() as storage:
        entries = storage.ledger.list_entries(get_user(storage, email).id)
    rows = [_as_json(entry) for entry in reversed(entries)]
    for row in rows:
        row.pop("details")
    if not as_json:
        rows = [
            {name: row[name] for name in ("number", "at", "action", "file")}
            | {name: row["counts"].get(name) for name in ("created", "updated")}
            | {name: row[name] for name in ("revision", "state")}
            for row in rows
        ]
    headings = ("ID", "WHEN", "WHAT", "FILE", "CREATED", "UPDATED", "REVISION", "STATE")
    show_list(rows, headings, as_json=as_json)


@imports.command("show", epilog="Example: finance-api imports show me@example.com 3")
@_of_entry
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@pass_cli_context
def show_import(cli: CliContext, words: tuple[str, ...], as_json: bool) -> None:
    """Show one entry in full: file, options, accounts, days, counts."""
    with cli.reading() as storage:
        user, number = _entry_of(storage, words)
        entries = storage.ledger.list_entries(user.id)
        entry = next((each for each in entries if each.number == number), None)
        if entry is None:
            raise NotFound(f"there is no entry {number} in the history of {user.email}")
        names = {row["id"]: row["name"] for row in storage.data.scan_rows(user.id, ACCOUNTS)}
    found = _as_json(entry)
    if as_json:
        say(json.dumps(found))
        return
    details = found.pop("details")
    facts, summary = details.pop("accounts", []), details.pop("summary", {})
    for name, value in {**found, **details}.items():
        if value not in (None, {}, []):
            text = (
                ", ".join(f"{k}: {v}" for k, v in value.items())
                if isinstance(value, dict)
                else value
            )
            say(f"{name}: {text}")
    for fact in facts:
        say(f"account: {names.get(fact['accountId'], fact['accountId'])}{_days(fact)}")
    for row in summary.get("rows", ()):
        fields = [f"{n} {old or '-'} -> {new or '-'}" for n, (old, new) in row["changed"].items()]
        about = " ".join(filter(None, (row.get("day"), row["name"], row.get("amount"))))
        say(f"{row['verb']}: {': '.join(filter(None, (about, ', '.join(fields))))}")


@imports.command("undo", epilog="Example: finance-api imports undo me@example.com 3 --dry-run")
@_of_entry
@click.option(
    "--with-later", is_flag=True, help="Also undo later entries that must be undone first."
)
@click.option("--keep-changed", is_flag=True, help="Keep later manual edits.")
@click.option("--dry-run", is_flag=True, help="Report what would change; nothing is changed.")
@json_report_option
@pass_cli_context
def undo_import(
    cli: CliContext,
    words: tuple[str, ...],
    with_later: bool,
    keep_changed: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Undo an import or edit: the data is as it was before."""
    cli.require_persistence()
    with cli.reading() as storage:
        user, number = _entry_of(storage, words)

    def work(session: LedgerSession) -> tuple[UndoReport, int]:
        report = undo(session, number, with_later=with_later, keep_changed=keep_changed)
        return report, session.revision

    report, revision = change(cli, user.email, None, work, dry_run=dry_run)
    if as_json:
        say(json.dumps({**report.as_json(), "revision": revision, "dryRun": dry_run}))
    else:
        for line in _sentences(report):
            say(f"{line}{' (dry run)' if dry_run else ''}")


def _entry_of(storage: Storage, words: tuple[str, ...]) -> tuple[User, int]:
    """Return the user and the entry's number. Raises UsageError, EmailRefused, NotFound."""
    *email, text = words
    if len(email) > 1:
        raise click.UsageError("name one user and one id")
    if email:
        user = get_user(storage, email[0])
    else:
        users = storage.users.list_all()
        if len(users) != 1:
            raise click.UsageError(
                f"each user has an entry {text}: name the user as well, such as "
                f"'me@example.com {text}'"
            )
        user = users[0]
    if text.isascii() and text.isdigit():
        return user, int(text)
    try:
        number = serial_number(parse_id(text))
    except IdError:
        number = None
    if number is None:
        raise click.UsageError(f"{text!r} is not an id from the list, such as 3")
    return user, number


def _as_json(entry: HistoryEntry) -> dict[str, Any]:
    details = dict(entry.details)
    file = details.pop("file", {})
    return {
        "id": serial_id(entry.number),
        "number": entry.number,
        "at": instant(entry.at),
        "action": entry.action,
        "by": entry.by,
        "format": details.pop("format", None),
        "profile": details.pop("profile", None),
        "file": file.get("name"),
        "size": file.get("size"),
        "sha256": file.get("sha256"),
        "options": details.pop("options", {}),
        "counts": details.pop("counts", {}),
        "revision": entry.revision,
        "state": "done" if entry.undone_at is None else f"undone {instant(entry.undone_at)}",
        "details": details,
    }


def _days(fact: dict[str, Any]) -> str:
    if fact.get("first") is None or fact.get("last") is None:
        return ""
    return f", {date_text(fact['first'])} to {date_text(fact['last'])}"


def _sentences(report: UndoReport) -> list[str]:
    numbers = ", ".join(map(str, report.entries))
    removed, restored = report.texts
    lines = [f"undone: {numbers}; {removed} removed, {restored} restored"]
    if report.kept:
        lines.append(f"kept with manual edits: {report.kept}")
    if report.used:
        lines.append(f"kept because still in use: {', '.join(report.used)}")
    return lines + report.remarks
