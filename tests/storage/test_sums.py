"""The stored sums of records equal the sums of the rows after any changes."""

import itertools
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from finance_api.query.evaluate import DERIVED_GROUPS, group_of
from finance_api.query.model import Condition, Span, condition_on, either
from finance_api.query.operators import PARTED, RANGES, Operator
from finance_api.resources import RECORDS
from finance_api.resources.records import FLOW
from finance_api.storage.interface import TooManySums
from finance_api.storage.sql.read_model import sums
from finance_api.storage.sql.read_model.connection import FastConnection
from finance_api.storage.sql.read_model.drivers import SqlCache
from finance_api.storage.sql.read_model.tables import GRAINS, record_sums
from finance_api.storage.testing import Unit, make_id, make_row
from finance_api.values.number import MAX_UNITS
from finance_api.values.time import (
    MAX_SECONDS,
    MIN_SECONDS,
    Period,
    date_text,
    end_of,
    parse_date,
    start_of,
)
from support.nightly import count

pytestmark = pytest.mark.nightly

DATABASES = ["sqlite", "postgresql"]
DAY = 86_400
#: A text longer than a filter's operand may be, and than a PostgreSQL index allows.
LONG = "b" + "\U0001f4b6" * 5_000
_users = itertools.count(1)

ids = st.integers(1, 3).map(make_id)
amounts = st.integers(-3, 3) | st.sampled_from([MAX_UNITS, -MAX_UNITS, 2**32, -(2**32) - 1])
#: Moments in about three months, at the months' ends, and at both ends of the calendar.
moments = st.one_of(
    st.integers(0, 90).map(lambda day: day * DAY),
    st.sampled_from([0, -1, 31 * DAY - 1, 31 * DAY, 59 * DAY, 59 * DAY - 1, 365 * DAY]),
    st.sampled_from([MIN_SECONDS, MAX_SECONDS]),
)
records = st.fixed_dictionaries(
    {
        "recordDate": moments,
        "amount": amounts,
        "currencyCode": st.sampled_from(["EUR", "CHF"]),
        "accountId": ids,
        "categoryId": st.none() | ids,
        "recordState": st.sampled_from([None, "cleared", "void"]),
        "transferId": st.sampled_from([None, None, make_id(9)]),
        "payee": st.sampled_from([None, "a", "b", LONG[:256], LONG[:257], LONG]),
        "labelIds": st.lists(ids, max_size=2, unique=True).map(tuple),
    }
).map(lambda row: {**row, "recordType": "expense" if row["amount"] < 0 else "income"})

#: New values of records by their numbers. None deletes the record.
changes = st.dictionaries(st.integers(1, 25), st.none() | records, min_size=1, max_size=15)

spans = moments.flatmap(
    lambda at: st.sampled_from([Span(at, at + 1), Span(at - at % DAY, at - at % DAY + DAY)])
)
conditions = st.one_of(
    st.builds(
        lambda operator, span: condition_on(RECORDS, "recordDate", operator, span),
        st.sampled_from([Operator.GTE, Operator.LT, Operator.LTE, Operator.GT, Operator.EQ]),
        spans,
    ),
    st.builds(
        lambda name, chosen: condition_on(RECORDS, name, Operator.ANY_OF, tuple(sorted(chosen))),
        st.sampled_from(["accountId", "categoryId"]),
        st.lists(ids, max_size=2, unique=True),
    ),
    st.sampled_from(
        [
            condition_on(RECORDS, "categoryId", Operator.IS_NULL),
            condition_on(RECORDS, "categoryId", Operator.NE, (make_id(1),)),
            condition_on(RECORDS, "categoryId", Operator.NE_OR_NULL, (make_id(1),)),
            either(
                FLOW,
                [
                    condition_on(RECORDS, "categoryId", Operator.ANY_OF, (make_id(2),)),
                    condition_on(RECORDS, "recordType", Operator.ANY_OF, ("expense",)),
                ],
            ),
            either(
                FLOW,
                [
                    condition_on(RECORDS, "payee", Operator.EQ, "a"),
                    condition_on(RECORDS, "transferId", Operator.NOT_NULL),
                    condition_on(RECORDS, "recordDate", Operator.EQ, Span(0, DAY)),
                ],
            ),
            either(FLOW, []),
            condition_on(RECORDS, "transferId", Operator.IS_NULL),
            condition_on(RECORDS, "transferId", Operator.NOT_NULL),
            condition_on(RECORDS, "recordType", Operator.ANY_OF, ("expense",)),
            condition_on(RECORDS, "currencyCode", Operator.ANY_OF, ("CHF", "EUR")),
            condition_on(RECORDS, "payee", Operator.EQ, "a"),
            condition_on(RECORDS, "payee", Operator.EQ, LONG[:256]),
            condition_on(RECORDS, "payee", Operator.ANY_OF, ("a", LONG[:256])),
            condition_on(RECORDS, "payee", Operator.CONTAINS, "b"),
            condition_on(RECORDS, "transferId", Operator.ANY_OF, (make_id(9),)),
        ]
    ),
)
names = st.lists(
    st.sampled_from([*sums.SUM_COLUMNS, *sums.SUM_COLUMNS, *DERIVED_GROUPS, "labelIds"]),
    min_size=1,
    max_size=6,
    unique=True,
)
queries = st.tuples(
    names, st.lists(conditions, max_size=3), st.booleans(), st.sampled_from([None, 0, 1, 2, 5])
)

