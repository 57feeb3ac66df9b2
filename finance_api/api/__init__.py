"""The HTTP interface: Cornice services over the storage."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    config.include("cornice")
    config.scan("finance_api.api.public")
    config.scan("finance_api.api.ops")
