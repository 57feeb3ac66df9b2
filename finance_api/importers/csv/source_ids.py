"""By what a row of the file is recognised when it is imported again."""

import json
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from finance_api.importers.interface import joined_key


class SourceIds:
    """The source ids of one file, given out in the order of its rows.

    A row's id depends on the rows above it only: rows appended to the file change no earlier id.
    """

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._rows: dict[str, set[bytes]] = {}
        # The last number that was tried: all up to it are used.
        self._numbers: Counter[str] = Counter()
        self._equal: Counter[bytes] = Counter()

    def mapped(self, account: str, identifier: str, cells: Sequence[str]) -> str | None:
        """``<account>/<identifier>``; None if the row repeats an earlier one word for word.

        A different row with the same identifier is another entry: ``#2`` and so on is added.
        """
        source_id = joined_key(account, identifier)
        rows = self._rows.setdefault(source_id, set())
        row = _digest([account, *cells])
        if row in rows:
            return None
        rows.add(row)
        unique = source_id
        # The file may itself have an identifier that ends in #2.
        while unique in self._used:
            self._numbers[source_id] = max(self._numbers[source_id] + 1, len(rows), 2)
            unique = f"{source_id}#{self._numbers[source_id]}"
        self._used.add(unique)
        return unique

    def hashed(
        self,
        account: str,
        date: int,
        amount: int,
        currency: str | None,
        payee: str | None,
        note: str | None,
    ) -> str:
        """``hash:`` and the SHA-256 of the row's content and how many equal rows there were."""
        row = _digest([account, date, amount, currency, payee, note])
        self._equal[row] += 1
        return "hash:" + sha256(row + b"#%d" % self._equal[row]).hexdigest()


def _digest(values: Sequence[str | int | None]) -> bytes:
    return sha256(json.dumps(values).encode()).digest()
