"""Every field of every resource: its filters and its order, checked against the full list.

These tests implement each filter again, in Python on the JSON of the unfiltered list.
"""

from functools import cache

import pytest

from finance_api.ledger.changing import changing
from finance_api.ledger.edits.records import add_record
from finance_api.query.operators import operators_of
from finance_api.resources import PUBLIC_RESOURCES, RECORDS
from finance_api.resources.field import Kind
from support.native_rows import account, household, record, split_record, uid
from support.service import on_one_storage
from support.statements import statement

FIELDS = [
    pytest.param(resource, field, id=f"{resource.path}-{field.name}")
    for resource in PUBLIC_RESOURCES
    for field in resource.fields
]
UNKNOWN_ID = "ffffffff-0000-4000-8000-000000000000"
RANGES = {
    "eq": lambda a, b: a == b,
    "gt": lambda a, b: a > b,
    "gte": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "lte": lambda a, b: a <= b,
}
#: Kinds whose values may stand without a prefix.
BARE = (Kind.ID, Kind.SERIAL, Kind.ID_LIST, Kind.CHOICE, Kind.BOOLEAN)
#: For each kind, some prefixes and values that it does not take.
WRONG = {
    Kind.TEXT: ("gt.1", "abs.eq.a", "startsWith.a", "like.a", "a", ""),
    Kind.NUMBER: ("contains.1", "1", "EQ.1", "in.1", "abs.1", "abs.abs.eq.1", "abs.is.null"),
    Kind.DATE: (
        "contains.2026",
        "2026-01-01",
        "contains-i.2",
        "GT.2026-01-01",
        "abs.gt.2026-01-01",
    ),
    Kind.ID: (f"in.{UNKNOWN_ID}", f"gt.{UNKNOWN_ID}", "contains.ffffffff", "is.nothing", ""),
    Kind.CHOICE: ("in.a", "gt.a", "contains.a", "is.empty", ""),
    Kind.BOOLEAN: ("gt.true", "ne.true", "contains.t", "TRUE", "1", "true,false", "eq.", ""),
}
WRONG[Kind.DATETIME] = WRONG[Kind.DATE]
WRONG[Kind.TEXT_LIST] = WRONG[Kind.TEXT]
WRONG[Kind.ID_LIST] = WRONG[Kind.SERIAL] = WRONG[Kind.ID]


def prefixes_of(field):
    """Return the prefixes of the field; the tests of the docs compare them with the table there."""
    found = {f"{o.prefix}." for o in operators_of(field) if not o.prefix.startswith("is.")}
    return found | {"abs."} if field.kind is Kind.NUMBER else found


def test_every_prefix_of_texts_is_among_the_cases():
    tried = {text.partition(".")[0] + "." for text, _ in cases(RECORDS["note"], ["abcd"])}
    assert {*tried, "ne.", "ne-or-null."} == prefixes_of(RECORDS["note"])


#: Fields that every record imported now has.
NEVER_MISSING = {("records", "currencyCode"), ("records", "importId")}


@pytest.fixture(scope="module")
def readers():
    @cache
    def reader(service):
        client = service.client()
        parts = [record(number, splitId=uid("Record", 10)) for number in (11, 12)]
        split = [split_record(10, id=uid("Record", 10), amount=-2), *parts]
        client.load(*household(), account(4, name="empty"), *split)
        client.statement(statement(closing=(20_518, 575_000)), account_name="Giro")
        (giro,) = client.names("accounts", "id", name="eq.Giro")
        now = service.clock.now()
        with changing(service.backend, client.user.email, now, action="edit") as session:
            # The bank's balance does not have this record.
            add_record(
                session, {"accountId": giro, "amount": -10_000, "recordDate": 20_510 * 86_400}
            )
        return client

    return reader


@pytest.fixture
def reader(service, readers):
    """A client whose user has the household, and data for all derived fields: an account without
    records, a bank's balance. Tests share the client, and change nothing.
    """
    return readers(service)


def listed(client, resource, **query):
    return client.exact(str(resource.path), limit=100, **query)[resource.name]


