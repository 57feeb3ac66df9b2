"""Fixtures that all tests share: databases, backends, and test settings."""

import gc
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from argon2 import PasswordHasher
from hypothesis import settings
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from finance_api.auth import passwords
from finance_api.storage.interface import StorageBackend
from finance_api.storage.memory import MemoryBackend
from finance_api.storage.sql.backend import SqlBackend
from support.citus import CITUS_URL, Cluster, PrivateCluster, citus, distributed, templates
from support.corpora import CORPORA
from support.directories import work_in_memory
from support.nightly import NIGHTLY, count
from support.programs import pgbouncer, postgresql, redis_server
from support.refusals import refusals_have_the_words_of_commands  # noqa: F401
from support.reliability import record_figures
from support.sample import SAMPLE, drawn, is_drawn
from support.service import BY_DAY, PLAIN, POOLED, STORAGES

work_in_memory()

# No deadline: an example's time depends on the machine more than on the code.
settings.register_profile("tests", deadline=None, max_examples=count(10, 200))
settings.load_profile("tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-examples",
        action="store_true",
        help="write the answers that the examples of the docs give now into the pages",
    )
    parser.addoption(
        "--record-figures",
        action="store_true",
        help="store the measured figures for docs/reliability.md",
    )


def pytest_report_header() -> str:
    return f"sample of slow cases: FINANCE_TEST_SAMPLE={SAMPLE} repeats it"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run one more worker than cores, because many tests wait for processes."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect garbage seldom, because a collection takes longer than many tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(2_000, 10, 100)
        gc.enable()


def pytest_sessionfinish() -> None:
    """Collect garbage once at the end; pytest would do it five times."""
    gc.collect()
    gc.freeze()


#: Fixtures and parameters that are each of these storages in turn.
_EACH_STORAGE = {"storage_of_service": (*STORAGES, *POOLED, *PLAIN), "storage_of_person": STORAGES}
#: Others, whose tests say which storages.
_SOME_STORAGES = ("issuer_service", "storage")
# These fixtures start several services on one database.
_SOME_STORAGES += ("both", "processes", "rotating")
#: By day, one test in this many runs on each storage other than BY_DAY.
_ONE_OF = {"memory": 60, "postgresql": 30} | dict.fromkeys((*POOLED, *PLAIN), 80)
#: The same for tests of one person's data, other than on memory, where they take a third of the
#: time: every storage keeps the promises that the ledger relies on.
_ONE_OF_PERSONS = {"sqlite": 6, "postgresql": 30}
if CITUS_URL:
    del _ONE_OF["postgresql"], _ONE_OF_PERSONS["postgresql"]


def _sampling(names: Iterable[str]) -> tuple[str, dict[str, int]]:
    """Return on which storage a test with these fixtures runs by day, and on which sometimes."""
    return ("memory", _ONE_OF_PERSONS) if "storage_of_person" in names else (BY_DAY, _ONE_OF)


