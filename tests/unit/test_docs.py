"""The docs and the code say the same; both sides are read, nothing is listed here.

As Datasette's tests/test_docs.py does.
"""

import ast
import configparser
import dataclasses
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click
import colander
import pytest
from pyramid.request import Request

import finance_api
from finance_api import main
from finance_api.api.parameters import Conditions
from finance_api.api.public import api_usage
from finance_api.auth import sessions
from finance_api.auth.jwt_keys import key_entries
from finance_api.cli.main import command as finance_api_command
from finance_api.importers import FORMATS
from finance_api.importers.csv import CsvOptions
from finance_api.importers.csv.columns import FIELDS as CSV_FIELDS
from finance_api.importers.native.values import MAX_LIST_ELEMENTS
from finance_api.metrics import Metrics
from finance_api.planning.summaries import DIMENSIONS
from finance_api.query.model import Operator, operators_of
from finance_api.querystring import split_query
from finance_api.ratelimit.headers import rate_headers
from finance_api.ratelimit.limits import Decision, Level, Limit, parse_limits
from finance_api.resources import DOCUMENTS, PUBLIC_RESOURCES, RESOURCES
from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import Field, Kind, Resource, Role
from finance_api.resources.naming import snake_case
from finance_api.resources.transactions import TRANSACTION_FIELDS
from finance_api.settings import SERVER_SETTINGS, SETTINGS
from finance_api.surfaces import INTERNAL_SURFACE, PUBLIC_SURFACE, SETTINGS_PAGES, USAGE_PATH
from finance_api.web.routes import ROUTES, STATIC

PACKAGE = Path(finance_api.__file__).parent
PROJECT = PACKAGE.parent
DOCS = PROJECT / "docs"
PAGES = (PROJECT / "README.md", *sorted(DOCS.rglob("*.md")))
INI_FILES = ("development.ini", "production.ini")

_FENCE = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")


@cache
def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def spans(text: str) -> list[str]:
    """What stands in single backticks, outside of code blocks."""
    return _SPAN.findall(_FENCE.sub("", text))


