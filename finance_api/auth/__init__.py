"""Authentication and authorisation: credentials, identities, permissions, security policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # For types only: commands run without the web framework.
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    from finance_api.auth.authentication import authenticate, forbidden

    # Added as a method: for a property, Pyramid would make a class for each request.
    config.add_request_method(authenticate)
    config.include("finance_api.auth.jwt_keys")
    config.add_forbidden_view(forbidden)
    config.include("finance_api.auth.policy")
