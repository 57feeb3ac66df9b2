"""A notification (camt.054) with each payment, and a statement with only their sum."""

import io
import itertools
import random
from collections import Counter

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.importers.qif import QifImporter
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.records import set_assigned
from finance_api.ledger.matching.rules import notifications
from finance_api.resources import ACCOUNTS, RECORDS
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
from support.ledger import Person, units
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


def test_single_notifications_are_all_sums_of_the_day_together(new_person):
    payments = [[(amount, amount)] for amount in ("-3", "-14", "-43", "-23", "-15", "-22", "-7")]
    files = stated("-60", "-60", "-7"), notified(*payments)
    assert take(new_person(), *files) == ["-60", "-60", "-7"]
    assert len(take(new_person(), *reversed(files))) == 7


def test_rest_of_a_sum_is_a_record_until_it_is_notified(new_person):
    person, whole = new_person(), stated("-30")
    person.bank_file(notified(PAYROLL[:1]))
    assert followed(person, whole).created == 1
    assert kept(person) == ["-10", "-20"]
    for data in (notified(PAYROLL[1:]), whole, swift("-30"), notified(PAYROLL[:1])):
        assert person.bank_file(data).created == 0
    assert kept(person) == ["-10", "-20"]


def test_rest_of_a_sum_goes_when_its_import_is_undone(new_person):
    person = new_person()
    person.bank_file(notified(PAYROLL[:1]))
    before = person.dump()
    followed(person, stated("-30"))
    person.undo()
    assert person.dump() == before


@pytest.mark.parametrize("number", [1, 2])
def test_sum_that_the_bank_corrects_changes_by_the_difference(new_person, number):
    person = new_person()
    person.bank_file(notified(PAYROLL[:number]))
    for amount in ("-30", "-35"):
        entries = [camt_entry(DAY, amount, ref="S")]
        followed(person, camt(camt_statement(entries)))
    assert sum(row["amount"] for row in person.rows(RECORDS)) == -350_000


def corrected(amount):
    """Return the same transaction as camt.053 and as MT940."""
    entry = mt940_entry(DAY, amount, ref="M", details="166?00SAMMLER?32VARIOUS")
    statement = camt_statement([camt_entry(DAY, amount, ref="S")])
    return [camt(statement), mt940([entry], closing=("0", DAY))]


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_correction_that_two_formats_state_counts_once(new_person, number, way):
    person = new_person()
    if number:
        person.bank_file(notified(PAYROLL[:number]))
    for data in (*corrected("-30")[::way], *corrected("-35")[::way], *corrected("-35")):
        followed(person, data)
    assert sum(row["amount"] for row in person.rows(RECORDS)) == -350_000
    person.audit()


def test_rest_whose_day_was_edited_is_recognised(new_person):
    person = new_person()
    person.bank_file(notified(PAYROLL[:1]))
    followed(person, stated("-30"))
    rest = next(row for row in person.rows(RECORDS) if row["amount"] == -200_000)
    now = person.clock.now()
    with changing(person.backend, person.user.email, now, action="edit") as session:
        set_assigned(session, rest["id"], {"recordDate": "2026-01-08"})
    followed(person, notified(PAYROLL[1:2]))
    assert kept(person) == ["-10", "-20"]


def test_rest_of_a_split_transaction_has_no_parts(new_person):
    person = new_person()
    person.bank_file(notified(PAYROLL[:1]))
    (account,) = person.rows(ACCOUNTS)
    text = "!Type:Bank\nD2026-01-05\nT-30.00\nPSum\nSFood\n$-12.00\nSHouse\n$-18.00\n^\n"
    options = {"account": account["name"], "currency": "EUR"}
    importer = QifImporter.of(io.BytesIO(text.encode()), options, "")
    person.file(text, importer, account_name=account["name"], match_days=2)
    assert kept(person) == ["-10", "-20"]
    person.audit()


def test_notified_payments_in_and_out_that_cancel_out_are_those_of_their_sums(new_person):
    both = ("10", "Ann"), ("20", "Ben"), ("-10", "Cleo"), ("-20", "Dan")
    files = notified(*([each] for each in both)), stated("30", "-30")
    assert take(new_person(), *files) == ["-10", "-20", "10", "20"]
    assert take(new_person(), *reversed(files)) == ["-30", "30"]


def test_notified_payment_of_nothing_is_a_record(new_person):
    files = notified((("0", "Ann"), ("0", "Ben"))), stated("-30")
    for order in itertools.permutations(files):
        assert take(new_person(), *order) == ["-30", "0", "0"]


