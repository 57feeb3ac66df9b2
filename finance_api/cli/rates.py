"""finance-api rates"""

import json
from collections import defaultdict
from dataclasses import asdict
from typing import Any

import click

from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.editing import dry_run_option
from finance_api.cli.input_files import opened
from finance_api.cli.output import json_option, json_report_option, say, show_list
from finance_api.importers.rates import read_rates
from finance_api.ledger.exchange_rates import RatesReport, import_rates
from finance_api.values.text import counted
from finance_api.values.time import date_text


@click.group()
def rates() -> None:
    """Exchange rates, which convertTo of the API uses for all users."""


@rates.command("import", epilog="Example: finance-api rates import eurofxref-hist.zip")
@click.argument("file")
@dry_run_option()
@json_report_option
@pass_cli_context
def import_command(cli: CliContext, file: str, dry_run: bool, as_json: bool) -> None:
    """Import a file of exchange rates; FILE may be - for standard input.

    FILE is the European Central Bank's eurofxref-hist.csv, or a CSV file with the columns date,
    base, currency and rate: the value of one unit of base in currency. Both may be zipped. Or it
    is a book of GnuCash, whose prices of currencies are read, and nothing else.
    """
    cli.require_persistence()
    with opened(file) as stream:
        given = read_rates(stream)
    report = import_rates(cli.backend, given, cli.clock.now(), dry_run=dry_run)
    if as_json:
        say(json.dumps({"file": file, **_as_json(report), "dryRun": dry_run}))
    else:
        say(f"{file}: {_sentence(report)}{' (dry run)' if dry_run else ''}")


def _as_json(report: RatesReport) -> dict[str, Any]:
    days = {"first": date_text(report.first), "last": date_text(report.last)}
    return {**asdict(report), **days}


def _sentence(report: RatesReport) -> str:
    shown = _as_json(report)
    are = "is" if report.new == 1 else "are"
    return (
        f"{counted(report.new, 'day')} {are} new, {report.changed} changed, "
        f"{report.unchanged} unchanged; "
        f"{counted(len(report.currencies), 'currency', 'currencies')}, "
        f"{shown['first']} to {shown['last']}"
    )


@rates.command("list", epilog="Example: finance-api rates list --json")
@json_option
@pass_cli_context
def list_command(cli: CliContext, as_json: bool) -> None:
    """List the currencies that have rates, with the number of days and the first and last day."""
    days: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    with cli.reading() as storage:
        for day, base, quoted in storage.rates.list_days():
            for currency in quoted:
                days[base, currency].append(day)
    rows = [
        {
            "base": base,
            "currency": currency,
            "days": len(found),
            "first": date_text(found[0]),
            "last": date_text(found[-1]),
        }
        for (base, currency), found in sorted(days.items())
    ]
    show_list(rows, ("BASE", "CURRENCY", "DAYS", "FIRST", "LAST"), as_json=as_json)
