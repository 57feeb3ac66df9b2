"""The reader of CSV statements: from the bytes of a file to its statements, all or nothing."""

from typing import BinaryIO

from finance_api.importers.csv.amounts import read_amounts
from finance_api.importers.csv.dates import read_dates
from finance_api.importers.csv.decoding import decode
from finance_api.importers.csv.layout import Layout, find_layout
from finance_api.importers.csv.options import CsvOptions
from finance_api.importers.csv.statements import StatementBuilder
from finance_api.importers.interface import (
    ImportRefused,
    KnownAccounts,
    Statement,
    no_accounts,
)


class CsvImporter:
    """Reads one file under the options that were given for it."""

    source = "csv"

    def __init__(self, options: CsvOptions) -> None:
        self._options = options

    def read(
        self, stream: BinaryIO, known_accounts: KnownAccounts = no_accounts
    ) -> list[Statement]:
        """One statement per account, in the order of their first rows; or ImportRefused.

        The rows are passed over twice: what the dates and amounts mean is decided from whole
        columns before any entry is made.
        """
        options = self._options
        layout = find_layout(decode(stream.read(), options.encoding), options)
        date_cells, amount_cells = _columns_to_decide(layout)
        builder = StatementBuilder(
            options,
            layout.columns,
            read_dates(date_cells, options.date_format),
            read_amounts(amount_cells, options.decimal, options.thousands),
            known_accounts,
        )
        for line, cells in layout.table.rows():
            builder.add(line, cells)
        return builder.statements()


def _columns_to_decide(layout: Layout) -> tuple[dict[str, int], dict[str, int]]:
    """The different texts of the date column, and of the amount columns, with their lines."""
    columns = layout.columns
    date_column = columns["recordDate"]
    amount_columns = [columns[name] for name in ("amount", "debit", "credit") if name in columns]
    dates: dict[str, int] = {}
    amounts: dict[str, int] = {}
    for line, cells in layout.table.rows():
        date = cells[date_column].strip()
        if not date:
            raise ImportRefused("the date is empty", line)
        dates.setdefault(date, line)
        texts = [text for column in amount_columns if (text := cells[column].strip())]
        if not texts:
            raise ImportRefused("the amount is empty", line)
        for text in texts:
            amounts.setdefault(text, line)
    return dates, amounts