def section(text: str, heading: str) -> str:
    """From a heading, without its signs, to the next one of its level or a higher one."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if re.fullmatch(rf"#+ {heading}", line))
    level = len(lines[start]) - len(lines[start].lstrip("#"))
    rest = lines[start + 1 :]
    end = next((i for i, x in enumerate(rest) if re.match(rf"#{{1,{level}}} ", x)), len(rest))
    return "\n".join(rest[:end])


def rows(text: str) -> list[list[str]]:
    """The cells of all tables, without headings."""
    found = []
    for table in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        for line in table.splitlines()[2:]:
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            found.append([cell.strip() for cell in cells])
    return found


def rows_of(text: str, heading: str) -> list[list[str]]:
    """The rows of the only table whose first column has this heading."""
    (found,) = re.findall(rf"^\| {heading} \|.*\n(?:\|.*\n?)+", text, re.MULTILINE)
    return rows(found)


def page_ids(path: Path) -> str:
    return path.name


# -- settings


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.name)
def test_a_setting_has_a_row_with_its_variable_and_default(setting: Any) -> None:
    row = next(r for r in rows(page("settings.md")) if r[0] == f"`{setting.name}`")
    assert row[1] == f"`{setting.variable}`"
    assert row[3] == (f"`{setting.default}`" if setting.default else "none")


@pytest.mark.parametrize("setting", SERVER_SETTINGS, ids=lambda s: s.name)
def test_a_key_of_the_server_has_a_row_with_its_variable_and_default(setting: Any) -> None:
    key = setting.name.removeprefix("server.")
    row = next(r for r in rows(section(page("settings.md"), "The server")) if r[0] == f"`{key}`")
    assert row[1] == f"`{setting.variable}`"
    assert row[3] == f"`{setting.default}`"


def test_the_docs_name_every_key_of_development_ini() -> None:
    keys = dict(_commented_keys("development.ini", "server:main"))
    assert keys and set(keys) <= set(spans(section(page("settings.md"), "The server")))


def test_there_are_no_rows_of_other_settings() -> None:
    text = page("settings.md")
    settings = {row[0].strip("`") for row in rows(section(text, "The application"))}
    assert settings == {setting.name for setting in SETTINGS}


def _commented_keys(name: str, heading: str) -> Iterator[tuple[str, bool]]:
    """The keys of a section, and whether a comment stands in the paragraph before each."""
    inside = commented = False
    for line in (PROJECT / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            inside, commented = line == f"[{heading}]", False
        elif not line.strip():
            commented = False
        elif line.startswith("#"):
            commented = True
        elif inside and "=" in line and not line.startswith("use "):
            yield line.partition("=")[0].removeprefix("get ").strip(), commented


@pytest.mark.parametrize("name", INI_FILES)
def test_an_ini_file_names_every_setting_with_a_comment(name: str) -> None:
    application = dict(_commented_keys(name, "app:main"))
    server = dict(_commented_keys(name, "server:main"))
    assert set(application) == {setting.name for setting in SETTINGS}
    assert all(application.values()), application
    assert server and all(server.values()), server


def test_the_ini_file_for_production_names_every_key_of_the_server() -> None:
    keys = {f"server.{key}" for key, _ in _commented_keys("production.ini", "server:main")}
    assert keys == {setting.name for setting in SERVER_SETTINGS}


@pytest.mark.parametrize("name", INI_FILES)
def test_the_docs_name_the_ini_file_and_it_can_be_read(name: str) -> None:
    configparser.ConfigParser(interpolation=None).read_string((PROJECT / name).read_text("utf-8"))
    assert f"`{name}`" in page("settings.md")


_OTHER_VARIABLES = {
    node.value
    for path in PACKAGE.rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.Constant)
    and isinstance(node.value, str)
    and re.fullmatch("FINANCE_API_[A-Z0-9_]*[A-Z0-9]", node.value)
}


@pytest.mark.parametrize("variable", sorted(_OTHER_VARIABLES))
def test_a_variable_of_the_code_is_documented(variable: str) -> None:
    assert any(variable in path.read_text(encoding="utf-8") for path in PAGES)


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_variable_in_the_docs_exists(path: Path) -> None:
    named = set(re.findall("FINANCE_API_[A-Z0-9_]+", path.read_text(encoding="utf-8")))
    known = {setting.variable for setting in (*SETTINGS, *SERVER_SETTINGS)}
    assert named <= known | _OTHER_VARIABLES


def _can_be_imported(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    try:
        return bool(importlib.import_module(name))
    except ImportError:
        return bool(module) and hasattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_dotted_name_in_the_docs_is_a_setting_or_can_be_imported(path: Path) -> None:
    names = {setting.name for setting in SETTINGS} | {"finance_api.access"}
    text = re.sub(r"https?://\S+", "", path.read_text(encoding="utf-8"))
    for name in set(re.findall(r"\b(?:finance_api|sqlalchemy)(?:\.\w+)+", text)):
        assert name in names or _can_be_imported(name), name


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_file_of_the_project_in_the_docs_exists(path: Path) -> None:
    named = [
        s for s in spans(path.read_text(encoding="utf-8")) if re.match("(finance_api|tests)/", s)
    ]
    assert [name for name in named if not (PROJECT / name).exists()] == []


def test_the_readme_names_every_folder_of_tests() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    folders = {f"tests/{p.name}" for p in (PROJECT / "tests").iterdir() if p.is_dir()}
    named = {s for row in rows_of(readme, "Tests") for s in _SPAN.findall(row[0])}
    assert folders - {"tests/__pycache__"} == named


def test_the_example_of_a_key_file_has_exactly_the_members_of_the_table() -> None:
    text = section(page("settings.md"), "The key file")
    (example,) = (body for language, body in _FENCE.findall(text) if language == "json")
    members = {name for entry in key_entries(example) for name in entry}
    assert members == {s for row in rows_of(text, "Member") for s in _SPAN.findall(row[0])}


def test_every_metric_has_a_row_and_nothing_else_has() -> None:
    counted = re.findall("^# TYPE ([a-z_]+) counter$", Metrics().text().decode(), re.MULTILINE)
    documented = rows_of(section(page("settings.md"), "Metrics"), "Metric")
    assert [row[0] for row in documented] == [f"`{name}`" for name in counted]


# -- commands


def _commands(group: click.Group, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, found in group.commands.items():
        if isinstance(found, click.Group):
            yield from _commands(found, *names, name)
        else:
            yield (*names, name), found


COMMANDS = dict(_commands(finance_api_command))


def _options(command: click.Command) -> set[str]:
    return {
        name
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
    }


_OF_ALL = _options(finance_api_command) | {"-h", "--help"}


_OPTION = re.compile(r"(?:^|(?<=\s))(--[a-z][a-z-]+|-[a-z](?=\s|$))")


def _named_options(text: str) -> set[str]:
    """The options that spans begin with, and others in the same spans."""
    return {
        option for span in spans(text) if _OPTION.match(span) for option in _OPTION.findall(span)
    }


def test_the_common_options_are_documented() -> None:
    before_commands = page("commands.md").split("\n## ")[0]
    assert _options(finance_api_command) <= _named_options(before_commands)


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_a_command_has_a_section_with_exactly_its_options(names: tuple[str, ...]) -> None:
    text = section(page("commands.md"), " ".join(names))
    assert f"finance-api {' '.join(names)}" in text
    assert _named_options(text) - _OF_ALL == _options(COMMANDS[names])


def test_there_are_no_sections_of_other_commands() -> None:
    headings = re.findall("^## (.+)$", page("commands.md"), re.MULTILINE)
    assert headings == [" ".join(names) for names in COMMANDS] or sorted(headings) == sorted(
        " ".join(names) for names in COMMANDS
    )


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_option_in_the_docs_exists(path: Path) -> None:
    known = _OF_ALL.union(*map(_options, COMMANDS.values()))
    assert _named_options(path.read_text(encoding="utf-8")) <= known


def _invocations(text: str) -> Iterator[list[str]]:
    """The words of every ``finance-api`` call in code blocks and spans."""
    blocks = [body for language, body in _FENCE.findall(text) if language in ("sh", "")]
    for code in (*blocks, *spans(text)):
        for line in re.sub(r"\\\n", " ", code).splitlines():
            for part in re.split(r"[|;&]|\$\(|<|>", line):
                words = part.strip().split()
                if words[:1] == ["finance-api"]:
                    yield [word.strip("\"')") for word in words[1:]]


def _check_invocation(words: list[str]) -> None:
    found: click.Command = finance_api_command
    allowed = set(_OF_ALL)
    waiting = iter(words)
    for word in waiting:
        if word.startswith("-") and word != "-":
            assert word.partition("=")[0] in allowed, f"{' '.join(words)}: {word}"
            if found is finance_api_command:
                next(waiting)
        elif isinstance(found, click.Group):
            if "@" in word and word not in found.commands:
                word = "list"
            assert word in found.commands, f"{' '.join(words)}: {word}"
            found = found.commands[word]
            allowed = _options(found) | {"-h", "--help"}


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_call_of_a_command_in_the_docs_is_understood(path: Path) -> None:
    for words in _invocations(path.read_text(encoding="utf-8")):
        _check_invocation(words)


def test_calls_are_found() -> None:
    assert len(list(_invocations(page("importing.md")))) > 10


@pytest.mark.parametrize("option", sorted(_options(COMMANDS["import",])))
def test_an_option_for_files_is_explained(option: str) -> None:
    pages = ("importing.md", *(f"importing/{path.name}" for path in DOCS.glob("importing/*.md")))
    assert any(option in _named_options(page(name)) for name in pages)


def test_the_options_of_csv_stand_in_their_table() -> None:
    """One row or more for each field of CsvOptions, under the name of its option."""
    of_import = {
        p.name: p.opts[0] for p in COMMANDS["import",].params if isinstance(p, click.Option)
    }
    expected = {
        of_import.get(field.name) or of_import[f"no_{field.name}"]
        for field in dataclasses.fields(CsvOptions)
    }
    table = rows(section(page("importing.md"), "Options"))
    assert _named_options("\n".join(row[0] for row in table)) == expected


@pytest.mark.parametrize("field", CSV_FIELDS)
def test_a_field_of_csv_has_a_row_with_its_headings(field: str) -> None:
    row = next(r for r in rows(section(page("importing.md"), "Fields")) if r[0] == f"`{field}`")
    assert _SPAN.findall(row[1]) == [field, *CSV_FIELDS[field]]


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_format_has_a_row(format_name: str) -> None:
    first = [row[0] for row in rows(page("importing.md"))]
    assert any(cell.startswith(f"[{format_name}](") for cell in first)


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: r.name)
def test_a_type_of_the_native_format_has_a_row_with_what_it_needs(resource: Resource) -> None:
    table = rows(section(page("importing.md"), "The native format"))
    row = next(r for r in table if f"`{resource.model_type}`" in r[0])
    assert _SPAN.findall(row[2]) == [f.name for f in resource.native_fields if f.required]
    if resource.path is None:
        assert _SPAN.findall(row[1]) == [f.name for f in resource.fields]


def test_limits_of_imports_are_those_of_the_code() -> None:
    assert f"{MAX_LIST_ELEMENTS:,} elements" in section(page("importing.md"), "Limits")


# -- the API


@pytest.fixture(scope="module")
def app() -> Iterator[Any]:
    found = main({}, **{"finance_api.storage": "memory"})
    yield found
    found.registry.services.close()


@pytest.fixture(scope="module")
def registry(app: Any) -> Any:
    return app.registry


@pytest.fixture(scope="module")
def services(registry: Any) -> dict[str, Any]:
    """Path -> Cornice service."""
    return dict(registry.cornice_services)


def _schema(service: Any) -> colander.MappingSchema | None:
    (schema,) = {options.get("schema") for _, _, options in service.definitions}
    return schema


def _page_of(path: str) -> str:
    return page("internal.md" if path.startswith(INTERNAL_SURFACE) else "api.md")


def _documented(services: dict[str, Any]) -> Iterator[str]:
    """The paths; one object, an export and endings as those of records."""
    for path in services:
        stem, dot, ending = path.partition(".")
        if dot and stem in services:
            yield f"{PUBLIC_SURFACE}records.{ending}"
        elif re.match(rf"{PUBLIC_SURFACE}[a-z-]+/{{id:", path):
            yield f"{PUBLIC_SURFACE}records/{{id}}"
        else:
            export = f"{PUBLIC_SURFACE}export/"
            yield f"{export}records" if path.startswith(export) and not dot else path


def test_every_endpoint_stands_in_the_table_of_its_page(services: dict[str, Any]) -> None:
    for path in _documented(services):
        documented = rows(section(_page_of(path), "Endpoints"))
        assert path in {s for row in documented for s in _SPAN.findall(row[0])}


def test_every_endpoint_has_an_example(services: dict[str, Any]) -> None:
    for path in _documented(services):
        written = path.replace("{", "$").replace("}", "")
        example = re.search(re.escape(f"$BASE{written}") + '[?"]', _page_of(path))
        assert example or path.startswith("/__"), path


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_path_in_the_docs_exists(path: Path, services: dict[str, Any]) -> None:
    text = path.read_text(encoding="utf-8")
    below = r"/(?:v1/api|internal/v1)/[a-z/-]*[a-z](?:\.(?:csv|ndjson|xlsx))?"
    named = re.findall(rf"{below}|/__\w+?__(?!\.py)", text)
    assert {name for name in named if name not in services} == set()


@pytest.mark.parametrize("name", ["api.md", "filters.md", "internal.md"])
def test_every_url_in_the_examples_is_accepted(name: str, services: dict[str, Any]) -> None:
    below = r"((?:/v1/api|/internal/v1)/[a-z/-]+(?:\.[a-z]+)?)"
    urls = re.findall(below + r"\?([^\s\"'`>;{]+)", page(name))
    assert urls
    for path, query in urls:
        given: dict[str, list[str | None]] = {}
        for key, value in split_query(query):
            given.setdefault(key, []).append(value)
        given = {k: v for k, v in given.items() if "$" not in str(v)}
        schema = _schema(services[path])
        assert schema is not None
        known = {node.name: node for node in schema.children}
        for key, values in given.items():
            known[key].deserialize(values)


def test_the_parameters_of_lists_are_documented(services: dict[str, Any]) -> None:
    named = {row[0].strip("`") for row in rows(section(page("api.md"), "Endpoints"))}
    for path, service in services.items():
        schema = _schema(service)
        if path in WORKED_OUT or schema is None or not path.startswith(PUBLIC_SURFACE):
            continue
        if path.count("/") == 3:
            assert {n.name for n in schema.children if not isinstance(n.typ, Conditions)} <= named


#: The sections of endpoints whose answers are worked out.
WORKED_OUT = {
    USAGE_PATH: "API usage",
    "/v1/api/changes": "Changes",
    "/v1/api/records/summary": "Summaries",
    "/v1/api/accounts/balances": "Balances over time",
    "/v1/api/budgets/{id}/periods": "Past periods of a budget",
    "/v1/api/standing-orders/upcoming": "Upcoming standing orders",
}


def _parameters(path: str) -> list[list[str]]:
    """The rows of the parameters of an endpoint that has a section of its own."""
    heading = WORKED_OUT.get(path) or path.rpartition("/")[2]
    return rows_of(section(_page_of(path), heading), "Parameter")


def test_other_endpoints_have_exactly_their_parameters_with_defaults_and_ranges(
    services: dict[str, Any],
) -> None:
    others = [p for p in services if p.startswith(INTERNAL_SURFACE) or p in WORKED_OUT]
    assert len(others) > 1
    for path in others:
        schema = _schema(services[path])
        assert schema is not None
        documented = _parameters(path)
        # The filters of records stand in a table of their own.
        is_summary = WORKED_OUT.get(path) == "Summaries"
        nodes = [n for n in schema.children if not (is_summary and isinstance(n.typ, Conditions))]
        assert [row[0] for row in documented] == [f"`{node.name}`" for node in nodes]
        for node, (_, values, default) in zip(nodes, documented, strict=True):
            if default == "none":
                assert node.required or not node.missing
            else:
                assert node.deserialize([default.strip("`")]) == node.missing
            for low, high in re.findall(r"^(\d+) to (\d+)", values):
                assert [node.deserialize([n]) for n in (low, high)] == [int(low), int(high)]
                with pytest.raises(colander.Invalid):
                    node.deserialize([str(int(high) + 1)])


def test_every_dimension_of_a_summary_has_a_row_with_its_columns() -> None:
    documented = rows_of(section(page("api.md"), "Summaries"), "Dimension")
    named = {}
    for row in documented:
        for name in _SPAN.findall(row[0]):
            columns = [name] if row[1].startswith("the same") else []
            named[name] = columns + _SPAN.findall(row[1])
    assert list(named) == [
        name for row in documented for name in DIMENSIONS if name in _SPAN.findall(row[0])
    ]
    assert named == {
        name: [f.name for f in found.fields] + ["periodStart"] * (found.period is not None)
        for name, found in DIMENSIONS.items()
    }


def test_usage_has_exactly_its_fields() -> None:
    """The keys of the dicts in its module."""
    documented = rows_of(section(page("api.md"), "API usage"), "Field")
    keys = {
        key.value
        for node in ast.walk(ast.parse(Path(api_usage.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant)
    }
    assert {s for row in documented for s in _SPAN.findall(row[0])} <= keys
    assert keys <= {s for row in documented for cell in row for s in _SPAN.findall(cell)}


def test_a_transaction_has_exactly_its_fields() -> None:
    documented = rows_of(section(page("internal.md"), "get-records"), "Field")
    assert [row[0] for row in documented] == [f"`{name}`" for name in TRANSACTION_FIELDS]


def test_every_type_of_document_has_a_row_with_exactly_its_data() -> None:
    documented = rows(section(page("internal.md"), "Document types"))
    assert [
        (row[0], _SPAN.findall(row[2]), row[2].endswith("other imported fields"))
        for row in documented
    ] == [
        (
            f"`{resource.model_type}`",
            [snake_case(field.name) for field in resource.listed_fields if field.name != "id"],
            resource.open_ended,
        )
        for resource in DOCUMENTS
    ]


def test_rate_limits_are_the_defaults_of_their_settings() -> None:
    limits = {f"`{s.name}`": f"`{s.default}`" for s in SETTINGS if s.parse is parse_limits}
    documented = rows_of(section(page("api.md"), "Rate limits"), "What")
    assert documented
    for _, _, limit, _, setting in documented:
        assert limits[setting] == limit


def test_every_rate_header_is_explained_and_no_other() -> None:
    refusal = Decision(False, (Level(Limit(1, 60), 0, 1, 1, 1),), 0)
    documented = rows_of(section(page("api.md"), "Rate limits"), "Header")
    assert {row[0].strip("`") for row in documented} == set(rate_headers(refusal))


@pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: r.name)
def test_a_resource_has_its_envelope_key_and_order(resource: Resource) -> None:
    table = rows(section(page("api.md"), "Endpoints"))
    row = next(r for r in table if r[0] == f"`/v1/api/{resource.path}`")
    assert row[1:3] == [f"`{resource.name}`", f"`{resource.default_sort}`"]


def _section_of(resource: Resource) -> str:
    assert resource.path is not None
    return section(page("api.md"), resource.path.replace("-", " ").capitalize())


@pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: r.name)
def test_a_resource_has_exactly_its_fields_with_their_kinds(resource: Resource) -> None:
    table = rows(_section_of(resource))
    assert [(row[0], row[1], row[2]) for row in table] == [
        (
            f"`{f.name}`" + ("†" if f.role is Role.COMPUTED else ""),
            f.kind.value,
            "empty" if f.kind.is_list else "yes" if f.nullable else "no",
        )
        for f in resource.fields
    ]


def _import_column(field: Field) -> str | None:
    """What the table says of the field in an import; None where it says something of its own."""
    if field.role is not Role.STORED:
        return "–"
    if field.required:
        return "required"
    if field.name in ("id", "createdAt", "updatedAt"):
        return None
    if field.default is None:
        return "none"
    if field.default == ():
        return "empty"
    return f"`{str(field.default).lower() if field.kind is Kind.BOOLEAN else field.default}`"


@pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: r.name)
def test_a_field_has_its_default_and_its_choices(resource: Resource) -> None:
    for field, row in zip(resource.fields, rows(_section_of(resource)), strict=True):
        assert row[3] == (_import_column(field) or row[3])
        if field.kind is Kind.CHOICE and field.choices is not CURRENCIES:
            assert [s for s in _SPAN.findall(row[4]) if s in field.choices] == list(field.choices)


_FIELDS_BY_KIND = {f.kind: f for r in PUBLIC_RESOURCES for f in r.fields if f.filterable}


@pytest.mark.parametrize("kind", Kind, ids=lambda k: k.name)
def test_a_kind_has_a_row_with_exactly_its_prefixes(kind: Kind) -> None:
    table = rows(section(page("filters.md"), "Prefixes by kind"))
    row = next(r for r in table if r[0] == kind.value)
    nulls = (Operator.IS_NULL, Operator.NOT_NULL)
    expected = [o.value + "." for o in operators_of(_FIELDS_BY_KIND[kind]) if o not in nulls]
    assert _SPAN.findall(row[1]) == expected


def test_every_operator_is_explained() -> None:
    text = page("filters.md")
    for operator in {o for f in _FIELDS_BY_KIND.values() for o in operators_of(f)}:
        assert f"`{operator.value}" in text


def test_what_is_refused_is_refused_with_that_message(services: dict[str, Any]) -> None:
    schema = _schema(services["/v1/api/records"])
    assert schema is not None
    known = {node.name: node for node in schema.children}
    for cells in rows(section(page("filters.md"), "What is refused")):
        name, _, value = cells[0].strip("`").partition("=")
        if name in known and unquote(value, errors="replace").isprintable() and "%" not in value:
            with pytest.raises(colander.Invalid) as refusal:
                known[name].deserialize([value])
            assert str(refusal.value.messages()[0]) == cells[1]


# -- the settings pages


PAGE_PATHS = set(ROUTES.values())


def test_every_settings_page_has_a_row_with_its_methods(registry: Any) -> None:
    views = registry.introspector.get_category("views")
    methods: dict[str, set[str]] = {}
    for view in (found["introspectable"] for found in views):
        if view["route_name"] in ROUTES:
            path = ROUTES[view["route_name"]]
            # Pyramid adds HEAD to GET.
            methods.setdefault(path, set()).update({view["request_methods"]} - {"HEAD"})
    documented = rows_of(section(page("settings-pages.md"), "The pages"), "Path")
    assert {row[0].strip("`"): set(row[1].split(", ")) for row in documented} == methods
    assert set(methods) == PAGE_PATHS


def _settings_paths(path: Path) -> set[str]:
    """Those that stand alone, after ``$BASE`` or after a host."""
    start = r"(?:(?<=[\s`])|\$BASE|https?://[\w.:]+)"
    below = rf"{SETTINGS_PAGES}/[a-z/{{}}-]+"
    return set(re.findall(f"{start}({below})", path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_settings_page_in_the_docs_exists(path: Path) -> None:
    assert {p for p in _settings_paths(path) if p.rstrip("/") != STATIC} <= PAGE_PATHS


def test_paths_of_settings_pages_are_found() -> None:
    assert _settings_paths(PROJECT / "README.md")
    assert len(_settings_paths(DOCS / "settings-pages.md")) > 10


def test_the_headers_of_settings_pages_are_those_that_are_sent(app: Any) -> None:
    response = Request.blank(f"{SETTINGS_PAGES}/login").get_response(app)
    text = section(page("settings-pages.md"), "Headers")
    example = next(body for language, body in _FENCE.findall(text) if language == "http")
    shown = dict(line.split(": ", 1) for line in example.splitlines()[1:])
    # The server adds the date.
    assert set(shown) == {*response.headers, "Date"}
    same = set(shown) - {"Date", "Content-Length", "Set-Cookie", "X-Request-Id"}
    assert {name: shown[name] for name in same} == {n: response.headers[n] for n in same}
    explained = {s for row in rows_of(text, "Header") for s in _SPAN.findall(row[0])}
    assert explained == same - {"Content-Type"} | {"Strict-Transport-Security"}


def test_limits_of_sign_ins_are_the_defaults_of_their_settings() -> None:
    limits = {
        f"`{s.name}`": f"`{s.default}`"
        for s in SETTINGS
        if s.name.startswith(("finance_api.ratelimit.sign_in_", "finance_api.ratelimit.password_"))
    }
    documented = rows_of(section(page("settings-pages.md"), "Failed sign-ins"), "Counted by")
    assert {row[2]: row[1] for row in documented} == limits


def test_how_long_sessions_last_is_that_of_the_code() -> None:
    text = section(page("settings-pages.md"), "Sessions")
    assert f"not used for {sessions.IDLE_SECONDS // 60} minutes" in text
    assert f"{sessions.LONGEST_SECONDS // 3600} hours old" in text


# -- errors


def _statuses() -> set[int]:
    """The statuses from 400 on that the source gives to `problem` and the like."""
    found: set[int] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            constants: list[ast.expr | None] = []
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in ("problem", "problem_body"):
                    constants += node.args[:1]
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
                targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
                constants += node.value.keys if targets == ["_DETAILS"] else []
            found |= {
                c.value
                for c in constants
                if isinstance(c, ast.Constant) and isinstance(c.value, int) and c.value >= 400
            }
    return found


def test_every_error_has_a_section_and_nothing_else_has() -> None:
    headings = re.findall("^## ([0-9]{3}) ", page("errors.md"), re.MULTILINE)
    assert [int(number) for number in headings] == sorted(_statuses())


def test_every_error_is_among_those_to_try_again_or_not() -> None:
    first = " ".join(row[0] for row in rows(page("errors.md").split("\n## ")[0]))
    assert {int(n) for n in re.findall("[0-9]{3}", first)} == _statuses()


# -- words


#: What the docs once called what the field has a word for.
_OTHER_WORDS = (
    r"answers? a second|fast lane|kept answers?|peers?|aims?|reckon\w*|the copy"
    r"|questions?(?!\.md| and answers)"
    r"|(?:public|internal) surface(?!\*)"
)


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_a_page_uses_the_words_of_the_field(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(rf"\b(?:{_OTHER_WORDS})\b", text, re.IGNORECASE) == []


# -- links


def _anchors(text: str) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall("^#+ (.+)$", _FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_relative_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", _FENCE.sub("", text)):
        if re.match("[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        found = path.parent / file if file else path
        assert found.exists(), target
        if anchor:
            assert anchor in _anchors(found.read_text(encoding="utf-8")), target


def test_every_page_is_linked_from_another() -> None:
    linked = {
        (path.parent / target.partition("#")[0]).resolve()
        for path in PAGES
        for target in re.findall(r"\]\(([^)\s:]+)\)", path.read_text(encoding="utf-8"))
        if target.partition("#")[0] not in ("", path.name)
    }
    assert {path.resolve() for path in DOCS.rglob("*.md")} <= linked
