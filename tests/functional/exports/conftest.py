"""Fixtures: users whose data many tests read, and services with a small quota."""

import pytest

from support.service import USUAL_LIMITS, Service


@pytest.fixture(scope="module")
def readers():
    """Users whose data no test changes, by service and data."""
    return {}


@pytest.fixture
def reader(service, readers):
    def with_data(make):
        if (service, make) not in readers:
            readers[service, make] = service.client()
            readers[service, make].load(*make())
        return readers[service, make]

    return with_data


@pytest.fixture
def limited(new_settings):
    """A service on which ten requests are left of a new token's hundred."""
    made = []

    def make(limit="100/hour", kind="memory"):
        settings = {**new_settings(kind), **USUAL_LIMITS, "finance_api.ratelimit.public": limit}
        made.append(Service(kind, settings))
        return made[-1].client()

    yield make
    for each in made:
        each.stop()
