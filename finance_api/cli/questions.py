"""finance-api question"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from finance_api.auth import question_links
from finance_api.auth.personal_tokens import is_open_to_all
from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.output import instant, json_option, say, show_list
from finance_api.questions.forms import forms_of
from finance_api.questions.saved import add_question, find_question, get_question
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Question, QuestionLink
from finance_api.values.time import DAY_SECONDS

if TYPE_CHECKING:
    from finance_api.http.requests import Request
    from finance_api.storage.interface import QuestionLink, Storage, User


@click.group()
def question() -> None:
    """Manage saved questions: API requests that have a name."""


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
            for each in storage.users.list_owned(Question, get_user(storage, email).id)
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
    help="How to print the answer.",
)
@pass_cli_context
def show(cli: CliContext, email: str, name: str, form: str) -> None:
    """Print the answer to a question. NAME is its name or its id."""
    from finance_api.questions.answering import respond

    with _asking(cli) as request:
        user = get_user(request.storage, email)
        found = get_question(request.storage, user, name)
        suffix = "" if form == "json" else f".{form}"
        click.echo(respond(request, user, found, suffix).body.decode(), nl=form == "json")


@question.command(epilog="Example: finance-api question remove me@example.com 'Groceries by month'")
@click.argument("email")
@click.argument("name")
@pass_cli_context
def remove(cli: CliContext, email: str, name: str) -> None:
    """Remove a question and revoke its links. NAME is its name or its id."""
    with cli.writing() as storage:
        user = get_user(storage, email)
        found = get_question(storage, user, name)
        question_links.revoke_links(storage, user.id, cli.clock.now(), found.id)
        storage.users.delete_question(user.id, found.id)
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


@question.group()
def link() -> None:
    """Links of saved questions: addresses that show one answer without a token."""


@link.command("add", epilog='Example: finance-api question link add me@example.com "Spent on food"')
@click.argument("email")
@click.argument("question_name", metavar="QUESTION")
@click.option("--name", help="What the link is for. Default: the name of the saved question.")
@click.option(
    "--expires-in-days",
    type=click.IntRange(1, 36_500),
    default=365,
    help="How long the link works. Default: a year.",
)
@click.option("--never-expires", is_flag=True, help="The link works until it is revoked.")
@pass_cli_context
def add_link(
    cli: CliContext,
    email: str,
    question_name: str,
    name: str | None,
    expires_in_days: int,
    never_expires: bool,
) -> None:
    """Create a link, and print its addresses, one for each form of the answer.

    The addresses are not stored and cannot be shown again. They begin with
    finance_api.public_address, or with host and port of the server.
    """
    now = cli.clock.now()
    with cli.writing() as storage:
        user = get_user(storage, email)
        asked = get_question(storage, user, question_name)
        secret = question_links.issue_link(
            storage,
            user,
            asked.id,
            name=name or asked.name,
            now=now,
            expires_at=None if never_expires else now + expires_in_days * DAY_SECONDS,
            max_live=cli.settings["finance_api.links.max_live"],
            is_open_to_all=is_open_to_all(cli.settings),
        )
    service = cli.service_address()
    for form in forms_of(asked.address):
        click.echo(service + question_links.link_path(secret, form.ending))
    if not cli.settings["finance_api.public_address"]:
        remark = (
            "The host and port are those of the ini file; finance_api.public_address sets others."
        )
        say(remark, err=True)


@link.command("list", epilog="Example: finance-api question link list me@example.com --json")
@click.argument("email")
@json_option
@pass_cli_context
def list_links(cli: CliContext, email: str, as_json: bool) -> None:
    """Show a user's links, including expired and revoked ones."""
    with cli.reading() as storage:
        user = get_user(storage, email)
        names = {asked.id: asked.name for asked in storage.users.list_owned(Question, user.id)}
        rows = [
            {
                "id": each.id,
                "name": each.name,
                "question": names.get(each.question_id),
                "createdAt": instant(each.created_at),
                "lastUsedAt": instant(each.last_used_at),
                "expiresAt": instant(each.expires_at),
                "revokedAt": instant(each.revoked_at),
            }
            for each in storage.users.list_owned(QuestionLink, user.id)
        ]
    headings = ("ID", "NAME", "QUESTION", "CREATED", "LAST USED", "EXPIRES", "REVOKED")
    show_list(rows, headings, as_json=as_json)


@link.command(epilog='Example: finance-api question link revoke me@example.com "Spent on food"')
@click.argument("email", required=False)
@click.argument("which", metavar="[LINK|QUESTION]", required=False)
@click.option("--all", "is_all", is_flag=True, help="Revoke all links of the user.")
@click.option(
    "--value", help="The link's address, for example a leaked one; - reads standard input."
)
@pass_cli_context
def revoke(
    cli: CliContext, email: str | None, which: str | None, is_all: bool, value: str | None
) -> None:
    """Revoke a link, given its id or name, or all links of a saved question, given its name.

    With --value, no e-mail address is needed.
    """
    if [which is not None, is_all, value is not None].count(True) != 1:
        raise click.UsageError("name a link or a saved question, or give --all or --value")
    if (email is None) == (value is None):
        raise click.UsageError("give either the user's e-mail address or --value ADDRESS")
    now = cli.clock.now()
    with cli.writing() as storage:
        if value is not None:
            text = sys.stdin.readline() if value == "-" else value
            links = [storage.users.get_owner(QuestionLink, question_links.digest_in(text))[0]]
        else:
            user = get_user(storage, email or "")
            links = question_links.live_links(storage.users.list_owned(QuestionLink, user.id), now)
            if which is not None:
                links = _chosen(storage, user, links, which)
        for each in links:
            question_links.revoke_link(storage, each, now)
    for each in links:
        say(f"revoked {each.id} ({each.name})")


def _chosen(
    storage: Storage, user: User, live: list[QuestionLink], text: str
) -> list[QuestionLink]:
    """Return the active link with this id or name, or all active links of a question.

    Raises NotFound; UsageError if several links have this name.
    """
    asked = find_question(storage, user, text)
    found = [each for each in live if each.id == text.lower()]
    found = found or [each for each in live if asked and each.question_id == asked.id]
    if not found:
        found = [each for each in live if each.name == text]
        if len(found) > 1:
            raise click.UsageError(f"{len(found)} links are called {text}: give the id of one")
    if not found:
        raise NotFound(
            f"{user.email} has no active link with the id or name {text}, and no question of "
            "that name with active links"
        )
    return found
