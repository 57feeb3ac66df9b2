"""Merging a category or label into another one: everything that refers to it follows.

`edited` also checks that the edit can be undone.
"""

from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.objects import remove_object, set_object
from finance_api.ledger.edits.rules import apply_rules
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    LABELS,
    RECORD_RULES,
    RECORDS,
    STANDING_ORDERS,
)
from finance_api.storage.interface import Question
from finance_api.values.ids import new_id
from support.edits import edited
from support.ledger import account, an_id, document, record
from support.nightly import count

OLD, NEW, CHILD, PARENT = an_id(11), an_id(12), an_id(13), an_id(14)
BASE = [
    account(name="Checking"),
    document("Category", 14, name="Living"),
    document("Category", 11, name="Supermarket", parentId=PARENT),
    document("Category", 12, name="Groceries"),
    document("Category", 13, name="Bread", parentId=OLD),
    document("Label", 21, name="home"),
    document("Label", 22, name="house"),
    document(
        "RecordRule", 41, name="Aldi", keywords=["aldi"], categoryId=OLD, labelIds=[an_id(21)]
    ),
    document("Budget", 51, name="Food", currencyCode="EUR", limitAmount=1, categoryIds=[OLD, NEW]),
    document("StandingOrder", 61, name="Box", categoryId=OLD, startDate="2026-01-01"),
    record(31, categoryId=OLD, labelIds=[an_id(21), an_id(22)]),
    record(32, categoryId=NEW),
    record(33, categoryId=CHILD, labelIds=[an_id(21)]),
]


@pytest.fixture
def books(person):
    person.native(*BASE)
    return person


def by_id(person, resource):
    return {row["id"]: row for row in person.rows(resource)}


def test_a_merged_category_is_replaced_everywhere(books):
    report = edited(books, remove_object, CATEGORIES, "Supermarket", into="Groceries")
    categories = by_id(books, CATEGORIES)
    assert OLD not in categories
    assert categories[CHILD]["parentId"] == NEW
    records = by_id(books, RECORDS)
    assert [records[an_id(n)]["categoryId"] for n in (31, 32, 33)] == [NEW, NEW, CHILD]
    assert records[an_id(31)]["category"] == "Groceries"
    assert "categoryId" in records[an_id(31)]["setByHand"]
    assert books.only(BUDGETS)["categoryIds"] == (NEW,)
    assert books.only(RECORD_RULES)["categoryId"] == NEW
    assert books.only(STANDING_ORDERS)["categoryId"] == NEW
    assert "Supermarket" in str(report.details)


@pytest.mark.parametrize("into", ["Bread", "Living"])
def test_a_category_is_merged_into_one_below_or_above_it(books, into):
    edited(books, remove_object, CATEGORIES, "Supermarket", into=into)
    categories = by_id(books, CATEGORIES)
    assert categories[CHILD]["parentId"] == PARENT
    assert categories[PARENT]["parentId"] is None


def test_two_categories_of_one_name_are_merged_first(books):
    books.native(document("Category", 15, name="Bread", parentId=NEW))
    before = books.snapshot()
    with pytest.raises(ChangeRefused, match="there is already a category named Bread"):
        edited(books, remove_object, CATEGORIES, "Supermarket", into="Groceries")
    assert books.snapshot() == before
    edited(books, remove_object, CATEGORIES, CHILD, into=an_id(15))
    edited(books, remove_object, CATEGORIES, "Supermarket", into="Groceries")
    assert by_id(books, CATEGORIES)[an_id(15)]["parentId"] == NEW


def test_a_merged_label_stands_once(books):
    edited(books, remove_object, LABELS, "home", into="house")
    records = by_id(books, RECORDS)
    assert [records[an_id(n)]["labelIds"] for n in (31, 32, 33)] == [(an_id(22),), (), (an_id(22),)]
    assert books.only(RECORD_RULES)["labelIds"] == (an_id(22),)


def test_what_a_rule_gave_stays_what_a_rule_gave(books):
    books.native(record(34, payee="Aldi 17"))
    edited(books, apply_rules)
    assert by_id(books, RECORDS)[an_id(34)]["categoryByRule"]
    edited(books, remove_object, CATEGORIES, "Supermarket", into="Groceries")
    row = by_id(books, RECORDS)[an_id(34)]
    assert (row["categoryId"], row["categoryByRule"]) == (NEW, True)
    assert "categoryId" not in row["setByHand"]


