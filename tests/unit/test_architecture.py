"""Who may import whom; the reasons are in docs/architecture.md.

The tests read every import of every module in the source, including imports inside functions.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from support.sources import ROOT, nodes, sources

PACKAGE = "finance_api"


@dataclass(frozen=True)
class Module:
    """name: dotted. imports: dotted names of the imports, with their lines."""

    name: str
    tree: ast.Module
    imports: tuple[tuple[str, int], ...]


def _imports(tree: ast.Module) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            assert node.module is not None
            # A name imported from a package can be one of its modules.
            found += [(f"{node.module}.{alias.name}", node.lineno) for alias in node.names]
    return found


@cache
def modules() -> tuple[Module, ...]:
    return tuple(Module(name, tree, tuple(_imports(tree))) for name, tree in sources().items())


def within(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def own(*names: str) -> tuple[str, ...]:
    return tuple(f"{PACKAGE}.{name}" for name in names)


def offences(importer: Callable[[str], bool], imported: Callable[[str], bool]) -> list[str]:
    """The imports of ``imported`` by modules that are ``importer``."""
    return [
        f"{module.name}, line {line}: imports {name}"
        for module in modules()
        if importer(module.name)
        for name, line in module.imports
        if imported(name)
    ]


def test_there_are_modules_to_look_at() -> None:
    assert len(modules()) > 100
    assert any(
        name == "sqlalchemy.exc.IntegrityError"
        for module in modules()
        for name, _ in module.imports
    )


@pytest.mark.parametrize(
    ("library", "homes"),
    [
        ("sqlalchemy", own("storage.sql")),
        ("zope.sqlalchemy", own("storage.sql")),
        ("alembic", own("storage.sql")),
        ("psycopg", own("storage.sql")),
        (
            "sqlite3",
            own(
                "storage.sql",
                "ledger.matching.duplicates",
                "clients.mirror",
                "importers.books.sqlite_file",
            ),
        ),
        ("jwt", own("auth")),
        ("argon2", own("auth")),
        ("zxcvbn", own("auth")),
        ("cryptography", own("auth")),
        ("redis", own("ratelimit.redis")),
        ("prometheus_client", own("runtime.metrics")),
        ("opentelemetry", own("http.tracing")),
        ("cornice", own("api", "wallet")),
        ("colander", own("api", "wallet")),
        ("click", own("cli")),
        ("rich", own("cli")),
        ("waitress", ()),
        ("xlsxwriter", own("serialization.xlsx")),
        ("python_calamine", own("importers.spreadsheet.conversion")),
        ("olefile", own("importers.spreadsheet.container")),
        (
            "orjson",
            own("api", "wallet", "serialization", "http.errors", "importers")
            + own("storage.sql.roles.activity"),
        ),
        ("granian", own("server.granian")),
        ("babel", own("values.regions")),
        ("iso4217", own("resources")),
        ("markupsafe", own("web")),
        ("markdown_it", own("web.guides")),
        *((library, own("clients.mcp")) for library in ("mcp", "httpx2", "uvicorn", "starlette")),
        ("python_multipart", own("uploads.receiving")),
        ("icalendar", own("questions.subscriptions")),
    ],
)
def test_a_library_is_imported_in_one_place_only(library: str, homes: tuple[str, ...]) -> None:
    assert not offences(lambda name: not within(name, *homes), lambda name: within(name, library))


@pytest.mark.parametrize(
    "implementation", own("storage.memory", "storage.sql", "ratelimit.redis", "wallet", "web")
)
def test_nobody_imports_what_settings_name(implementation: str) -> None:
    assert not offences(
        lambda name: not within(name, implementation), lambda name: within(name, implementation)
    )


def test_only_the_sql_backend_knows_its_read_model() -> None:
    """Everything that exists for speed is behind one door; without it, all still works."""
    read_model, door = own("storage.sql.read_model", "storage.sql.backend")
    assert [
        (module.name, name)
        for module in modules()
        if not within(module.name, read_model)
        for name, _ in module.imports
        if within(name, read_model)
    ] == [(door, f"{read_model}.ReadModel")]


def test_only_the_placement_of_tables_knows_citus() -> None:
    """Besides it, only the command that users call."""
    paths = (path for path in ROOT.rglob("*.py") if "citus" in path.read_text("utf-8").lower())
    assert {str(path.relative_to(ROOT)) for path in paths} == {
        "storage/sql/placement.py",
        "cli/backup.py",
    }


#: What each part may import of the others. Parts above import only parts below.
ARROWS = {
    "values": "",
    "resources": "values",
    "runtime": "values",
    "serialization": "resources values",
    "query": "resources values",
    "importers": "resources serialization values",
    "wording": "importers values",
    "storage": "query resources runtime serialization values",
    "planning": "query resources runtime serialization storage values",
    "ledger": "importers planning query resources runtime serialization storage values",
    "uploads": "importers ledger resources runtime serialization storage values",
    "http": "runtime storage values",
    "auth": "http resources runtime storage values",
    "ratelimit": "http runtime values",
    "usage": "http runtime storage values",
    "questions": "http planning resources runtime serialization storage values",
    "api": "auth http importers ledger planning query questions ratelimit resources runtime "
    "serialization storage usage values",
    "web": "auth http importers ledger planning query questions ratelimit resources runtime "
    "serialization storage uploads usage values wording",
    "wallet": "api auth http importers planning query ratelimit resources runtime serialization "
    "storage values",
    "services": "auth http ratelimit runtime storage uploads usage values",
    # `settings` imports the modules that declare settings by their names.
    "settings": "runtime",
    "demo": "auth importers ledger resources runtime storage values",
    # `clients` reach the data only through the HTTP API, and describe it by its declarations.
    "clients": "query resources values",
    "server": "__init__ runtime settings storage",
    "cli": "__init__ auth clients demo http importers ledger questions ratelimit resources "
    "runtime serialization server settings storage values wording",
    # `finance_api.main` includes the parts of the application.
    "__init__": "http runtime services settings",
}


def _part(name: str) -> str:
    """Return the package or module of the top level that contains the module."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def _own_imports(module: Module) -> set[str]:
    """Return the project's own modules that the module imports, at its top or within a function."""
    known = {each.name for each in modules()}
    names = {name if name in known else name.rpartition(".")[0] for name, _ in module.imports}
    return {name for name in names if within(name, PACKAGE)} - {module.name}


