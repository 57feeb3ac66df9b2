"""The service as a WSGI application, called without a server."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

from pyramid.config import Configurator
from pyramid.paster import get_appsettings, setup_logging
from pyramid.request import apply_request_extensions
from pyramid.response import Response

from bench import data
from bench.ini import APPLICATION
from finance_api import main
from finance_api.http.requests import Request

Environ = dict[str, Any]


class Application:
    """app: the WSGI application. Users take turns, so that the response cache does not help."""

    def __init__(self, app: Any, people: list[data.Person]) -> None:
        self.app = app
        self.registry = app.registry
        self._people = cycle(people)

    def environ(self, path: str, *, token: bool = True, **headers: str) -> Environ:
        """Return a new WSGI environ, for a request of the next user."""
        path, _, query = path.partition("?")
        environ: Environ = {"PATH_INFO": path, "QUERY_STRING": query, "REMOTE_ADDR": "127.0.0.1"}
        setup_testing_defaults(environ)
        person = next(self._people)
        if token:
            environ["HTTP_AUTHORIZATION"] = f"Bearer {person.token}"
        environ.update(headers)
        return environ

    def respond(self, environ: Environ) -> tuple[str, dict[str, str], bytes]:
        """Call the application; return status, headers and body."""
        return _call(self.app, environ)

    def request(self, path: str) -> Request:
        """Return a request as the tweens see it."""
        request = Request(self.environ(path))
        request.registry = self.registry
        apply_request_extensions(request)
        return request

    @staticmethod
    def end(request: Request) -> None:
        """Release the request's connection, as the application does after the response."""
        request.close_storage()


def _call(app: Any, environ: Environ) -> tuple[str, dict[str, str], bytes]:
    started: list[Any] = []
    chunks = app(environ, lambda status, headers, exc_info=None: started.extend((status, headers)))
    try:
        body = b"".join(chunks)
    finally:
        close = getattr(chunks, "close", None)
        if close is not None:
            close()
    return started[0], dict(started[1]), body


@contextmanager
def opened(ini: Path, people: list[data.Person]) -> Iterator[Application]:
    """Yield the application of the ini file, and close it at the end."""
    setup_logging(str(ini))
    app = main({}, **get_appsettings(str(ini), name=APPLICATION.partition(":")[2]))
    try:
        yield Application(app, people)
    finally:
        app.registry.services.close()
        logging.shutdown()


def bare_application() -> Any:
    """Make a Pyramid application with one route and an empty view: the lower bound."""
    config = Configurator()
    config.add_route("one", "/v1/api/records")
    config.add_view(lambda request: Response(b""), route_name="one")
    return config.make_wsgi_app()


def call_bare(app: Any, environ: Environ) -> None:
    _call(app, environ)