#: The fields whose filters the stored sums can answer.
ANSWERED = {"accountId", "categoryId", "currencyCode", "recordType"}
WHOLE = (sorted(sums.SUM_COLUMNS), [], True, None)
#: Conditions on one account, for some whole months and parts of two other months.
EDGES = (
    ["currencyCode", "isVoid"],
    [
        condition_on(RECORDS, "recordDate", Operator.GTE, Span(10 * DAY, 11 * DAY)),
        condition_on(RECORDS, "recordDate", Operator.LT, Span(70 * DAY, 71 * DAY)),
        condition_on(RECORDS, "accountId", Operator.ANY_OF, (make_id(1),)),
    ],
    True,
    None,
)
#: Records in each month, before and after the 10th.
SOME = {
    n: {
        "recordDate": n * 5 * DAY,
        "amount": -n,
        "currencyCode": "EUR",
        "accountId": make_id(n % 2 + 1),
        "categoryId": None if n % 3 else make_id(1),
        "recordState": "void" if n % 7 == 0 else None,
        "transferId": None,
        "payee": "a",
        "labelIds": (),
        "recordType": "expense",
    }
    for n in range(1, 18)
}


def change(unit, known, changed):
    """known: the numbers of the existing records."""
    gone = [make_id(n) for n, row in changed.items() if row is None]
    rows = {n: make_row(RECORDS, n, **row) for n, row in changed.items() if row is not None}
    with unit.writing() as storage:
        data, user = storage.data, unit.user.id
        new = [row for n, row in rows.items() if n not in known]
        data.put_rows(user, RECORDS, new=new, changed=[r for n, r in rows.items() if n in known])
        data.delete_rows(user, RECORDS, gone)


def stored(unit):
    """Return the sums in the table."""
    columns = [c for c in record_sums.c if c.name not in ("user_id", "number", "payee_key")]
    owned = select(*columns).where(record_sums.c.user_id == unit.user.id)
    with unit.backend.engine.connect() as connection:
        found = connection.execute(owned).all()
    rows = [(*row[:9], (row[9] << 32) + row[10], *row[11:]) for row in map(tuple, found)]
    return sorted(rows, key=repr)


def added_up(rows):
    """Return the sums that the table must have."""
    groups = defaultdict(list)
    for row in rows:
        month, account, category, payee, *others = group_of(
            row,
            ("month", "accountId", "categoryId", "payee", "currencyCode", "recordType")
            + ("isVoid", "isTransfer"),
        )
        for grain, has in enumerate(GRAINS):
            of_grain = (
                account if "accountId" in has else None,
                category if "categoryId" in has else None,
                payee if "payee" in has else None,
            )
            groups[grain, month, *of_grain, *others].append(row)
    sums_of = (
        (
            *key,
            sum(row["amount"] for row in found),
            len(found),
            min(row["recordDate"] for row in found),
            max(row["recordDate"] for row in found),
        )
        for key, found in groups.items()
    )
    return sorted(sums_of, key=repr)


def sums_or_none(unit, names, conditions, with_void, most):
    """Return the sums; None if there are more than ``most``."""
    with unit.reading() as storage:
        try:
            return storage.data.sum_by(
                unit.user.id, names, conditions, with_void=with_void, most=most
            )
        except TooManySums:
            return None


