"""finance-api token"""

import sys

import click

from finance_api.auth.issuing import SCOPES, issue_token
from finance_api.auth.personal_tokens import digest, is_well_formed
from finance_api.auth.user_accounts import normal_email
from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.table import table
from finance_api.storage.errors import NotFound
from finance_api.values.ids import IdError, parse_id
from finance_api.values.time import DAY_SECONDS, instant_text


@click.group()
def token() -> None:
    """Personal tokens of the public API."""


@token.command()
@click.argument("email")
@click.option("--name", required=True, help="What it is for.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES),
    help="A resource that it may read; may be given several times. Default: all.",
)
@click.option("--expires-in-days", type=click.IntRange(1, 36_500), help="Default: never.")
@pass_cli_context
def create(
    cli: CliContext, email: str, name: str, scopes: tuple[str, ...], expires_in_days: int | None
) -> None:
    """Make a token, and print it: it is kept nowhere and cannot be shown again."""
    now = cli.clock.now()
    with cli.writing() as storage:
        text = issue_token(
            storage,
            storage.users.get(normal_email(email)),
            name=name,
            now=now,
            scopes=scopes,
            expires_at=None if expires_in_days is None else now + expires_in_days * DAY_SECONDS,
        )
    click.echo(text)


@token.command("list")
@click.argument("email")
@pass_cli_context
def list_tokens(cli: CliContext, email: str) -> None:
    """Show a user's tokens."""
    with cli.reading() as storage:
        tokens = storage.tokens.list_by_user(storage.users.get(normal_email(email)).id)
    rows = [
        (
            t.id,
            t.name,
            t.start + "…",
            "all" if t.scopes is None else ",".join(t.scopes),
            instant_text(t.created_at),
            _time(t.last_used_at),
            _time(t.expires_at),
            _time(t.revoked_at),
        )
        for t in tokens
    ]
    headings = ("ID", "NAME", "START", "SCOPES", "CREATED", "LAST USED", "EXPIRES", "REVOKED")
    click.echo(table(headings, rows))


def _time(seconds: int | None) -> str:
    return "-" if seconds is None else instant_text(seconds)


@token.command()
@click.argument("token_id", metavar="[ID]", required=False)
@click.option("--value", help="The token itself, say one that leaked; - reads standard input.")
@pass_cli_context
def revoke(cli: CliContext, token_id: str | None, value: str | None) -> None:
    """Revoke a token, by its id or by itself."""
    if (token_id is None) == (value is None):
        raise click.UsageError("give either the token's ID or --value TOKEN")
    if value == "-":
        value = sys.stdin.readline().strip()
    with cli.writing() as storage:
        if value is not None:
            if not is_well_formed(value):
                raise NotFound("that is not a token: a character is missing or wrong")
            found, _ = storage.tokens.get_owner(digest(value))
            token_id = found.id
        assert token_id is not None
        try:
            revoked = storage.tokens.revoke(parse_id(token_id), cli.clock.now())
        except IdError as error:
            raise NotFound(f"{token_id!r} {error}") from None
    click.echo(f"revoked {revoked.id} ({revoked.name})")
