"""Summaries of most of a user's records: what the stored sums have, less the other records."""

from itertools import combinations
from random import Random

import pytest

from finance_api.planning.summaries import reading
from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.planning.summaries.summary import summarize
from finance_api.query.dimensions import DIMENSIONS
from finance_api.query.model import Condition, Span
from finance_api.query.operators import Operator
from finance_api.query.sums import SUMS, USUAL_SUMS
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.storage.sql.read_model import finding
from finance_api.storage.testing import Unit, make_id, make_row

DAY = 86_400
COUNT = 400
#: Columns that no date of a record changes.
UNDATED = tuple(SUMS[name] for name in ("count", "income", "expense", "net"))
FLOWS = (*UNDATED, SUMS["spent"], SUMS["received"])


def on(name, operator, operand=None, *, absolute=False):
    return Condition(RECORDS[name], operator, operand, absolute)


def below(units):
    return on("amount", Operator.LT, Span(units, units + 1), absolute=True)


#: Filters that most records meet.
MOST = ("note", "no labels", "an import", "state", "size", "small", "not void", "word")
FILTERS = {
    "note": on("note", Operator.NOT_NULL),
    "no labels": on("labelIds", Operator.IS_NULL),
    "an import": on("importId", Operator.ANY_OF, (1,)),
    "state": on("recordState", Operator.ANY_OF, ("cleared", "void")),
    "size": on("amount", Operator.GTE, Span(5, 6), absolute=True),
    "small": below(95 * 2**32),
    "not void": on("recordState", Operator.NE, ("void",)),
    "no note": on("note", Operator.IS_NULL),
    "a label": on("labelIds", Operator.ANY_OF, (make_id(1),)),
    "word": on("note", Operator.CONTAINS_I, "n"),
    "since": on("recordDate", Operator.GTE, Span(40 * DAY, 41 * DAY)),
    "euros": on("currencyCode", Operator.ANY_OF, ("EUR",)),
    "a payee": on("payee", Operator.EQ, "a"),
}
PAIRS = [*map(list, combinations(FILTERS, 1)), *map(list, combinations(FILTERS, 2))]


def rows():
    random = Random(57)
    for number in range(1, COUNT + 1):
        amount = random.randint(-50, 50) * random.choice([1, 2**32, 2**40 + 1])
        yield make_row(
            RECORDS,
            number,
            recordDate=random.randrange(120 * DAY),
            amount=amount,
            recordType="expense" if amount < 0 else "income",
            currencyCode=random.choice(["EUR", "EUR", "CHF"]),
            accountId=make_id(random.randint(1, 2)),
            categoryId=random.choice([None, make_id(1), make_id(2)]),
            recordState=random.choice(
                ["cleared", "cleared", "cleared", "cleared", "void", "uncleared", None]
            ),
            transferId=random.choice([None] * 9 + [make_id(9)]),
            payee=random.choice([None, "a", "b"]),
            note=random.choice([None] + ["n"] * 9),
            labelIds=random.choice([()] * 7 + [(make_id(1),)]),
            importId=random.choice([1] * 12 + [2, None]),
        )


@pytest.fixture
def units(new_backend, monkeypatch):
    monkeypatch.setattr(reading, "MANY", 0)
    monkeypatch.setattr(finding, "MAX_FOUND", 100)

    def make(*kinds):
        made = [Unit(new_backend(kind), "mine") for kind in kinds]
        for unit in made:
            unit.put(ACCOUNTS, *(make_row(ACCOUNTS, n) for n in (1, 2)))
            unit.put(CATEGORIES, *(make_row(CATEGORIES, n, kind="income") for n in (1, 2)))
            unit.put(LABELS, make_row(LABELS, 1))
            unit.put(RECORDS, *rows())
        return made

    return make


def asked(filters, *group_by, sums=UNDATED):
    conditions = tuple(FILTERS[name] for name in filters)
    return SummaryQuery(conditions, tuple(map(DIMENSIONS.get, group_by)), sums=sums, limit=1_000)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("sums", [FLOWS, USUAL_SUMS], ids=["undated", "dated"])
def test_sums_are_those_of_the_records_whatever_the_filters(units, kind, sums):
    memory, unit = units("memory", kind)
    with memory.reading() as plain, unit.reading() as storage:
        for filters in PAIRS:
            for group_by in ((), ("payee",), ("category", "month"), ("label",)):
                query = asked(filters, *group_by, sums=sums)
                expected = summarize(plain, memory.user.id, query)
                assert summarize(storage, unit.user.id, query) == expected, (filters, group_by)


@pytest.mark.parametrize("name", FILTERS)
def test_sqlite_does_not_sort_the_records_that_most_filters_keep(units, name):
    """It sorts the records that it adds up in groups, unless stored sums have the groups."""
    (unit,) = units("sqlite")
    grouped = {}
    for sums in (UNDATED, USUAL_SUMS):
        ran = []
        with unit.reading() as storage:
            driver = storage.data.connection.driver.connection
            driver.set_trace_callback(ran.append)
            summarize(storage, unit.user.id, asked([name], sums=sums))
            driver.set_trace_callback(None)
        grouped[sums] = {each for each in ran if "FROM records" in each and "GROUP BY" in each}
    assert bool(grouped[USUAL_SUMS]) == (name not in ("euros", "a payee"))
    assert (grouped[UNDATED] == grouped[USUAL_SUMS]) == (name not in MOST)