@pytest.mark.parametrize("database", DATABASES)
def test_sums_are_those_of_the_memory_storage_after_any_changes(new_backend, monkeypatch, database):
    model_backend, backend = new_backend("memory"), new_backend(database)
    asked = set()
    get = SqlCache.get

    def note(self, build, *shape):
        asked.add(getattr(build, "__name__", ""))
        return get(self, build, *shape)

    monkeypatch.setattr(SqlCache, "get", note)

    @settings(max_examples=count(15, 1_500), deadline=None, suppress_health_check=list(HealthCheck))
    @example(steps=[(SOME, [WHOLE, EDGES]), ({3: None, 4: SOME[5]}, [WHOLE, EDGES])])
    @given(steps=st.lists(st.tuples(changes, st.lists(queries, max_size=5)), max_size=4))
    def compare(steps):
        name = f"user{next(_users)}"
        model, unit = Unit(model_backend, name), Unit(backend, name)
        known = set()
        for changed, then in steps:
            for each in (model, unit):
                change(each, known, changed)
            known |= {n for n, row in changed.items() if row is not None}
            known -= {n for n, row in changed.items() if row is None}
            with model.reading() as storage:
                assert stored(unit) == added_up(storage.data.scan_rows(model.user.id, RECORDS))
            for query in then:
                answers = [sums_or_none(each, *query) for each in (model, unit)]
                assert answers[0] == answers[1], query

    compare()
    assert asked >= {"_of_rows", "_of_stored_sums"}


@pytest.mark.parametrize("database", DATABASES)
def test_what_a_unit_of_work_writes_is_in_the_sums_that_it_reads(new_backend, database):
    unit = Unit(new_backend(database))
    with unit.writing() as storage:
        for number in (1, 2):
            row = make_row(RECORDS, number, amount=number)
            storage.data.put_rows(unit.user.id, RECORDS, new=[row], changed=())
            found = storage.data.sum_by(unit.user.id, ["accountId"], ())
            assert [(each.amount, each.number) for each in found.values()] == [
                (number * (number + 1) // 2, number)
            ]


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("name", ["payee", "note"])
def test_no_more_sums_are_fetched_than_are_asked_for(new_backend, database, name, monkeypatch):
    """The limit is the same for stored sums and for records."""
    unit = Unit(new_backend(database))
    unit.put(RECORDS, *(make_row(RECORDS, n, **{name: f"text {n}"}) for n in range(200)))
    fetched = []
    fetch = FastConnection.fetch

    def noted(self, build, *shape, values):
        found = fetch(self, build, *shape, values=values)
        fetched.append(len(found))
        return found

    monkeypatch.setattr(FastConnection, "fetch", noted)
    with unit.reading() as storage, pytest.raises(TooManySums):
        storage.data.sum_by(unit.user.id, [name], (), most=10)
    assert max(fetched) == 11


def whole_months():
    for year in (1, 4, 1582, 1900, 1969, 1970, 2000, 2024, 9999):
        for month in range(1, 13):
            yield f"{year:04d}-{month:02d}"


@pytest.mark.parametrize("database", [*DATABASES, "memory"])
def test_days_and_months_are_those_of_the_calendar_from_its_beginning_to_its_end(
    new_backend, database
):
    unit = Unit(new_backend(database))
    firsts = [parse_date(f"{month}-01") for month in whole_months()]
    dates = [
        at
        for first in firsts
        for at in (first, first + 1, end_of(Period.MONTH, first) - 1)
        if MIN_SECONDS <= at <= MAX_SECONDS
    ]
    unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=at) for n, at in enumerate(dates, 1)))
    by_row = condition_on(RECORDS, "note", Operator.IS_NULL)
    with unit.reading() as storage:
        for conditions in ([], [by_row]):
            found = storage.data.sum_by(unit.user.id, ["month"], conditions)
            assert {key[0]: each.number for key, each in found.items()} == dict.fromkeys(firsts, 3)
        found = storage.data.sum_by(unit.user.id, ["recordDate"], [by_row])
    assert {date_text(key[0]) for key in found} == {date_text(at) for at in dates}
    assert all(key[0] == start_of(Period.DAY, key[0]) for key in found)


def test_what_the_stored_sums_do_not_have_is_asked_of_the_rows():
    nulls = (Operator.IS_NULL, Operator.NOT_NULL)
    known = {"recordDate": RANGES, "transferId": nulls}
    negated = (Operator.NE, Operator.NE_OR_NULL)
    known |= dict.fromkeys(ANSWERED, (Operator.ANY_OF, *negated, *nulls))
    known["payee"] = (Operator.EQ, Operator.ANY_OF, *nulls)
    compared = [operator for operator in Operator if operator not in PARTED]
    for field, operator in itertools.product(RECORDS.listed_fields, compared):
        can = sums._grain(("month",), [Condition(field, operator)]) is not None
        assert can == (operator in known.get(field.name, ())), (field.name, operator)
        can = sums._grain(("month",), [either(FLOW, [Condition(field, operator)])]) is not None
        assert can == (operator in known.get(field.name, ()) and field.name != "recordDate")
    for name in ("recordDate", "recordState", "labelIds", "amount"):
        assert sums._grain((name,), []) is None
