"""Options and reports of the commands that edit a user's data."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import click

from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.input_files import opened
from finance_api.cli.output import json_report_option, say
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.record_file import RecordFile, record_file
from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.session import DataMoved, LedgerSession
from finance_api.values.text import normal_email

T = TypeVar("T")

_DRY_RUN = "Check and report; nothing is changed."


def dry_run_option(help: str = _DRY_RUN) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option("--dry-run", is_flag=True, help=help)


def change(
    cli: CliContext,
    email: str,
    action: str | None,
    work: Callable[[LedgerSession], T],
    *,
    dry_run: bool,
) -> T:
    """Run ``work`` in a session of the user, and store what it changes. action: see `changing`.

    ``work`` runs before the data is locked. If the data has changed meanwhile, it runs again while
    other changes wait, so that it can succeed.
    """
    cli.require_persistence()

    def once(*, decides_first: bool) -> T:
        with changing(
            cli.backend,
            normal_email(email),
            cli.clock.now(),
            action=action,
            keep_days=cli.settings["finance_api.imports.keep_days"],
            dry_run=dry_run,
            decides_first=decides_first,
        ) as session:
            return work(session)

    try:
        return once(decides_first=True)
    except DataMoved:
        return once(decides_first=False)


@dataclass(frozen=True)
class Edit:
    """Edits a user's data as the options say, and reports what has changed."""

    cli: CliContext
    email: str
    dry_run: bool
    as_json: bool

    def __call__(self, action: str, work: Callable[[LedgerSession], EditReport]) -> None:
        """Run ``work`` by `change`. action: the name of the edit in the history."""
        report = change(self.cli, self.email, action, work, dry_run=self.dry_run)
        if self.as_json:
            say(json.dumps({**report.as_json(), "dryRun": self.dry_run}))
        else:
            for line in report.lines():
                say(line)
            say(f"{report.sentence()}{' (dry run)' if self.dry_run else ''}")

    def from_file(
        self, action: str, file: str, work: Callable[[LedgerSession, RecordFile], EditReport]
    ) -> None:
        """Do the same as `__call__`, and pass the records in a file to ``work``."""
        with opened(file) as stream, record_file(stream) as found:
            self(action, lambda session: work(session, found))

    def by_ids_in(
        self, action: str, file: str, work: Callable[[LedgerSession, Iterable[str]], EditReport]
    ) -> None:
        """Do the same as `__call__`, and pass the ids in a file to ``work``."""
        self.from_file(action, file, lambda s, found: work(s, (row.id for row in found.rows())))


def edit_options(
    dry_run_help: str = _DRY_RUN,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add EMAIL, --dry-run and --json to a command, which gets an `Edit` in place of them.

    This must be the first decorator of the command's parameters.
    """

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(
            cli: CliContext, /, *, email: str, dry_run: bool, as_json: bool, **given: Any
        ) -> None:
            command(Edit(cli, email, dry_run, as_json), **given)

        with_email = click.argument("email")(pass_cli_context(run))
        return dry_run_option(dry_run_help)(json_report_option(with_email))

    return with_options


def _assignments(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    given: dict[str, str] = {}
    for value in values:
        field, equals, text = value.partition("=")
        if not equals:
            raise click.BadParameter(f"{value!r} is not FIELD=VALUE")
        if field in given:
            raise click.BadParameter(f"{field} is given twice")
        given[field] = text
    return given


#: Arguments in the form FIELD=VALUE, as a dict.
fields_argument = click.argument(
    "given", nargs=-1, required=True, metavar="FIELD=VALUE...", callback=_assignments
)
