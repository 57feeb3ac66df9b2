"""finance-api import"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.csv_options import commands_to_copy, csv_options
from finance_api.cli.output import say
from finance_api.importers import CAMT, CSV, FORMATS, MT940, NATIVE, OFX, QIF, SPREADSHEET
from finance_api.values.text import shown

if TYPE_CHECKING:
    from finance_api.importers.csv import CsvImporter, Profiles
    from finance_api.importers.interface import StatementImporter
    from finance_api.ledger.report import ImportReport
    from finance_api.ledger.statement_import import StatementOptions


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
@click.option("--new-account", is_flag=True, help="The account is none of those there are.")
@click.option(
    "--ids",
    type=click.Choice(["stable", "reused"]),
    help="Whether the bank uses an id for other transactions later; remembered.",
)
@click.option(
    "--first-day",
    type=click.Choice(["same", "new"]),
    help="What rows are that equal stored ones, of a day of which the file has a part.",
)
@click.option(
    "--match-days",
    type=click.IntRange(0, 31),
    help="How far apart the same transaction may be in two formats.",
)
@click.option("--no-match", is_flag=True, help="Match nothing with records of other formats.")
@click.option("--sheet", metavar="NAME", help="Spreadsheets: the sheet with the statement.")
@click.option("--dry-run", is_flag=True, help="Check the files and report; nothing is changed.")
@click.option("--json", "as_json", is_flag=True, help="Report as one JSON object.")
@csv_options
@pass_cli_context
def import_command(
    cli: CliContext,
    /,
    email: str,
    files: tuple[str, ...],
    format_name: str | None,
    account: str | None,
    currency: str | None,
    new_account: bool,
    ids: str | None,
    first_day: str | None,
    match_days: int | None,
    no_match: bool,
    sheet: str | None,
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
    matching: dict[str, Any] = {"new_account": new_account, "ids": ids, "first_day": first_day}
    matching |= {"match_days": match_days, "no_match": no_match}
    choice = _Choice(format_name, account, _currency(currency), matching, sheet, csv_options)
    answers: list[dict[str, Any]] = []
    total = ImportReport()
    failure: Exception | None = None
    for file in files:
        try:
            report = _import_one(cli, normal_email(email), file, choice, dry_run)
        except (ImportRefused, StorageError, OSError) as error:
            failure = error
            break
        total.add_counts(report)
        answers.append({"file": file, **report.as_json()})
        if not dry_run:
            cli.done.append(f"{file} is imported")
        if not as_json:
            _say_report(file, report, dry_run=dry_run)
    if as_json:
        answer: dict[str, Any] = {**total.counts, "files": answers}
        if failure is not None:
            answer["error"] = _error(failure)
        say(json.dumps(answer))
    if failure is not None:
        if len(files) > 1 and not as_json:
            say(f"imported before: {', '.join(a['file'] for a in answers) or 'none'}", err=True)
        raise failure


@dataclass(frozen=True)
class _Choice:
    """The options about the files. matching: those about what is stored already."""

    format_name: str | None
    account: str | None
    currency: str | None
    matching: dict[str, Any]
    sheet: str | None
    csv_options: dict[str, Any]

    @property
    def given(self) -> dict[str, Any]:
        """As the history keeps them."""
        options = {"account": self.account, "currency": self.currency}
        options |= {**self.matching, "sheet": self.sheet, **self.csv_options}
        return {name: value for name, value in options.items() if value}


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
            return import_file(
                cli.backend,
                email,
                stream,
                _importer(cli, format_name, choice, stream),
                now=cli.clock.now(),
                options=_statement_options(cli, format_name, choice),
                name="standard input" if file == STANDARD_INPUT else shown(os.path.basename(file)),
                given=choice.given,
                keep_days=cli.keep_days,
                dry_run=dry_run,
            )
    except ImportRefused as error:
        error.file = file
        error.commands = commands_to_copy(click.get_current_context(), email, file, error.answers)
        raise


def _statement_options(cli: CliContext, format_name: str, choice: _Choice) -> StatementOptions:
    from finance_api.ledger.statement_import import StatementOptions

    no_match, given = choice.matching["no_match"], {**choice.matching}
    del given["no_match"]
    return StatementOptions(
        # A CSV importer has given the account its name already.
        account_name=None if format_name in (CSV, SPREADSHEET) else choice.account,
        currency=choice.currency,
        match=not no_match,
        link_by_number=cli.settings["finance_api.transfers.link_by_number"],
        **given,
    )


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
        place = {"file": failure.file, "line": failure.line}
        commands = [command._asdict() for command in failure.commands]
        return {**place, "message": failure.reason, "commands": commands}
    return {"file": None, "line": None, "message": str(failure), "commands": []}


def _importer(
    cli: CliContext, format_name: str, choice: _Choice, stream: BinaryIO
) -> StatementImporter | None:
    """The stream is at its start, before and after."""
    from finance_api.importers.interface import ImportRefused

    account, currency, options = choice.account, choice.currency, choice.csv_options
    further: dict[str, Any] = {"sheet": choice.sheet, **options}
    if format_name == NATIVE:
        further |= {"account": account, "currency": currency, **choice.matching}
    given = {name for name, value in further.items() if value}
    misplaced = {
        NATIVE: given,
        OFX: given,
        CAMT: given,
        MT940: given,
        QIF: given.difference(_QIF_OPTIONS),
        CSV: given & {"sheet"},
        SPREADSHEET: given & {"delimiter", "encoding", "force_encoding"},
    }[format_name]
    if misplaced:
        names = ", ".join(_option(name) for name in further if name in misplaced)
        raise ImportRefused(f"{names}: not for a file in the format {format_name}")
    if format_name == OFX:
        from finance_api.importers.ofx import OfxImporter

        return OfxImporter(currency)
    if format_name == CAMT:
        from finance_api.importers.camt import CamtImporter

        return CamtImporter.of(stream)
    if format_name == MT940:
        from finance_api.importers.mt940 import Mt940Importer

        return Mt940Importer.of(stream)
    if format_name == QIF:
        from finance_api.importers.qif import QifImporter, QifOptions

        own = {name: options[name] for name in _QIF_OPTIONS}
        return QifImporter(QifOptions(account=account, currency=currency, **own))
    if format_name == CSV:
        return _csv_importer(cli, account, currency, **options)
    if format_name == SPREADSHEET:
        from finance_api.importers.spreadsheet.importer import SpreadsheetImporter

        return SpreadsheetImporter(_csv_importer(cli, account, currency, **options), choice.sheet)
    return None


#: Those for CSV that are for QIF as well.
_QIF_OPTIONS = ("date_format", "decimal", "thousands", "encoding", "force_encoding")


def _option(name: str) -> str:
    return "--map" if name == "columns" else "--" + name.replace("_", "-")


def known_profiles(cli: CliContext) -> Profiles:
    """Those of this program and the operator's own. Raises ImportRefused for a faulty one."""
    from finance_api.importers.csv import load_profiles

    return load_profiles(cli.settings["finance_api.imports.profiles_directory"])


