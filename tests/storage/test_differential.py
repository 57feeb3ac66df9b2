"""Random data and queries: the SQL storages return the same as the memory storage."""

import itertools
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from finance_api.query.model import Condition, Query, SortKey, Span, either
from finance_api.query.operators import Operator, operators_of
from finance_api.query.words import parse_words
from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Kind
from finance_api.resources.records import WORDS
from finance_api.storage.interface import JsonPage
from finance_api.storage.sql.read_model import by_date, counting, finding, lists, projection
from finance_api.storage.sql.read_model.connection import with_state
from finance_api.storage.sql.read_model.drivers import SqlCache
from finance_api.storage.sql.reading.conditions import SEARCHES
from finance_api.storage.testing import Unit, make_id, make_row
from finance_api.values.number import MAX_UNITS
from finance_api.values.text import clean_or_none, plain
from finance_api.values.time import MAX_SECONDS, MIN_SECONDS
from support.nightly import count
from support.small_limits import small_limits

pytestmark = pytest.mark.nightly

_numbers = itertools.count(1)

# Few characters, so that texts often match: letters with special case pairs, combining marks,
# wildcards, quotes, white space, and both ends of the code points.
LETTERS = "aAbBéÉßſKıİσςΣﬁ%_\\'\",;. \t\n-😀\uffee\u0301"
texts = st.text(LETTERS, max_size=6).map(clean_or_none)
present_texts = st.text(LETTERS, min_size=1, max_size=6).map(clean_or_none).map(lambda t: t or "x")
operand_texts = st.text(LETTERS, min_size=1, max_size=3).map(lambda t: clean_or_none(t) or "a")
small_numbers = st.integers(-3, 3)
numbers = st.one_of(small_numbers, st.sampled_from([-MAX_UNITS, MAX_UNITS, 9007199254740993001]))
times = st.one_of(
    st.integers(-3, 3).map(lambda n: n * 43_200), st.sampled_from([MIN_SECONDS, MAX_SECONDS])
)
ids = st.integers(1, 4).map(make_id)
serials = st.integers(1, 4)


def values_of(field):
    """Return a strategy for the stored values of a field, missing ones included."""
    by_kind = {
        Kind.TEXT: texts if field.nullable else present_texts,
        Kind.NUMBER: numbers,
        Kind.DATE: times,
        Kind.DATETIME: times,
        Kind.ID: ids,
        Kind.SERIAL: serials,
        Kind.CHOICE: st.sampled_from(field.choices[:3] or ("",)),
        Kind.BOOLEAN: st.booleans(),
        Kind.TEXT_LIST: st.lists(present_texts, max_size=3, unique=True).map(tuple),
        Kind.ID_LIST: st.lists(ids, max_size=3, unique=True).map(tuple),
        Kind.LIMIT_LIST: st.sampled_from(((), ("2026-01-01=0",), ("2026-01-01=1", "2026-02-01=2"))),
    }
    present = by_kind[field.kind]
    return st.one_of(st.none(), present) if field.nullable else present


def rows_of(resource):
    fields = [f for f in resource.listed_fields if f.name != "id"]
    one = st.fixed_dictionaries({f.name: values_of(f) for f in fields})
    return st.lists(one, max_size=12).map(
        lambda rows: [make_row(resource, n, **row) for n, row in enumerate(rows, start=1)]
    )


#: Operators for one of several values, and for none of them.
among = st.sampled_from([Operator.ANY_OF, Operator.NE, Operator.NE_OR_NULL])


