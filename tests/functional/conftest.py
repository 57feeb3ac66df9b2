"""The service over each storage; every test has users of its own."""

import zlib
from collections.abc import Callable, Iterator

import pytest

from finance_api.storage.interface import User
from support.browser import Visitor, new_user, signed_in
from support.nightly import NIGHTLY
from support.service import POOLED, STORAGES, Client, Service, running_services


@pytest.fixture(scope="session")
def services(
    new_settings: Callable[[str], dict[str, str]],
) -> Iterator[Callable[[str], Service]]:
    with running_services(new_settings) as of:
        yield of


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """By day one test in twenty runs behind PgBouncer in each mode, the same ones at every run."""

    def is_left_out(item: pytest.Item) -> bool:
        call = getattr(item, "callspec", None)
        is_pooled = call is not None and call.params.get("service") in POOLED
        return is_pooled and not NIGHTLY and zlib.crc32(item.nodeid.encode()) % 20 != 0

    left_out = [item for item in items if is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not is_left_out(item)]


@pytest.fixture(params=[*STORAGES, *(pytest.param(p, marks=pytest.mark.nightly) for p in POOLED)])
def service(request: pytest.FixtureRequest, services: Callable[[str], Service]) -> Service:
    found = services(request.param)
    found.clock.set("2026-03-18T12:00:00Z")
    # No cookies of the test before.
    found.web.reset()
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
