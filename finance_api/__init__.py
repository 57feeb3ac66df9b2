"""finance_api: a read-only REST API over a person's own finance data."""

import os
from typing import Any

__version__ = "0.1.0"


def main(global_config: dict[str, str], **settings: str) -> Any:
    """The WSGI application. Raises SettingError, StorageNotReady."""
    from pyramid.config import Configurator

    from finance_api.clock import SystemClock
    from finance_api.requests import settle_properties
    from finance_api.settings import read_settings

    config = Configurator(settings=dict(read_settings(settings, os.environ)))
    config.registry.clock = SystemClock()
    #: What is called, in turn, when the server ends.
    config.registry.at_shutdown = []
    config.add_settings({"handle_exceptions": False})
    for part in (
        "finance_api.requests",
        "finance_api.errors",
        "finance_api.metrics",
        "finance_api.edge",
        "finance_api.storage",
        "finance_api.preload",
        "finance_api.auth",
        "finance_api.ratelimit",
        "finance_api.usage",
        "finance_api.housekeeping",
        "finance_api.api",
        "finance_api.web",
    ):
        config.include(part)
    config.registry.at_shutdown.reverse()
    application = config.make_wsgi_app()
    settle_properties(config.registry)
    return application
