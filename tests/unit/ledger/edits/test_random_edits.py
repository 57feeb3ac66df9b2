"""After any edits in any order the data is consistent, and each edit can be undone."""

from re import sub

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.objects import add_object, remove_object, set_object
from finance_api.ledger.edits.records import add_assigned, remove_records, set_assigned
from finance_api.ledger.edits.rules import add_rule, apply_rules
from finance_api.ledger.edits.transfers import find_transfers, link_records, unlink_records
from finance_api.ledger.undo import undo
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, LABELS, RECORD_RULES
from support.edits import edited, given_back
from support.ledger import Person, account, an_id, document, record
from support.nightly import count
from support.service import STORAGES

NAMES = st.sampled_from(["one", "two", "three", "four"])
TYPES = st.sampled_from([ACCOUNTS, CATEGORIES, LABELS, RECORD_RULES])
IDS = st.integers(10, 21).map(an_id)
AMOUNTS = st.sampled_from(["-2", "0", "1.5", "922337203685477"])
DAY = "2026-02-01"
CELLS = st.fixed_dictionaries(
    {},
    optional={
        "category": st.sampled_from(["", "one", "two"]),
        "labels": st.sampled_from(["", "one", "one;two"]),
        "payee": st.sampled_from(["", "aldi", "lidl"]),
        "recordState": st.sampled_from(["", "void", "cleared"]),
    },
)


def file_of(row_id, cells):
    return f"id,{','.join(cells)}\n{row_id},{','.join(cells.values())}\n"


def remove_with_records(session, name):
    return remove_object(session, ACCOUNTS, name, with_records=True)


def add_rule_for_category(session, name):
    return add_rule(session, ["aldi"], category=name)


def add_rule_for_label(session, name):
    return add_rule(session, ["i"], category=None, labels=[name])


def apply_to_all(session):
    return apply_rules(session, recategorise=True)


def link_found(session):
    return find_transfers(session, link=True)


def fields(name, values=NAMES, **others):
    return values.map(lambda value: {name: value, **others})


def edits(function, *arguments):
    return st.tuples(st.just(function), *arguments)


EDITS = st.one_of(
    edits(add_object, st.just(ACCOUNTS), fields("name", currencyCode="EUR")),
    edits(add_object, st.just(BUDGETS), fields("categories")),
    edits(add_object, st.sampled_from([CATEGORIES, LABELS]), fields("name")),
    edits(set_object, TYPES, NAMES, fields("name")),
    edits(set_object, st.just(ACCOUNTS), NAMES, fields("initialBalance", AMOUNTS)),
    edits(set_object, st.just(ACCOUNTS), NAMES, st.just({"currencyCode": "USD"})),
    edits(remove_object, TYPES, NAMES),
    edits(remove_with_records, NAMES),
    edits(add_rule_for_category, NAMES),
    edits(add_rule_for_label, NAMES),
    edits(apply_rules),
    edits(apply_to_all),
    edits(
        add_assigned,
        st.builds(
            lambda account, amount: {"account": account, "amount": amount, "recordDate": DAY},
            *(NAMES, AMOUNTS),
        ),
    ),
    edits(set_assigned, IDS, fields("account") | fields("amount", AMOUNTS)),
    edits(remove_records, st.lists(IDS, min_size=1, max_size=3)),
    edits(link_found),
    edits(link_records, IDS, IDS),
    edits(unlink_records, st.lists(IDS, min_size=1, max_size=2)),
    edits(None, IDS, CELLS.filter(bool)),
)


@pytest.mark.nightly
@pytest.mark.parametrize("storage", STORAGES)
def test_every_edit_agrees_and_can_be_undone(backends, storage):
    @settings(max_examples=count(4, 500))
    @given(st.lists(EDITS, min_size=1, max_size=8))
    def run(drawn):
        person = Person(backends(storage))
        person.native(
            account(1, name="one"),
            account(2, name="two"),
            document("Category", 3, name="one"),
            document("Category", 4, name="two", parentId=an_id(3)),
            document("Label", 5, name="one"),
            document("Label", 6, name="two"),
            *(
                record(
                    10 + n,
                    accountId=an_id(1 + n % 2),
                    amount=(-1) ** n * (1 + n // 4),
                    payee="aldi" if n % 3 else "lidl",
                    categoryId=an_id(3) if n == 2 else None,
                )
                for n in range(12)
            ),
        )
        past = []
        for function, *arguments in drawn:
            before, done = person.snapshot(), len(person.history())
            past.append((before[1], done))
            try:
                if function is None:
                    given_back(person, file_of(*arguments))
                else:
                    edited(person, function, *arguments)
            except ChangeRefused:
                assert (person.snapshot(), len(person.history())) == (before, done)
                person.audit()
        for dump, done in reversed(past):
            for entry in reversed(person.history()[done:]):
                if entry.undone_at is None:
                    undo_entry(person, entry.number)
            assert without_times(person.dump()) == without_times(dump)

    run()


def undo_entry(person, number):
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action=None) as session:
        undo(session, number)
    person.audit()


def without_times(dump):
    return sub(rb'"updatedAt":"[^"]*"', b"", dump)