def test_notification_is_not_part_of_a_sum_of_another_day(new_person):
    for files in itertools.permutations((notified(PAYROLL[:1]), stated("-30", day=NEXT))):
        assert take(new_person(), *files) == ["-10", "-30"]


class History:
    """Random files about the payments of one or two days, in any order.

    files: bytes, the units of each day, and whether it is a statement.
    """

    def __init__(self, seed):
        self.chance, self.names, self.files = random.Random(seed), itertools.count(), []
        self.signs = self.one((-1,), (-1, 1))
        days = self.one((DAY,), (DAY,), (DAY, NEXT))
        amounts = {day: self.day(day) for day in days}
        periods = self.one([days], [(day,) for day in days])
        for write, period in itertools.product(self.one("c", "c", "m", "cm"), periods):
            rows = [(day, amount) for day in period for amount in amounts[day]]
            self.chance.shuffle(rows)
            money = {day: sum(map(units, amounts[day])) for day in period}
            self.files.append((self.statement(write, rows), money, True))
        self.chance.shuffle(self.files)
        if self.maybe(0.3):
            self.files = [each for each in self.files for _ in range(2)]

    def one(self, *choices):
        return self.chance.choice(choices)

    def maybe(self, likely):
        return self.chance.random() < likely

    def amount(self, cents):
        return f"{self.one(*self.signs) * cents / 100:.2f}"

    def day(self, day):
        """Add the notifications of a day; return the amounts of its statement."""
        amounts = []
        for _ in range(self.chance.randint(1, 3)):
            # Some sums are equal, and some are not notified, or not as a whole.
            is_equal = amounts and self.maybe(0.5)
            amounts.append(self.one(*amounts) if is_equal else self.amount(self.size()))
            payments = [[(part, f"N{next(self.names)}")] for part in self.parts(amounts[-1])]
            whole = list(itertools.chain(*payments))
            files = self.one([[whole]], [payments], [[each] for each in payments], [])
            self.notify(day, *files[self.maybe(0.2) :])
        for likely in (0.4, 0.3):
            if self.maybe(likely):
                amounts.append(self.amount(self.size()))
                single = amounts[-1], f"N{next(self.names)}"
                self.notify(day, *[[[single]]][self.maybe(0.4) :])
        return amounts

    def size(self):
        return self.chance.randint(1_200, self.one(3_000, 300_000))

    def parts(self, amount):
        cents = round(float(amount) * 100)
        cuts = sorted(self.chance.sample(range(1, abs(cents)), self.chance.randint(1, 3)))
        ends = itertools.pairwise((0, *cuts, abs(cents)))
        return [f"{(end - begin) * (-1 if cents < 0 else 1) / 100:.2f}" for begin, end in ends]

    def notify(self, day, *files):
        for messages in files:
            money = {day: sum(units(amount) for each in messages for amount, _ in each)}
            self.files.append((notified(*messages, day=day), money, False))

    def statement(self, write, rows):
        refs = (f"S{next(self.names)}" for _ in rows)
        if write == "c":
            entries = [camt_entry(*row, ref=ref) for row, ref in zip(rows, refs, strict=True)]
            return camt(camt_statement(entries))
        entries = [
            mt940_entry(*row, ref=ref, details="166?00SAMMLER?32VARIOUS")
            for row, ref in zip(rows, refs, strict=True)
        ]
        return mt940(entries, closing=("0", rows[-1][0]))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(count(40, 4_000)))
def test_any_notifications_and_statements_are_right_after_each_file(seed, new_person):
    person, stated_money, notified_money = new_person(), {}, Counter()
    history = History(seed)
    for place, (data, money, is_statement) in enumerate(history.files):
        if data not in [each for each, *_ in history.files[:place]]:
            (stated_money if is_statement else notified_money).update(money)
        answered(person, data)
        # A statement has all payments of its days; before it, only notifications tell of them.
        total = sum({**notified_money, **stated_money}.values())
        assert sum(row["amount"] for row in person.rows(RECORDS)) == total
    before = person.snapshot()
    for data, *_ in history.files:
        assert person.bank_file(data).created == 0
    assert person.snapshot() == before
    person.audit()


def answered(person, data):
    """Import a file with the first answers; with the other one, what it asks about is new."""
    try:
        person.bank_file(data)
    except ImportRefused as refused:
        *_, question = refused.questions
        same = {n: v for each in refused.questions for n, v in each.choices[0].changes.items()}
        other = {**same, **question.choices[1].changes}
        new = [row["amount"] for row in person.bank_file(data, **other, dry_run=True).new]
        assert question.fact.facts["entry"].amount.units in new
        person.bank_file(data, **same)
