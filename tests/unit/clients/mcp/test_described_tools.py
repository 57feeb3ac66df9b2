"""Every tool compared with the API's own description: paths, arguments, choices, columns."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from webtest import TestApp

from finance_api import main
from finance_api.http.surfaces import PUBLIC_DESCRIPTION
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Kind

tool_table = pytest.importorskip("finance_api.clients.mcp.tool_table")
Paging = pytest.importorskip("finance_api.clients.mcp.tool").Paging
CONDITIONS = pytest.importorskip("finance_api.clients.mcp.schemas").CONDITIONS
TOOLS = [pytest.param(tool, id=tool.name) for tool in tool_table.TOOLS]

#: The part of the description that tells how conditions on a kind of field begin.
PARTS = {
    Kind.TEXT: "Texts",
    Kind.TEXT_LIST: "Texts",
    Kind.NUMBER: "Numbers",
    Kind.DATE: "Dates",
    Kind.DATETIME: "Dates",
    Kind.ID: "Ids and choices",
    Kind.ID_LIST: "Ids and choices",
    Kind.SERIAL: "Ids and choices",
    Kind.CHOICE: "Ids and choices",
    Kind.BOOLEAN: "Booleans",
}
#: What an answer has in addition to a response of the API, by tool.
OWN = {"answer_question": {"others", "isPart", "rows"}}
#: Parameters that tools leave out: of forms, and of pages that the tool itself makes.
LEFT_OUT = {
    *("amounts", "limit", "offset", "revision", "withTotal"),
    "counted",  # summarize counts
}
#: Tools that have some filters of their lists only, chosen by hand.
WITH_SOME_FILTERS = ("list_accounts", "list_budgets", "list_goals", "categories_and_labels")
#: Other parameters that single tools leave out.
LEFT_OUT_BY = {
    "balances": {"rows"},
    "forecast": {"rows"},
    "upcoming": {"rows"},
    "recurring": {"rows", "categoryId", "withSubcategories"},
}


@pytest.fixture(scope="module")
def document() -> Any:
    app = main({}, **{"finance_api.storage": "memory"})
    found = TestApp(app).get(PUBLIC_DESCRIPTION).json
    app.registry.services.close()
    return found


def resolved(document: Any, value: Any) -> Any:
    """Return the value of a reference within the document."""
    while isinstance(value, dict) and "$ref" in value:
        target = document
        for part in value["$ref"].removeprefix("#/").split("/"):
            target = target[part.replace("~1", "/")]
        value = target
    return value


def operation(document: Any, path: str) -> Any:
    return document["paths"]["/v1/api/" + path.partition("?")[0]]["get"]


def parameters(document: Any, path: str) -> dict[str, Any]:
    found = [resolved(document, each) for each in operation(document, path).get("parameters", ())]
    return {each["name"]: each for each in found if each["in"] in ("query", "path")}


def properties(document: Any, schema: Any) -> dict[str, Any]:
    """Return the properties of a schema; of all its parts, if it has several."""
    schema = resolved(document, schema)
    found = dict(schema.get("properties", {}))
    for part in (*schema.get("allOf", ()), *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        found |= properties(document, part)
    return found


def body(document: Any, path: str) -> dict[str, Any]:
    response = resolved(document, operation(document, path)["responses"]["200"])
    return properties(document, response["content"]["application/json"]["schema"])


def words(document: Any, schema: Any) -> set[str]:
    """Return the words that a parameter takes, alone or in a list."""
    schema = resolved(document, schema)
    found = set(schema.get("enum", ()))
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *[schema.get("items")]):
        if part is not None:
            found |= words(document, part)
    return found


def types(document: Any, schema: Any) -> set[str]:
    schema = resolved(document, schema)
    found = schema.get("type", [])
    found = {found} if isinstance(found, str) else set(found)
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        found |= types(document, part)
    if "enum" in schema:
        found |= {"null" if each is None else "string" for each in schema["enum"]}
    return {"number" if each == "integer" else each for each in found}


def arguments(document: Any, tool: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield each argument: its name, the tool's schema, and the API's parameter."""
    for path in tool.reads:
        for name, schema in tool.takes.items():
            yield name, schema, parameters(document, path).get(name)


