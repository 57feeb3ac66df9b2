"""Fixtures: one service in memory for all modules."""

from collections.abc import Iterator

import pytest

from support.service import Service
from support.wallet import NOW, Wallet, books


@pytest.fixture(scope="session")
def own_service() -> Iterator[Service]:
    service = Service("memory", {"finance_api.storage": "memory"})
    service.clock.set(NOW)
    yield service
    service.stop()


@pytest.fixture(scope="session")
def loaded(own_service: Service) -> Wallet:
    client = own_service.client()
    client.load(*books())
    return Wallet(client)


@pytest.fixture
def wallet(loaded: Wallet) -> Wallet:
    """A user with data of every type, which tests must not change."""
    loaded.service.clock.set(NOW)
    return loaded


@pytest.fixture
def empty(own_service: Service) -> Wallet:
    """A new user without data."""
    own_service.clock.set(NOW)
    return Wallet(own_service.client())
