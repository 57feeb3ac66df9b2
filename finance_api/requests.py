"""The request class of an application."""

from pyramid.config import Configurator
from pyramid.interfaces import IRequestExtensions
from pyramid.registry import Registry
from pyramid.request import Request


def includeme(config: Configurator) -> None:
    """Gives the application a request class of its own."""
    config.registry.request_class = type("Request", (Request,), {})
    config.set_request_factory(config.registry.request_class)


def settle_properties(registry: Registry) -> None:
    """Puts the properties that includes have added on the class, once.

    Pyramid would make a class with them for each request. To be called when all is included.
    """
    extensions = registry.queryUtility(IRequestExtensions)
    for name, descriptor in extensions.descriptors.items():
        setattr(registry.request_class, name, descriptor)
    extensions.descriptors.clear()
