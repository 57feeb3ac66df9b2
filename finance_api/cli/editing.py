"""What the commands that edit a user's data share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.output import say

if TYPE_CHECKING:
    from finance_api.ledger.edits.report import EditReport
    from finance_api.ledger.session import LedgerSession

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Check and report; nothing is changed."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Report as one JSON object.")


def edit_options(command: Callable[..., None]) -> Callable[..., None]:
    """What commands that edit have in common: the context, --dry-run and --json."""
    return dry_run_option(json_option(pass_cli_context(command)))


def edit(
    cli: CliContext,
    email: str,
    action: str,
    work: Callable[[LedgerSession], EditReport],
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Runs ``work`` in a session of the user, and says what it has changed."""
    from finance_api.auth.emails import normal_email
    from finance_api.ledger.session import changing

    cli.require_persistence()
    with changing(
        cli.backend,
        normal_email(email),
        cli.clock.now(),
        action=action,
        keep_days=cli.keep_days,
        dry_run=dry_run,
    ) as session:
        report = work(session)
    if as_json:
        say(json.dumps({**report.as_json(), "dryRun": dry_run}))
    else:
        for line in report.lines():
            say(line)
        say(f"{report.sentence()}{' (dry run)' if dry_run else ''}")


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Names the file in what is refused within."""
    from finance_api.importers.interface import ImportRefused

    try:
        yield
    except ImportRefused as error:
        error.file = file
        raise
