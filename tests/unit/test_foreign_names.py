"""The code uses only documented names of other libraries.

The tests find private names in the source, in every way that Python can write them. For libraries
whose documentation lists all public names, each imported name must be in a list here.
"""

import ast
import importlib
from collections.abc import Iterator, Set
from functools import cache
from types import ModuleType

import pytest
from webob import Response

from support.sources import nodes, sources

#: The names imported from these libraries, all of which their documentation lists:
#: https://docs.pylonsproject.org/projects/pyramid/en/2.1-branch/#api-documentation
#: https://cornice.readthedocs.io/ (services, internals, swagger)
#: https://docs.pylonsproject.org/projects/webob/en/stable/api/webob.html#accept
#: https://docs.pylonsproject.org/projects/webob/en/stable/api/multidict.html
#: https://docs.pylonsproject.org/projects/colander/en/latest/api.html
DOCUMENTED = {
    "cornice": {"Service"},
    "cornice.pyramidhook": {"register_service_views"},
    "cornice.service": {"get_services"},
    "colander": set(),
    "pyramid.authorization": {
        *("ACLDenied", "ACLHelper", "ALL_PERMISSIONS", "DENY_ALL", "Allow", "Deny")
    },
    "pyramid.config": {"Configurator"},
    "pyramid.csrf": {"get_csrf_token"},
    "pyramid.decorator": {"reify"},
    "pyramid.exceptions": {"BadCSRFToken", "ConfigurationError", "PredicateMismatch"},
    "pyramid.httpexceptions": {
        *("HTTPBadRequest", "HTTPException", "HTTPForbidden", "HTTPMethodNotAllowed"),
        *("HTTPMovedPermanently", "HTTPNotFound", "HTTPSeeOther", "HTTPUnsupportedMediaType"),
        "status_map",
    },
    "pyramid.interfaces": {"ICSRFStoragePolicy", "ISecurityPolicy"},
    "pyramid.paster": {"get_app", "setup_logging"},
    "pyramid.path": {"DottedNameResolver"},
    "pyramid.registry": {"Registry"},
    "pyramid.renderers": {"JSON", "render", "render_to_response"},
    "pyramid.request": set(),
    "pyramid.response": {"FileIter", "Response"},
    "pyramid.security": {"NO_PERMISSION_REQUIRED"},
    "pyramid.settings": {"asbool"},
    "pyramid.tweens": {"EXCVIEW", "INGRESS", "MAIN"},
    "pyramid.view": {"view_config"},
    "pyramid.viewderivers": {"INGRESS", "VIEW"},
    "webob.multidict": {"MultiDict"},
    "webob.acceptparse": {
        *("create_accept_encoding_header", "create_accept_header"),
        "create_accept_language_header",
    },
}
#: Names of Python itself that are documented in spite of the underscore.
DOCUMENTED_PRIVATE = {"os._exit"}
#: Public methods of named tuples; the underscore only distinguishes them from fields.
OF_NAMED_TUPLES = {"_asdict", "_field_defaults", "_fields", "_make", "_replace"}
LIBRARIES = ("cornice", "colander", "pyramid", "webob")


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


@cache
def own_names(tree: ast.AST) -> frozenset[str]:
    """Return the names that the source defines: functions, classes, variables, attributes."""
    names: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("self", "cls")
        ):
            names.add(node.attr)
    return frozenset(names)


def private_names(tree: ast.AST, known: Set[str]) -> Iterator[str]:
    """Yield the private names that the source imports, or uses without being in ``known``."""
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            for name in (*module.split("."), *(alias.name for alias in node.names)):
                if is_private(name):
                    yield f"{module}: {name}"
        elif isinstance(node, ast.Import):
            yield from (
                alias.name for alias in node.names if any(map(is_private, alias.name.split(".")))
            )
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in known:
            if ast.unparse(node) not in DOCUMENTED_PRIVATE and node.attr not in OF_NAMED_TUPLES:
                yield node.attr
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
            *("getattr", "setattr", "hasattr", "delattr"),
        ):
            name = node.args[1]
            if isinstance(name, ast.Constant) and is_private(str(name.value)):
                yield str(name.value)


def overridden(tree: ast.Module, module: ModuleType) -> Iterator[str]:
    """Yield private names of foreign base classes that a class of the module overrides."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            mro = getattr(module, node.name).__mro__
            foreign = [base for base in mro if not base.__module__.startswith("finance_api")]
            for name in filter(is_private, sorted(own_names(ast.Module(node.body, [])))):
                if any(name in vars(base) for base in foreign):
                    yield f"{node.name}.{name}"


@cache
def found_in(name: str) -> list[str]:
    tree = sources()[name]
    known = own_names(tree)
    # A class may use names that its base class in another module of ours defines.
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom) and node.module in sources():
            known |= own_names(sources()[node.module])
    found = list(private_names(tree, known))
    if any(isinstance(node, ast.ClassDef) for node in tree.body):
        found += overridden(tree, importlib.import_module(name))
    return [f"{name}: {each}" for each in found]


def test_no_private_name_of_another_library_is_used() -> None:
    assert [each for name in sources() for each in found_in(name)] == []


@pytest.mark.parametrize(
    "line",
    [
        "from pyramid.view import _call_view",
        "from granian._granian import Worker",
        "import psycopg._psycopg",
        "connection._fairy",
        "self._rows",
        "super()._visit",
        "getattr(connection, '_fairy')",
    ],
)
def test_a_private_name_would_be_noticed(line: str) -> None:
    assert list(private_names(ast.parse(line), {"_own"}))


def test_own_private_names_are_no_offence() -> None:
    source = "class One:\n  def _a(self): self._b = 1; self._a(); self.__class__\ndef _f(): _f()"
    tree = ast.parse(source)
    assert list(private_names(tree, own_names(tree))) == []


def test_an_overridden_private_name_would_be_noticed() -> None:
    source = (
        "class Other(Response):\n  def _make_location_absolute(self): ...\n  def _own(self): ..."
    )
    module = ModuleType("finance_api.here")
    exec(source, {"Response": Response, "__name__": module.__name__}, vars(module))
    assert list(overridden(ast.parse(source), module)) == ["Other._make_location_absolute"]


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield (module, name) of each import from the libraries; "" as name of a whole module."""
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in LIBRARIES:
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            names = (alias.name for alias in node.names)
            yield from ((name, "") for name in names if name.split(".")[0] in LIBRARIES)


def test_what_is_imported_of_these_libraries_is_documented() -> None:
    found = {each for tree in sources().values() for each in imported(tree)}
    assert ("cornice", "Service") in found
    assert [
        f"{module}: {name}"
        for module, name in found
        if name not in DOCUMENTED.get(module, set()) and (name or module not in DOCUMENTED)
    ] == []
