"""The public API as clients of the hosted Wallet REST API know it, below ``/wallet``.

This is a second representation of the same data. Each object has a module, with its members and the
parameters of its list; docs/wallet.md describes the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # For types only: commands run without the web framework.
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    from finance_api.http.tweens import REQUEST_ID, REQUEST_LIMITS, TRACING
    from finance_api.wallet import accounts, budgets, categories, others, plans, records, responses

    # The order of all endpoints, for the router and the description.
    for service in (
        responses.openapi,
        *(records.records, accounts.accounts, categories.categories, budgets.budgets),
        *(plans.goals, plans.orders, plans.items),
        *(categories.labels, categories.record_rules, records.records_by_id),
        *(others.categories, others.category, others.accounts, others.account),
        *(others.labels, others.label, others.records, others.record),
        *(others.api_usage, others.custom),
    ):
        config.add_cornice_service(service)
    # Errors below /wallet look like Wallet's.
    config.add_tween(
        "finance_api.wallet.responses.wallet_tween",
        under=(TRACING, REQUEST_ID),
        over=REQUEST_LIMITS,
    )
