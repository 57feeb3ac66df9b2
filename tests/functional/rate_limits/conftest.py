"""Fixtures: a service with the default limits."""

import pytest

from support.rate_limits import Asking
from support.service import USUAL_LIMITS, Service


@pytest.fixture(scope="module")
def shared():
    """A service with the default limits; every test has its own users."""
    service = Service("memory", {"finance_api.storage": "memory", **USUAL_LIMITS})
    yield service
    service.stop()


@pytest.fixture
def service(shared):
    shared.clock.set("2026-03-18T12:00:00Z")
    return shared


@pytest.fixture
def client(service):
    return service.client()


@pytest.fixture
def ask(service, client):
    """Requests of one token."""
    return Asking(service, client.headers)


@pytest.fixture
def ask_internally(service, client):
    """Requests with one JSON Web Token."""
    jwt = service.jwt(client.user, expires_at=service.clock.now() + 86_400)
    return Asking(service, {"Authorization": f"Bearer {jwt}"}, "/internal/v1/get-records")