def _csv_importer(
    cli: CliContext, account: str | None, currency: str | None, *, no_header: bool, **options: Any
) -> CsvImporter:
    from finance_api.importers.csv import CsvImporter, CsvOptions

    return CsvImporter(
        CsvOptions(account=account, currency=currency, header=not no_header, **options),
        known_profiles(cli),
    )


#: So many updates and matches are printed; --json has more.
_MOST_PRINTED = 20


def _say_report(file: str, report: ImportReport, *, dry_run: bool) -> None:
    from finance_api.values.number import decimal_text

    say(f"{file}: {_sentence(report)}{' (dry run)' if dry_run else ''}")
    for total in report.totals:
        say(
            f"  {total.account}: {decimal_text(total.money_in)} in, "
            f"{decimal_text(-total.money_out)} out, balance {decimal_text(total.balance)} "
            f"{total.currency}"
        )
    for update in report.updates[:_MOST_PRINTED]:
        changes = ", ".join(
            f"{name} {_value(name, value)} -> {_value(name, update.new[name])}"
            for name, value in update.old.items()
        )
        say(f"  line {update.line} updates {update.id}: {changes}")
    for match in report.matches[:_MOST_PRINTED]:
        sides = (
            ", ".join(_value(n, v) for n, v in side.items() if v is not None)
            for side in (match.entry, match.record)
        )
        say(f"  line {match.line} matches {match.id}: {' = '.join(sides)}")
    listed = min(len(report.updates), _MOST_PRINTED) + min(len(report.matches), _MOST_PRINTED)
    if report.updated + report.matched > listed and report.updates + report.matches:
        say(f"  and {report.updated + report.matched - listed} more updates and matches")
    for remark in report.remarks:
        say(f"  {remark}")


def _value(name: str, value: Any) -> str:
    """A value of a record as a person reads it."""
    from finance_api.resources import RECORDS
    from finance_api.resources.wire import text_writer

    if value is None:
        return "none"
    field = RECORDS.get_field(name)
    return repr(value) if field is None else text_writer(field)(value)


def _sentence(report: ImportReport) -> str:
    parts = [
        f"{report.created} created",
        f"{report.updated} updated",
        f"{report.unchanged} unchanged",
    ]
    if report.matched:
        parts.append(f"{report.matched} matched")
    if report.skipped:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report.skipped.items()))
        parts.append(f"{report.skipped.total()} skipped ({kinds})")
    return ", ".join(parts)
