"""The filter grammar: what is written comes back, and nothing but a QueryError is ever raised."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.query.errors import QueryError
from finance_api.query.model import Condition, Operator, Query, Span
from finance_api.query.parse import parse_conditions, parse_ids, parse_integer, parse_sort
from finance_api.query.render import canonical_text, condition_text, sort_text
from finance_api.resources import PUBLIC_RESOURCES, RECORDS
from finance_api.resources.field import Kind
from finance_api.values.ids import serial_id

FIELDS = [(r, f) for r in PUBLIC_RESOURCES for f in r.fields if f.filterable]
any_field = st.sampled_from([f for _, f in FIELDS])
hostile = st.text(max_size=40) | st.text("egltcontains-i.nu,%_ +-0123456789T:Z", max_size=40)


def field(name):
    found = RECORDS.get_field(name)
    assert found is not None
    return found


def written_like(f):
    """Texts that the grammar understands for a field."""
    day = st.dates().map(lambda d: d.isoformat())
    moment = st.datetimes(
        min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)
    ).map(lambda d: d.isoformat().replace("+00:00", "Z"))
    number = st.decimals(allow_nan=False, allow_infinity=False, places=6).map(
        lambda d: format(d, "f")
    )
    ranges = st.sampled_from(["eq.", "gt.", "gte.", "lt.", "lte."])
    uuid = st.uuids().map(str)
    serial = st.integers(0, 2**48 - 1).map(serial_id) | uuid
    return {
        Kind.TEXT: st.tuples(
            st.sampled_from(["eq.", "contains.", "contains-i."]),
            st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20),
        ).map("".join),
        Kind.NUMBER: st.tuples(ranges, number).map("".join),
        Kind.DATE: st.tuples(ranges, day | moment).map("".join),
        Kind.ID: st.lists(uuid, min_size=1, max_size=3).map(",".join),
        Kind.SERIAL: st.lists(serial, min_size=1, max_size=3).map(",".join),
        Kind.CHOICE: st.lists(st.sampled_from(f.choices or ("",)), min_size=1).map(",".join),
        Kind.BOOLEAN: st.sampled_from(["true", "eq.false"]),
    }


@given(st.data())
def test_a_rendered_condition_reads_as_the_same_condition(data):
    f = data.draw(any_field)
    kind = {
        Kind.TEXT_LIST: Kind.TEXT,
        Kind.ID_LIST: Kind.ID,
        Kind.DATETIME: Kind.DATE,
    }.get(f.kind, f.kind)
    text = data.draw(written_like(f)[kind])
    (condition,) = parse_conditions(f, text)
    assert parse_conditions(f, condition_text(condition)) == (condition,)


@given(any_field, hostile)
def test_anything_else_is_refused_with_a_reason(f, text):
    try:
        conditions = parse_conditions(f, text)
    except QueryError as error:
        assert str(error)
    else:
        for condition in conditions:
            assert parse_conditions(f, condition_text(condition)) == (condition,)


@given(st.sampled_from(PUBLIC_RESOURCES), hostile)
def test_a_sort_is_read_or_refused(resource, text):
    try:
        keys = parse_sort(resource, text)
    except QueryError as error:
        assert str(error)
    else:
        assert parse_sort(resource, sort_text(keys)) == keys


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("payee", "Shop", '"Shop" has no prefix'),
        ("payee", "like.Shop", '"like." is not a prefix'),
        ("payee", "gt.Shop", "contains-i."),
        ("payee", "contains.", "needs a text"),
        ("payee", "eq." + "x" * 257, "at most 256"),
        ("payee", "eq.a\x00b", "NUL"),
        ("payee", "is.nothing", "is.null"),
        ("amount", "contains.5", "gte."),
        ("amount", "gt.1e5", '"1e5"'),
        ("amount", "gt.NaN", '"NaN"'),
        ("amount", "gt.1_000", '"1_000"'),
        ("amount", "gt.٥", '"٥"'),
        ("amount", "gt.", '""'),
        ("amount", "gt.5,", '""'),
        ("amount", "is.null", "always has a value"),
        ("recordDate", "gte.2026-02-30", '"2026-02-30"'),
        ("recordDate", "gte.2026-1-1", '"2026-1-1"'),
        ("recordDate", "gte.2026-01-01T25:00Z", "time of the day"),
        ("recordDate", "gte.0000-01-01", "calendar"),
        ("accountId", "abc", "UUID"),
        ("currencyCode", "eur", "EUR"),
        ("recordState", "eq.cleared,", "reconciled"),
        ("labelIds", "contains.x", "a bare value, eq."),
        ("labelIds", "x", "UUID"),
    ],
)
def test_a_refusal_names_the_part_and_what_is_allowed(name, text, part):
    with pytest.raises(QueryError) as refusal:
        parse_conditions(field(name), text)
    assert part in str(refusal.value)


def test_a_list_holds_up_to_a_hundred_ids():
    one = "0b7e1c9a-5f0e-4a43-9d53-0f6a3f1f7a11"
    assert len(parse_ids(",".join([one] * 100))) == 100
    with pytest.raises(QueryError, match="101"):
        parse_ids(",".join([one] * 101))


@pytest.mark.parametrize("text", ["0", "101", "-1", "+5", " 5", "5.0", "", "٥", "9" * 30])
def test_a_limit_out_of_range_is_refused(text):
    with pytest.raises(QueryError, match="from 1 to 100"):
        parse_integer(text, 1, 100)


def test_a_plus_that_became_a_space_is_the_plus_it_was():
    assert parse_sort(RECORDS, " amount") == parse_sort(RECORDS, "+amount")
    for written in ("gte.2026-01-01T10:00:00 02:00", "gte.2026-01-01T10:00 02:00"):
        assert parse_conditions(field("recordDate"), written) == parse_conditions(
            field("recordDate"), written.replace(" ", "+")
        )
    assert parse_conditions(field("amount"), "gt. 5") == parse_conditions(field("amount"), "gt.5")


def test_several_conditions_stand_in_one_value_of_a_number():
    conditions = parse_conditions(field("amount"), "gte.100,lte.500")
    assert conditions == (
        Condition(field("amount"), Operator.GTE, Span(1_000_000, 1_000_001)),
        Condition(field("amount"), Operator.LTE, Span(5_000_000, 5_000_001)),
    )


def test_a_comma_in_a_text_is_text():
    (condition,) = parse_conditions(field("payee"), "eq.a,eq.b")
    assert condition.operand == "a,eq.b"


def test_queries_that_mean_the_same_have_one_canonical_text():
    def text(*filters):
        conditions = tuple(
            c for name, value in filters for c in parse_conditions(field(name), value)
        )
        return canonical_text(Query(RECORDS, conditions))

    assert text(("amount", "gt.5"), ("payee", "eq.x")) == text(
        ("payee", "eq.x"), ("amount", "gt.5.000")
    )
    assert text(("recordState", "void,cleared")) == text(("recordState", "eq.cleared,void,void"))
    assert text(("recordDate", "gt.2026-01-01T10:00Z")) == text(
        ("recordDate", "gt.2026-01-01T12:00:00+02:00")
    )
    assert text(("payee", "eq.x"), ("note", "eq.y")) != text(("payee", "eq.y"), ("note", "eq.x"))
