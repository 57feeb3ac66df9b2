"""Exchange rates."""

import json
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from finance_api.resources.currencies import DayRates
from finance_api.storage.interface import NO_RATES, RatesState, RateWriter
from finance_api.storage.sql.bulk import json_elements, replacing
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.parameters import text_parameter
from finance_api.storage.sql.tables import exchange_rates, exchange_rates_state

#: Locks out other writers; readers can go on.
_LOCK = f"LOCK TABLE {exchange_rates_state.name} IN SHARE ROW EXCLUSIVE MODE"
#: The days to select, as a JSON list.
_DAYS = text_parameter("days")
_STATE = sa.select(*exchange_rates_state.c)


def _rates(database: str, of_days: bool) -> sa.Select[Any]:
    """Select rates. of_days: whether to select only the rates of _DAYS."""
    found = sa.select(*exchange_rates.c).order_by(*exchange_rates.primary_key)
    if not of_days:
        return found
    days = sa.select(sa.cast(json_elements(database, _DAYS).c.value, sa.BigInteger))
    return found.where(exchange_rates.c.day.in_(days))


class SqlRates(Part, RateWriter):
    def get_state(self) -> RatesState:
        for revision, changed_at, currencies, tag in self.connection.read(_STATE, values={}):
            return RatesState(revision, changed_at, frozenset(currencies.split()), tag)
        return NO_RATES

    def list_days(self, days: Collection[int] | None = None) -> list[DayRates]:
        values = {"days": json.dumps(list(days or ()))}
        found = self.connection.read(_rates, days is not None, values=values)
        return [
            DayRates(day, base, {code: Decimal(rate) for code, rate in json.loads(rates).items()})
            for day, base, rates in found
        ]

    def lock(self) -> RatesState:
        # On SQLite a writer locks the whole database.
        if self.connection.database == "postgresql":
            self.connection.sqlalchemy.exec_driver_sql(_LOCK)
        return self.get_state()

    def put(self, rates: Sequence[DayRates]) -> None:
        if not rates:
            return
        rows = []
        for day, base, quoted in rates:
            text = json.dumps({code: f"{rate:f}" for code, rate in quoted.items()})
            rows.append({"day": day, "base": base, "rates": text})
        self.connection.execute(replacing(exchange_rates, self.connection.database), rows)

    def set_state(self, state: RatesState) -> None:
        currencies = " ".join(sorted(state.currencies))
        values = (state.revision, state.changed_at, currencies, state.tag)
        self.connection.execute(sa.delete(exchange_rates_state))
        self.connection.execute(sa.insert(exchange_rates_state).values(values))
