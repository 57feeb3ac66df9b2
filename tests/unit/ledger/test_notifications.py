"""A notification (camt.054) with each payment, and a statement with only their sum."""

import itertools
import random
from collections import Counter

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.matching.rules import notifications
from finance_api.resources import RECORDS
from finance_api.storage.memory import MemoryBackend
from finance_api.values.number import decimal_text
from support.bank_files import (
    camt,
    camt_balance,
    camt_entry,
    camt_part,
    camt_statement,
    mt940,
    mt940_entry,
)
from support.ledger import Person
from support.nightly import count

DAY, NEXT = "2026-01-05", "2026-01-06"


@pytest.fixture
def new_person():
    return lambda: Person(MemoryBackend())


def notified(*notifications, day=DAY):
    """Return a camt.054. notifications: pairs of an amount and a name."""
    return camt(
        *(
            camt_statement(
                camt_entry(day, amount, ref=f"N{name}", details=camt_part(name=name))
                for amount, name in payments
            )
            for payments in notifications
        ),
        message="camt.054",
    )


def stated(*amounts, day=DAY, name="", closing=None):
    details = camt_part(name=name) if name else ""
    entries = [camt_entry(day, a, ref=f"S{a}{day}", details=details) for a in amounts]
    total = sum(map(float, amounts))
    balances = [camt_balance("OPBD", "100", day), camt_balance("CLBD", str(100 + total), day)]
    return camt(camt_statement(entries, balances=balances))


def swift(*amounts, day=DAY):
    return mt940(
        [mt940_entry(day, a, ref=f"M{a}", details="166?00SAMMLER?32VARIOUS") for a in amounts],
        closing=("0", day),
    )


def kept(person):
    amounts = Counter(decimal_text(row["amount"]) for row in person.rows(RECORDS))
    return sorted(amounts.elements())


def take(person, *files):
    for data in files:
        person.bank_file(data)
    before = person.snapshot()
    for data in (*files, *reversed(files)):
        assert person.bank_file(data).created == 0
    assert person.snapshot() == before
    person.audit()
    return kept(person)


PAYROLL = ("-10", "Ann"), ("-20", "Ben")


@pytest.mark.parametrize("whole", [stated("-30"), swift("-30")])
def test_sum_of_a_notification_is_its_entries_in_either_order(new_person, whole):
    assert take(new_person(), notified(PAYROLL), whole) == ["-10", "-20"]
    assert take(new_person(), whole, notified(PAYROLL)) == ["-30"]


def test_each_of_several_notifications_of_a_day_has_its_own_sum(new_person):
    rent = ("-10", "Cleo"), ("-10", "Dan"), ("-10", "Eve")
    details = notified(PAYROLL, rent)
    assert len(take(new_person(), details, stated("-30", "-30"))) == 5
    assert len(take(new_person(), stated("-30", "-30"), details)) == 2
    separate = notified(PAYROLL), notified(rent)
    assert len(take(new_person(), *separate, stated("-30", "-30"))) == 5


def test_sum_on_the_next_day_is_asked_for_if_its_file_does_not_cover_the_first(new_person):
    for files in itertools.permutations((notified(PAYROLL), stated("-30", day=NEXT))):
        person, once = new_person(), new_person()
        person.bank_file(files[0])
        with pytest.raises(ImportRefused, match=r"apart they may be \(2 here\)"):
            person.bank_file(files[1])
        assert person.bank_file(files[1], match_days=2).created == 0
        once.bank_file(files[0])
        assert once.bank_file(files[1], match_days=1).created > 0


def test_notifications_of_equal_sums_on_two_days_have_the_sum_of_their_day(new_person):
    days = notified(PAYROLL), notified((("-1", "Fay"), ("-29", "Gus")), day=NEXT)
    both = camt(camt_statement([camt_entry(day, "-30", ref=day) for day in (NEXT, DAY)]))
    assert len(take(new_person(), *days, both)) == 4
    assert len(take(new_person(), both, *reversed(days))) == 2


def test_a_part_of_a_notification_is_never_a_sum(new_person):
    three = (*PAYROLL, ("-5", "Cleo"))
    assert len(take(new_person(), notified(three), stated("-30"))) == 4
    assert len(take(new_person(), stated("-30"), notified(three))) == 4


