"""Fixtures: services for one module, and in memory for tests that depend on no storage."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from support.browser import few_users as services  # noqa: F401
from support.service import Service
from support.world import World


@pytest.fixture(scope="module")
def configured() -> Iterator[Callable[..., Service]]:
    """Return a function that makes services with other settings, one for each set of settings."""
    made: dict[tuple[tuple[str, str], ...], Service] = {}

    def make(**settings: str) -> Service:
        key = tuple(sorted(settings.items()))
        if key not in made:
            names = {f"finance_api.{k.replace('__', '.')}": v for k, v in settings.items()}
            made[key] = Service("memory", {"finance_api.storage": "memory", **names})
        return made[key]

    yield make
    for service in made.values():
        service.stop()


@pytest.fixture(scope="module")
def plain(configured: Callable[..., Service]) -> Service:
    return configured()


@pytest.fixture(scope="module")
def worlds() -> Callable[[Service], World]:
    return cache(World)


@pytest.fixture
def world(service: Service, worlds: Callable[[Service], World]) -> World:
    """A world for the tests of a module, which change nothing."""
    return worlds(service)


@pytest.fixture(scope="module")
def two_processes(
    new_settings: Callable[[str], dict[str, str]],
) -> Iterator[Callable[[str], tuple[Service, Service]]]:
    """Make two applications over one database of a kind."""
    made: dict[str, tuple[Service, Service]] = {}

    def make(kind: str) -> tuple[Service, Service]:
        if kind not in made:
            settings = new_settings(kind)
            first = Service(kind, settings)
            settings = {**settings, "finance_api.jwt.keys": first.key_file}
            made[kind] = first, Service(kind, settings, first.clock)
        return made[kind]

    yield make
    for pair in made.values():
        for service in pair:
            service.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def both(
    request: pytest.FixtureRequest, two_processes: Callable[[str], tuple[Service, Service]]
) -> tuple[Service, Service]:
    pair = two_processes(request.param)
    pair[0].clock.set("2026-03-18T12:00:00Z")
    return pair
