"""finance-api question"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from finance_api.auth.question_links import revoke_links
from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.output import instant, json_option, say, show_list
from finance_api.cli.question_links import link
from finance_api.questions.saved import add_question, get_question

if TYPE_CHECKING:
    from finance_api.http.requests import Request


@click.group()
def question() -> None:
    """Manage saved questions: API requests that have a name."""


question.add_command(link)


@question.command(epilog="Example: finance-api question add me@example.com Newest /v1/api/records")
@click.argument("email")
@click.argument("name")
@click.argument("address")
@pass_cli_context
def add(cli: CliContext, email: str, name: str, address: str) -> None:
    """Save a question.

    ADDRESS is the address of an API request, with or without the host. Saving sends the request
    once, and fails if the API refuses it.
    """
    from finance_api.questions.answering import checked_address

    cli.require_persistence()
    with _asking(cli) as request:
        checked = checked_address(request, get_user(request.storage, email), address)
    with cli.writing() as storage:
        user, now = get_user(storage, email), cli.clock.now()
        added = add_question(storage, user, name=name, address=checked, now=now)
    say(f"added {added.id} ({added.name})")


@question.command("list", epilog="Example: finance-api question list me@example.com --json")
@click.argument("email")
@json_option
@pass_cli_context
def list_questions(cli: CliContext, email: str, as_json: bool) -> None:
    """Show a user's questions."""
    with cli.reading() as storage:
        rows = [
            {
                "id": each.id,
                "name": each.name,
                "address": each.address,
                "updatedAt": instant(each.updated_at),
            }
            for each in storage.questions.list_by_user(get_user(storage, email).id)
        ]
    show_list(rows, ("ID", "NAME", "ADDRESS", "CHANGED"), as_json=as_json)


@question.command(epilog="Example: finance-api question show me@example.com 'Groceries by month'")
@click.argument("email")
@click.argument("name")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "json", "ndjson"]),
    default="csv",
    show_default=True,
    help="How to print the answer.",
)
@pass_cli_context
def show(cli: CliContext, email: str, name: str, form: str) -> None:
    """Print the answer to a question. NAME is its name or its id."""
    from finance_api.questions.answering import answer

    with _asking(cli) as request:
        user = get_user(request.storage, email)
        found = get_question(request.storage, user, name)
        answered = answer(request, user, found, "" if form == "json" else f".{form}")
        click.echo(answered.body.decode(), nl=form == "json")


@question.command(epilog="Example: finance-api question remove me@example.com 'Groceries by month'")
@click.argument("email")
@click.argument("name")
@pass_cli_context
def remove(cli: CliContext, email: str, name: str) -> None:
    """Remove a question and revoke its links. NAME is its name or its id."""
    with cli.writing() as storage:
        user = get_user(storage, email)
        found = get_question(storage, user, name)
        revoke_links(storage, user.id, cli.clock.now(), found.id)
        storage.questions.delete(user.id, found.id)
    say(f"removed {found.id} ({found.name})")


@contextmanager
def _asking(cli: CliContext) -> Iterator[Request]:
    """Yield a request within the application, which answers as the service does."""
    from finance_api import main

    with cli.reading_ini() as loader:
        application = main({}, **loader.get_wsgi_app_settings("main"))
    try:
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/"}
        with application.request_context(environ) as request:
            try:
                yield request
            finally:
                request.close_storage()
    finally:
        application.registry.services.close()
