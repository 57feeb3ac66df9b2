"""Storing exchange rates: those of a file are joined with those that are there."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from finance_api.storage.interface import (
    RateReader,
    RatesState,
    StorageBackend,
    reading,
    unit_of_work,
)
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
    if dry_run:
        with reading(backend, newest=True) as storage:
            state = storage.rates.get_state()
            stored, different = _compare(storage.rates, days, given)
    else:
        with unit_of_work(backend) as storage:
            state = storage.rates.lock()
            stored, different = _compare(storage.rates, days, given)
            if different:
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


def _compare(
    rates: RateReader, days: Collection[int], given: Sequence[DayRates]
) -> tuple[set[tuple[int, str]], list[DayRates]]:
    """The stored days and bases, and what differs of them after the import."""
    stored = {(each.day, each.base): each.rates for each in rates.list_days(days)}
    different = [
        DayRates(day, base, _joined(stored.get((day, base), {}), new))
        for day, base, new in given
        if not new.items() <= stored.get((day, base), {}).items()
    ]
    return set(stored), different


def _joined(stored: Mapping[str, Decimal], rates: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """In the order of the codes."""
    return dict(sorted({**stored, **rates}.items()))
