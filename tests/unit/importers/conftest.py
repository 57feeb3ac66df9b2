"""Fixtures that all tests of importers share."""

import pytest

from finance_api.storage.memory import MemoryBackend
from support.ledger import Person
from support.refusals import no_refusal_has_options_on_the_pages  # noqa: F401


@pytest.fixture
def person() -> Person:
    return Person(MemoryBackend())
