"""Every request that the docs show is valid by the OpenAPI descriptions."""

import re
from pathlib import Path
from urllib.parse import unquote_plus

import jsonschema
import pytest

from finance_api.http.surfaces import (
    INTERNAL_DESCRIPTION,
    PUBLIC_DESCRIPTION,
    SUFFIXES,
    WALLET_DESCRIPTION,
)
from support.service import Service

PROJECT = Path(__file__).parents[2]
PAGES = (PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md")))
#: A request with a query, up to a character that no query has.
_REQUEST = re.compile(
    r"((?:/wallet)?/v1/api/|/internal/v1/|`(?=[a-z/-]+\?))([\w/{}$.-]*)\?([^\s\"'`<>\\)|]+)"
)
#: Left out where a table says so.
_USUAL = "/v1/api/"
#: A filter alone, as text shows it.
_FILTER = re.compile(r"`([A-Za-z]+=[^`…]+)`")
#: These stand for a value that the reader fills in.
_PLACEHOLDER = re.compile(r"[$…{}]|\.\.\.|^$")
#: Filters below this heading are refused.
REFUSED = "## What is refused"
#: Shown because it is refused.
REFUSED_REQUEST = "/v1/api/records?amont=gte.5&limit=1000"


@pytest.fixture(scope="module")
def documents():
    service = Service("memory", {"finance_api.storage": "memory"})
    paths = (PUBLIC_DESCRIPTION, WALLET_DESCRIPTION, INTERNAL_DESCRIPTION)
    yield [service.web.get(path).json for path in paths]
    service.stop()


def resolved(document, each):
    while "$ref" in each:
        _, _, kind, name = each["$ref"].split("/")
        each = document["components"][kind][name]
    return each


def parameters_of(documents, path):
    """Return the document and the parameters of a path, by name; None if no document has it."""
    for suffix in SUFFIXES:
        path = path.removesuffix(suffix)
    for document in documents:
        # The path itself comes before one with a place for an id.
        for known, methods in sorted(document["paths"].items(), key=lambda each: "{" in each[0]):
            if re.fullmatch(re.sub(r"\\{.*?\\}", "[^/]+", re.escape(known)), path):
                found = [resolved(document, each) for each in methods["get"]["parameters"]]
                return document, {each["name"]: each for each in found if each["in"] == "query"}
    return None


def values_of(query):
    """Return the texts of each parameter. Leave out those with a placeholder."""
    found = {}
    for pair in query.split("&"):
        name, _, text = pair.partition("=")
        if not _PLACEHOLDER.search(text):
            found.setdefault(name, []).append(unquote_plus(text))
    return found


def instance_of(parameter, texts):
    """Return what the texts are by the parameter's style and type."""
    match parameter["schema"].get("type"):
        case "array" if not parameter["explode"]:
            return ",".join(texts).split(",")
        case "array":
            return texts
        case "integer":
            return int(texts[0])
        case "boolean":
            return {"true": True, "false": False}[texts[0]]
    return texts[0]


def faults(document, parameters, query):
    for name, texts in values_of(query).items():
        if name not in parameters:
            yield f"{name} is not described"
            continue
        schema = {**parameters[name]["schema"], "components": document["components"]}
        instance = instance_of(parameters[name], texts)
        for error in jsonschema.Draft202012Validator(schema).iter_errors(instance):
            yield f"{name}: {error.message[:200]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_request_is_valid_by_the_description(documents, page):
    wrong = []
    for base, rest, query in _REQUEST.findall(page.read_text(encoding="utf-8")):
        base = base.replace("`", _USUAL)
        if f"{base}{rest}?{query}" == REFUSED_REQUEST:
            continue
        described = parameters_of(documents, base + rest)
        if described is None:
            wrong.append(f"{base}{rest} is not described")
            continue
        wrong += [f"{base}{rest}?{query}: {fault}" for fault in faults(*described, query)]
    assert not wrong


def test_the_requests_are_found():
    found = [_REQUEST.findall(page.read_text(encoding="utf-8")) for page in PAGES]
    assert sum(map(len, found)) > 100


def test_every_filter_in_the_text_about_filters_is_valid_by_the_description(documents):
    text = (PROJECT / "docs" / "filters.md").read_text(encoding="utf-8").partition(REFUSED)[0]
    shown = _FILTER.findall(text)
    assert len(shown) > 20
    tables = [
        parameters_of(documents, f"/v1/api/{path}")
        for path in ("records", "records/summary", "accounts", "categories", "budgets")
    ]
    for query in shown:
        assert any(not list(faults(*table, query)) for table in tables), query