@st.composite
def conditions(draw, resource):
    if resource is RECORDS and draw(st.integers(0, 7)) == 0:
        word = Condition(WORDS, Operator.WORD, plain(draw(operand_texts)) or "a")
        size = Condition(RECORDS["amount"], Operator.GTE, Span(2, 3), absolute=True)
        return draw(st.sampled_from([word, either(WORDS, [word, size])]))
    field = draw(st.sampled_from([f for f in resource.listed_fields if f.filterable]))
    operator = draw(st.sampled_from(operators_of(field)))
    if operator in (Operator.IS_NULL, Operator.NOT_NULL):
        return Condition(field, operator)
    if field.kind in (Kind.ID, Kind.SERIAL, Kind.ID_LIST):
        wanted = serials if field.kind is Kind.SERIAL else ids
        chosen = draw(st.lists(wanted, min_size=1, max_size=3, unique=True))
        return Condition(field, draw(among), tuple(sorted(chosen)))
    if field.kind is Kind.CHOICE:
        chosen = draw(st.lists(st.sampled_from(field.choices[:4]), min_size=1, unique=True))
        return Condition(field, draw(among), tuple(sorted(chosen)))
    if field.kind is Kind.BOOLEAN:
        return Condition(field, Operator.EQ, draw(st.booleans()))
    if operator is Operator.ANY_OF:
        chosen = draw(st.lists(operand_texts, min_size=1, max_size=3, unique=True))
        return Condition(field, operator, tuple(sorted(chosen)))
    if field.kind.is_text:
        return Condition(field, operator, draw(operand_texts))
    first = draw(numbers if field.kind is Kind.NUMBER else times)
    span = Span(first, first + draw(st.sampled_from([0, 1, 86_400])))
    return Condition(field, operator, span, field.kind is Kind.NUMBER and draw(st.booleans()))


@st.composite
def sort_keys(draw, resource):
    field = draw(st.sampled_from([f for f in resource.listed_fields if f.sortable]))
    by_kind = {
        Kind.TEXT: present_texts,
        Kind.ID: ids,
        Kind.CHOICE: st.sampled_from(field.choices[:4] or ("",)),
    }
    equals = draw(st.none() | by_kind.get(field.kind, st.none()))
    return SortKey(field, draw(st.booleans()), equals)


@st.composite
def queries(draw, resource):
    keys = sort_keys(resource)
    return Query(
        resource,
        tuple(draw(st.lists(conditions(resource), max_size=3))),
        tuple(draw(st.lists(keys, max_size=3))),
        draw(st.integers(1, 6)),
        draw(st.integers(0, 8)),
        draw(st.booleans()),
    )


#: Fields to group sums of records by.
grouped = st.sampled_from([field.name for field in RECORDS.listed_fields if field.name != "id"])


def untagged(answer):
    """Return the answer without the state's tag, which is random."""
    if isinstance(answer, JsonPage):
        return replace(answer, state=replace(answer.state, tag=0))
    state, rows = answer
    return replace(state, tag=0), rows


def listed(storage, unit, query, ids):
    """Return, as JSON: a page, rows by their ids, the whole list, and its length."""
    data, user = storage.data, unit.user.id
    lines = [line for page in data.stream_json(user, query) for line in page.split(b"\n")]
    assert data.count_rows(user, query) == len(lines)
    by_id = data.get_json(user, query.resource, ids)
    return [untagged(data.list_json(user, query)), untagged(by_id), lines]


def answers(storage, unit, query, names):
    """Return the results of all reads. names: the fields to group sums by."""
    data, user, resource, conditions = storage.data, unit.user.id, query.resource, query.conditions
    page = data.list_rows(user, query)
    found = [page, data.scan_rows(user, resource, conditions=conditions)]
    if resource.path and not resource.computed_fields:
        found += listed(storage, unit, query, [row["id"] for row in page.rows])
    if resource is RECORDS:
        found.append(data.sum_by(user, names, conditions))
        found.append(Counter(data.list_amounts(user, names, conditions)))
    return found


