"""The HTTP interface: Cornice services over the storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # For types only: commands run without the web framework.
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    from cornice.pyramidhook import register_service_views
    from pyramid.security import NO_PERMISSION_REQUIRED

    from finance_api.api import internal, ops
    from finance_api.api.public import (
        account_balances,
        api_usage,
        changes,
        duplicate_records,
        lists,
        plans,
        questions,
        records_summary,
        recurring_records,
    )
    from finance_api.questions.addresses import PATHS

    # `config.include("cornice")` would also subscribe to every request. As long as nothing
    # subscribes, Pyramid skips its four events, which saves 30 µs of a request.
    config.registry.cornice_services = {}
    config.add_directive("add_cornice_service", register_service_views)
    # The router tries the routes in this order: records are asked for most often.
    savable: dict[str, Any] = {}
    for module in (
        *(lists, records_summary, recurring_records, duplicate_records, account_balances),
        *(plans, questions, changes, api_usage),
        *(internal, ops),
    ):
        for service in module.SERVICES:
            config.add_cornice_service(service)
            if service.is_savable:
                savable[service.base_path] = service.find_faults
    config.registry[PATHS] = savable
    config.add_route("root", "/")
    # The pages have another view of this route, for browsers.
    permission = NO_PERMISSION_REQUIRED
    config.add_view(ops.get_index, route_name="root", request_method="GET", permission=permission)
