"""Recognises books in plain text, which only their own program can read."""

import re

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


def program_of(text: str) -> str | None:
    """Return the program whose plain text book begins with this text; None if no program's does."""
    match = _SKIPPED.match(text)
    start = match.end() if match else 0
    if _BEANCOUNT.match(text, start):
        return "beancount"
    return "hledger" if _HLEDGER.match(text, start) else None


def source_refused(program: str) -> ImportRefused:
    """Return the refusal of a book where its program is not run."""
    what = {"hledger": "an hledger journal", "beancount": "a beancount file"}[program]
    return ImportRefused(
        f"it is {what}, which only {program} can read: import it with the command 'finance-api "
        f"import' where {program} is installed, or give a file of what {program} prints, as the "
        f"guide to {program} describes"
    )
