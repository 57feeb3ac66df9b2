"""The HTTP interface: Cornice services over the storage."""

import warnings

from pyramid.config import Configurator

# Cornice 6.1 asks for its own version by pkg_resources; operators can do nothing about it.
warnings.filterwarnings("ignore", message="pkg_resources is deprecated as an API")


def includeme(config: Configurator) -> None:
    config.include("cornice")
    config.include("finance_api.api.kept_answers")
    config.include("finance_api.api.fast_lane")
    config.scan("finance_api.api.public")
    config.scan("finance_api.api.internal")
    config.scan("finance_api.api.ops")
