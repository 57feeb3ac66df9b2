"""All routes belong to a surface, all views have a permission, and all data needs a token."""

from unittest.mock import patch

import pytest
from pyramid.config import Configurator
from pyramid.exceptions import ConfigurationError
from pyramid.interfaces import IExceptionResponse
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api import includeme
from finance_api.auth.policy import Permission
from finance_api.http.surfaces import LINKS, is_page
from support.routes import (
    OPEN_PAGES,
    OPERATORS,
    introspected,
    page_paths,
    patterns,
    surface_paths,
    surface_urls,
)
from support.service import Service, new_application

#: Links of saved questions need no token: the address is the credential.
_OF_LINKS = f"{LINKS}{{address:.*}}"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")


@pytest.fixture(scope="module")
def registry(services):
    return services("memory").app.registry


def test_every_route_is_one_of_operators_or_on_a_surface_or_a_settings_page(registry):
    found = {"/" + pattern.lstrip("/") for pattern in patterns(registry).values()}
    assert found >= OPERATORS
    rest = found - OPERATORS - set(surface_paths(registry)) - set(page_paths(registry))
    assert rest - {_OF_LINKS} == {"/", "/llms.txt"}
    assert len(surface_paths(registry)) >= 12


def test_every_view_names_a_permission(registry):
    paths = patterns(registry)
    seen = set()
    for view, related in introspected(registry, "views"):
        named = {item.discriminator for item in related if item.category_name == "permissions"}
        path = paths.get(view["route_name"])
        if path is None:
            # A view of an exception: without traversal, no request can reach it directly.
            context = view["context"]
            assert context is not None, view["callable"]
            assert context is IExceptionResponse or issubclass(context, Exception)
            continue
        assert named, (path, view["callable"])
        methods = view["request_methods"]
        is_open = "/" + path.lstrip("/") in OPEN_PAGES
        if is_open or is_page("/" + path.lstrip("/")):
            assert (named == {NO_PERMISSION_REQUIRED}) is is_open, f"{path}: see OPEN_PAGES"
        elif path in OPERATORS or methods is None:
            # A view without methods is Cornice's 405 for all other methods.
            assert named == {NO_PERMISSION_REQUIRED}
        else:
            assert named <= set(Permission)
            seen.add((path, methods))
    expected = surface_paths(registry)
    seen.discard((_OF_LINKS, "GET"))
    assert seen == {(path, method) for path in expected for method in ("GET", "HEAD")}


def test_every_permission_is_of_some_view(registry):
    named = {
        item.discriminator
        for _, related in introspected(registry, "views")
        for item in related
        if item.category_name == "permissions"
    }
    assert set(Permission) <= named


def test_a_view_without_a_permission_stops_the_start():
    config = Configurator()
    config.include("finance_api.auth.policy")
    config.add_route("careless", "/v1/api/careless")
    config.add_view(lambda request: None, route_name="careless")
    with pytest.raises(ConfigurationError, match="has no permission"):
        config.make_wsgi_app()


def test_a_route_whose_context_is_forgotten_lets_nobody_in():
    """Without a factory nothing is allowed, even for a view that names a permission."""

    def careless(config):
        includeme(config)
        config.add_route("careless", "/v1/api/careless")
        config.add_view(
            lambda request: "secret",
            route_name="careless",
            renderer="string",
            permission=Permission.RECORDS_READ,
        )

    service = Service("memory", {"finance_api.storage": "memory"})
    with patch("finance_api.api.includeme", careless):
        service.app = new_application(service.settings, service.services)
    answer = service.client().get("careless")
    # Not stop(), which would lend this application to other tests.
    service.services.close()
    assert answer.status_int == 403
    assert "secret" not in answer.text
    assert service.web.get("/v1/api/careless", status="*").status_int == 401


def test_every_route_of_a_surface_is_401_without_a_token(registry, services):
    web = services("memory").web
    for path in surface_urls(registry):
        for method in METHODS:
            answer = web.request(path, method=method, expect_errors=True)
            assert (path, method, answer.status_int) == (path, method, 401)
            assert answer.headers["WWW-Authenticate"].startswith("Bearer realm=")


def test_only_get_and_head_do_anything(registry, services):
    client = services("memory").client()
    jwt = {"Authorization": f"Bearer {client.service.jwt(client.user)}"}
    for path in (*surface_urls(registry), *sorted(OPERATORS - {"/__metrics__"})):
        headers = jwt if path.startswith("/internal") else client.headers
        for method in METHODS[2:]:
            answer = client.service.web.request(
                path, method=method, headers=headers, expect_errors=True
            )
            assert (path, method, answer.status_int) == (path, method, 405)
            assert set(answer.headers["Allow"].split(", ")) >= {"GET", "HEAD"}
            kind = "json" if path.startswith("/wallet") else "problem+json"
            assert answer.headers["Content-Type"] == f"application/{kind}"
