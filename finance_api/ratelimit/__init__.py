"""How much each token, user and address may ask: rules, their counting, the tween."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    config.include("finance_api.ratelimit.quotas")
    config.include("finance_api.ratelimit.tween")
