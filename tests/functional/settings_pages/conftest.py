"""Fixtures: services in memory, for tests that do not depend on the storage."""

from collections.abc import Callable, Iterator

import pytest

from support.service import Service


@pytest.fixture(scope="module")
def configured() -> Iterator[Callable[..., Service]]:
    """Makes services with settings of their own: one for the same settings."""
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
