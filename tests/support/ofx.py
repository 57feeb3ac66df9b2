"""OFX files read whole, as tests like them."""

import io
from dataclasses import dataclass, field

from finance_api.importers.interface import Entry, Statement, StatementAccount
from finance_api.importers.ofx import OfxImporter
from finance_api.importers.ofx.importer import PIECE_BYTES


@dataclass
class Whole:
    """A statement with its entries."""

    statement: Statement
    entries: list[Entry] = field(default_factory=list)

    @property
    def account(self) -> StatementAccount:
        return self.statement.account


def read_ofx(
    data: str | bytes, currency: str | None = None, *, piece_bytes: int = PIECE_BYTES
) -> list[Whole]:
    """The statements in the order of the file. Raises ImportRefused.

    Checks that each comes once without an entry, and before its entries.
    """
    found: list[Whole] = []
    stream = io.BytesIO(data if isinstance(data, bytes) else data.encode())
    for statement, entry in OfxImporter(currency, piece_bytes=piece_bytes).read(stream):
        if entry is None:
            assert all(statement is not whole.statement for whole in found)
            found.append(Whole(statement))
        else:
            (whole,) = (whole for whole in found if whole.statement is statement)
            whole.entries.append(entry)
    return found
