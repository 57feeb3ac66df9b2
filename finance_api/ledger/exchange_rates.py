"""Stores exchange rates: merges the rates of a file with stored rates."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from finance_api.resources.currencies import DayRates
from finance_api.storage.interface import (
    RateReader,
    RatesState,
    StorageBackend,
    reading,
    unit_of_work,
)


@dataclass(frozen=True)
class RatesReport:
    """The result of an import of rates.

    new, changed, unchanged: the numbers of days. first, last: the first and last imported day.
    currencies: the imported currencies. revision: the revision of all rates after the import.
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
    """Store rates. Stored rates that ``given`` does not contain are kept, also on the same days.

    given: not empty, each day and base once. dry_run: only report what would change. Raises
    StorageUnavailable.
    """
    days = {each.day for each in given}
    currencies = {code for each in given for code in (each.base, *each.rates)}
    if dry_run:
        with reading(backend, newest=True) as reader:
            state = reader.rates.get_state()
            stored, different = _compare(reader.rates, days, given)
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
    """Return the stored (day, base) pairs, and the rates of the days that the import changes.

    The rates of such a day are its stored and new rates together, sorted by currency code.
    """
    stored = {(each.day, each.base): each.rates for each in rates.list_days(days)}
    different = [
        DayRates(day, base, dict(sorted({**stored.get((day, base), {}), **new}.items())))
        for day, base, new in given
        if not new.items() <= stored.get((day, base), {}).items()
    ]
    return set(stored), different
