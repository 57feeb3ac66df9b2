"""The service over each storage; every test has users of its own."""

from collections.abc import Callable, Iterator

import pytest

from finance_api.storage.interface import User
from support.browser import Visitor, new_user, signed_in
from support.service import STORAGES, Client, Service


@pytest.fixture(scope="session")
def services(
    new_settings: Callable[[str], dict[str, str]],
) -> Iterator[Callable[[str], Service]]:
    made: dict[str, Service] = {}

    def of(kind: str) -> Service:
        if kind not in made:
            made[kind] = Service(kind, new_settings(kind))
        return made[kind]

    yield of
    for service in made.values():
        service.stop()


@pytest.fixture(params=STORAGES)
def service(request: pytest.FixtureRequest, services: Callable[[str], Service]) -> Service:
    found = services(request.param)
    found.clock.set("2026-03-18T12:00:00Z")
    return found


@pytest.fixture
def client(service: Service) -> Client:
    return service.client()


@pytest.fixture
def user(service: Service) -> User:
    """Somebody with a password."""
    return new_user(service)


@pytest.fixture
def visitor(service: Service, user: User) -> Visitor:
    """The user's browser, signed in to the settings pages."""
    return signed_in(service, user)
