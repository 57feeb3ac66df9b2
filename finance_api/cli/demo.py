"""finance-api load-demo"""

import sys

import click
from rich.console import Console
from rich.progress import track

from finance_api.auth.user_accounts import make_user
from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.demo import Household
from finance_api.ledger.importing import import_rows
from finance_api.storage.errors import NotFound

#: Demo users are for trying things out; everybody may know it.
PASSWORD = "demo-password"  # noqa: S105


@click.command("load-demo")
@click.option("--users", type=click.IntRange(1, 10_000), default=1, show_default=True)
@click.option(
    "--records-per-user", type=click.IntRange(0, 10_000_000), default=2_000, show_default=True
)
@click.option("--seed", type=int, default=1, show_default=True)
@pass_cli_context
def load_demo(cli: CliContext, users: int, records_per_user: int, seed: int) -> None:
    """Make demo users with data; those that have data already are left as they are."""
    cli.require_persistence()
    numbers = track(
        range(1, users + 1),
        "demo users",
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    for number in numbers:
        email = "demo@example.com" if number == 1 else f"demo{number}@example.com"
        if _has_data(cli, email):
            click.echo(f"{email} has data already")
            continue
        household = Household(seed * 10_000 + number, records_per_user, cli.clock.now())
        report = import_rows(
            cli.backend,
            email,
            household.documents(),
            household.records,
            now=cli.clock.now(),
        )
        click.echo(f"{email}: {report.created} created (password {PASSWORD})")


def _has_data(cli: CliContext, email: str) -> bool:
    """Whether the user has data; the user is made if there is none."""
    with cli.writing() as storage:
        try:
            user = storage.users.get(email)
        except NotFound:
            make_user(storage, email, premium=True, password=PASSWORD, now=cli.clock.now())
            return False
        return storage.data.get_state(user.id).revision > 0
