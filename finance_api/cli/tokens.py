"""finance-api token"""

import sys

import click

from finance_api.auth.personal_tokens import (
    SCOPES,
    digest,
    is_open_to_all,
    is_well_formed,
    issue_token,
    revoke_token,
)
from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.output import instant, json_option, say, show_list
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Token
from finance_api.values.ids import IdError, parse_id
from finance_api.values.time import DAY_SECONDS


@click.group()
def token() -> None:
    """Personal tokens of the public API."""


@token.command(epilog="Example: finance-api token create me@example.com --name spreadsheet")
@click.argument("email")
@click.option("--name", required=True, help="The token's name, which says what it is for.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES),
    help="What the token may read; repeatable. Default: all.",
)
@click.option("--expires-in-days", type=click.IntRange(1, 36_500), help="Default: never.")
@pass_cli_context
def create(
    cli: CliContext, email: str, name: str, scopes: tuple[str, ...], expires_in_days: int | None
) -> None:
    """Create a token, and print it: it is not stored and cannot be shown again."""
    now = cli.clock.now()
    with cli.writing() as storage:
        text = issue_token(
            storage,
            get_user(storage, email),
            name=name,
            now=now,
            scopes=scopes,
            expires_at=None if expires_in_days is None else now + expires_in_days * DAY_SECONDS,
            max_live=cli.settings["finance_api.tokens.max_live"],
            is_open_to_all=is_open_to_all(cli.settings),
        )
    click.echo(text)


@token.command("list", epilog="Example: finance-api token list me@example.com --json")
@click.argument("email")
@json_option
@pass_cli_context
def list_tokens(cli: CliContext, email: str, as_json: bool) -> None:
    """Show a user's tokens."""
    with cli.reading() as storage:
        rows = [
            {
                "id": t.id,
                "name": t.name,
                "prefix": t.start,
                "scopes": t.scopes,
                "createdAt": instant(t.created_at),
                "lastUsedAt": instant(t.last_used_at),
                "expiresAt": instant(t.expires_at),
                "revokedAt": instant(t.revoked_at),
            }
            for t in storage.users.list_owned(Token, get_user(storage, email).id)
        ]
    cells = {
        "prefix": lambda prefix: f"{prefix}…",
        "scopes": lambda scopes: "all" if scopes is None else ",".join(scopes),
    }
    headings = ("ID", "NAME", "PREFIX", "SCOPES", "CREATED", "LAST USED", "EXPIRES", "REVOKED")
    show_list(rows, headings, as_json=as_json, cells=cells)


@token.command(epilog="Example: finance-api token revoke --value - < leaked.txt")
@click.argument("token_id", metavar="[ID]", required=False)
@click.option("--value", help="The token itself, for example a leaked one; - reads standard input.")
@pass_cli_context
def revoke(cli: CliContext, token_id: str | None, value: str | None) -> None:
    """Revoke a token, given its id or the token itself."""
    if (token_id is None) == (value is None):
        raise click.UsageError("give either the token's ID or --value TOKEN")
    if value == "-":
        value = sys.stdin.readline().strip()
    with cli.writing() as storage:
        if value is not None:
            if not is_well_formed(value):
                raise NotFound("this is not a token: a character is missing or wrong")
            found, _ = storage.users.get_owner(Token, digest(value))
            token_id = found.id
        assert token_id is not None
        try:
            revoked = revoke_token(storage, parse_id(token_id), cli.clock.now())
        except IdError as error:
            raise NotFound(f"{token_id!r} {error}") from None
    say(f"revoked {revoked.id} ({revoked.name})")
