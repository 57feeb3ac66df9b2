"""Exchange rates."""

from collections.abc import Collection, Sequence

from finance_api.storage.interface import RatesState, RateWriter
from finance_api.storage.memory.database import Part
from finance_api.values.rates import DayRates


class MemoryRates(Part, RateWriter):
    def get_state(self) -> RatesState:
        return self._unit.database.rates_state

    def list_days(self, days: Collection[int] | None = None) -> list[DayRates]:
        rates = self._unit.database.rates
        return [found for key, found in sorted(rates.items()) if days is None or key[0] in days]

    def lock(self) -> RatesState:
        return self.get_state()

    def put(self, rates: Sequence[DayRates]) -> None:
        added = {(each.day, each.base): each for each in rates}
        self._unit.change(rates=self._unit.database.rates | added)

    def set_state(self, state: RatesState) -> None:
        self._unit.change(rates_state=state)
