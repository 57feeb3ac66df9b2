"""The public API: one module for each endpoint."""

from pyramid.config import Configurator

from finance_api.api.public import (
    account_balances,
    budget_periods,
    exports,
    lists,
    records_summary,
    upcoming_standing_orders,
)

#: Those with many services; a scan finds the others' one.
_WITH_SERVICES = (
    lists,
    exports,
    records_summary,
    account_balances,
    budget_periods,
    upcoming_standing_orders,
)


def includeme(config: Configurator) -> None:
    for module in _WITH_SERVICES:
        for service in module.SERVICES:
            config.add_cornice_service(service)
