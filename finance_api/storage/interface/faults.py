"""Faults in stored data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from finance_api.storage.errors import StorageDamaged

#: The command that rebuilds derived data from its source.
REPAIR = "finance-api check --repair"
#: The command for damaged original data, which can only come from a backup.
RESTORE = "finance-api restore FILE"
#: What to do if the database does not answer.
START = "start the database"

#: The kind of a fault that kept other data from being checked.
UNCHECKED = "unchecked"

#: The errors that reading a row raises if a field's value is impossible.
NO_VALUE = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in stored data. kind: a name for programs. repaired: whether it has been repaired.

    command: the command that repairs the fault; FILE stands for a backup.
    """

    kind: str
    message: str
    command: str
    user: str | None = None
    repaired: bool = False

    @classmethod
    def unreadable(cls, error: Exception, user: str | None = None) -> "Fault":
        """Make a fault from a StorageError or an error of NO_VALUE.

        The message of an error of NO_VALUE is left out, because it shows data.
        """
        is_value = isinstance(error, NO_VALUE)
        if not is_value and not isinstance(error, StorageDamaged):
            return cls("database", str(error), START, user)
        reason = f"a row has an invalid value ({type(error).__name__})" if is_value else str(error)
        return cls("unreadable", reason, RESTORE, user)

    def as_repaired(self) -> "Fault":
        return replace(self, repaired=True)


def after_repair(found: Sequence[Fault], left: Sequence[Fault]) -> Iterator[Fault]:
    """Yield the old faults, marked as repaired unless they are still there, then new faults."""
    for fault in found:
        yield fault if fault in left else fault.as_repaired()
    yield from (fault for fault in left if fault not in found)


def these(number: int, first: Sequence[str]) -> str:
    """Return the number of rows and the first ids, as text: ``3 (a, b, …)``."""
    named = ", ".join(first[:_MOST_NAMED])
    return f"{number:,} ({named}{', …' if number > len(first[:_MOST_NAMED]) else ''})"


class Found:
    """The faults of rows; all rows with the same fault are in one `Fault`."""

    def __init__(self, user: str) -> None:
        self._user = user
        self._rows: dict[tuple[str, str, str], tuple[int, list[str]]] = {}

    def add(self, kind: str, message: str, row_id: str, command: str = REPAIR) -> None:
        """Add a row's fault. message: a text; ``{}`` stands for the number and ids of the rows."""
        number, first = self._rows.get((kind, message, command), (0, []))
        if number <= _MOST_NAMED:
            # The id of a damaged row may be of any type.
            first.append(str(row_id))
        self._rows[kind, message, command] = number + 1, first

    def faults(self) -> list[Fault]:
        return [
            Fault(kind, message.format(these(*rows)), command, self._user)
            for (kind, message, command), rows in self._rows.items()
        ]
