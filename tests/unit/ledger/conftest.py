"""Fixtures: a new user for each test, on every storage."""

from collections.abc import Callable, Iterator

import pytest

from finance_api.storage.interface import StorageBackend
from finance_api.storage.memory import MemoryBackend
from finance_api.storage.sql.backend import SqlBackend
from support.ledger import Person
from support.refusals import no_refusal_has_options_on_the_pages  # noqa: F401


@pytest.fixture(scope="session")
def backends(
    new_settings: Callable[[str], dict[str, str]],
) -> Iterator[Callable[[str], StorageBackend]]:
    made: dict[str, StorageBackend] = {}

    def of(kind: str) -> StorageBackend:
        if kind not in made:
            url = new_settings(kind).get("sqlalchemy.url")
            made[kind] = MemoryBackend() if url is None else SqlBackend(url)
        return made[kind]

    yield of
    for backend in made.values():
        backend.close()


@pytest.fixture
def new_person(
    storage_of_person: str, backends: Callable[[str], StorageBackend]
) -> Callable[[], Person]:
    """Makes users of one storage."""
    return lambda: Person(backends(storage_of_person))


@pytest.fixture
def person(new_person: Callable[[], Person]) -> Person:
    return new_person()
