"""A file of a spreadsheet -> its sheets, as tables of text."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from finance_api.importers.csv.decoding import TextFile
from finance_api.importers.spreadsheet import conversion
from finance_api.importers.spreadsheet.container import (
    damaged,
    is_book,
    opened_archive,
    opened_book,
    too_many,
    with_password,
)
from finance_api.importers.spreadsheet.faults import faults_in_ods, faults_in_xls, faults_in_xlsx


@dataclass(frozen=True)
class Sheet:
    """text: its rows. fault: what in it cannot be read, None if all can."""

    name: str
    text: TextFile
    fault: str | None


@contextmanager
def open_workbook(stream: BinaryIO) -> Iterator[list[Sheet]]:
    """The sheets that have cells, in their order. The stream is at its start.

    Raises ImportRefused for what is no spreadsheet, or none that can be read.
    """
    with TemporaryDirectory() as name, ExitStack() as files:
        directory = Path(name)
        source = directory / "workbook"
        faults = _copy(stream, source)
        # Not the directory of this package first: modules of other programs have other names.
        done = subprocess.run(  # noqa: S603 (of this program alone)
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


def _copy(stream: BinaryIO, copy: Path) -> dict[int, str]:
    """Write what calamine is to read; the faults that it does not see."""
    if not is_book(stream):
        with opened_archive(stream, copy) as (kind, archive):
            return faults_in_xlsx(archive) if kind == "xlsx" else faults_in_ods(archive)
    with opened_book(stream) as book:
        faults = faults_in_xls(book)
    stream.seek(0)
    with copy.open("wb") as target:
        shutil.copyfileobj(stream, target)
    return faults
