"""finance-api import"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.output import say
from finance_api.importers import CSV, FORMATS, NATIVE, OFX
from finance_api.values.text import shown

if TYPE_CHECKING:
    from finance_api.importers.interface import StatementImporter
    from finance_api.ledger.report import ImportReport


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


@click.command("import", epilog="Example: finance-api import me@example.com statement.ofx")
@click.argument("email")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    help="Default: detected from the file.",
)
@click.option("--account", help="The account that the file is of, by name; created if it is new.")
@click.option("--currency", help="ISO 4217 code, where the file does not say its currency.")
@click.option("--dry-run", is_flag=True, help="Check the files and report; nothing is changed.")
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
@pass_cli_context
def import_command(
    cli: CliContext,
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
    """Import files into a user's data; FILE may be - for standard input.

    Each file is imported all or nothing. The first one that is refused ends the command; those
    before it stay.
    """
    from finance_api.auth.user_accounts import normal_email
    from finance_api.importers.interface import ImportRefused
    from finance_api.ledger.report import ImportReport
    from finance_api.storage.errors import StorageError

    cli.require_persistence()
    csv_options["no_header"] = no_header
    choice = _Choice(format_name, account, _currency(currency), csv_options)
    answers: list[dict[str, Any]] = []
    total = ImportReport()
    failure: Exception | None = None
    for file in files:
        try:
            report = _import_one(cli, normal_email(email), file, choice, dry_run)
        except (ImportRefused, StorageError, OSError) as error:
            failure = error
            break
        total.add(report)
        answers.append({"file": file, **report.as_json()})
        if not dry_run:
            cli.done.append(f"{file} is imported")
        if not as_json:
            say(f"{file}: {_sentence(report)}{' (dry run)' if dry_run else ''}")
    if as_json:
        answer: dict[str, Any] = {**total.as_json(), "files": answers}
        if failure is not None:
            answer["error"] = _error(failure)
        say(json.dumps(answer))
    if failure is not None:
        if len(files) > 1 and not as_json:
            say(f"imported before: {', '.join(a['file'] for a in answers) or 'none'}", err=True)
        raise failure


@dataclass(frozen=True)
class _Choice:
    """The options about the files."""

    format_name: str | None
    account: str | None
    currency: str | None
    csv_options: dict[str, Any]


def _import_one(
    cli: CliContext, email: str, file: str, choice: _Choice, dry_run: bool
) -> ImportReport:
    from finance_api.cli.input_files import STANDARD_INPUT, opened
    from finance_api.importers.detection import detect_format
    from finance_api.importers.interface import ImportRefused
    from finance_api.ledger.importing import import_file

    try:
        with opened(file) as stream:
            format_name = choice.format_name or detect_format(stream)
            if file != STANDARD_INPUT and stream.seek(0, 2) == 0:
                raise ImportRefused("the file is empty")
            stream.seek(0)
            return import_file(
                cli.backend,
                email,
                stream,
                _importer(format_name, choice),
                now=cli.clock.now(),
                # A CSV importer has given the account its name already.
                account_name=None if format_name == CSV else choice.account,
                currency=choice.currency,
                about=_about(file, stream, format_name, choice),
                keeping=cli.keeping,
                dry_run=dry_run,
            )
    except ImportRefused as error:
        error.file = file
        raise


def _about(file: str, stream: BinaryIO, format_name: str, choice: _Choice) -> dict[str, Any]:
    """What the history says of the file."""
    from finance_api.cli.input_files import STANDARD_INPUT

    name = "standard input" if file == STANDARD_INPUT else shown(os.path.basename(file))
    digest = hashlib.sha256()
    while chunk := stream.read(1 << 20):
        digest.update(chunk)
    size = stream.tell()
    stream.seek(0)
    given = {"account": choice.account, "currency": choice.currency, **choice.csv_options}
    return {
        "format": format_name,
        "file": {"name": name, "size": size, "sha256": digest.hexdigest()},
        "options": {option: value for option, value in given.items() if value},
    }


def _currency(text: str | None) -> str | None:
    if text is None:
        return None
    from finance_api.resources.currencies import CURRENCIES

    code = text.strip().upper()
    if code not in CURRENCIES:
        raise click.BadParameter(
            f"{text!r} is not an ISO 4217 code such as EUR", param_hint="--currency"
        )
    return code


def _error(failure: Exception) -> dict[str, Any]:
    from finance_api.importers.interface import ImportRefused

    if isinstance(failure, ImportRefused):
        return {"file": failure.file, "line": failure.line, "message": failure.reason}
    return {"file": None, "line": None, "message": str(failure)}


def _importer(format_name: str, choice: _Choice) -> StatementImporter | None:
    from finance_api.importers.interface import ImportRefused
    from finance_api.importers.ofx import OfxImporter

    account, currency = choice.account, choice.currency
    if format_name == CSV:
        return _csv_importer(account, currency, **choice.csv_options)
    given = [_option(name) for name, value in choice.csv_options.items() if value]
    if format_name == NATIVE:
        given += [_option(n) for n, v in (("account", account), ("currency", currency)) if v]
    if given:
        raise ImportRefused(f"{', '.join(given)}: not for a file in the format {format_name}")
    if format_name == NATIVE:
        return None
    if format_name == OFX:
        return OfxImporter(currency)
    raise AssertionError(format_name)


def _option(name: str) -> str:
    return "--map" if name == "columns" else "--" + name.replace("_", "-")


def _csv_importer(
    account: str | None, currency: str | None, *, no_header: bool, **options: Any
) -> StatementImporter:
    from finance_api.importers.csv import CsvImporter, CsvOptions

    return CsvImporter(
        CsvOptions(account=account, currency=currency, header=not no_header, **options)
    )


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
