"""The HTTP interface: Cornice services over the storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # For types only: commands run without the web framework.
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    from pyramid.security import NO_PERMISSION_REQUIRED

    from finance_api.api import internal, ops
    from finance_api.api.endpoint import FORMATS, Endpoint
    from finance_api.api.public import (
        accounts,
        balances,
        budgets,
        categories,
        changes,
        duplicates,
        exports,
        goals,
        labels,
        questions,
        record_rules,
        records,
        recurring,
        standing_orders,
        summary,
        usage,
    )
    from finance_api.api.responding import respond_to_question
    from finance_api.questions.answering import RESPOND

    config.include("finance_api.api.endpoint")
    # The order of the descriptions. Some names in them follow from it: `currencyCode.budgets`.
    services = (
        *(internal.get_records, internal.get_docs),
        *(ops.lbheartbeat, ops.heartbeat, ops.version),
        *(ops.index, ops.index_of_api, ops.metrics),
        *(ops.public_description, ops.internal_description),
        *(balances.balances, balances.forecast),
        usage.api_usage,
        changes.changes,
        duplicates.duplicates,
        *(records.records, records.record, records.records_export),
        *(accounts.accounts, accounts.account, accounts.accounts_export),
        *(categories.categories, categories.category, categories.categories_export),
        *(budgets.budgets, budgets.budget, budgets.budgets_export),
        *(goals.goals, goals.goal, goals.goals_export),
        *(standing_orders.standing_orders, standing_orders.standing_order),
        standing_orders.standing_orders_export,
        *(labels.labels, labels.label, labels.labels_export),
        *(record_rules.record_rules, record_rules.record_rule, record_rules.record_rules_export),
        records.records_by_id,
        exports.everything,
        standing_orders.upcoming,
        budgets.periods,
        *(questions.questions, questions.question, questions.question_answer),
        summary.summary,
        recurring.recurring,
    )
    config.registry.endpoints |= {service.path: Endpoint(service) for service in services}
    # The router tries one path after the other: these are requested most often, then other lists.
    first = (records.records, changes.changes)
    for service in sorted(services, key=lambda s: (s not in first, not s.path.endswith(FORMATS))):
        config.add_cornice_service(service)
    config.registry[RESPOND] = respond_to_question
    config.add_route("root", "/")
    # The pages have another view of this route, for browsers.
    permission = NO_PERMISSION_REQUIRED
    config.add_view(ops.get_index, route_name="root", request_method="GET", permission=permission)