def elements(value):
    """Return the values that can meet a condition; none if the value is missing."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def escaped(text):
    """Escape a text for ``in.``."""
    return text.replace("\\", "\\\\").replace(",", "\\,")


def cases(field, values):
    """Yield (value of the parameter, its test of one element) for values that occur."""
    kind = field.kind
    if kind in (Kind.TEXT, Kind.TEXT_LIST):
        for value in values:
            inner = value[1:3]
            yield f"eq.{value}", lambda e, v=value: e == v
            yield f"contains.{inner}", lambda e, v=inner: v in e
            yield f"contains-i.{inner.upper()}", lambda e, v=inner: v.casefold() in e.casefold()
            start = value[:2]
            yield (
                f"startsWith-i.{start.swapcase()}",
                lambda e, v=start: e.casefold().startswith(v.casefold()),
            )
        yield f"in.{','.join(map(escaped, values))}", lambda e: True
        yield f"in.nothing like it,{escaped(values[-1])}", lambda e: e == values[-1]
        yield "eq.nothing like it", lambda e: False
    elif kind in (Kind.NUMBER, Kind.DATE):
        for value in values:
            for prefix, test in RANGES.items():
                yield f"{prefix}.{value}", lambda e, t=test, v=value: t(e, v)
        if kind is Kind.NUMBER:
            for value in values:
                for prefix, test in RANGES.items():
                    size = abs(value)
                    yield f"abs.{prefix}.{size}", lambda e, t=test, v=size: t(abs(e), v)
            yield "gt.-0.00001,lt.0.00001", lambda e: e == 0
    elif kind is Kind.DATETIME:
        for value in values:
            for prefix, test in RANGES.items():
                yield f"{prefix}.{value}", lambda e, t=test, v=value: t(e, v)
                yield f"{prefix}.{value[:10]}", lambda e, t=test, v=value[:10]: t(e[:10], v)
    elif kind in (Kind.ID, Kind.SERIAL, Kind.ID_LIST, Kind.CHOICE):
        for value in values:
            yield value, lambda e, v=value: e == v
            yield f"eq.{value}", lambda e, v=value: e == v
        yield ",".join(values), lambda e: True
        yield f"eq.{values[0]},{values[-1]}", lambda e: e in (values[0], values[-1])
        if kind is not Kind.CHOICE:
            yield values[0].upper(), lambda e: e == values[0]
            yield UNKNOWN_ID, lambda e: False
    else:
        for word, truth in (("true", True), ("false", False)):
            yield word, lambda e, t=truth: e is t
            yield f"eq.{word}", lambda e, t=truth: e is t


@pytest.mark.parametrize(("resource", "field"), FIELDS)
def test_a_filter_gives_the_rows_that_meet_it(reader, resource, field):
    rows = listed(reader, resource)
    if not field.filterable:
        for value in ("eq.1", "gt.2026-01-01", "is.null", "is.not_null", "1"):
            assert reader.fault(str(resource.path), **{field.name: value})["name"] == field.name
        return
    values = list(dict.fromkeys(e for row in rows for e in elements(row[field.name])))
    assert values, "the household must give every field a value"
    for text, test in cases(field, values):
        expected = [r["id"] for r in rows if any(map(test, elements(r[field.name])))]
        assert [r["id"] for r in listed(reader, resource, **{field.name: text})] == expected, text


@pytest.mark.parametrize(
    ("resource", "field"),
    [p for p in FIELDS if p.values[1].filterable and p.values[1].kind is not Kind.BOOLEAN],
)
def test_an_unequal_value_is_one_that_is_there_and_has_no_equal_element(reader, resource, field):
    rows = listed(reader, resource)
    values = list(dict.fromkeys(e for row in rows for e in elements(row[field.name])))
    assert values
    for value in values:
        expected = [r["id"] for r in rows if elements(r[field.name])]
        expected = [
            r["id"] for r in rows if r["id"] in expected and value not in elements(r[field.name])
        ]
        found = listed(reader, resource, **{field.name: f"ne.{value}"})
        assert [r["id"] for r in found] == expected, value
        expected = [r["id"] for r in rows if value not in elements(r[field.name])]
        found = listed(reader, resource, **{field.name: f"ne-or-null.{value}"})
        assert [r["id"] for r in found] == expected, value
    if field.kind in (Kind.ID, Kind.ID_LIST, Kind.CHOICE):
        assert listed(reader, resource, **{field.name: f"ne.{','.join(values)}"}) == []


@pytest.mark.parametrize(("resource", "field"), [p for p in FIELDS if p.values[1].filterable])
def test_a_missing_value_is_found_as_missing_only(reader, resource, field):
    rows = listed(reader, resource)
    missing = [r["id"] for r in rows if not elements(r[field.name])]
    present = [r["id"] for r in rows if elements(r[field.name])]
    path = str(resource.path)
    if not field.can_be_missing:
        assert not missing
        assert reader.get(path, **{field.name: "is.null"}).status_int == 400
        return
    if (resource.name, field.name) not in NEVER_MISSING:
        assert missing, "the household must leave every field out that can be missing"
    assert reader.names(path, "id", **{field.name: "is.null"}) == missing
    assert reader.names(path, "id", **{field.name: "is.not_null"}) == present
    assert reader.names(path, "id", **{field.name: ["is.null", "is.not_null"]}) == []


@on_one_storage
@pytest.mark.parametrize(("resource", "field"), [p for p in FIELDS if p.values[1].filterable])
def test_a_wrong_prefix_is_refused_with_the_right_ones(client, resource, field):
    for value in (*WRONG[field.kind], "nope.x", "is.", "is.NULL", "not.eq.x", ".x"):
        fault = client.fault(str(resource.path), **{field.name: value})
        assert fault["name"] == field.name
        if "." in value and field.kind not in BARE:
            assert all(prefix in fault["message"] for prefix in prefixes_of(field)), fault


@on_one_storage
@pytest.mark.parametrize("kind", BARE)
def test_a_wrong_prefix_where_a_bare_value_is_taken_is_refused_with_the_right_ones(client, kind):
    fields = [(r, f) for r in PUBLIC_RESOURCES for f in r.fields if f.kind is kind]
    assert fields
    for resource, field in fields:
        for value in (f"gt.{UNKNOWN_ID}", "contains.a", "is.empty"):
            fault = client.fault(str(resource.path), **{field.name: value})
            assert "eq." in fault["message"]


@pytest.mark.parametrize(("resource", "field"), FIELDS)
def test_rows_are_ordered_by_any_scalar_field(reader, resource, field):
    path = str(resource.path)
    if field.kind.is_list:
        for sort in (field.name, f"-{field.name}", f"+id,{field.name}"):
            assert reader.get(path, sortBy=sort).status_int == 400
        return
    rows = sorted(listed(reader, resource), key=lambda row: row["id"])
    missing = [r["id"] for r in rows if r[field.name] is None]
    present = [r for r in rows if r[field.name] is not None]
    for sign in ("", "+", "-"):
        ordered = sorted(present, key=lambda r: r[field.name], reverse=sign == "-")
        expected = [r["id"] for r in ordered] + missing
        found = [r["id"] for r in listed(reader, resource, sortBy=sign + field.name)]
        assert found == expected, sign


@pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: str(r.path))
def test_conditions_of_all_fields_hold_together(reader, resource):
    """Conditions on all fields with a row's own values find that row."""
    rows = listed(reader, resource)
    assert rows
    for row in rows:
        query = {}
        for field in resource.fields:
            if not field.filterable:
                continue
            value = row[field.name]
            if not elements(value):
                query[field.name] = "is.null"
            elif isinstance(value, bool):
                query[field.name] = f"eq.{str(value).lower()}"
            else:
                query[field.name] = [f"eq.{e}" for e in elements(value)]
        for names in (list(query), list(reversed(query))):
            found = listed(reader, resource, **{name: query[name] for name in names})
            assert [r["id"] for r in found] == [row["id"]]
        query["id"] = UNKNOWN_ID
        assert listed(reader, resource, **query) == []


@pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: str(r.path))
def test_the_default_order_is_the_contract_s(reader, resource):
    default = {"records": "-recordDate"}
    default |= dict.fromkeys(("accounts", "categories", "labels"), "+name")
    by_default = [r["id"] for r in listed(reader, resource)]
    order = default.get(str(resource.path), "-createdAt")
    assert by_default == [r["id"] for r in listed(reader, resource, sortBy=order)]
    if order == "-createdAt":
        assert by_default == sorted(by_default, reverse=True)
