"""The HTTP interface: Cornice services over the storage."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    config.include("cornice")
    config.include("finance_api.api.response_cache")
    config.include("finance_api.api.cached_dispatch")
    config.scan("finance_api.api.public")
    config.scan("finance_api.api.internal")
    config.scan("finance_api.api.ops")
