"""Reads whole QIF files: with the importer, and with a much simpler second reader."""

from collections.abc import Iterator

from finance_api.importers.qif import QifImporter
from support.whole import Whole, read_whole


def read_qif(data: str | bytes, **options: str) -> list[Whole]:
    """Return the statements in the order of the file. Raises ImportRefused."""
    return read_whole(QifImporter(options), data)


def simply_read(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the text of each transaction's date and amounts; splits replace the total."""
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
