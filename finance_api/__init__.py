"""finance_api: a read-only REST API over a person's own finance data."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # For types only: commands run without the web framework.
    from finance_api.services import Services


def main(global_config: dict[str, str], **settings: str) -> Any:
    """Make the WSGI application. Raises SettingError, StorageNotReady."""
    return make_app(settings)


def make_app(settings: Mapping[str, str], services: Services | None = None) -> Any:
    """Make the WSGI application. services: those of a test; by default those of the settings.

    Raises SettingError, StorageNotReady.
    """
    from pyramid.config import Configurator

    from finance_api.http.requests import Request
    from finance_api.runtime.clock import SystemClock
    from finance_api.runtime.logs import set_up_logs
    from finance_api.runtime.settings import SettingError
    from finance_api.services import make_services
    from finance_api.settings import read_settings

    checked = read_settings(settings, os.environ)
    set_up_logs(checked["finance_api.log.format"])
    config = Configurator(settings=dict(checked), request_factory=Request)
    config.registry.services = services or make_services(checked, SystemClock())
    for part in (
        "finance_api.demo.preload",
        "finance_api.http.errors",
        "finance_api.auth",
        "finance_api.api",
        "finance_api.http.tweens",
    ):
        config.include(part)
    for plugin in checked["finance_api.plugins"]:
        try:
            config.include(plugin)
        except ImportError as error:
            raise SettingError(f"finance_api.plugins: {plugin}: {error}") from None
    return config.make_wsgi_app()
