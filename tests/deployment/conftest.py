"""One site for each storage, behind nginx; by day on PostgreSQL only."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from support.deployment import Site, site
from support.nightly import count

STORAGES = count(["postgresql"], ["sqlite", "postgresql"])


@pytest.fixture(scope="session")
def sites(
    tmp_path_factory: pytest.TempPathFactory,
    new_settings: Callable[[str], dict[str, str]],
    redis_url: str,
) -> Iterator[Callable[[str], Site]]:
    with ExitStack() as stack:
        made: dict[str, Site] = {}

        def of(storage: str) -> Site:
            if storage not in made:
                directory = tmp_path_factory.mktemp(storage)
                context = site(directory, storage, new_settings(storage), redis_url)
                made[storage] = stack.enter_context(context)
            return made[storage]

        yield of


@pytest.fixture(params=STORAGES)
def served(request: pytest.FixtureRequest, sites: Callable[[str], Site]) -> Iterator[Site]:
    """A site with one service, which passes the closing audit after the test."""
    found = sites(request.param)
    yield found
    found.audit()
