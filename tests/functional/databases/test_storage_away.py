"""A database that is unavailable for a while: 503 meanwhile, and no restart is needed."""

import pytest

from support.programs import Postgresql, postgresql, wait_until
from support.service import Service


@pytest.fixture
def own_server():
    with postgresql() as server:
        yield server


def test_the_service_recovers_by_itself(own_server: Postgresql):
    settings = {"finance_api.storage": "sql", "sqlalchemy.url": own_server.url}
    service = Service("postgresql", settings)
    service.backend.upgrade()
    client = service.client()
    assert client.get("records").status_int == 200

    own_server.stop()
    for _ in range(3):
        response = client.get("records")
        assert response.status_int == 503
        assert int(response.headers["Retry-After"]) >= 1
        assert response.content_type == "application/problem+json"
        assert "5432" not in response.text
    assert service.web.get("/__lbheartbeat__").status_int == 200
    assert service.web.get("/__heartbeat__", status="*").status_int == 503

    own_server.start()
    # The circuit breaker stays open for a moment after a failed attempt.
    wait_until(lambda: client.get("records").status_int == 200)
    assert service.web.get("/__heartbeat__").status_int == 200
    service.backend.close()
