"""finance-api follow"""

import os
from pathlib import Path

import click

from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.import_texts import refusal_text
from finance_api.cli.importing import commands_to_copy, say_report
from finance_api.cli.input_files import SETTLED_SECONDS
from finance_api.cli.output import say
from finance_api.cli.waiting_books import forget_waiting, show_waiting
from finance_api.importers.interface import ImportRefused
from finance_api.ledger.following import FollowedBook, UndoneState, followed_books
from finance_api.ledger.importing import import_file, measured
from finance_api.ledger.orders import make_order
from finance_api.storage.interface import User
from finance_api.values.text import shown


@click.command("follow", epilog="Example: finance-api follow me@example.com")
@click.argument("email")
@pass_cli_context
def follow(cli: CliContext, email: str) -> None:
    """Import followed books again if their files have changed.

    Each file is looked for where 'finance-api import EMAIL FILE --follow' found it. No other
    program is run: of a book in plain text, follow a file that its program printed. A book that
    leaves something open also shows on the page Import until somebody answers. The exit code is 1
    if a book was refused or its file is missing.
    """
    cli.require_persistence()
    with cli.reading() as storage:
        user = get_user(storage, email)
        books = followed_books(storage.ledger.list_entries(user.id))
    if not books:
        say("no book is followed in a file: 'finance-api import EMAIL FILE --follow' begins that")
    failure: Exception | None = None
    for book in books:
        try:
            _follow(cli, user, book)
        except (ImportRefused, OSError) as error:
            if failure is not None:
                say(f"finance-api: {failure}", err=True)
            failure = error
    if failure is not None:
        raise failure


def _follow(cli: CliContext, user: User, book: FollowedBook) -> None:
    changed_at = int(os.stat(book.path).st_mtime)
    if changed_at > cli.clock.now() - SETTLED_SECONDS:
        say(f"{book.path}: may still be being written; it is imported the next time")
        return
    with Path(book.path).open("rb") as stream:
        if measured(stream)["sha256"] == book.sha256:
            forget_waiting(cli, user, book.source)
            say(f"{book.path}: unchanged")
            return
        if changed_at < book.changed_at:
            say(f"{book.path}: older than what was imported, and not imported")
            return
        try:
            order = make_order(
                stream,
                book.options,
                cli.settings,
                email=user.email,
                name=shown(os.path.basename(book.path)),
                path=book.path,
                changed_at=changed_at,
                now=cli.clock.now(),
            )
            report = import_file(cli.backend, order)
        except UndoneState as refused:
            say(f"{book.path}: {refused.reason}")
        except ImportRefused as refused:
            refused.file, refused.written = book.path, refusal_text(refused)
            context = click.get_current_context()
            commands = commands_to_copy(
                context, user.email, book.path, refused.answers, book.options
            )
            refused.commands = commands
            show_waiting(cli, user, book, refused, stream)
            raise
        else:
            forget_waiting(cli, user, book.source)
            say_report(book.path, report, dry_run=False)