@pytest.mark.parametrize("limit", [None, 1])
@pytest.mark.parametrize("room", ["read model", "plain"])
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
@pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: r.name)
def test_answers_are_those_of_the_memory_storage(new_backend, database, room, resource, limit):
    """limit: the value of every limit in the storage; None: the usual ones."""
    model_backend = new_backend("memory")
    backend = new_backend(database, read_model=room == "read model")

    @settings(
        max_examples=count(8, 1_000) if resource.name == "records" else count(5, 200),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def compare(data):
        rows = data.draw(rows_of(resource), label="rows")
        asked = data.draw(st.lists(queries(resource), min_size=1, max_size=6), label="queries")
        name = f"user{next(_numbers)}"
        model, unit = Unit(model_backend, name), Unit(backend, name)
        for each in (model, unit):
            each.put(resource, *rows)
        with model.reading() as expected, unit.reading() as found:
            for query in asked:
                names = data.draw(st.lists(grouped, min_size=1, max_size=3, unique=True))
                assert answers(found, unit, query, names) == answers(expected, model, query, names)

    with small_limits(limit):
        compare()


# -- records, where the list is long and texts are rare ----------------------------------------

#: Few parts of texts, so that texts often match. Some are equal once folded.
PARTS = (
    *("aaa", "AAA", "aa", "ss", "ß", "SS", "ſs", "ﬁ", "FI", "%", "_", '"', "\\", " ", "😀😀"),
    *("e\u0301", "É"),
)
few_texts = st.lists(st.sampled_from(PARTS), max_size=5).map("".join).map(clean_or_none)
terms = (
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=3)
    .map("".join)
    .map(lambda text: clean_or_none(text) or "aaa")
)
words = terms.map(plain).filter(bool)
days = st.integers(-4, 4).map(lambda n: n * 86_400)
NUMBERS = st.integers(1, 40)


@st.composite
def listed_queries(draw):
    """Draw a query in the default order, with bounds and with texts to look for."""
    found = []
    for _ in range(draw(st.integers(0, 2))):
        operator = draw(st.sampled_from(operators_of(RECORDS.get_field("recordDate"))))
        if operator not in (Operator.IS_NULL, Operator.NOT_NULL):
            first = draw(days)
            span = Span(first, first + draw(st.sampled_from([0, 1, 86_400])))
            found.append(Condition(RECORDS.get_field("recordDate"), operator, span))
    for _ in range(draw(st.integers(0, 2))):
        field = RECORDS.get_field(draw(st.sampled_from(["note", "payee"])))
        operator = draw(st.sampled_from([*SEARCHES, Operator.IS_NULL, Operator.NOT_NULL]))
        found.append(Condition(field, operator, draw(terms) if operator in SEARCHES else None))
    for word in draw(st.lists(words, max_size=2)):
        found.append(Condition(WORDS, Operator.WORD, word))
    order = (SortKey(RECORDS.get_field("recordDate"), descending=True),)
    limit, offset = draw(st.integers(1, 6)), draw(st.integers(0, 45))
    return Query(
        RECORDS, tuple(draw(st.permutations(found))), order, limit, offset, draw(st.booleans())
    )


@st.composite
def changes(draw):
    """Draw new values of records by their numbers, for new and existing records."""
    numbers = draw(st.lists(NUMBERS, min_size=1, max_size=30, unique=True))
    values = st.tuples(days, few_texts, few_texts, few_texts, st.lists(few_texts.filter(bool)))
    return {number: draw(values) for number in numbers}


def one_query(name=None, operator=None, operand=None, *, limit=6, offset=0):
    field = WORDS if name == "q" else RECORDS.get_field(name)
    condition = () if name is None else (Condition(field, operator, operand),)
    order = (SortKey(RECORDS.get_field("recordDate"), descending=True),)
    return Query(RECORDS, condition, order, limit, offset)


