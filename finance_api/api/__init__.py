"""The HTTP interface: Cornice services over the storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Commands need no web framework.
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    from cornice.pyramidhook import register_service_views

    # `config.include("cornice")` would also subscribe to every request. Pyramid skips its four
    # events as long as nothing subscribes to any; together that is 30 µs of a request.
    config.registry.cornice_services = {}
    config.add_directive("add_cornice_service", register_service_views)
    # The router tries the routes in this order: records by id are asked for often.
    config.add_route("root", "/")
    config.scan("finance_api.api.public")
    config.include("finance_api.api.public")
    config.scan("finance_api.api.internal")
    config.scan("finance_api.api.ops")
