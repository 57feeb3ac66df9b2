"""Exchange rates, which all users of the installation share."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from finance_api.resources.currencies import DayRates
from finance_api.values.ids import new_tag


@dataclass(frozen=True, slots=True)
class RatesState:
    """The state of all rates; revision, changed_at and tag are as in `DataState`.

    currencies: all currencies that have a rate on any day.
    """

    revision: int
    changed_at: int
    currencies: frozenset[str]
    tag: int = field(default_factory=new_tag)


#: The state before the first rates.
NO_RATES = RatesState(0, 0, frozenset(), tag=0)


class RateReader(ABC):
    @abstractmethod
    def get_state(self) -> RatesState: ...

    @abstractmethod
    def list_days(self, days: Collection[int] | None = None) -> list[DayRates]:
        """Return the rates of some days, or of all days, ordered by (day, base)."""


class RateWriter(RateReader):
    @abstractmethod
    def lock(self) -> RatesState:
        """Make other writers of rates wait until this unit of work ends; return the state."""

    @abstractmethod
    def put(self, rates: Sequence[DayRates]) -> None:
        """Add rates; each `DayRates` replaces the stored rates of its day and base."""

    @abstractmethod
    def set_state(self, state: RatesState) -> None: ...