@pytest.mark.parametrize("whole", [stated("-60"), swift("-60")])
def test_all_notifications_of_a_day_may_have_one_sum(new_person, whole):
    pair = ("-14", "Cleo"), ("-16", "Dan")
    assert take(new_person(), notified(PAYROLL, pair), whole) == ["-10", "-14", "-16", "-20"]
    assert take(new_person(), notified(PAYROLL), notified(pair), whole) == [
        *("-10", "-14", "-16", "-20")
    ]
    assert take(new_person(), whole, notified(PAYROLL, pair)) == ["-60"]
    assert len(take(new_person(), notified(PAYROLL[:1], PAYROLL[1:]), stated("-30"))) == 2


def test_some_of_the_notifications_of_a_day_are_no_sum(new_person):
    pair, more = (("-14", "Cleo"), ("-16", "Dan")), (("-1", "Eve"), ("-2", "Fay"))
    assert len(take(new_person(), notified(PAYROLL, pair, more), stated("-60"))) == 7
    assert len(take(new_person(), stated("-60"), notified(PAYROLL, pair, more))) == 7


def test_notifications_that_name_their_booking_sum_to_it(new_person):
    def payments(*found, day=DAY):
        return camt_statement(
            camt_entry(day, amount, ref=booking, details=camt_part(name=name))
            for amount, name, booking in found
        )

    details = camt(
        payments(("-10", "Ann", "B/1"), ("-20", "Ben", "B/2")),
        payments(("-14", "Cleo", "B/1"), ("-16", "Dan", "B/2")),
        message="camt.054",
    )
    entries = camt_entry(DAY, "-24", ref="B/1"), camt_entry(DAY, "-36", ref="B/2")
    wholes = camt(camt_statement(entries))
    assert take(new_person(), details, wholes) == ["-10", "-14", "-16", "-20"]
    assert take(new_person(), wholes, details) == ["-24", "-36"]


def test_single_payment_that_names_the_other_side_is_no_sum(new_person):
    assert len(take(new_person(), notified(PAYROLL), stated("-30", name="Hal"))) == 3


def test_entries_that_are_stated_singly_are_not_their_sum(new_person):
    assert take(new_person(), notified(PAYROLL), stated("-10", "-20", "-30")) == [
        "-10",
        "-20",
        "-30",
    ]
    # The statement has another payment that equals one entry of the notification.
    assert take(new_person(), notified(PAYROLL), stated("-10", "-30")) == ["-10", "-10", "-20"]


def test_many_notifications_of_equal_amounts_are_compared_in_few_steps(new_person, monkeypatch):
    steps = Counter()
    is_open = notifications.is_open
    monkeypatch.setattr(notifications, "is_open", lambda row: steps.update(open=1) or is_open(row))
    for number in (50, 100):
        steps.clear()
        person = new_person()
        names = [(f"A{n}", f"B{n}") for n in range(number)]
        person.bank_file(notified(*((("-1", a), ("-1", b)) for a, b in names)))
        entries = [camt_entry(DAY, "-2", ref=f"S{n}") for n in range(number)]
        assert person.bank_file(camt(camt_statement(entries))).created == 0
        # Each of two days apart and each direction looks at each row a few times.
        assert steps["open"] <= 24 * number


def followed(person, data):
    """Import a file; what it asks about is the same money."""
    try:
        return person.bank_file(data)
    except ImportRefused as refused:
        days = max(c.changes["match_days"] for c in refused.questions[0].choices)
        return person.bank_file(data, match_days=days)


def ends(person, files, take):
    for data in files:
        take(person, data)
    for data in reversed(files):
        assert take(person, data).created == 0
    person.audit()
    return sum(row["amount"] for row in person.rows(RECORDS))


@pytest.mark.parametrize("write", [stated, swift])
@pytest.mark.parametrize(
    "notifications",
    [
        [PAYROLL[:1], PAYROLL[1:]],
        [PAYROLL, (("-14", "Cleo"), ("-16", "Dan"))],
        [PAYROLL, (("-14", "Cleo"), ("-16", "Dan")), (("-5", "Eve"),)],
    ],
)
def test_sum_of_notifications_in_files_of_their_own_counts_once_in_every_order(
    new_person, write, notifications
):
    total = sum(int(amount) for each in notifications for amount, _ in each)
    files = [write(str(total)), *(notified(each) for each in notifications)]
    for order in itertools.permutations(files):
        assert ends(new_person(), order, followed) == total * 10_000
        try:
            assert ends(new_person(), order, Person.bank_file) == total * 10_000
        except ImportRefused as refused:
            assert "may be part of" in str(refused) or "may include" in str(refused)


