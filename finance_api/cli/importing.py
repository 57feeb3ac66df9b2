"""finance-api import"""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import click
from rich.console import Console
from rich.progress import Progress

from finance_api.auth.user_accounts import normal_email
from finance_api.cli.office import Office, pass_office
from finance_api.importers.csv import CsvImporter, CsvOptions
from finance_api.importers.detection import CSV, FORMATS, NATIVE, OFX, detect_format
from finance_api.importers.interface import ImportRefused, StatementImporter
from finance_api.importers.ofx import OfxImporter
from finance_api.ledger.importing import import_file
from finance_api.ledger.report import ImportReport

STANDARD_INPUT = "-"


def _column_map(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    columns = {}
    for value in values:
        field, equals, column = value.partition("=")
        if not equals:
            raise click.BadParameter(f"{value!r} is not FIELD=COLUMN")
        columns[field.strip()] = column
    return columns


@click.command("import")
@click.argument("email")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format", "format_name", type=click.Choice(FORMATS), help="Default: by the file's beginning."
)
@click.option("--account", help="Name of the account that the file is of; made if it is new.")
@click.option("--currency", help="ISO 4217 code, where the file does not say its currency.")
@click.option("--dry-run", is_flag=True, help="Check the files and report, but keep nothing.")
@click.option("--json", "as_json", is_flag=True, help="Report as one JSON object.")
@click.option(
    "--map",
    "columns",
    multiple=True,
    callback=_column_map,
    metavar="FIELD=COLUMN",
    help="CSV: the column of a field, by heading or number; may be given several times.",
)
@click.option("--delimiter", help="CSV: what separates cells; a character, or tab.")
@click.option("--decimal", type=click.Choice([".", ","]), help="CSV: the decimal sign.")
@click.option("--thousands", help="CSV: what groups the digits.")
@click.option("--date-format", help="CSV: such as %d/%m/%Y or DD/MM/YYYY.")
@click.option("--encoding", help="CSV: such as cp1252; default UTF-8.")
@click.option("--debit", metavar="COL", help="CSV: the column of money going out.")
@click.option("--credit", metavar="COL", help="CSV: the column of money coming in.")
@click.option("--invert", is_flag=True, help="CSV: amounts are positive for money going out.")
@click.option(
    "--skip-rows", type=click.IntRange(0), default=0, help="CSV: lines before the headings."
)
@click.option("--no-header", is_flag=True, help="CSV: the first row is data, not headings.")
@pass_office
def import_command(
    office: Office,
    /,
    email: str,
    files: tuple[str, ...],
    format_name: str | None,
    account: str | None,
    currency: str | None,
    dry_run: bool,
    as_json: bool,
    no_header: bool,
    **csv_options: Any,
) -> None:
    """Bring files into a user's data; FILE may be - for standard input.

    Each file is kept whole or not at all. The first one that is refused stops the run; those
    before it stay.
    """
    office.require_persistence()
    if currency is not None:
        currency = currency.strip().upper()
    csv_options["header"] = not no_header
    answers: list[dict[str, Any]] = []
    total = ImportReport()
    failure: ImportRefused | None = None
    for file in files:
        try:
            with _opened(file) as stream:
                format_of_file = format_name or detect_format(stream)
                importer = _importer(format_of_file, account, currency, csv_options)
                report = import_file(
                    office.backend,
                    normal_email(email),
                    stream,
                    importer,
                    now=office.clock.now(),
                    # A CSV importer has given the account its name already.
                    account_name=account if format_of_file == OFX else None,
                    currency=currency,
                    dry_run=dry_run,
                )
        except ImportRefused as error:
            error.file = file
            failure = error
            break
        total.add(report)
        answers.append({"file": file, **report.as_json()})
        if not as_json:
            click.echo(f"{file}: {_sentence(report)}{' (dry run)' if dry_run else ''}")
    if as_json:
        answer: dict[str, Any] = {**total.as_json(), "files": answers}
        if failure is not None:
            answer["error"] = {
                "file": failure.file,
                "line": failure.line,
                "message": failure.reason,
            }
        click.echo(json.dumps(answer, ensure_ascii=False))
    if failure is not None:
        if len(files) > 1 and not as_json:
            done = ", ".join(a["file"] for a in answers) or "none"
            click.echo(f"imported before: {done}", err=True)
        raise failure


def _importer(
    format_name: str, account: str | None, currency: str | None, csv_options: dict[str, Any]
) -> StatementImporter | None:
    if format_name == NATIVE:
        if account or currency:
            raise click.UsageError("--account and --currency are for statements, not for native")
        return None
    if format_name == CSV:
        return CsvImporter(CsvOptions(account=account, currency=currency, **csv_options))
    return OfxImporter(currency)


def _sentence(report: ImportReport) -> str:
    parts = [
        f"{report.created} created",
        f"{report.updated} updated",
        f"{report.unchanged} unchanged",
    ]
    if report.skipped:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report.skipped.items()))
        parts.append(f"{report.skipped.total()} skipped ({kinds})")
    return ", ".join(parts)


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """The file, readable from the start more than once; with a progress bar on a terminal."""
    if file == STANDARD_INPUT:
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
            copy.seek(0)
            yield copy
        return
    try:
        stream = open(file, "rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise ImportRefused(f"cannot be read: {error.strerror}") from None
    with stream:
        if not sys.stderr.isatty():
            yield stream
            return
        with Progress(console=Console(stderr=True), transient=True) as progress:
            total = stream.seek(0, 2)
            stream.seek(0)
            with progress.wrap_file(stream, total=total, description=file) as watched:
                yield watched
