"""Finds records that look duplicated, in data imported before files were matched by content."""

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.records import void_records
from finance_api.ledger.matching.duplicates import find_duplicates
from support.ledger import account, an_id, record


def pairs(person):
    return person.look(
        lambda s: [(p.earlier["id"], p.later["id"]) for p in find_duplicates(s, person.user.id)]
    )


def void(person, *ids):
    with changing(person.backend, person.user.email, person.clock.now(), action="void") as session:
        return void_records(session, ids)


@pytest.fixture
def doubled(person):
    person.native(account(), account(2))
    person.native(record(10, payee="Corner Shop", source="ofx", sourceId="a"))
    person.native(record(11, payee="CORNER SHOP BERLIN", recordDate="2026-02-01"))
    person.native(record(12, payee="Rent"))
    person.native(record(13, payee="Corner Shop", accountId=an_id(2)))
    person.native(record(14, payee="Corner Shop", amount=-2), record(15, payee="a", amount=-2))
    return person


def test_near_records_of_equal_amount_and_like_texts_are_listed(doubled):
    assert pairs(doubled) == [(an_id(10), an_id(11))]


def test_records_of_one_import_are_no_pair(person):
    person.native(account(), record(10, payee="Café"), record(11, payee="Café"))
    assert pairs(person) == []


def test_records_of_one_source_are_a_pair_on_one_day_only(person):
    person.native(account(), record(10, payee="Café"))
    person.native(record(11, payee="Café", recordDate="2026-02-01"))
    assert pairs(person) == []
    person.native(record(12, payee="Café"))
    assert pairs(person) == [(an_id(10), an_id(12))]


def test_three_of_a_kind_are_one_pair(person):
    person.native(account())
    for number in (10, 11, 12):
        person.native(record(number, payee="Café"))
    assert len(pairs(person)) == 1


def test_voided_records_count_no_more_until_it_is_undone(doubled):
    before = doubled.balance()
    assert void(doubled, an_id(11)).updated == 1
    assert doubled.balance() != before
    doubled.audit()
    assert pairs(doubled) == []
    doubled.undo()
    assert doubled.balance() == before


def test_unknown_ids_are_refused(doubled):
    before = doubled.snapshot()
    with pytest.raises(ChangeRefused):
        void(doubled, an_id(11), an_id(99))
    assert doubled.snapshot() == before
