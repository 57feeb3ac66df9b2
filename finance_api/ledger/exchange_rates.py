"""Storing exchange rates: those of a file are joined with those that are there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from finance_api.storage.interface import RatesState, StorageBackend, unit_of_work
from finance_api.values.rates import DayRates


@dataclass(frozen=True)
class RatesReport:
    """new, changed, unchanged: numbers of days. first, last: days; currencies: of what was given.

    revision: of all rates then.
    """

    new: int
    changed: int
    unchanged: int
    first: int
    last: int
    currencies: tuple[str, ...]
    revision: int


def import_rates(
    backend: StorageBackend, given: Sequence[DayRates], now: int, *, dry_run: bool = False
) -> RatesReport:
    """Stores the rates of days; what they do not have of such a day stays.

    given: not empty, each day and base once. dry_run: everything but storing them. Raises
    StorageUnavailable.
    """
    days = {each.day for each in given}
    currencies = {code for each in given for code in (each.base, *each.rates)}
    with unit_of_work(backend) as storage:
        state = storage.rates.lock()
        stored = {(each.day, each.base): each.rates for each in storage.rates.list_days(days)}
        different = [
            DayRates(day, base, _joined(stored.get((day, base), {}), rates))
            for day, base, rates in given
            if not rates.items() <= stored.get((day, base), {}).items()
        ]
        if different and not dry_run:
            storage.rates.put(different)
            state = RatesState(state.revision + 1, now, state.currencies | currencies)
            storage.rates.set_state(state)
    known = {day for day, _ in stored}
    changed = {each.day for each in different}
    return RatesReport(
        new=len(days - known),
        changed=len(changed & known),
        unchanged=len(days - changed),
        first=min(days),
        last=max(days),
        currencies=tuple(sorted(currencies)),
        revision=state.revision,
    )


def _joined(stored: Mapping[str, Decimal], rates: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """In the order of the codes."""
    return dict(sorted({**stored, **rates}.items()))
