"""finance-api jwt"""

import click

from finance_api.auth.jwt_keys import add_signing_key, open_key_ring
from finance_api.auth.jwts import issue_jwt, jwt_rules, revoke_jwt
from finance_api.auth.user_accounts import revoke_all_jwts
from finance_api.cli.context import CliContext, get_user, pass_cli_context
from finance_api.cli.output import instant, json_option, say, show_list
from finance_api.storage.interface import Jwt, unit_of_work


@click.group()
def jwt() -> None:
    """JSON Web Tokens of the internal API."""


@jwt.command(epilog="Example: finance-api jwt issue me@example.com --ttl-seconds 600")
@click.argument("email")
@click.option(
    "--ttl-seconds", type=click.IntRange(min=1), help="Default: finance_api.jwt.ttl_seconds."
)
@pass_cli_context
def issue(cli: CliContext, email: str, ttl_seconds: int | None) -> None:
    """Issue a JWT, and print it: it is not stored and cannot be shown again."""
    cli.key_file()
    keys = open_key_ring(cli.settings).keys()
    # This works with the memory storage, too, because the settings define its user.
    with unit_of_work(cli.backend) as storage:
        text, _ = issue_jwt(
            storage,
            get_user(storage, email),
            keys=keys,
            rules=jwt_rules(cli.settings),
            now=cli.clock.now(),
            ttl_seconds=ttl_seconds or cli.settings["finance_api.jwt.ttl_seconds"],
        )
    click.echo(text)


@jwt.command("list", epilog="Example: finance-api jwt list me@example.com --json")
@click.argument("email")
@json_option
@pass_cli_context
def list_jwts(cli: CliContext, email: str, as_json: bool) -> None:
    """Show a user's JWTs that were issued here and have not expired."""
    with cli.reading() as storage:
        rows = [
            {
                "jti": j.jti,
                "issuedAt": instant(j.issued_at),
                "expiresAt": instant(j.expires_at),
                "revokedAt": instant(j.revoked_at),
            }
            for j in storage.users.list_owned(Jwt, get_user(storage, email).id)
            if j.expires_at > cli.clock.now()
        ]
    show_list(rows, ("JTI", "ISSUED", "EXPIRES", "REVOKED"), as_json=as_json)


@jwt.command(epilog="Example: finance-api jwt revoke --all me@example.com")
@click.argument("jti", metavar="[JTI]", required=False)
@click.option("--all", "email", metavar="EMAIL", help="Revoke all JWTs of this user.")
@pass_cli_context
def revoke(cli: CliContext, jti: str | None, email: str | None) -> None:
    """Revoke a JWT by its jti, or all of a user's; they are refused from the next request on."""
    if (jti is None) == (email is None):
        raise click.UsageError("give either a JTI or --all EMAIL")
    now = cli.clock.now()
    with cli.writing() as storage:
        if email is not None:
            user = get_user(storage, email)
            revoke_all_jwts(storage, user.id, now)
            message = f"revoked all JWTs of {user.email} issued until {instant(now)}"
        else:
            assert jti is not None
            revoked = revoke_jwt(storage, jti, rules=jwt_rules(cli.settings), now=now)
            message = f"revoked {revoked.jti}"
            if revoked.user_id is None:
                say(
                    "no JWT with this id was issued here; if another issuer made one, it is "
                    "refused from now on",
                    err=True,
                )
    say(message)


@jwt.command("new-key", epilog="Example: finance-api jwt new-key")
@click.option(
    "--drop-old", is_flag=True, help="Remove older keys at once: JWTs signed with them are refused."
)
@pass_cli_context
def new_key(cli: CliContext, drop_old: bool) -> None:
    """Create a key that signs from now on; older ones stay while JWTs may need them."""
    path = cli.key_file()
    rules = jwt_rules(cli.settings)
    kid = add_signing_key(
        path,
        now=cli.clock.now(),
        overlap_seconds=rules.max_ttl_seconds + rules.leeway_seconds,
        drop_old=drop_old,
    )
    say(f"created signing key {kid} in {path}")
