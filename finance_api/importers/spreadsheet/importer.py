"""Reads the sheet that contains the statement, as `CsvImporter` reads a CSV file."""

import json
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv import CsvImporter
from finance_api.importers.csv.first_rows import TableSample
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.decoding import TextFile
from finance_api.importers.interface import (
    Choice,
    Entry,
    ImportRefused,
    Remembered,
    Statement,
    listed,
    nothing_remembered,
    quoted,
)
from finance_api.importers.spreadsheet import conversion
from finance_api.importers.spreadsheet.container import (
    checked_copy,
    damaged,
    too_many,
    with_password,
)


@dataclass(frozen=True)
class Sheet:
    """A sheet. text: its rows as CSV. fault: why it cannot be read; None if it can be read."""

    name: str
    text: TextFile
    fault: str | None


@contextmanager
def open_workbook(stream: BinaryIO) -> Iterator[list[Sheet]]:
    """Yield the list of the sheets that have cells, in their order. stream: at its start.

    Raises ImportRefused for a file that is not a spreadsheet or cannot be read.
    """
    with TemporaryDirectory() as name, ExitStack() as files:
        directory = Path(name)
        source = directory / "workbook"
        faults = checked_copy(stream, source)
        # -P: the modules beside the program must not hide library modules with the same names.
        done = subprocess.run(  # noqa: S603 (runs only our own program)
            [sys.executable, "-P", conversion.__file__, str(source), name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode == conversion.PASSWORD:
            raise with_password()
        if done.returncode == conversion.TOO_MANY_CELLS:
            raise too_many(conversion.MAX_CELLS, "cells from its first one to its last")
        if done.returncode:
            raise damaged(", or its cells are spread too far")
        found = json.loads((directory / conversion.INDEX).read_text("utf-8"))
        yield [
            Sheet(
                about[0],
                TextFile(
                    files.enter_context((directory / str(number)).open("rb")),
                    "utf-8",
                    is_sheet=True,
                    fractions=dict(about[2]),
                    thousands=dict(about[3]),
                ),
                about[1] or faults.get(number),
            )
            for number, about in enumerate(found)
            if about is not None
        ]


class SpreadsheetImporter:
    """Reads one sheet. csv: reads the sheet's table. sheet: the sheet's name; None: find it."""

    #: The same source as for CSV: the same rows may come as a CSV file next time.
    source = CsvImporter.source

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "SpreadsheetImporter":
        return cls(CsvImporter.of(stream, given, profiles), given.get("sheet"))

    def __init__(self, csv: CsvImporter, sheet: str | None = None) -> None:
        self._csv = csv
        self._sheet = sheet

    def sample(self, lines: Collection[int] = ()) -> TableSample:
        return self._csv.sample(lines)

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        with open_workbook(stream) as sheets:
            sheet = self._chosen(sheets, remembered)
            if sheet.fault is not None:
                raise ImportRefused(f"the sheet {quoted(sheet.name)}: {sheet.fault}")
            first: Statement | None = None
            for statement, entry in self._csv.read_table(sheet.text, remembered):
                first = first or statement
                yield statement, entry
            others = [other.name for other in sheets if other is not sheet]
            if first is not None and others:
                first.remarks.append(
                    f"the sheet {quoted(sheet.name)} was read, but not {listed(others)}"
                )

    def _chosen(self, sheets: Sequence[Sheet], remembered: Remembered) -> Sheet:
        if not sheets:
            raise ImportRefused("the spreadsheet is empty; there is nothing to import")
        names = tuple(sheet.name for sheet in sheets)
        if self._sheet is not None:
            for form in (str, folded):
                for sheet in sheets:
                    if form(sheet.name) == form(self._sheet):
                        return sheet
            raise ImportRefused(
                clause(Topic.NO_SHEET, sheet=self._sheet, sheets=names),
                choices=(Choice({"sheet": None}),),
            )
        if len(sheets) == 1:
            return sheets[0]
        fits = [self._csv.fits(sheet.text, remembered) for sheet in sheets]
        for wanted in (True, False):
            if fits.count(wanted) == 1:
                return sheets[fits.index(wanted)]
            if wanted in fits:
                break
        possible = [sheet for sheet, fit in zip(sheets, fits, strict=True) if fit is not None]
        raise ImportRefused(
            clause(Topic.SHEETS, sheets=names),
            choices=tuple(
                Choice({"sheet": s.name}, clause(Says.SHEET_IS, sheet=s.name))
                for s in possible or sheets
            ),
        )
