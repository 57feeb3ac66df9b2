"""QIF files read whole, as tests like them, and by a reader of a few lines beside."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field

from finance_api.importers.interface import Entry, Statement
from finance_api.importers.qif import QifImporter, QifOptions


@dataclass
class Whole:
    """A statement with its entries."""

    statement: Statement
    entries: list[Entry] = field(default_factory=list)


def read_qif(data: str | bytes, **options: str) -> list[Whole]:
    """The statements in the order of the file. Raises ImportRefused."""
    stream = io.BytesIO(data if isinstance(data, bytes) else data.encode())
    found: list[Whole] = []
    for statement, entry in QifImporter(QifOptions(**options)).read(stream):
        if entry is None:
            assert all(statement is not whole.statement for whole in found)
            found.append(Whole(statement))
        else:
            (whole,) = (whole for whole in found if whole.statement is statement)
            whole.entries.append(entry)
    return found


def simply_read(text: str) -> Iterator[tuple[str, list[str]]]:
    """Date and amounts of each transaction as they stand there, splits in place of the whole."""
    for section in text.split("\n!"):
        heading, _, body = section.lstrip("!").partition("\n")
        if heading.strip().lower() not in ("type:bank", "type:cash", "type:ccard"):
            continue
        for record in body.split("\n^"):
            lines = record.strip().split("\n")
            dates = [line[1:] for line in lines if line.startswith("D")]
            totals = [line[1:] for line in lines if line.startswith("T")]
            splits = [line[1:] for line in lines if line.startswith("$")]
            if dates:
                yield dates[0], splits or totals