def _is_drawn(test: str, storage: str, one_of: dict[str, int]) -> bool:
    """Whether a test runs on a storage by day, in all its cases. test: its node id without them."""
    return is_drawn(f"{test}[{storage}", one_of.get(storage, 1))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marked = {mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")}
    for name in _EACH_STORAGE.keys() & {*metafunc.fixturenames} - marked:
        test, storages = metafunc.definition.nodeid, _EACH_STORAGE[name]
        _, one_of = _sampling([name])
        metafunc.parametrize(name, [s for s in storages if NIGHTLY or _is_drawn(test, s, one_of)])


#: By day, one test in this many of these places runs, unless its file is named. They start servers
#: and other programs; beside those of the storages, others run on another database or with the
#: read model.
_ONE_TEST_OF = {
    "tests/cli/test_command_backup.py": 3,
    "tests/cli/test_import_memory.py": 3,
    "tests/cli/test_installed.py": 3,
    "tests/cli/test_killed_": 3,
    "tests/cli/test_restored_credentials.py": 3,
    "tests/deployment/": 3,
    "tests/functional/changes/test_lost_changes.py": 3,
    "tests/functional/databases/": 3,
    "tests/functional/exports/test_downloads_of_servers.py": 3,
    "tests/functional/http/test_description_tools.py": 3,
    "tests/functional/operation/test_plugins.py": 3,
    "tests/functional/operation/test_soak.py": 3,
    "tests/functional/operation/test_without_network.py": 3,
    "tests/functional/pages/test_upload_processes.py": 3,
    "tests/functional/servers/": 3,
    "tests/storage/test_conformance.py::TestPlain": 10,
    "tests/storage/test_conformance.py::TestPostgresql": 2,
}
#: By day, a test in one of these folders and files runs at most this many of its cases on each
#: storage, because cases are slow. The first place that fits counts.
MOST_CASES = {
    "tests/browser/": 1,
    "tests/cli/": 1,
    "tests/deployment/": 1,
    "tests/functional/": 1,
    "tests/storage/test_differential.py": 12,
    "tests/storage/test_operators.py": 2,
    "tests/unit/importers/test_csv_careless.py": 14,
    "tests/unit/importers/test_hostile_files.py": 7,
    "tests/unit/importers/test_hostile_lengths.py": 6,
    "tests/unit/importers/test_ofx_markup.py": 6,
    "tests/unit/importers/test_reported_files.py": 10,
    "tests/unit/ledger/test_undo.py": 2,
    "tests/unit/web/test_clicks.py": 6,
}


def _test_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _params(item: pytest.Item) -> dict[str, Any]:
    return item.callspec.params if hasattr(item, "callspec") else {}


def _storage_of(item: pytest.Item) -> str | None:
    params = _params(item)
    return next((params[n] for n in (*_EACH_STORAGE, *_SOME_STORAGES) if n in params), None)


def _has_its_day(item: pytest.Item, named: list[str]) -> bool:
    """Whether a test of `_ONE_TEST_OF` runs by day. named: files or tests that all run."""
    one_of = next((n for place, n in _ONE_TEST_OF.items() if item.nodeid.startswith(place)), 1)
    is_named = any(".py" in name and item.nodeid.startswith(name) for name in named)
    return is_named or is_drawn(_test_of(item), one_of)


def _left_out_by_day(items: list[pytest.Item], named: list[str]) -> set[pytest.Item]:
    """Return the cases that are left for the night. named: tests of which all cases run."""
    cases: dict[tuple[str, str | None, int], dict[str, pytest.Item]] = defaultdict(dict)
    for item in items:
        most = next((n for place, n in MOST_CASES.items() if item.nodeid.startswith(place)), None)
        if most is not None and _test_of(item) not in named:
            cases[_test_of(item), _storage_of(item), most][item.nodeid] = item
    return {
        each[node]
        for (_, _, most), each in cases.items()
        for node in each.keys() - drawn(each, most)
    }


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """By day, run few tests on storages other than BY_DAY, and few cases of slow tests.

    Tests of the storages themselves run on all, because their fixtures have other names.
    """
    nodes = {item.nodeid for item in items}
    kept, left_out = [], []
    for item in items:
        storage, (by_day, one_of) = _storage_of(item), _sampling(_params(item))
        if storage not in one_of or item.nodeid.replace(storage, by_day) not in nodes:
            kept.append(item)
        elif NIGHTLY:
            item.add_marker("nightly")
            kept.append(item)
        else:
            (kept if _is_drawn(_test_of(item), storage, one_of) else left_out).append(item)
    by_night = _left_out_by_day(kept, config.args)
    by_night |= {item for item in kept if not _has_its_day(item, config.args)}
    if NIGHTLY:
        for item in by_night:
            item.add_marker("nightly")
    else:
        left_out += by_night
        kept = [item for item in kept if item not in by_night]
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Return a function that notes a measured figure. pytest prints all figures at its end."""

    def note(text: str) -> None:
        request.node.user_properties.append(("figure", text))

    return note


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    measured: dict[str, dict[str, list[str]]] = {"passed": {}, "failed": {}}
    for kind, tests in measured.items():
        for report in terminalreporter.getreports(kind):
            figures = [text for name, text in report.user_properties if name == "figure"]
            if figures and report.when == "call":
                tests[report.nodeid] = figures
    if any(measured.values()):
        terminalreporter.section("figures")
    for tests in measured.values():
        for test, figures in tests.items():
            for figure in figures:
                terminalreporter.line(f"{test.rpartition('::')[2]}: {figure}")
    if config.getoption("--record-figures"):
        record_figures(measured["passed"])


@pytest.fixture(scope="session", autouse=True)
def no_settings_in_the_environment() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in list(os.environ):
            if name.startswith("FINANCE_API_"):
                monkeypatch.delenv(name)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """Make password hashing fast in this process."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        monkeypatch.setattr(passwords, "_hasher", quick)
        yield


@pytest.fixture(scope="session")
def corpora() -> Path:
    if not CORPORA.is_dir():
        pytest.skip(f"there are no corpora in {CORPORA}")
    return CORPORA


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """Yield the URL of a server: of a private one, or with CITUS_URL of the coordinator."""
    if CITUS_URL:
        yield CITUS_URL
        return
    with postgresql() as server:
        yield server.url


@pytest.fixture(scope="session")
def cluster() -> Iterator[PrivateCluster]:
    with citus() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def new_citus_url(cluster: PrivateCluster) -> Callable[[], str]:
    """Return a function that makes a distributed database."""
    return templates(cluster, distributed)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with redis_server() as server:
        yield server.url


@pytest.fixture(scope="session")
def new_postgresql_url(postgresql_server: str) -> Iterator[Callable[[], str]]:
    """Yield a function that makes a database with its tables; with CITUS_URL, on its cluster."""
    if CITUS_URL:
        yield templates(Cluster.of(CITUS_URL), distributed)
        return
    server = create_engine(postgresql_server, isolation_level="AUTOCOMMIT")
    count = 0

    def make() -> str:
        nonlocal count
        count += 1
        name = f"tests_{count}"
        with server.connect() as connection:
            if count == 1:
                connection.execute(text("CREATE DATABASE template_of_tests"))
                url = make_url(postgresql_server).set(database="template_of_tests")
                _upgraded(url.render_as_string(hide_password=False))
            connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template_of_tests"))
        url = make_url(postgresql_server).set(database=name)
        return url.render_as_string(hide_password=False)

    yield make
    server.dispose()


@pytest.fixture
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Return a function that makes a database of a kind, without tables."""

    def make(storage: str) -> str:
        if storage == "sqlite":
            return f"sqlite:///{tmp_path / 'empty.db'}"
        url = make_url(request.getfixturevalue("postgresql_server"))
        server = create_engine(url, isolation_level="AUTOCOMMIT")
        name = f"empty_{uuid4().hex}"
        with server.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        server.dispose()
        return url.set(database=name).render_as_string(hide_password=False)

    return make


def _behind_pgbouncer(mode: str, connections: int) -> Callable[..., Iterator[Callable[[], str]]]:
    @pytest.fixture(scope="session")
    def new_url(
        postgresql_server: str, new_postgresql_url: Callable[[], str]
    ) -> Iterator[Callable[[], str]]:
        """Yield a function that makes a database with its tables, behind PgBouncer."""
        with pgbouncer(postgresql_server, mode, connections) as pooler:

            def make() -> str:
                name = make_url(new_postgresql_url()).database
                return make_url(pooler.url).set(database=name).render_as_string(hide_password=False)

            yield make

    return new_url


new_pgbouncer_transaction_url = _behind_pgbouncer("transaction", 3)
new_pgbouncer_session_url = _behind_pgbouncer("session", 20)


@pytest.fixture(scope="session")
def new_sqlite_url() -> Iterator[Callable[[], str]]:
    """Yield a function that makes a database with its tables."""
    with tempfile.TemporaryDirectory(prefix="finance-tests-") as name:
        directory = Path(name)
        template = directory / "template.db"
        _upgraded(f"sqlite:///{template}")
        count = 0

        def make() -> str:
            nonlocal count
            count += 1
            shutil.copy(template, directory / f"{count}.db")
            return f"sqlite:///{directory / f'{count}.db'}"

        yield make


def _upgraded(url: str, *, read_model: bool = True) -> None:
    backend = SqlBackend(url, read_model=read_model)
    backend.upgrade()
    backend.close()


@pytest.fixture(scope="session")
def new_settings(request: pytest.FixtureRequest) -> Callable[[str], dict[str, str]]:
    """Return a function that gives the settings of a new, empty storage of a kind."""

    def make(storage: str) -> dict[str, str]:
        if storage == "memory":
            return {"finance_api.storage": "memory"}
        url = request.getfixturevalue(f"new_{PLAIN.get(storage, storage)}_url")()
        if storage not in PLAIN:
            return {"finance_api.storage": "sql", "sqlalchemy.url": url}
        _upgraded(url, read_model=False)
        return {"finance_api.storage": "support.plain_storage.open_plain", "sqlalchemy.url": url}

    return make


@pytest.fixture
def new_backend(
    new_settings: Callable[[str], dict[str, str]],
) -> Iterator[Callable[..., StorageBackend]]:
    """Yield a function that makes an empty backend of a kind. Closes all of them at the end.

    Without ``read_model`` an SQL storage reads everything from the rows.
    """
    made: list[StorageBackend] = []

    def make(storage: str, *, read_model: bool = True) -> StorageBackend:
        url = new_settings(storage).get("sqlalchemy.url")
        backend = MemoryBackend() if url is None else SqlBackend(url, read_model=read_model)
        if not read_model:
            backend.upgrade()
        made.append(backend)
        return backend

    yield make
    for backend in made:
        backend.close()
        if CITUS_URL and isinstance(backend, SqlBackend) and backend.engine.name == "postgresql":
            # Otherwise Citus' processes for this database would go on running on each node.
            Cluster.of(CITUS_URL).drop(str(backend.engine.url.database))