#: Cases that together take every path.
EVERY_WAY = [
    (
        {
            n: (
                (n % 9 - 4) * 86_400,
                "aaa ss" if n % 2 else "ß",
                "rare" if n == 7 else "x",
                "Rare" if n % 13 == 0 else None,
                ["tax", "rAre"] if n % 17 == 0 else [],
            )
            for n in range(1, 41)
        },
        [
            one_query(offset=1),
            one_query(offset=10),
            one_query("recordDate", Operator.LT, Span(86_400, 86_400), offset=5),
            one_query("note", Operator.CONTAINS_I, "AAA"),
            one_query("note", Operator.CONTAINS_I, "AAA", limit=1),
            one_query("note", Operator.CONTAINS, "ß"),
            one_query("note", Operator.CONTAINS_I, "ß"),
            one_query("payee", Operator.CONTAINS_I, "rare"),
            one_query("payee", Operator.CONTAINS, "RARE"),
            one_query("payee", Operator.STARTS_WITH_I, "RA"),
            one_query("q", Operator.WORD, "rare"),
            one_query("q", Operator.WORD, "text"),
        ],
    )
]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_number_is_found_as_a_text_and_as_an_amount(new_backend, database):
    texts, amounts = ("x 17.07", "x", "1.250 y", None), (170_700, -170_700, -12_500_000, 5, 12_500)
    rows = [
        make_row(RECORDS, n, note=texts[n % 4], amount=amounts[n % 5], recordDate=n * 86_400)
        for n in range(40)
    ]
    order = (SortKey(RECORDS["amount"]),)
    found = []
    for backend in (new_backend("memory"), new_backend(database)):
        unit = Unit(backend, f"user{next(_numbers)}")
        with unit.writing() as writing:
            writing.data.put_rows(unit.user.id, RECORDS, new=rows, changed=[])
        with unit.reading() as reading:
            pages = [
                reading.data.list_rows(
                    unit.user.id, Query(RECORDS, parse_words(text), order, 9, offset, True)
                )
                for text in ("17.07", "x 17.07", "1.250", "17.07 1.250", "5 17.07 1.250", ">1.250")
                for offset in (0, 9)
            ]
        found.append([([row["id"] for row in page.rows], page.total) for page in pages])
    assert found[0] == found[1]
    assert min(total for _, total in found[0][:8]) > 0


steps = st.tuples(changes(), st.lists(listed_queries(), min_size=1, max_size=6))


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_long_lists_and_rare_texts_are_those_of_the_memory_storage(
    new_backend, monkeypatch, database
):
    """Uses small distances between anchors, so that few records take the paths of many."""
    for module in (by_date, counting, lists, projection):
        monkeypatch.setattr(module, "ANCHOR_INTERVAL", 3)
    monkeypatch.setattr(finding, "MAX_FOUND", 2)
    model_backend, backend = new_backend("memory"), new_backend(database)
    asked = set()
    get = SqlCache.get

    def note(self, build, *shape):
        if build is with_state:
            page, (first, *_) = shape[0], (*shape[1], None)
            asked.add((page.__name__, first))
        return get(self, build, *shape)

    monkeypatch.setattr(SqlCache, "get", note)

    @settings(max_examples=count(8, 1_000), deadline=None, suppress_health_check=list(HealthCheck))
    @example(steps=EVERY_WAY)
    @given(steps=st.lists(steps, min_size=1, max_size=4))
    def compare(steps):
        name = f"user{next(_numbers)}"
        model, unit = Unit(model_backend, name), Unit(backend, name)
        known = set()
        for changed, queries_then in steps:
            rows = [
                make_row(
                    RECORDS,
                    n,
                    recordDate=date,
                    note=note,
                    payee=payee,
                    category=category,
                    labels=tuple(labels),
                )
                for n, (date, note, payee, category, labels) in changed.items()
            ]
            new = [row for row in rows if row["id"] not in known]
            old = [row for row in rows if row["id"] in known]
            known |= {row["id"] for row in rows}
            for each in (model, unit):
                with each.writing() as writing:
                    writing.data.put_rows(each.user.id, RECORDS, new=new, changed=old)
            for query in queries_then:
                with model.reading() as expected, unit.reading() as found:
                    wanted = [make_id(n) for n in range(1, 45, 7)]
                    known_rows = listed(expected, model, query, wanted)
                    assert listed(found, unit, query, wanted) == known_rows

    compare()
    assert asked >= {("far_page", None), ("page", None), ("_json_page", RECORDS.name)}
