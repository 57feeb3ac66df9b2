"""Recognises books in plain text, which only their own program can read."""

import re
from typing import NamedTuple

from finance_api.importers.interface import ImportRefused

_DAY = r"[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}"
#: Empty lines and comments before the first line that tells.
_SKIPPED = re.compile(r"(?:[;#*%][^\n]*+(?:\n|\Z)|[ \t\r]*+\n)*+")
_BEANCOUNT = re.compile(
    rf'(?:option|plugin|include|push(?:tag|meta)) *+["#]|{_DAY} ++(?:(?:open|close|balance|pad|'
    r'note|document) ++[^\s:]++:\S|(?:commodity|price) ++[A-Z]|(?:event|query|custom|[*!]|txn) ++")'
)
#: A directive, or the first two lines of a transaction.
_HLEDGER = re.compile(
    r"(?:account|include|alias|apply account|commodity|payee|tag|comment|~)"
    r" ++[^,\t\n]*+(?:\n|\Z)|(?:commodity|P|D) ++[^\n0-9]*+[0-9]|comment[ \t]*+\n|"
    r"(?:Y|(?:apply )?year) *+[0-9]{4}\b|decimal-mark ++[.,]|=[^\n]*+\n[ \t]++[^\s,]|"
    r"(?:[0-9]{4}[-/.])?[0-9]{1,2}[-/.][0-9]{1,2}(?:=[0-9/.-]++)?(?: [^\n]*+)?\n[ \t]++[^\s,]"
)


class Source(NamedTuple):
    """A kind of book in plain text. program: what reads it."""

    program: str
    what: str

    def refusal(self) -> ImportRefused:
        """Return the refusal of a book where its program is not run."""
        return ImportRefused(
            f"it is {self.what}, which only {self.program} can read: import it with the command "
            f"'finance-api import' where {self.program} is installed, or give a file of what "
            f"{self.program} prints, as the guide to {self.program} describes"
        )


_HLEDGER_BOOK = Source("hledger", "an hledger journal")
_BEANCOUNT_BOOK = Source("beancount", "a beancount file")


def source_of(text: str) -> Source | None:
    """Return the kind of book that begins with this text; None if no book does."""
    match = _SKIPPED.match(text)
    start = match.end() if match else 0
    if _BEANCOUNT.match(text, start):
        return _BEANCOUNT_BOOK
    return _HLEDGER_BOOK if _HLEDGER.match(text, start) else None
