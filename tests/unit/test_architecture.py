"""Who may import whom; the reasons are in docs/architecture.md.

The rules are held by reading the source: every import of every module, those inside functions too.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from support.sources import ROOT, sources

PACKAGE = "finance_api"


@dataclass(frozen=True)
class Module:
    """name: dotted. imports: dotted names of what it imports, with the lines."""

    name: str
    tree: ast.Module
    imports: tuple[tuple[str, int], ...]


def _imports(tree: ast.Module) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            assert node.module is not None
            # What is imported from a package can be a module of it.
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
    assert any(name == "sqlalchemy.select" for module in modules() for name, _ in module.imports)


@pytest.mark.parametrize(
    ("library", "homes"),
    [
        ("sqlalchemy", own("storage.sql")),
        ("zope.sqlalchemy", own("storage.sql")),
        ("alembic", own("storage.sql")),
        ("psycopg", own("storage.sql")),
        ("sqlite3", own("storage.sql", "ledger.matching.duplicates")),
        ("jwt", own("auth")),
        ("argon2", own("auth")),
        ("zxcvbn", own("auth")),
        ("cryptography", own("auth")),
        ("redis", own("ratelimit.redis")),
        ("prometheus_client", own("runtime.metrics")),
        ("opentelemetry", own("http.tracing")),
        ("cornice", own("api")),
        ("colander", own("api")),
        ("click", own("cli")),
        ("rich", own("cli")),
        ("waitress", ()),
        ("xlsxwriter", own("api")),
        ("python_calamine", own("importers.spreadsheet.conversion")),
        ("olefile", own("importers.spreadsheet.container")),
        (
            "orjson",
            own(
                "api",
                "resources",
                "http.problem",
                "importers",
                "storage.sql.roles.history",
                "storage.sql.roles.uploads",
            ),
        ),
        ("granian", own("server.granian")),
        ("dateutil", own("planning")),
        ("iso4217", own("resources")),
        ("mt940", own("importers.mt940")),
        ("markupsafe", own("web")),
        *((library, own("mcp")) for library in ("mcp", "httpx2", "uvicorn", "starlette")),
        ("python_multipart", own("web.receiving")),
    ],
)
def test_a_library_is_imported_in_one_place_only(library: str, homes: tuple[str, ...]) -> None:
    assert not offences(lambda name: not within(name, *homes), lambda name: within(name, library))


@pytest.mark.parametrize("implementation", own("storage.memory", "storage.sql"))
def test_nobody_imports_a_storage_implementation(implementation: str) -> None:
    assert not offences(
        lambda name: not within(name, implementation),
        lambda name: within(name, implementation),
    )


#: What may be imported of this project, beside the package itself. A package that is not here may
#: import everything.
ALLOWED = {
    "values": (),
    "runtime.clock": (),
    "runtime.background": (),
    "runtime.bulkhead": (),
    "runtime.circuit_breaker": (),
    "http.compression": (),
    "http.problem": (),
    "http.querystring": (),
    # The types of its tween alone.
    "runtime.time_limit": ("http.requests",),
    "runtime.metrics": (),
    # Both imported late: the one when it is first needed, the other by mypy alone. See
    # `test_modules_import_each_other_in_no_circle`.
    "http.requests": (
        "auth.authentication",
        "services",
        "auth.identity",
        "ratelimit.limits",
        "storage.interface",
        "runtime.time_limit",
    ),
    "services": (
        "api.response_cache",
        "auth",
        "runtime.background",
        "runtime.bulkhead",
        "runtime.clock",
        "http.downloads",
        "runtime.housekeeping",
        "ledger.files",
        "runtime.metrics",
        "ratelimit",
        "settings",
        "storage.interface",
        "storage.open_backend",
        "uploads",
        "usage",
    ),
    "http.tweens": ("settings",),
    # It has no other way to the data than the HTTP API.
    "mcp": ("__version__", "resources"),
    "settings": ("ratelimit.limits",),
    "http.surfaces": (),
    "resources": ("values",),
    "query": ("resources", "values"),
    "importers": ("resources", "values"),
    "planning": ("query", "resources", "storage.interface", "runtime.time_limit", "values"),
    "storage.errors": (),
    "storage.interface": ("query", "resources", "storage.errors", "runtime.time_limit", "values"),
    "storage.memory": ("query", "resources", "storage.errors", "storage.interface", "values"),
    "storage.sql": (
        "runtime.circuit_breaker",
        "query",
        "resources",
        "settings",
        "storage.errors",
        "storage.interface",
        "runtime.time_limit",
        "values",
    ),
    "ledger": (
        "importers",
        "planning",
        "query",
        "resources",
        "storage.errors",
        "storage.interface",
        "values",
    ),
    "demo.household": ("demo.catalogue", "importers", "resources", "values"),
    "demo.catalogue": (),
    "http.downloads": (
        "runtime.bulkhead",
        "runtime.logs",
        "http.requests",
        "storage.errors",
        "storage.interface",
    ),
    "http.errors": (
        "runtime.bulkhead",
        "http.downloads",
        "http.problem",
        "http.requests",
        "storage.errors",
        "http.surfaces",
        "runtime.time_limit",
    ),
    "auth": (
        "runtime.background",
        "http.proxies",
        "http.errors",
        "http.problem",
        "http.querystring",
        "http.requests",
        "resources",
        "settings",
        "storage.errors",
        "storage.interface",
        "http.surfaces",
        "values",
    ),
    "ratelimit.limits": (),
    "ratelimit": (
        "auth.identity",
        "runtime.circuit_breaker",
        "http.proxies",
        "http.errors",
        "runtime.metrics",
        "http.requests",
        "settings",
        "storage.errors",
        "http.surfaces",
        "runtime.time_limit",
    ),
    "usage": (
        "auth.identity",
        "runtime.background",
        "http.requests",
        "storage.interface",
        "http.surfaces",
        "values",
    ),
    "runtime.housekeeping": (
        "auth.sessions",
        "runtime.background",
        "runtime.clock",
        "http.requests",
        "storage.errors",
        "storage.interface",
        "uploads.stored_uploads",
        "values",
    ),
    "uploads": (
        "runtime.background",
        "runtime.clock",
        "importers",
        "ledger",
        "runtime.limited_process",
        "resources",
        "storage.errors",
        "storage.interface",
        "storage.open_backend",
        "values",
    ),
    "runtime.limited_process": (),
    "http": (
        "__version__",
        "auth.authentication",
        "auth.identity",
        "ratelimit.limits",
        "runtime",
        "services",
        "settings",
        "storage.errors",
        "storage.interface",
    ),
    "runtime.logs": ("values",),
    "server.wsgi": ("runtime.logs", "main", "settings", "storage.errors"),
    "server.granian": ("runtime.metrics", "settings", "server.worker", "server.wsgi"),
    "server.worker": ("server.unended",),
}


@pytest.mark.parametrize("package", ALLOWED)
def test_dependencies_point_in_one_direction(package: str) -> None:
    allowed = own(package, *ALLOWED[package])
    assert not offences(
        lambda name: within(name, *own(package)),
        lambda name: within(name, PACKAGE) and not within(name, *allowed),
    )


@pytest.mark.parametrize("package", ALLOWED)
def test_every_package_with_a_rule_exists(package: str) -> None:
    assert any(within(module.name, *own(package)) for module in modules())


def _imports_at_once(module: Module) -> set[str]:
    """The modules of this project that importing ``module`` imports."""
    top_level = [node for node in module.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name for name, _ in _imports(ast.Module(top_level, []))}
    known = {each.name for each in modules()}
    found = {name if name in known else name.rpartition(".")[0] for name in names}
    return {name for name in found if within(name, PACKAGE)} - {module.name}


def test_modules_import_each_other_in_no_circle() -> None:
    graph = {module.name: _imports_at_once(module) for module in modules()}
    assert len(graph[f"{PACKAGE}.services"]) > 10
    # Raises CycleError, which names the circle.
    assert len(tuple(TopologicalSorter(graph).static_order())) == len(graph)


@pytest.mark.parametrize("below", ["ledger", "importers", "storage", "planning", "query", "auth"])
def test_nothing_below_the_views_imports_api_or_cli(below: str) -> None:
    assert not offences(
        lambda name: within(name, *own(below)),
        lambda name: within(name, *own("api", "cli", "web")),
    )


_HTTP_LIBRARIES = ("pyramid", "webob", "cornice", "waitress", "granian", "http")


@pytest.mark.parametrize(
    "package",
    ["storage.sql", "storage.memory", "storage.interface", "storage.errors"]
    + ["ledger", "planning", "query", "importers", "values", "resources", "demo.household"],
)
def test_the_request_stops_at_the_views(package: str) -> None:
    assert not offences(
        lambda name: within(name, *own(package)),
        lambda name: within(name, *_HTTP_LIBRARIES),
    )


#: The wall clock. Durations (time.monotonic, time.perf_counter) are looked at below.
_WALL_CLOCK = frozenset(
    {
        *("time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.strftime"),
        *("time.ctime", "time.asctime", "datetime.now", "datetime.utcnow", "datetime.today"),
        "date.today",
    }
)
_DURATIONS = frozenset({"time.monotonic", "time.perf_counter"})


def _dotted(node: ast.AST) -> str:
    """``datetime.datetime.now`` of such an expression; "" for others."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _uses(module: Module, names: frozenset[str]) -> list[str]:
    """Where the module names one of ``names``, as an attribute or imported by itself."""
    found = [
        f"{module.name}, line {node.lineno}: {dotted}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and (dotted := ".".join(_dotted(node).split(".")[-2:])) in names
    ]
    return found + [
        f"{module.name}, line {n}: imports {i}" for i, n in module.imports if i in names
    ]


def test_only_the_clock_asks_for_the_time() -> None:
    clock = f"{PACKAGE}.runtime.clock"
    assert not [use for m in modules() if m.name != clock for use in _uses(m, _WALL_CLOCK)]


def test_durations_are_measured_only_where_connections_and_requests_are() -> None:
    homes = own("http", "ratelimit.fallback", "runtime", "storage.sql", "web.receiving")
    assert not [
        use for m in modules() if not within(m.name, *homes) for use in _uses(m, _DURATIONS)
    ]


def test_the_clock_is_seen_asking() -> None:
    (clock,) = (m for m in modules() if m.name == f"{PACKAGE}.runtime.clock")
    assert _uses(clock, _WALL_CLOCK)


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
    assert {"settings", "docs"} <= names
    below = {path.stem for path in ROOT.glob("*/**/*.py")}
    assert [n for n in names if n in below and not (ROOT / f"{n}.py").exists()] == []
