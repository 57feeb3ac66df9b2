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
    with_password,
)
from finance_api.importers.spreadsheet.faults import (
    faults_in_ods,
    faults_in_xls,
    faults_in_xlsx,
)


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
    faults = _faults(stream)
    with TemporaryDirectory() as name, ExitStack() as files:
        directory = Path(name)
        source = directory / "workbook"
        stream.seek(0)
        with source.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
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


def _faults(stream: BinaryIO) -> dict[int, str]:
    if is_book(stream):
        with opened_book(stream) as book:
            return faults_in_xls(book)
    with opened_archive(stream) as (kind, archive):
        return faults_in_xlsx(archive) if kind == "xlsx" else faults_in_ods(archive)
