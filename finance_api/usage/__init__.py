"""How much of the public API each user has used: counted off the request path, kept 400 days."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    config.include("finance_api.usage.counting")
