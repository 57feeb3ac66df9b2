"""The references of the APIs, which need no sign-in."""

from collections.abc import Mapping
from typing import Any

from pyramid.config import Configurator
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.http.requests import Request
from finance_api.http.surfaces import (
    DOCS,
    INTERNAL_DESCRIPTION,
    PUBLIC_DESCRIPTION,
    WALLET_DESCRIPTION,
)
from finance_api.web.page import page

_WALLET = f"{DOCS}/wallet"
#: Path -> name of the API, and path of its description.
_REFERENCES = {
    DOCS: ("Public", PUBLIC_DESCRIPTION),
    _WALLET: ("Wallet", WALLET_DESCRIPTION),
    f"{DOCS}/internal": ("Internal", INTERNAL_DESCRIPTION),
}


def _served(settings: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        path: reference
        for path, reference in _REFERENCES.items()
        if path != _WALLET or "finance_api.api.wallet" in settings["finance_api.plugins"]
    }


def show_reference(request: Request) -> dict[str, Any]:
    """Show the API's description in a viewer."""
    served = _served(request.registry.settings)
    title, description = served[request.path]
    names = [(path, name) for path, (name, _) in served.items()]
    return page("docs", title, here=request.path, description=description, references=names)


def includeme(config: Configurator) -> None:
    for path in _served(config.registry.settings):
        config.add_route(path, path)
        config.add_view(
            show_reference,
            route_name=path,
            request_method="GET",
            renderer="reference.jinja2",
            permission=NO_PERMISSION_REQUIRED,
        )
