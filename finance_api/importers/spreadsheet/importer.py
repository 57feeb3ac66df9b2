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
from weakref import finalize

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv import CsvImporter
from finance_api.importers.csv.first_rows import TableSample
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.decoding import TextFile
from finance_api.importers.interface import (
    Choice,
    Entries,
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
    with ExitStack() as files:
        with TemporaryDirectory() as name:
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
            sheets = [
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
        # Files that are open can be read after they are removed.
        yield sheets


#: No sheet has as many rows: so far apart are the sections of entries of two sheets.
_MOST_ROWS = 2_000_000


class SpreadsheetImporter:
    """Reads sheets. csv: reads a sheet's table. names: the sheets' names; none: find the sheet."""

    #: The same source as for CSV: the same rows may come as a CSV file next time.
    source = CsvImporter.source

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "SpreadsheetImporter":
        return cls(CsvImporter.of(stream, given, profiles), given.get("sheet") or ())

    def __init__(self, csv: CsvImporter, names: Sequence[str] = ()) -> None:
        self._csv = csv
        self._names = names
        # The sheets can be read for as long as this importer lives: to show their rows.
        self._files = ExitStack()
        finalize(self, self._files.close)

    def sample(self, lines: Collection[int] = ()) -> TableSample:
        return self._csv.sample(lines)

    def read(self, stream: BinaryIO, remembered: Remembered = nothing_remembered) -> Entries:
        self._files.close()
        sheets = self._files.enter_context(open_workbook(stream))
        chosen = self._chosen(sheets, remembered)
        first: Statement | None = None
        for number, sheet in enumerate(chosen):
            if sheet.fault is not None:
                raise ImportRefused(f"the sheet {quoted(sheet.name)}: {sheet.fault}")
            for statement, entry in self._csv.read_table(sheet.text, remembered):
                first = first or statement
                if entry is not None and entry.section is not None:
                    entry = entry._replace(section=entry.section + number * _MOST_ROWS)
                yield statement, entry
        others = [other.name for other in sheets if other not in chosen]
        if first is not None and others:
            which = listed([sheet.name for sheet in chosen])
            which = f"the sheet {which} was" if len(chosen) == 1 else f"{which} were"
            first.remarks.append(f"{which} read, but not {listed(others)}")

    def _chosen(self, sheets: Sequence[Sheet], remembered: Remembered) -> list[Sheet]:
        if not sheets:
            raise ImportRefused("the spreadsheet is empty; there is nothing to import")
        names = tuple(sheet.name for sheet in sheets)
        if self._names:
            named = {sheets.index(_named(name, sheets)) for name in self._names}
            return [sheets[number] for number in sorted(named)]
        if len(sheets) == 1:
            return [sheets[0]]
        fits = [self._csv.fits(sheet.text, remembered) for sheet in sheets]
        for wanted in (True, False):
            if fits.count(wanted) == 1:
                return [sheets[fits.index(wanted)]]
            if wanted in fits:
                break
        possible = [name for name, fit in zip(names, fits, strict=True) if fit is not None]
        fitting = tuple(name for name, fit in zip(names, fits, strict=True) if fit is wanted)
        choices = [
            Choice({"sheet": (name,)}, clause(Says.SHEET_IS, sheet=name))
            for name in possible or names
        ]
        if fitting:
            all_ = clause(Says.SHEETS_ARE, sheets=fitting)
            choices.append(Choice({"sheet": fitting}, all_))
        raise ImportRefused(clause(Topic.SHEETS, sheets=names), choices=tuple(choices))


def _named(name: str, sheets: Sequence[Sheet]) -> Sheet:
    for form in (str, folded):
        for sheet in sheets:
            if form(sheet.name) == form(name):
                return sheet
    names = tuple(sheet.name for sheet in sheets)
    fact = clause(Topic.NO_SHEET, sheet=name, sheets=names)
    raise ImportRefused(fact, choices=(Choice({"sheet": None}),))
