"""Refusals of the filter grammar."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

#: How much of a value a message repeats.
_QUOTED_LENGTH = 60


class QueryError(ValueError):
    """A parameter's value is not understood.

    faults: a sentence for each part that is not, saying which it is and what is allowed.
    """

    def __init__(self, *faults: str) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def all_or_faults(parse: Callable[[str], T], parts: Iterable[str]) -> list[T]:
    """Every part parsed; QueryError with the faults of all of them if there are any."""
    found: list[T] = []
    faults: list[str] = []
    for part in parts:
        try:
            found.append(parse(part))
        except QueryError as error:
            faults.extend(error.faults)
    if faults:
        # The same mistake made twice is reported once.
        raise QueryError(*dict.fromkeys(faults))
    return found


def quoted(text: str) -> str:
    """``text`` for a message: in quotes, and cut if it is long."""
    return f'"{text}"' if len(text) <= _QUOTED_LENGTH else f'"{text[:_QUOTED_LENGTH]}…"'
