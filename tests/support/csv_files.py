"""CSV files in tests: read to their end."""

import io
from dataclasses import dataclass

from finance_api.importers.csv import CsvImporter, CsvOptions
from finance_api.importers.interface import Entry, Statement, nothing_remembered


@dataclass
class Read:
    """One statement with its entries."""

    statement: Statement
    entries: list[Entry]

    @property
    def account(self):
        return self.statement.account


def read(data, remembered=nothing_remembered, **options):
    """The statements of a file in the order of their first rows; ``data``: text or bytes."""
    stream = io.BytesIO(data.encode() if isinstance(data, str) else data)
    found: dict[int, Read] = {}
    for statement, entry in CsvImporter(CsvOptions(**options)).read(stream, remembered):
        if entry is None:
            assert id(statement) not in found
            found[id(statement)] = Read(statement, [])
        else:
            found[id(statement)].entries.append(entry)
    assert not stream.closed
    return list(found.values())
