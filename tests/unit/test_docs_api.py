"""The docs and the code agree on the API and the settings pages.

The tests read both and have no lists of their own, as in Datasette's tests/test_docs.py.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import colander
import pytest
from pyramid.request import Request

from finance_api import main
from finance_api.api.endpoint import Endpoint
from finance_api.api.parameters import AMOUNTS, Conditions
from finance_api.api.public.usage import USAGE_RESPONSE
from finance_api.auth import sessions
from finance_api.http.querystring import split_query
from finance_api.http.surfaces import (
    INTERNAL_SURFACE,
    PUBLIC_SURFACE,
    SETTINGS_PAGES,
    SUFFIXES,
    WALLET,
    WALLET_SURFACE,
    needs_token,
)
from finance_api.query.dimensions import DIMENSIONS
from finance_api.query.operators import Operator, operators_of
from finance_api.query.sums import SUMS
from finance_api.ratelimit.interface import Decision, Level, Limit, parse_limits
from finance_api.ratelimit.tween import rate_headers
from finance_api.resources import DOCUMENTS, PUBLIC_RESOURCES, RECORDS, SPLITS
from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import Field, Kind, Resource, Role, snake_case
from finance_api.serialization.documents import TRANSACTION_FIELDS
from finance_api.settings import SETTINGS
from finance_api.web.routes import ROUTES, STATIC
from support.pages import BLOCK, DOCS, PAGES, PROJECT, SPAN, page, page_ids, rows, rows_of, section


@pytest.fixture(scope="module")
def app() -> Iterator[Any]:
    found = main({}, **{"finance_api.storage": "memory"})
    yield found
    found.registry.services.close()


@pytest.fixture(scope="module")
def registry(app: Any) -> Any:
    return app.registry


@pytest.fixture(scope="module")
def services(registry: Any) -> dict[str, Endpoint]:
    """Path -> endpoint; for an endpoint that takes suffixes, also with each suffix."""
    found = {}
    for endpoint in registry.endpoints.values():
        for suffix in ("", *SUFFIXES) if endpoint.has_suffixes else ("",):
            found[endpoint.path + suffix] = endpoint
    return found


def _schema(endpoint: Endpoint) -> colander.MappingSchema:
    return endpoint.schema


def _page_of(path: str) -> str:
    if path.startswith(f"{WALLET}/"):
        return page("wallet.md")
    return page("internal.md" if path.startswith(INTERNAL_SURFACE) else "api.md")


def _documented(services: dict[str, Any]) -> Iterator[str]:
    """Yield the documented paths: the docs show one object, an export and endings for records
    only.
    """
    for path in services:
        stem, dot, ending = path.partition(".")
        if dot and stem in services:
            yield f"{PUBLIC_SURFACE}records.{ending}"
        elif re.fullmatch(rf"{PUBLIC_SURFACE}[a-z-]+/{{id}}", path):
            yield f"{PUBLIC_SURFACE}records/{{id}}"
        else:
            export = f"{PUBLIC_SURFACE}export/"
            yield f"{export}records" if path.startswith(export) and not dot else path


def test_every_endpoint_stands_in_the_table_of_its_page(services: dict[str, Any]) -> None:
    documented = set(_documented(services))
    assert documented
    for path in documented:
        table = rows(section(_page_of(path), "Endpoints"))
        named = {s for row in table for s in SPAN.findall(row[0])}
        assert path in named, f"the table of endpoints needs a row for {path}"


def test_every_endpoint_has_an_example(services: dict[str, Any]) -> None:
    for path in _documented(services):
        written = path.replace("{", "$").replace("}", "")
        example = re.search(re.escape(f"$BASE{written}") + '[?"]', _page_of(path))
        # Paths below /wallet need no examples of their own.
        is_exempt = path.startswith(("/__", WALLET_SURFACE))
        assert example or is_exempt, f"no example has the URL $BASE{written}"


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_path_in_the_docs_exists(path: Path, services: dict[str, Any]) -> None:
    text = path.read_text(encoding="utf-8")
    below = r"(?:/wallet)?/(?:v1/api|internal/v1)/[a-z/-]*[a-z](?:\.(?:csv|ndjson|xlsx|json))?"
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
        known = {node.name: node for node in schema.children}
        for key, values in given.items():
            known[key].deserialize(values)


#: A parameter: name, default and value.
_PARAMETER = re.compile(r"^- `(\w+)`(?: \(`(.*?)`\))?: (.*)$", re.MULTILINE)


def test_the_parameters_of_lists_are_documented(services: dict[str, Any]) -> None:
    named = {name for name, *_ in _PARAMETER.findall(section(page("api.md"), "Endpoints"))}
    for path, service in services.items():
        schema = _schema(service)
        if path in WORKED_OUT or not path.startswith(PUBLIC_SURFACE):
            continue
        if path.count("/") == 3:
            assert {n.name for n in schema.children if not isinstance(n.typ, Conditions)} <= named


#: Sections that say in a sentence which parameters there are.
_IN_SENTENCES = ("records-by-id", "one-object", "saved-questions", "exports")
#: The anchors of the sections of all other endpoints but lists, by path.
WORKED_OUT = {
    row[0].strip("`"): link[1]
    for row in rows(section(page("api.md"), "Endpoints"))
    if (link := re.search(r"\(#([a-z-]+)\)", row[-1])) and link[1] not in _IN_SENTENCES
    if row[0].strip("`").removeprefix(PUBLIC_SURFACE) not in {r.path for r in PUBLIC_RESOURCES}
}


def _parameters(path: str) -> list[tuple[str, str, str]]:
    """Return the first list of parameters in the section of an endpoint: name, default, value."""
    anchor = WORKED_OUT.get(path) or f"parameters-of-{path.rpartition('/')[2]}"
    heading = f"(?i:{anchor.replace('-', '.')})"
    lists = section(_page_of(path), heading).strip().split("\n\n")
    return _PARAMETER.findall(next((each for each in lists if _PARAMETER.match(each)), ""))


def test_other_endpoints_have_exactly_their_parameters_with_defaults_and_ranges(
    services: dict[str, Any],
) -> None:
    internal = [p for p in services if p.startswith(INTERNAL_SURFACE) and needs_token(p)]
    others = [*internal, *(p for p in services if p in WORKED_OUT)]
    assert len(others) > 1
    for path in others:
        schema = _schema(services[path])
        documented = _parameters(path)
        # The filters of records have a table of their own; common parameters are in that of the
        # lists.
        is_summary = WORKED_OUT.get(path) == "summaries"
        nodes = [
            node
            for node in schema.children
            if node.name != AMOUNTS and not (is_summary and isinstance(node.typ, Conditions))
        ]
        assert [name for name, *_ in documented] == [node.name for node in nodes], path
        for node, (_, default, values) in zip(nodes, documented, strict=True):
            if default:
                assert node.deserialize([default]) == node.missing
            else:
                assert node.required or not node.missing
            for low, high in re.findall(r"^(\d+) to (\d+)", values):
                assert [node.deserialize([n]) for n in (low, high)] == [int(low), int(high)]
                with pytest.raises(colander.Invalid):
                    node.deserialize([str(int(high) + 1)])


def test_every_dimension_of_a_summary_has_a_row_with_its_columns() -> None:
    documented = rows_of(section(page("api.md"), "Summaries"), "Dimension")
    named = {}
    for row in documented:
        for name in SPAN.findall(row[0]):
            columns = [name] if row[1].startswith("the same") else []
            named[name] = columns + SPAN.findall(row[1])
    assert list(named) == [
        name for row in documented for name in DIMENSIONS if name in SPAN.findall(row[0])
    ]
    assert named == {
        name: [f.name for f in found.fields] + ["periodStart"] * (found.period is not None)
        for name, found in DIMENSIONS.items()
    }


def test_every_column_of_a_summary_is_explained_once_in_their_order() -> None:
    text = section(page("api.md"), "Summaries").partition("The columns:")[2].partition("Rules:")[0]
    explained = re.findall(r"^- (.*?):", text, re.MULTILINE)
    assert [name for each in explained for name in SPAN.findall(each)] == [*SUMS]


def test_the_example_of_usage_has_exactly_its_fields() -> None:
    text = section(page("api.md"), "API usage")
    (example,) = (json.loads(body) for language, body in BLOCK.findall(text) if language == "json")
    whole = USAGE_RESPONSE.schema["properties"]
    assert set(example) == set(whole)
    assert set(example["usage"][0]) == set(whole["usage"]["items"]["properties"])
    assert set(example["rateLimit"]) == set(whole["rateLimit"]["properties"])


def test_a_transaction_has_exactly_its_fields() -> None:
    documented = rows_of(section(page("internal.md"), "get-records"), "Field")
    assert [row[0] for row in documented] == [f"`{name}`" for name in TRANSACTION_FIELDS]


def test_every_type_of_document_has_a_row_with_exactly_its_data() -> None:
    documented = rows(section(page("internal.md"), "Document types"))
    assert [
        (row[0], SPAN.findall(row[2]), row[2].endswith("other imported fields"))
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


def test_a_split_record_lacks_the_fields_that_its_parts_have() -> None:
    documented = rows(section(page("importing.md"), "The native format"))
    (fields,) = (row[1] for row in documented if row[0] == "`SplitRecord`")
    without = [f for f in RECORDS.having_role(Role.STORED) if SPLITS.get_field(f.name) is None]
    assert SPAN.findall(fields.partition(" without ")[2]) == [field.name for field in without]


@pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: r.name)
def test_a_resource_has_its_envelope_key_and_order(resource: Resource) -> None:
    table = rows(section(page("api.md"), "Endpoints"))
    row = next(r for r in table if r[0] == f"`/v1/api/{resource.path}`")
    assert row[1:3] == [f"`{resource.name}`", f"`{resource.default_sort}`"]


def _section_of(resource: Resource) -> str:
    assert resource.path is not None
    return section(page("api.md"), resource.path.replace("-", " ").capitalize())


#: The fields of every resource, which the page describes above the lists.
_COMMON = ("id", "createdAt", "updatedAt")
#: A line about a field: its name, its kind with what an import does with it, and its meaning.
_FIELD = re.compile(r"^- (`\w+`) \((.*?)\)(?::((?:.|\n  )*))?$", re.MULTILINE)


def test_the_fields_of_every_resource_are_named_once() -> None:
    intro = section(page("api.md"), "Resources and their fields").partition("\n### ")[0]
    assert [name for name in SPAN.findall(intro) if name in _COMMON] == list(_COMMON)
    for resource in PUBLIC_RESOURCES:
        assert set(_COMMON) <= {field.name for field in resource.fields}


def _in_an_import(field: Field) -> str | None:
    if field.role is not Role.STORED:
        return "computed" if field.role is Role.COMPUTED else "derived"
    if field.required:
        return "required"
    if field.default in (None, ()):
        return None
    default = str(field.default).lower() if field.kind is Kind.BOOLEAN else field.default
    return f"default `{default}`"


@pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: r.name)
def test_a_resource_has_exactly_its_fields_with_kinds_defaults_and_choices(
    resource: Resource,
) -> None:
    fields = [field for field in resource.fields if field.name not in _COMMON]
    documented = _FIELD.findall(_section_of(resource))
    assert [found[:2] for found in documented] == [
        (
            f"`{f.name}`",
            ", ".join(
                filter(
                    None,
                    (
                        f.kind.value + ("?" if f.nullable and not f.kind.is_list else ""),
                        _in_an_import(f),
                    ),
                )
            ),
        )
        for f in fields
    ]
    for field, (_, _, meaning) in zip(fields, documented, strict=True):
        if field.kind is Kind.CHOICE and field.choices is not CURRENCIES:
            assert [s for s in SPAN.findall(meaning) if s in field.choices] == list(field.choices)


_FIELDS_BY_KIND = {f.kind: f for r in PUBLIC_RESOURCES for f in r.fields if f.filterable}


@pytest.mark.parametrize("kind", _FIELDS_BY_KIND, ids=lambda k: k.name)
def test_a_kind_has_a_row_with_exactly_its_prefixes(kind: Kind) -> None:
    table = rows(section(page("filters.md"), "Prefixes by kind"))
    row = next(r for r in table if kind.value in r[0].split(", "))
    nulls = (Operator.IS_NULL, Operator.NOT_NULL)
    expected = [o.prefix + "." for o in operators_of(_FIELDS_BY_KIND[kind]) if o not in nulls]
    assert SPAN.findall(row[1]) == expected


def test_every_operator_is_explained() -> None:
    text = page("filters.md")
    for operator in {o for f in _FIELDS_BY_KIND.values() for o in operators_of(f)}:
        assert f"`{operator.prefix}" in text, f"filters.md does not explain {operator.prefix}"


def test_what_is_refused_is_refused_with_that_message(services: dict[str, Any]) -> None:
    schema = _schema(services["/v1/api/records"])
    known = {node.name: node for node in schema.children}
    messages = {}
    for cells in rows(section(page("filters.md"), "What is refused")):
        name, _, value = cells[0].strip("`").partition("=")
        # Others are refused before their value is read.
        if name in known and "%" not in value:
            with pytest.raises(colander.Invalid) as refusal:
                known[name].deserialize([value])
            messages[cells[1]] = str(refusal.value.messages()[0])
    assert len(messages) > 5
    assert [*messages] == [*messages.values()]


# -- the settings pages


PAGE_PATHS = set(ROUTES.values())


def test_every_page_is_in_the_table_or_below_one_that_is() -> None:
    documented = rows_of(section(page("settings-pages.md"), "The pages"), "Path")
    named = {path for row in documented for path in SPAN.findall(row[0])}
    assert named <= PAGE_PATHS
    above = tuple(f"{path}/" for path in named)
    others = [path for path in PAGE_PATHS - named if not path.startswith(above)]
    assert not others, "the table of pages needs a row"


def _settings_paths(path: Path) -> set[str]:
    """Return the paths that stand alone, after ``$BASE`` or after a host."""
    start = r"(?:(?<=[\s`])|\$BASE|https?://[\w.:]+)"
    below = rf"{SETTINGS_PAGES}/[a-z/{{}}-]+"
    return set(re.findall(f"{start}({below})", path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_settings_page_in_the_docs_exists(path: Path) -> None:
    assert {p for p in _settings_paths(path) if p.rstrip("/") != STATIC} <= PAGE_PATHS


def test_paths_of_settings_pages_are_found() -> None:
    assert _settings_paths(PROJECT / "README.md")
    assert len(_settings_paths(DOCS / "settings-pages.md")) > 5


def test_the_headers_of_settings_pages_are_those_that_are_sent(app: Any) -> None:
    response = Request.blank(f"{SETTINGS_PAGES}/login").get_response(app)
    text = section(page("settings-pages.md"), "Headers")
    example = next(body for language, body in BLOCK.findall(text) if language == "http")
    shown = dict(line.split(": ", 1) for line in example.splitlines()[1:])
    # The server adds the date.
    assert set(shown) == {*response.headers, "Date"}
    same = set(shown) - {"Date", "Content-Length", "Set-Cookie", "X-Request-Id"}
    assert {name: shown[name] for name in same} == {n: response.headers[n] for n in same}
    explained = {s for row in rows_of(text, "Header") for s in SPAN.findall(row[0])}
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
