"""Refusals of the filter grammar."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

MAX_OPERAND_CHARACTERS = 256
#: Maximum number of characters of a value that a message quotes.
_QUOTED_LENGTH = 60


class QueryError(ValueError):
    """A parameter's value cannot be understood.

    faults: a sentence for each faulty part, which quotes the part and says what is allowed.
    """

    def __init__(self, *faults: str) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def all_or_faults(parse: Callable[[str], T], parts: Iterable[str]) -> list[T]:
    """Parse every part, and return the results. Raises QueryError with the faults of all parts."""
    found: list[T] = []
    faults: list[str] = []
    for part in parts:
        try:
            found.append(parse(part))
        except QueryError as error:
            faults.extend(error.faults)
    if faults:
        # A mistake that is made twice is reported once.
        raise QueryError(*dict.fromkeys(faults))
    return found


def check_length(operand: str) -> None:
    """Raise QueryError if the operand is too long."""
    if len(operand) > MAX_OPERAND_CHARACTERS:
        raise QueryError(
            f"the text has {len(operand)} characters; at most {MAX_OPERAND_CHARACTERS} are allowed"
        )


def shortened(text: str) -> str:
    """Return ``text`` for a message: shortened if it is long."""
    return text if len(text) <= _QUOTED_LENGTH else f"{text[:_QUOTED_LENGTH]}…"


def quoted(text: str) -> str:
    """Quote ``text`` for a message, and shorten it if it is long."""
    return f'"{shortened(text)}"'