@pytest.mark.parametrize("tool", TOOLS)
def test_each_argument_is_a_parameter_of_the_api(document: Any, tool: Any) -> None:
    for name, _, parameter in arguments(document, tool):
        assert parameter is not None, f"{name} is no parameter"
        assert bool(parameter.get("required")) == (name in tool.required), name
    for path in tool.reads:
        assert {*tool.always} <= parameters(document, path).keys()


@pytest.mark.parametrize("tool", [each for each in TOOLS if each.values[0].describes_all])
def test_the_first_tool_has_every_parameter_of_its_list(document: Any, tool: Any) -> None:
    (path,) = tool.reads
    assert parameters(document, path).keys() - {*tool.takes} == LEFT_OUT


@pytest.mark.parametrize("tool", [t for t in TOOLS if t.id not in WITH_SOME_FILTERS])
def test_a_tool_has_every_parameter_of_the_api_but_those_named_here(
    document: Any, tool: Any
) -> None:
    for path in tool.reads:
        lacking = parameters(document, path).keys() - tool.takes.keys() - LEFT_OUT
        assert lacking == LEFT_OUT_BY.get(tool.name, set())


@pytest.mark.parametrize("tool", TOOLS)
def test_choices_defaults_and_limits_are_the_api_s(document: Any, tool: Any) -> None:
    for name, schema, parameter in arguments(document, tool):
        choices = words(document, parameter["schema"])
        if "enum" in schema:
            assert set(schema["enum"]) == choices, name
        if "default" in schema and "default" in parameter["schema"]:
            assert schema["default"] == parameter["schema"]["default"], name
        for limit in {"minimum", "maximum"} & schema.keys():
            assert schema[limit] == parameter["schema"][limit], name
    if tool.paging in (Paging.OFFSET, Paging.CURSOR):
        for path in tool.reads:
            assert parameters(document, path)["limit"]["schema"]["maximum"] == tool.most


@pytest.mark.parametrize(
    ("tool", "name", "others"),
    [
        ("summarize", "groupBy", ()),
        ("summarize", "columns", ()),
        ("summarize", "include", ()),
        ("recurring", "status", ()),
        ("changes", "types", ()),
    ],
)
def test_a_description_that_lists_words_lists_all_of_them(
    document: Any, tool: str, name: str, others: tuple[str, ...]
) -> None:
    declared = tool_table.BY_NAME[tool]
    (path,) = declared.reads
    known = words(document, parameters(document, path)[name]["schema"])
    text = re.sub(r"\([^)]*\)", "", declared.takes[name]["description"].partition(". ")[0])
    assert known and known <= set(re.findall(r"[A-Za-z-]+", text)), known


@pytest.mark.parametrize("tool", TOOLS)
def test_default_fields_and_filters_are_fields_of_the_resource(document: Any, tool: Any) -> None:
    fields = tool.always.get("fields")
    for path, lists in tool.reads.items():
        own = re.search(r"fields=([\w,]+)", path)
        shown = (fields or (own[1] if own else "")).split(",")
        rows = properties(document, body(document, path).get(lists[0], {}).get("items", {}))
        assert set(filter(None, shown)) <= rows.keys()
        if fields:
            assert f"Default: {fields}." in tool.takes["fields"]["description"]
    for resource in PUBLIC_RESOURCES:
        if resource.path in tool.reads and tool.takes:
            filters = tool.takes.keys() & {field.name for field in resource.fields}
            assert filters and all(resource[name].filterable for name in filters)


def check_columns(document: Any, place: str, told: Any, real: Any) -> None:
    """Check that the API has each column that a tool tells, and never another type.

    A tool may tell that a number is written as a text, or that a value can be missing.
    """
    columns = properties(document, real)
    for column, schema in told.get("properties", {}).items():
        assert column in columns, f"{place} has no {column}"
        tool_s, api_s = types(document, schema), types(document, columns[column])
        assert api_s <= tool_s, f"{place}: {column}"
        assert tool_s - api_s <= {"null", "string" if "number" in api_s else "null"}, column


