"""finance_api: a read-only REST API over a person's own finance data."""

import os
from typing import Any

__version__ = "0.1.0"


def main(global_config: dict[str, str], **settings: str) -> Any:
    """The WSGI application. Raises SettingError, StorageNotReady."""
    from pyramid.config import Configurator

    from finance_api.clock import SystemClock
    from finance_api.settings import read_settings

    config = Configurator(settings=dict(read_settings(settings, os.environ)))
    config.registry.clock = SystemClock()
    #: What is called, in turn, when the server ends.
    config.registry.at_shutdown = []
    config.add_settings(
        {
            "handle_exceptions": False,
            "tm.annotate_user": False,
            "tm.manager_hook": "pyramid_tm.explicit_manager",
        }
    )
    for part in (
        "finance_api.errors",
        "finance_api.metrics",
        "finance_api.edge",
        "pyramid_tm",
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
    return config.make_wsgi_app()
