"""The HTTP interface: Cornice services over the storage."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    # Problem documents are made by `finance_api.http.errors`.
    config.add_settings({"handle_exceptions": False})
    config.include("cornice")
    # Cornice's property of that name is not used; with it, Pyramid makes a class for each request.
    config.add_request_method(None, "current_service")
    config.include("finance_api.api.public")
    config.include("finance_api.api.wallet")
    config.scan("finance_api.api.public")
    config.scan("finance_api.api.internal")
    config.scan("finance_api.api.ops")
