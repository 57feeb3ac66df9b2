"""By what an entry is recognised when it is imported again."""

import re
from collections import Counter
from hashlib import sha256

from finance_api.importers.interface import joined_key

#: What two transactions must share to be the same one: date, amount, payee, note.
Content = tuple[int, int, str | None, str | None]

#: A FITID of nothing but zeros stands in for one that the bank does not have.
_PLACEHOLDER = re.compile("0+")


class Identities:
    """The source ids of one file, all different.

    Banks use a FITID twice: for a transaction that two overlapping statements repeat, which
    counts once, and, against the standard, for different transactions, which are numbered.
    """

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._contents: dict[str, set[Content]] = {}
        self._equal_rows: Counter[tuple[str | None, Content]] = Counter()

    def source_id(self, key: str | None, fitid: str | None, content: Content) -> str | None:
        """The id of the next transaction, None if the file repeats one word for word.

        key: of the account, None if the file does not name one.
        """
        if not fitid or _PLACEHOLDER.fullmatch(fitid):
            return self._hash(key, content)
        name = f"{key}/{joined_key(fitid)}" if key else joined_key(fitid)
        contents = self._contents.setdefault(name, set())
        if content in contents:
            return None
        contents.add(content)
        number = len(contents)
        source_id = name if number == 1 else f"{name}#{number}"
        while source_id in self._used:
            # Some other FITID of the file reads like this one with its number.
            source_id += "#"
        self._used.add(source_id)
        return source_id

    def _hash(self, key: str | None, content: Content) -> str:
        self._equal_rows[key, content] += 1
        parts = (key, *content, self._equal_rows[key, content])
        # repr keeps None apart from text, and quotes what could pass for a separator.
        return "hash:" + sha256(repr(parts).encode()).hexdigest()
