"""The filter grammar: written filters parse to the same filters, and only QueryError is raised."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.api.validation import canonical_text
from finance_api.query.errors import QueryError
from finance_api.query.model import RELATIVE_DATES, Query, Span
from finance_api.query.operators import Operator
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import PUBLIC_RESOURCES, RECORDS
from finance_api.resources.field import Kind
from finance_api.values.ids import serial_id
from finance_api.values.time import parse_date

FIELDS = [(r, f) for r in PUBLIC_RESOURCES for f in r.fields if f.filterable]
any_field = st.sampled_from([f for _, f in FIELDS])
hostile = st.text(max_size=40) | st.text("egltcontains-i.nu,%_ +-0123456789T:Z", max_size=40)


def field(name):
    found = RECORDS.get_field(name)
    assert found is not None
    return found


def written_like(f):
    """Draw texts that the grammar accepts for a field."""
    day = st.dates().map(lambda d: d.isoformat())
    moment = st.datetimes(
        min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)
    ).map(lambda d: d.isoformat().replace("+00:00", "Z"))
    number = st.decimals(allow_nan=False, allow_infinity=False, places=6).map(
        lambda d: format(d, "f")
    )
    ranges = st.sampled_from(["eq.", "ne.", "ne-or-null.", "gt.", "gte.", "lt.", "lte."])
    month = day.map(lambda text: text[:7]) | day.map(lambda text: f"{text[:4]}-Q{text[6]}").filter(
        lambda text: text[-1] in "1234"
    )
    year = day.map(lambda text: text[:4])
    past = [name for name, date in RELATIVE_DATES.items() if not date.is_ahead]
    ahead = [name for name, date in RELATIVE_DATES.items() if date.is_ahead]
    relative = st.sampled_from([*past, "-1d", "-30d", "-36525d"])
    if f.kind is Kind.DATE:
        relative |= st.sampled_from([*ahead, "+12m"])
    sign = st.sampled_from(["", "abs."])
    uuid = st.uuids().map(str)
    serial = st.integers(0, 2**48 - 1).map(serial_id) | uuid
    return {
        Kind.TEXT: st.tuples(
            st.sampled_from(["eq.", "ne.", "ne-or-null.", "contains.", "contains-i."]),
            st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20),
        ).map("".join),
        Kind.NUMBER: st.tuples(sign, ranges, number).map("".join),
        Kind.DATE: st.tuples(ranges, day | month | year | relative | moment).map("".join),
        Kind.ID: st.lists(uuid, min_size=1, max_size=3).map(",".join),
        Kind.SERIAL: st.lists(serial, min_size=1, max_size=3).map(",".join),
        Kind.CHOICE: st.lists(st.sampled_from(f.choices or ("",)), min_size=1).map(",".join),
        Kind.BOOLEAN: st.sampled_from(["true", "eq.false"]),
    }


@given(st.data())
def test_conditions_have_the_same_text_exactly_if_they_are_equal(data):
    f = data.draw(any_field)
    kind = {Kind.TEXT_LIST: Kind.TEXT, Kind.ID_LIST: Kind.ID, Kind.DATETIME: Kind.DATE}.get(
        f.kind, f.kind
    )
    written = written_like(f)[kind]
    one, other = (parse_conditions(f, data.draw(written)) for _ in range(2))
    texts = [canonical_text({f.name: conditions}) for conditions in (one, other)]
    assert (texts[0] == texts[1]) == (one == other)


@given(any_field, hostile)
def test_anything_else_is_refused_with_a_reason(f, text):
    try:
        assert parse_conditions(f, text)
    except QueryError as error:
        assert str(error)


@given(st.sampled_from(PUBLIC_RESOURCES), hostile)
def test_a_sort_is_read_or_refused(resource, text):
    try:
        keys = parse_sort(resource, text)
    except QueryError as error:
        assert str(error)
    else:
        written = ",".join(f"{'-' if key.descending else '+'}{key.field.name}" for key in keys)
        assert parse_sort(resource, written) == keys


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("payee", "Shop", '"Shop" has no prefix'),
        ("payee", "like.Shop", '"like." is not a prefix'),
        ("payee", "contains.", "needs a text"),
        ("payee", "eq." + "x" * 257, "at most 256"),
        ("payee", "eq.a\x00b", "NUL"),
        ("payee", "is.nothing", "is.null"),
        ("payee", "in.a,,b", "needs a text before and after each comma"),
        ("payee", "in.", "needs a text"),
        ("payee", r"in.a\b", r"write a backslash as \\"),
        ("payee", "in.a\\", "write a backslash as"),
        ("payee", "in.a," + "x" * 257, "at most 256"),
        ("payee", "in." + ",".join("a" * 101), "101 texts"),
        ("payee", "in.a,b\x00", "NUL"),
        ("amount", "abs.5", '"5" has no prefix'),
        ("amount", "abs.", "has no prefix"),
        ("recordDate", "gte.-36526d", "further back than -36525d"),
        ("recordDate", "gte.-1201m", "further back than -1200m"),
        ("recordDate", "gte.-101y", "further back than -100y"),
        ("recordDate", "gte.-1w", "YYYY-MM-DD"),
        ("recordDate", "gte.30d", "YYYY-MM-DD"),
        ("recordDate", "gte.2026-13", "calendar"),
        ("amount", "contains.5", "gte."),
        ("amount", "gt.1e5", '"1e5"'),
        ("amount", "gt.5,", '""'),
        ("amount", "is.null", "always has a value"),
        ("accountId", "abc", "UUID"),
        ("currencyCode", "eur", "EUR"),
        ("recordState", "eq.cleared,", "reconciled"),
        ("labelIds", "contains.x", "a bare value, eq. ne. ne-or-null."),
    ],
)
def test_a_refusal_names_the_part_and_what_is_allowed(name, text, part):
    with pytest.raises(QueryError) as refusal:
        parse_conditions(field(name), text)
    assert part in str(refusal.value)


def test_a_comma_separates_the_texts_of_an_in():
    def texts(value):
        (condition,) = parse_conditions(field("payee"), value)
        return condition.operator, condition.operand

    assert texts("in.b,a,b") == (Operator.ANY_OF, ("a", "b"))
    assert texts(r"in.a\,b,c") == (Operator.ANY_OF, ("a,b", "c"))
    assert texts(r"in.a\\,c\,\\") == (Operator.ANY_OF, ("a\\", "c,\\"))
    assert texts(r"in.a\,b") == (Operator.EQ, "a,b")
    assert texts("in. a ,b") == (Operator.ANY_OF, (" a ", "b"))


@pytest.mark.parametrize(
    ("operand", "day"),
    [
        ("today", "2024-02-29"),
        ("-0y", "2024-02-29"),
        ("-1d", "2024-02-28"),
        ("-366d", "2023-02-28"),
        ("-1m", "2024-01-29"),
        ("-12m", "2023-02-28"),
        ("-1y", "2023-02-28"),
        ("-4y", "2020-02-29"),
        ("-100y", "1924-02-29"),
    ],
)
def test_a_relative_day_is_counted_back_from_today(operand, day):
    query = Query(RECORDS, parse_conditions(field("recordDate"), f"gte.{operand}"))
    assert query.is_relative
    written = Query(RECORDS, parse_conditions(field("recordDate"), f"gte.{day}"))
    assert query.on(parse_date("2024-02-29")) == written
    assert not written.is_relative


def test_a_month_or_a_year_means_all_its_days():
    def span(text):
        (condition,) = parse_conditions(field("recordDate"), f"eq.{text}")
        return condition.operand

    def days(first, last):
        return Span(parse_date(first), parse_date(last) + 86_400)

    assert span("2024-02") == days("2024-02-01", "2024-02-29")
    assert span("2026-12") == days("2026-12-01", "2026-12-31")
    assert span("2026") == days("2026-01-01", "2026-12-31")
    assert span("9999") == days("9999-01-01", "9999-12-31")


def test_queries_that_mean_the_same_have_one_canonical_text():
    def text(*filters):
        return canonical_text(
            {name: parse_conditions(field(name), value) for name, value in filters}
        )

    assert text(("amount", "gt.5"), ("payee", "eq.x")) == text(
        ("payee", "eq.x"), ("amount", "gt.5.000")
    )
    assert text(("recordState", "void,cleared")) == text(("recordState", "eq.cleared,void,void"))
    assert text(("recordDate", "gt.2026-01-01T10:00Z")) == text(
        ("recordDate", "gt.2026-01-01T12:00:00+02:00")
    )
    assert text(("payee", "eq.x"), ("note", "eq.y")) != text(("payee", "eq.y"), ("note", "eq.x"))
