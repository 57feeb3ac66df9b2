"""Backends that serve all tests of a file."""

from collections.abc import Callable, Iterator

import pytest

from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.sql.tables import metadata, projection_version

_EMPTYING = [
    f"DELETE FROM {table.name}"
    for table in reversed(metadata.sorted_tables)
    if table is not projection_version
]


@pytest.fixture(scope="module")
def emptied(new_settings: Callable[[str], dict[str, str]]) -> Iterator[Callable[..., SqlBackend]]:
    """Yield a function that returns the only backend of a kind, emptied.

    It serves all tests, because making a database takes longer than most tests.
    """
    made: dict[tuple[str, bool], SqlBackend] = {}

    def empty(storage: str, *, read_model: bool = True) -> SqlBackend:
        key = storage, read_model
        if key not in made:
            url = new_settings(storage)["sqlalchemy.url"]
            made[key] = SqlBackend(url, read_model=read_model)
            made[key].upgrade()
        with made[key].engine.begin() as connection:
            # PostgreSQL takes all of them at once, which takes less time.
            together = [";".join(_EMPTYING)] if storage == "postgresql" else _EMPTYING
            for statement in together:
                connection.exec_driver_sql(statement)
        return made[key]

    yield empty
    for backend in made.values():
        backend.close()