@pytest.mark.parametrize("tool", TOOLS)
def test_each_column_is_a_column_of_the_api_with_its_type(document: Any, tool: Any) -> None:
    for path, lists in tool.reads.items():
        members = body(document, path)
        for name in lists:
            if name in OWN.get(tool.name, ()):
                continue
            columns = properties(document, members[name]["items"])
            check_columns(document, name, tool.rows[name], members[name]["items"])
            assert {*tool.hides, *tool.sums} <= columns.keys()
        assert {*tool.repeats} - OWN.get(tool.name, set()) <= members.keys()
        for name, told in tool.repeats.items():
            if name in members and "items" in told:
                check_columns(document, name, told["items"], members[name]["items"])


#: Columns that a table has with convertTo or compare only, which would take too much room.
SOMETIMES = re.compile("converted|conversionError|previous|change(?!d)|data$")


@pytest.mark.parametrize("tool", TOOLS)
def test_no_column_of_the_api_is_forgotten(document: Any, tool: Any) -> None:
    for path, lists in tool.reads.items():
        own = re.search(r"fields=([\w,]+)", path)
        for name in lists:
            told = tool.rows[name].get("properties", {})
            if not told:
                continue
            real = properties(document, body(document, path)[name]["items"])
            always = {column for column in real if not SOMETIMES.match(column)}
            assert always - tool.hides == {*told} or own, name
            if own:
                assert {*told} == {"id", *own[1].split(",")}, name


def filters(document: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each filter of each tool: its field, the tool's schema, and the API's parameter."""
    fields = {field.name: field for r in PUBLIC_RESOURCES for field in r.fields}
    for tool in tool_table.TOOLS:
        for name, schema, parameter in arguments(document, tool):
            if "It takes `" in parameter["description"]:
                yield fields[name], schema, parameter


def test_the_conditions_of_each_filter_are_those_of_the_api(document: Any) -> None:
    """The first tool describes the conditions of all tools, by kinds of fields."""
    real = {
        field: set(re.findall(r"`(.*?)`", parameter["description"]))
        for field, _, parameter in filters(document)
    }
    known = set().union(*real.values())
    parts = re.split(r"(Texts|Numbers|Dates|Ids and choices|Booleans|Any field): ", CONDITIONS)
    told = {
        name: known & {*re.findall(r"(?<![\w.])(?:is\.\w+|[a-zA-Z-]+\.)", part)}
        for name, part in zip(parts[1::2], parts[2::2], strict=True)
    }
    told["Dates"] = told["Numbers"] - {"abs."}
    # It may be left out.
    told["Booleans"] = {"eq."}
    nulls = told["Any field"]
    assert len(known) > 10 and nulls and {*PARTS} == {field.kind for field in real}
    for field, words_of_it in real.items():
        expected = told[PARTS[field.kind]]
        assert words_of_it - nulls == expected, field.name
    assert set().union(*(told[part] for part in PARTS.values()), nulls) == known


def test_the_choices_of_each_filter_are_those_of_the_api(document: Any) -> None:
    described = 0
    for field, schema, parameter in filters(document):
        if field.kind is Kind.CHOICE and "description" in schema:
            choices = "|".join(schema["description"].split(", "))
            assert f"({choices})" in parameter["schema"]["items"]["pattern"], field.name
            described += 1
    assert described >= 3


def test_every_list_of_the_api_is_read_by_a_tool_or_named_here(document: Any) -> None:
    read = {"/v1/api/" + path.partition("?")[0] for tool in tool_table.TOOLS for path in tool.reads}
    others = {path for path in document["paths"] if path.startswith("/v1/api/")} - read
    assert {path for path in others if "/export/" not in path and not path.endswith("/{id}")} == {
        "/v1/api/budgets/{id}/periods",
        "/v1/api/record-rules",
        "/v1/api/standing-orders",
    }
