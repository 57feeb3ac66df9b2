"""finance-api jwt"""

import click

from finance_api.auth.jwt_issuing import issue_jwt, revoke_jwt
from finance_api.auth.jwt_settings import KEYS, jwt_rules, open_key_ring
from finance_api.auth.key_rotation import add_signing_key
from finance_api.auth.user_accounts import normal_email
from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.output import say
from finance_api.cli.table import table
from finance_api.settings import SettingError
from finance_api.storage.interface import unit_of_work
from finance_api.values.time import instant_text


@click.group()
def jwt() -> None:
    """JSON Web Tokens of the internal API."""


@jwt.command()
@click.argument("email")
@click.option(
    "--ttl-seconds", type=click.IntRange(min=1), help="Default: finance_api.jwt.ttl_seconds."
)
@pass_cli_context
def issue(cli: CliContext, email: str, ttl_seconds: int | None) -> None:
    """Make a JWT, and print it: it is kept nowhere and cannot be shown again."""
    if not cli.settings[KEYS]:
        raise SettingError(f"{KEYS}: names no file of keys to sign with")
    keys = open_key_ring(cli.settings).keys()
    # With the memory storage nothing needs to last: who the user is follows from the settings.
    with unit_of_work(cli.backend) as storage:
        text, _ = issue_jwt(
            storage,
            storage.users.get(normal_email(email)),
            keys=keys,
            rules=jwt_rules(cli.settings),
            now=cli.clock.now(),
            ttl_seconds=ttl_seconds or cli.settings["finance_api.jwt.ttl_seconds"],
        )
    click.echo(text)


@jwt.command("list")
@click.argument("email")
@pass_cli_context
def list_jwts(cli: CliContext, email: str) -> None:
    """Show a user's JWTs that were issued here and have not expired."""
    now = cli.clock.now()
    with cli.reading() as storage:
        found = storage.jwts.list_by_user(storage.users.get(normal_email(email)).id)
    rows = [
        (
            j.jti,
            *("-" if t is None else instant_text(t) for t in (j.issued_at, j.expires_at)),
            "-" if j.revoked_at is None else instant_text(j.revoked_at),
        )
        for j in found
        if j.expires_at > now
    ]
    click.echo(table(("JTI", "ISSUED", "EXPIRES", "REVOKED"), rows))


@jwt.command()
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
            user = storage.users.get(normal_email(email))
            storage.jwts.revoke_all(user.id, now)
            message = f"revoked all JWTs of {user.email} issued until {instant_text(now)}"
        else:
            assert jti is not None
            revoked = revoke_jwt(storage, jti, rules=jwt_rules(cli.settings), now=now)
            message = f"revoked {revoked.jti}"
            if revoked.user_id is None:
                say("no JWT of this id was issued here; one from elsewhere is refused", err=True)
    say(message)


@jwt.command("new-key")
@click.option("--drop-old", is_flag=True, help="Drop older keys at once: their JWTs are refused.")
@pass_cli_context
def new_key(cli: CliContext, drop_old: bool) -> None:
    """Make a key that signs from now on; older ones stay until no JWT can need them."""
    path = cli.settings[KEYS]
    if not path:
        raise SettingError(f"{KEYS}: names no file to put the key in")
    rules = jwt_rules(cli.settings)
    kid = add_signing_key(
        path,
        now=cli.clock.now(),
        overlap_seconds=rules.max_ttl_seconds + rules.leeway_seconds,
        drop_old=drop_old,
    )
    say(f"made the key {kid} in {path}")
