"""finance-api load-demo, and the demo of finance-api serve"""

import os
import socket
import sys
from collections import Counter
from pathlib import Path

import click
from click.core import ParameterSource

from finance_api.auth.jwt_keys import add_signing_key
from finance_api.auth.personal_tokens import digest, is_well_formed, issue_token
from finance_api.auth.user_accounts import make_user
from finance_api.cli.context import INI_FILES, CliContext, local_address, pass_cli_context
from finance_api.cli.init import write_ini
from finance_api.ledger.exchange_rates import import_rates
from finance_api.ledger.importing import import_rows
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Token
from finance_api.values.text import counted

_EMAIL = "demo@example.com"
#: A public password: demo users are only for trying things out.
PASSWORD = "demo-password"  # noqa: S105

_READY = f"""
  Pages:           {{url}}/overview
  Demo login:      {_EMAIL}, password {PASSWORD}
  Try the API:     curl -H 'Authorization: Bearer {{token}}' '{{url}}/v1/api/records?limit=3'
"""


@click.command("load-demo", epilog="Example: finance-api load-demo --records-per-user 500")
@click.option("--users", type=click.IntRange(1, 10_000), default=1, help="Number of demo users.")
@click.option(
    "--records-per-user",
    type=click.IntRange(0, 10_000_000),
    default=2_000,
    help="Number of records of each user.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    help="Another seed makes other data; the same seed gives the same data on the same day.",
)
@pass_cli_context
def load_demo(cli: CliContext, users: int, records_per_user: int, seed: int) -> None:
    """Create demo users with data. Users that already have data are left as they are."""
    from rich.console import Console
    from rich.progress import track

    cli.require_persistence()
    numbers = track(
        range(1, users + 1),
        "demo users",
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    for number in numbers:
        _load(cli, number, records_per_user, seed)


def _load(cli: CliContext, number: int, records: int, seed: int) -> None:
    from finance_api.demo import Household

    email = _EMAIL if number == 1 else f"demo{number}@example.com"
    if _has_data(cli, email):
        click.echo(f"{email} has data already")
        return
    household = Household(seed * 10_000 + number, records, cli.clock.now())
    documents = household.documents()
    import_rows(cli.backend, email, documents, household.records, now=cli.clock.now())
    import_rates(cli.backend, household.rates(), cli.clock.now())
    with cli.writing() as storage:
        user_id = storage.users.get(email).id
        storage.usage.add({(user_id, day, ""): n for day, n in household.usage().items()})
    counts = Counter(document.resource.name for document in documents)
    others = ", ".join(f"{counts[name]} {name}" for name in ("accounts", "categories", "budgets"))
    made = f"{counted(records, 'record')}, {others}"
    click.echo(f"{email}: loaded demo data: {made} (password {PASSWORD})")
    cli.done.append(f"{email} is loaded")


def _has_data(cli: CliContext, email: str) -> bool:
    """Return whether the user has data; create the user if needed."""
    with cli.writing() as storage:
        try:
            user = storage.users.get(email)
        except NotFound:
            make_user(storage, email, premium=True, password=PASSWORD, now=cli.clock.now())
            return False
        return storage.data.get_state(user.id).revision > 0


def choose_ini(cli: CliContext) -> None:
    """Use the ini file named by -c or in the current directory; if there is no file, create one.

    Ignore $FINANCE_API_CONFIG: demo data must never reach a database in production.
    """
    source = click.get_current_context().find_root().get_parameter_source("config")
    if source is ParameterSource.COMMANDLINE:
        return
    cli.config = None
    if not any(map(os.path.exists, INI_FILES)):
        write_ini(Path(INI_FILES[0]))
        click.echo(f"created {INI_FILES[0]}")


def prepare_demo(cli: CliContext, host: str, port: int) -> None:
    """Create what a service with demo data needs, and print how to use it.

    The personal token is kept from start to start, in ``var/demo-token`` beside the ini file.
    """
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        from finance_api.server.wsgi import not_listening

        raise not_listening(host, port, error) from None
    file = Path(cli.ini).parent / "var" / "demo-token"
    file.parent.mkdir(0o700, exist_ok=True)
    cli.unchecked_backend.upgrade()
    _load(cli, 1, 2_000, 1)
    if not os.path.exists(cli.key_file()):
        add_signing_key(cli.key_file(), now=cli.clock.now(), overlap_seconds=0)
    token = file.read_text().strip() if file.exists() else ""
    if not _is_in_use(cli, token):
        token = _new_token(cli)
        file.unlink(missing_ok=True)
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(token + "\n")
    click.echo(_READY.format(url=local_address(host, port), token=token))


def _is_in_use(cli: CliContext, token: str) -> bool:
    if not is_well_formed(token):
        return False
    with cli.reading() as storage:
        try:
            found, user = storage.users.get_owner(Token, digest(token))
        except NotFound:
            return False
    return user.email == _EMAIL and found.revoked_at is None and found.expires_at is None


def _new_token(cli: CliContext) -> str:
    with cli.writing() as storage:
        user = storage.users.get(_EMAIL)
        return issue_token(storage, user, name="finance-api serve --demo", now=cli.clock.now())