def test_parts_import_only_what_is_below_them() -> None:
    imports = {(_part(m.name), _part(name)) for m in modules() for name in _own_imports(m)}
    allowed = {(part, other) for part, others in ARROWS.items() for other in others.split()}
    assert {pair for pair in imports if pair[0] != pair[1]} - allowed == set()
    # Raises CycleError, which names the circle.
    graph = {part: others.split() for part, others in ARROWS.items()}
    assert len(tuple(TopologicalSorter(graph).static_order())) == len(ARROWS)


def test_every_part_has_its_arrows() -> None:
    assert {_part(module.name) for module in modules()} == set(ARROWS)


def test_modules_import_each_other_in_no_circle() -> None:
    graph = {module.name: _own_imports(module) for module in modules()}
    assert len(graph[f"{PACKAGE}.services"]) > 10
    # Raises CycleError, which names the circle.
    assert len(tuple(TopologicalSorter(graph).static_order())) == len(graph)


_HTTP_LIBRARIES = ("pyramid", "webob", "cornice", "waitress", "granian", "http")


@pytest.mark.parametrize(
    "package",
    ["storage.sql", "storage.memory", "storage.interface", "storage.errors"]
    + ["ledger", "planning", "query", "importers", "values", "resources", "demo.household"],
)
def test_the_request_stops_at_the_views(package: str) -> None:
    assert not offences(
        lambda name: within(name, *own(package)), lambda name: within(name, *_HTTP_LIBRARIES)
    )


#: Functions that read the wall clock. Another test below is about durations.
_WALL_CLOCK = frozenset(
    {
        *("time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.strftime"),
        *("time.ctime", "time.asctime", "datetime.now", "datetime.utcnow", "datetime.today"),
        "date.today",
    }
)
_DURATIONS = frozenset({"time.monotonic", "time.perf_counter"})