def test_notification_that_is_no_part_of_the_sum_is_said_to_be_another_payment(new_person):
    for files in itertools.permutations((stated("-30"), notified(PAYROLL[:1]))):
        person = new_person()
        person.bank_file(files[0])
        with pytest.raises(ImportRefused, match="if it is another payment, say --match-days 1"):
            person.bank_file(files[1])
        person.bank_file(files[1], match_days=1)
        assert kept(person) == ["-10", "-30"]


def test_notification_beside_a_payment_to_somebody_is_not_asked_about(new_person):
    assert take(new_person(), stated("-30", name="Hal"), notified(PAYROLL[:1])) == ["-10", "-30"]


def test_notified_payments_that_are_no_other_sum_are_those_of_the_day(new_person):
    pair = ("-14", "Cleo"), ("-16", "Dan")
    files = notified(PAYROLL[:1]), notified(PAYROLL[1:]), notified(pair), stated("-30", "-30")
    assert take(new_person(), *files) == ["-10", "-14", "-16", "-20"]


@pytest.mark.parametrize("seed", range(count(10, 2_000)))
def test_any_notifications_and_their_sum_end_in_one_balance(new_person, seed):
    chance = random.Random(seed)
    sign = chance.choice((-1, 1))
    # Equal payments of several files are asked about.
    amounts = iter(chance.sample(range(1, 99), 12))
    groups = [
        [(str(sign * next(amounts)), f"N{n}-{m}") for m in range(chance.randint(1, 3))]
        for n in range(chance.randint(2, 4))
    ]
    total = sum(int(amount) for group in groups for amount, _ in group)
    separate = chance.random() < 0.7
    details = [notified(group) for group in groups] if separate else [notified(*groups)]
    files = [chance.choice((stated, swift))(str(total)), *details]
    chance.shuffle(files)
    assert ends(new_person(), files, followed) == total * 10_000


def test_single_notifications_are_all_sums_of_the_day_together(new_person):
    payments = [[(amount, amount)] for amount in ("-3", "-14", "-43", "-23", "-15", "-22", "-7")]
    files = stated("-60", "-60", "-7"), notified(*payments)
    assert take(new_person(), *files) == ["-60", "-60", "-7"]
    assert len(take(new_person(), *reversed(files))) == 7


def a_day(chance):
    """Return the amounts of a day's statement, and the notifications of each file about them.

    Some sums are equal, and some payments are notified one by one.
    """
    names, cents = itertools.count(), []
    files = []
    for _ in range(chance.randint(1, 3)):
        is_equal = cents and chance.random() < 0.6
        cents.append(chance.choice(cents) if is_equal else chance.randint(1_200, 300_000))
        cuts = sorted(chance.sample(range(1, cents[-1]), chance.randint(1, 2)))
        parts = [end - begin for begin, end in itertools.pairwise((0, *cuts, cents[-1]))]
        payments = [(f"-{part / 100:.2f}", f"N{next(names)}") for part in parts]
        files += chance.choice(
            ([[payments]], [[payments]], [[[each]] for each in payments], [[[p] for p in payments]])
        )
    for _ in range(chance.randint(0, 1)):
        cents.append(chance.randint(100, 300_000))
        files.append([[(f"-{cents[-1] / 100:.2f}", f"N{next(names)}")]])
    return [f"-{each / 100:.2f}" for each in cents], files


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(count(12, 4_000)))
def test_equal_sums_and_single_notifications_of_a_day_are_never_wrong_in_silence(seed, new_person):
    chance = random.Random(seed)
    amounts, details = a_day(chance)
    entries = [camt_entry(DAY, amount, ref=f"S{n}") for n, amount in enumerate(amounts)]
    statement = camt(camt_statement(entries))
    files = [statement, *(notified(*each) for each in details)]
    chance.shuffle(files)
    is_twice, person, asked = chance.random() < 0.5, new_person(), False
    for data in [data for data in files for _ in range(1 + is_twice)]:
        try:
            person.bank_file(data)
        except ImportRefused:
            asked = True
            followed(person, data)
    total = sum(row["amount"] for row in person.rows(RECORDS))
    # If the statement comes first, all the rest is money that it has.
    if not asked or files[0] == statement:
        assert total == sum(round(float(amount) * 10_000) for amount in amounts)
    for data in files:
        assert followed(person, data).created == 0
    person.audit()
