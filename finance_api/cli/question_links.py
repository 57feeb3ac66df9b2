"""finance-api question link"""

import click

from finance_api.auth.personal_tokens import is_open_to_all
from finance_api.auth.question_links import issue_link, link_path, live_links, revoke_link
from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.output import instant, json_option, say, show_list
from finance_api.questions.forms import forms_of
from finance_api.questions.saved import find_question, get_question
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import QuestionLink, Storage, User
from finance_api.values.time import DAY_SECONDS


@click.group()
def link() -> None:
    """Links of saved questions: addresses that show one answer without a token."""


@link.command(epilog='Example: finance-api question link add me@example.com "Spent on food"')
@click.argument("email")
@click.argument("question_name", metavar="QUESTION")
@click.option("--name", help="What the link is for. Default: the name of the saved question.")
@click.option("--expires-in-days", type=click.IntRange(1, 36_500), help="Default: never.")
@pass_cli_context
def add(
    cli: CliContext, email: str, question_name: str, name: str | None, expires_in_days: int | None
) -> None:
    """Create a link, and print its addresses, one for each form of the answer.

    The addresses are not stored and cannot be shown again. Put the address of your service
    before each.
    """
    now = cli.clock.now()
    with cli.writing() as storage:
        user = get_user(storage, email)
        question = get_question(storage, user, question_name)
        secret = issue_link(
            storage,
            user,
            question.id,
            name=name or question.name,
            now=now,
            expires_at=None if expires_in_days is None else now + expires_in_days * DAY_SECONDS,
            max_live=cli.settings["finance_api.links.max_live"],
            is_open_to_all=is_open_to_all(cli.settings),
        )
    for form in forms_of(question.address):
        click.echo(link_path(secret, form.ending))


@link.command("list", epilog="Example: finance-api question link list me@example.com --json")
@click.argument("email")
@json_option
@pass_cli_context
def list_links(cli: CliContext, email: str, as_json: bool) -> None:
    """Show a user's links, including expired and revoked ones."""
    with cli.reading() as storage:
        user = get_user(storage, email)
        names = {question.id: question.name for question in storage.questions.list_by_user(user.id)}
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
            for each in storage.links.list_by_user(user.id)
        ]
    headings = ("ID", "NAME", "QUESTION", "CREATED", "LAST USED", "EXPIRES", "REVOKED")
    show_list(rows, headings, as_json=as_json)


@link.command(epilog='Example: finance-api question link revoke me@example.com "Spent on food"')
@click.argument("email")
@click.argument("which", metavar="[LINK|QUESTION]", required=False)
@click.option("--all", "is_all", is_flag=True, help="Revoke all links of the user.")
@pass_cli_context
def revoke(cli: CliContext, email: str, which: str | None, is_all: bool) -> None:
    """Revoke a link, given its id or name, or all links of a saved question, given its name."""
    if (which is None) == (not is_all):
        raise click.UsageError("name a link or a saved question, or give --all")
    now = cli.clock.now()
    with cli.writing() as storage:
        user = get_user(storage, email)
        live = live_links(storage.links.list_by_user(user.id), now)
        found = live if which is None else _chosen(storage, user, live, which)
        for each in found:
            revoke_link(storage, each, now)
    for each in found:
        say(f"revoked {each.id} ({each.name})")


def _chosen(
    storage: Storage, user: User, live: list[QuestionLink], text: str
) -> list[QuestionLink]:
    """Return the active link with this id or name, or all active links of a question.

    Raises NotFound; UsageError if several links have this name.
    """
    question = find_question(storage, user, text)
    found = [each for each in live if each.id == text.lower()]
    found = found or [each for each in live if question and each.question_id == question.id]
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