def _dotted(node: ast.AST) -> str:
    """Return ``datetime.datetime.now`` for such an expression; "" for others."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _uses(module: Module, names: frozenset[str]) -> list[str]:
    """Return the places where the module uses one of ``names``, as an attribute or imported."""
    last = {name.rpartition(".")[2] for name in names}
    found = [
        f"{module.name}, line {node.lineno}: {dotted}"
        for node in nodes(module.tree)
        if isinstance(node, ast.Attribute)
        and node.attr in last
        and (dotted := ".".join(_dotted(node).split(".")[-2:])) in names
    ]
    return found + [
        f"{module.name}, line {n}: imports {i}" for i, n in module.imports if i in names
    ]


def test_only_the_clock_asks_for_the_time() -> None:
    clock = f"{PACKAGE}.runtime.clock"
    assert not [use for m in modules() if m.name != clock for use in _uses(m, _WALL_CLOCK)]


def test_durations_are_measured_only_where_connections_and_requests_are() -> None:
    homes = own("http", "ratelimit.fallback", "runtime", "storage.sql", "uploads.receiving")
    assert not [
        use for m in modules() if not within(m.name, *homes) for use in _uses(m, _DURATIONS)
    ]


def test_the_clock_is_seen_asking() -> None:
    (clock,) = (m for m in modules() if m.name == f"{PACKAGE}.runtime.clock")
    assert _uses(clock, _WALL_CLOCK)


#: Functions that run text as code, or load it as objects.
_RUNNING = frozenset({"os.system", "os.popen", "builtins.eval", "builtins.exec"})
_RUNNING_MODULES = ("code", "pickle", "shelve", "yaml")


def _runs_text(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.Call)
        and (
            getattr(node.func, "id", "") in ("eval", "exec", "__import__")
            or any(word.arg == "shell" for word in node.keywords)
        )
        for node in nodes(tree)
    )


def test_no_text_is_run_as_code() -> None:
    assert [m.name for m in modules() if _runs_text(m.tree) or _uses(m, _RUNNING)] == []
    assert not offences(lambda name: True, lambda name: within(name, *_RUNNING_MODULES))


def test_every_module_says_what_it_is_for() -> None:
    assert [module.name for module in modules() if not ast.get_docstring(module.tree)] == []


def test_no_module_is_a_drawer_for_anything() -> None:
    drawers = {"utils", "util", "helpers", "helper", "misc", "common_utils", "tools", "stuff"}
    assert not [m.name for m in modules() if m.name.rpartition(".")[2] in drawers]


UNIT_TESTS = Path(__file__).parent


def test_unit_tests_lie_where_what_they_test_does() -> None:
    folders = {p.name for p in UNIT_TESTS.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert [name for name in folders if not (ROOT / name).is_dir()] == []
    names = {path.stem.removeprefix("test_") for path in UNIT_TESTS.glob("test_*.py")}
    assert "docs" in names
    below = {path.stem for path in ROOT.glob("*/**/*.py")}
    assert [n for n in names if n in below and not (ROOT / f"{n}.py").exists()] == []


#: The context variables: what a log line and a query need to know, without being asked.
CONTEXT_VARIABLES = {
    "finance_api.runtime.logs": ["current_request_id"],
    "finance_api.runtime.time_limit": ["_limit"],
}


def test_no_context_variable_or_thread_local_has_the_request_or_the_region() -> None:
    makers = ("ContextVar", "contextvars.ContextVar", "local", "threading.local")
    found = {
        module.name: [
            ast.unparse(getattr(statement, "target", None) or statement.targets[0])
            for statement in ast.walk(module.tree)
            if isinstance(statement, ast.Assign | ast.AnnAssign)
            and any(
                isinstance(call, ast.Call) and ast.unparse(call.func) in makers
                for call in ast.walk(statement)
            )
        ]
        for module in modules()
    }
    assert {name: names for name, names in found.items() if names} == CONTEXT_VARIABLES
