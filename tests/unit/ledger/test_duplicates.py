"""Finds records that look duplicated, in data imported before files were matched by content."""

import random
from types import SimpleNamespace

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.records import void_duplicates
from finance_api.ledger.matching import duplicates
from finance_api.ledger.matching.duplicates import CONFIRMED, are_alike, find_duplicates
from finance_api.values.time import DAY_SECONDS
from support.ledger import account, an_id, record


def pairs(person):
    found = person.look(lambda storage: find_duplicates(storage, person.user.id))
    return [pair.ids for pair in found]


def void(person, *ids):
    with changing(person.backend, person.user.email, person.clock.now(), action="void") as session:
        return void_duplicates(session, ids)


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


def found_in(stored):
    """Return the pairs among records that are given as `_FIELDS` lists them."""
    data = SimpleNamespace(
        list_amounts=lambda user_id, names, conditions: stored,
        sum_by=lambda user_id, names, conditions: {(each[4],): None for each in stored},
    )
    return [pair.ids for pair in find_duplicates(SimpleNamespace(data=data), 1)]


def stored_record(
    number, *, import_id=1, day=0, source="csv", split_id=None, by_hand=(), texts=("Café", None)
):
    row_id = f"{number:06}"
    place = ("a", day * DAY_SECONDS, row_id, number, import_id, source, split_id)
    return (*place, by_hand, *texts, -3)


def compared_one_by_one(stored):
    """Pair each record with the first earlier one that looks doubled."""
    waiting, pairs = [], []
    for row in sorted(stored, key=lambda row: row[1:3]):
        for other in waiting:
            _, at, _, _, imported, source, split_id, by_hand, *texts = other[:-1]
            days = (row[1] - at) // DAY_SECONDS
            is_apart = row[6] is None or row[6] != split_id
            is_near = days == 0 or (days <= 3 and source != row[5])
            is_of_two = row[4] is None or imported != row[4]
            both = (tuple(texts), tuple(row[8:10]))
            is_like = not all(map(any, both)) or are_alike(*both)
            is_open = not (by_hand and row[7])
            if is_open and is_apart and is_near and is_of_two and is_like:
                waiting.remove(other)
                pairs.append(tuple(sorted((other[2], row[2]))))
                break
        else:
            waiting.append(row)
    return pairs


@pytest.mark.parametrize("seed", range(60))
def test_pairs_are_those_of_comparing_records_one_by_one(seed):
    choose = random.Random(seed)
    texts = [("Café", None), ("CAFÉ NORD", "x"), ("Kiosk", None), (None, None), (None, "café")]
    stored = [
        stored_record(
            number,
            import_id=choose.choice([None, 1, 2, 3]),
            day=choose.randrange(8),
            source=choose.choice(["csv", "ofx", None]),
            split_id=choose.choice([None, None, "s", "t"]),
            by_hand=choose.choice([(), (), (CONFIRMED,)]),
            texts=choose.choice(texts),
        )
        for number in range(40)
    ]
    choose.shuffle(stored)
    assert found_in(stored) == compared_one_by_one(stored)


MANY = {
    "equal records of one import": lambda n: stored_record(n),
    "equal records of two imports": lambda n: stored_record(n, import_id=1 + n % 2),
    "equal records of no import": lambda n: stored_record(n, import_id=None),
    "other texts in one import": lambda n: stored_record(n, texts=(f"Payee{n}", None)),
    "other days": lambda n: stored_record(n, day=n, import_id=1 + n % 2),
}


@pytest.mark.parametrize("kind", MANY)
def test_many_records_take_a_number_of_steps_that_grows_as_they_do(monkeypatch, kind):
    steps = []
    looks_doubled = duplicates._looks_doubled
    monkeypatch.setattr(
        duplicates, "_looks_doubled", lambda *kinds: steps.append(1) or looks_doubled(*kinds)
    )
    numbers = []
    for size in (1_000, 2_000):
        steps.clear()
        found_in([MANY[kind](number) for number in range(size)])
        numbers.append(len(steps))
    assert numbers[1] <= 2.3 * numbers[0] and numbers[1] <= 2_000 * 5