def _ask(person, *queries):
    for number, query in enumerate(queries, 1):
        address = f"/v1/api/{query}"
        question = Question(new_id(), person.user.id, f"Q{number}", address, 1, 1)
        person.change(lambda s, question=question: s.users.add_owned(question))


def _asked(person):
    found = person.look(lambda s: s.users.list_owned(Question, person.user.id))
    return [question.address.removeprefix("/v1/api/") for question in found]


def test_saved_questions_follow_what_they_name(books):
    queries = (
        f"records/summary?category=eq.Supermarket&categoryId={OLD},{CHILD}&note=eq.Supermarket",
        r"records?category=ne.Supermarket&category=in.Super%5C,market,Supermarket&q=Supermarket",
        "categories?name=eq.Supermarket&fields=name",
        "budgets?name=eq.Supermarket",
        "records?category=contains.Supermarket&labels=ne-or-null.home",
    )
    _ask(books, *queries)
    report = edited(books, remove_object, CATEGORIES, "Supermarket", into="Groceries")
    assert report.remarks == ["3 saved questions changed as well"]
    assert _asked(books) == [
        f"records/summary?category=eq.Groceries&categoryId={NEW},{CHILD}&note=eq.Supermarket",
        r"records?category=ne.Groceries&category=in.Super%5C,market,Groceries&q=Supermarket",
        "categories?name=eq.Groceries&fields=name",
        *queries[3:],
    ]
    edited(books, set_object, LABELS, "home", {"name": "a, b"})
    assert _asked(books)[4] == "records?category=contains.Supermarket&labels=ne-or-null.a,%20b"
    books.undo()
    assert books.undo(2).remarks == ["3 saved questions changed as well"]
    assert _asked(books) == list(queries)


def test_questions_by_a_name_that_others_have_stay(books):
    books.native(document("Category", 15, name="Supermarket", parentId=NEW))
    queries = "records?category=eq.Supermarket", f"records?categoryId={OLD}"
    _ask(books, *queries)
    edited(books, set_object, CATEGORIES, OLD, {"name": "Shop"})
    assert _asked(books) == list(queries)


@pytest.mark.parametrize(
    ("resource", "name", "into", "sentence"),
    [
        (ACCOUNTS, "Checking", "Checking", "only categories and labels can be merged"),
        (CATEGORIES, "Groceries", "Groceries", "choose another category"),
        (CATEGORIES, "Groceries", "Grocery", "Grocery"),
        (LABELS, "home", "Groceries", "Groceries"),
    ],
)
def test_what_cannot_be_merged_is_refused(books, resource, name, into, sentence):
    before = books.snapshot()
    with pytest.raises(ChangeRefused, match=sentence):
        edited(books, remove_object, resource, name, into=into)
    assert books.snapshot() == before


def test_sums_by_category_are_those_of_both(new_person):
    parents = st.lists(st.none() | st.integers(0, 3), min_size=4, max_size=4)
    amounts = st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9)), max_size=8)

    @settings(max_examples=count(15, 300), suppress_health_check=list(HealthCheck))
    @given(parents, amounts, st.permutations(range(4)))
    def check(some_parents, some_amounts, order):
        person, (gone, kept, *_) = new_person(), order
        person.native(account(name="Checking"))
        tree = [p if p is not None and p < n else None for n, p in enumerate(some_parents)]
        person.native(
            *(
                document(
                    "Category", 10 + n, name=f"c{n}", parentId=None if p is None else an_id(10 + p)
                )
                for n, p in enumerate(tree)
            ),
            *(
                record(100 + k, amount=a, categoryId=an_id(10 + n))
                for k, (n, a) in enumerate(some_amounts)
            ),
        )
        expected = defaultdict(int)
        for n, a in some_amounts:
            expected[an_id(10 + (kept if n == gone else n))] += a
        edited(person, remove_object, CATEGORIES, f"c{gone}", into=f"c{kept}")
        found = defaultdict(int)
        for row in person.rows(RECORDS):
            found[row["categoryId"]] += row["amount"] // 10_000
        assert found == expected
        categories = by_id(person, CATEGORIES)
        assert len(categories) == 3
        for row in categories.values():
            seen = set()
            while row["parentId"] is not None:
                assert row["id"] not in seen
                seen.add(row["id"])
                row = categories[row["parentId"]]

    check()
