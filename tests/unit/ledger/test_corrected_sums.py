"""Sums of notified payments that banks correct and delete, in several formats."""

import itertools
import json
import random

import pytest

from finance_api.importers.interface import BankBalance, ImportRefused
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.memory import MemoryBackend
from support.ledger import Person, units
from support.nightly import count
from support.statements import Bank, day, entry, kept

NAME = "Checking 100"
NOTIFICATION = "camt.054"
FORMATS = ("camt.053", "mt940", "ofx")


@pytest.fixture
def new_person():
    return lambda: Person(MemoryBackend())


class Account:
    """An account whose files come in several formats. What they ask about is the same money."""

    def __init__(self, person):
        self.person = person

    def file(self, source, *entries, **options):
        bank = Bank(self.person, source)
        try:
            return bank.file(*entries, account_name=NAME, **options)
        except ImportRefused as refused:
            for each in refused.questions:
                options |= each.choices[0].changes
            return bank.file(*entries, account_name=NAME, **options)

    def notify(self, *payments, **options):
        rows = [
            entry("5", amount, name, f"N{name}", message=payments[0][0])
            for name, amount in payments
        ]
        return self.file(NOTIFICATION, *rows, **options)

    def forget_shares(self):
        """Store what earlier versions stored: not how much of a sum each record has."""
        person, rows = self.person, []
        for row in person.rows(RECORDS):
            stated = json.loads(row["stated"] or "{}")
            for each in itertools.chain.from_iterable(stated.values()):
                each.pop("beside", None)
                each.pop("others", None)
            if stated:
                rows.append({**row, "stated": json.dumps(stated)})
        person.change(lambda s: s.data.put_rows(person.user.id, RECORDS, new=(), changed=rows))

    @property
    def total(self):
        return sum(cents for _, cents, _ in kept(self.person))


def booked(amount, bank_id="S", **values):
    return entry("5", amount, None, bank_id, **values)


def deleted(bank_id="S", amount="-30"):
    return booked(amount, f"D{bank_id}", corrects=bank_id, deletes=True)


PAYMENTS = ("Ann", "-10"), ("Ben", "-20")
PAID = [entry("5", amount, name, f"N{name}", message="M") for name, amount in PAYMENTS]


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("late", [0, 1, 2])
def test_deletion_of_a_sum_voids_all_payments_of_it(new_person, number, late):
    account = Account(new_person())
    payments = PAYMENTS[:number], PAYMENTS[number : number + late]
    for each in payments[0]:
        account.notify(each)
    account.file("ofx", booked("-30"))
    for each in payments[1]:
        account.notify(each)
    assert account.total == -3_000
    account.file("ofx", deleted())
    assert kept(account.person) == []
    before = account.person.snapshot()
    account.file("ofx", booked("-30"), data="again")
    account.file("ofx", deleted(), data="again")
    for each in itertools.chain(*payments):
        account.notify(each)
    assert account.person.snapshot() == before
    account.person.audit()
    account.person.undo()
    assert account.total == -3_000


def test_deletion_of_a_sum_voids_its_payments_after_a_restore(new_person):
    account, restored = Account(new_person()), Account(new_person())
    for each in PAYMENTS:
        account.notify(each)
    account.file("ofx", booked("-40"))
    restored.person.file(account.person.dump())
    restored.file("ofx", deleted(amount="-40"))
    assert kept(restored.person) == []


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("sources", [*itertools.permutations(FORMATS, 2)])
def test_sum_of_an_earlier_version_is_corrected_and_deleted_as_a_whole(new_person, number, sources):
    account = Account(new_person())
    for each in PAYMENTS[:number]:
        account.notify(each)
    for source in sources:
        account.file(source, booked("-30"))
    for amount in ("-35", "-55", "-45"):
        account.forget_shares()
        for source in sources:
            account.file(source, booked(amount))
            assert account.total == 100 * int(amount)
    account.forget_shares()
    if "ofx" in sources:
        account.file("ofx", deleted(amount="-45"))
        assert account.total == 0
    account.person.audit()


@pytest.mark.parametrize(
    "late", [[("camt.053", [booked("-30")])], [(NOTIFICATION, PAID)], [(NOTIFICATION, PAID[:1])]]
)
def test_file_that_still_has_what_the_bank_deleted_is_asked_about(new_person, late):
    account = Account(new_person())
    account.file("ofx", booked("-30"))
    account.file("ofx", deleted())
    for source, rows in late:
        bank = Bank(account.person, source)
        with pytest.raises(ImportRefused, match="which the bank deleted or corrected since"):
            bank.file(*rows, account_name=NAME)
        before = account.person.dump()
        bank.file(*rows, account_name=NAME, match_days=1)
        assert account.total == sum(row.amount for row in rows) // 100
        account.person.undo()
        assert account.person.dump() == before
        account.file(source, *rows)
        assert account.total == 0
    account.person.audit()


def test_sum_that_the_bank_deleted_may_be_stated_again_in_another_format(new_person):
    account = Account(new_person())
    account.notify(*PAYMENTS)
    account.file("ofx", booked("-30"))
    account.file("ofx", deleted())
    with pytest.raises(ImportRefused, match="which the bank deleted or corrected since"):
        Bank(account.person, "mt940").file(booked("-30"), account_name=NAME)
    account.file("mt940", booked("-30"))
    assert account.total == 0
    account.file("mt940", booked("-31", "T"))
    assert account.total == -3_100


@pytest.mark.parametrize("number", [0, 1, 2])
def test_deletion_in_the_file_of_the_sum_voids_its_payments(new_person, number):
    account = Account(new_person())
    for each in PAYMENTS[:number]:
        account.notify(each)
    account.file("ofx", booked("-30"), deleted(), booked("-7", "T"))
    assert kept(account.person) == [(5, -700, "")]
    account.person.audit()


def test_payments_that_replace_a_deleted_sum_are_new(new_person):
    account = Account(new_person())
    account.notify(*PAYMENTS)
    account.file("ofx", booked("-30"))
    account.file("ofx", deleted(), booked("-10", "T"), booked("-20", "U"))
    assert kept(account.person) == [(5, -2_000, ""), (5, -1_000, "")]


@pytest.mark.parametrize("first", ["csv", "ofx"])
@pytest.mark.parametrize("is_one_file", [True, False])
@pytest.mark.parametrize("date", ["4", "5"])
def test_payment_that_replaces_a_deleted_one_on_its_day_is_new(
    new_person, first, is_one_file, date
):
    account = Account(new_person())
    others = entry("4", "-1", "Baker", "A"), entry("9", "-3", "Café", "B")
    payment, again = (entry(date, "-30", "Shop", bank_id) for bank_id in "ST")
    deletion = entry(date, "-30", "Shop", "D", corrects="S", deletes=True)
    if first == "csv":
        rows = [each._replace(bank_id=None) for each in (payment, *others)]
        account.file("csv", *rows)
    account.file("ofx", payment, *others)
    for rows in [[deletion, again]] if is_one_file else [[deletion], [again]]:
        account.file("ofx", *rows, *others)
    assert account.total == -3_400
    assert account.file("ofx", again, *others, data="again").changed is False
    account.person.audit()


def test_deletion_of_a_sum_keeps_what_the_user_says_about_a_payment(new_person):
    account = Account(new_person())
    account.notify(*PAYMENTS)
    account.file("ofx", booked("-30"))
    row = next(r for r in account.person.rows(RECORDS) if r["payee"] == "Ben")
    after = {**row, "setByHand": ("recordState",)}
    account.person.change(
        lambda s: s.data.put_rows(account.person.user.id, RECORDS, new=(), changed=[after])
    )
    account.file("ofx", deleted())
    assert kept(account.person) == [(5, -2_000, "Ben")]


def test_deletion_of_one_of_several_sums_leaves_the_others(new_person):
    account = Account(new_person())
    account.notify(("Ann", "-50"), ("Ben", "-10"))
    account.file("ofx", *(booked("-20", name) for name in "STU"))
    assert account.total == -6_000
    for name, left in (("T", -4_000), ("S", -2_000), ("U", 0)):
        before = account.person.dump()
        account.file("ofx", deleted(name, "-20"))
        account.file("ofx", deleted(name, "-20"), data="again")
        assert account.total == left
        account.person.audit()
        assert before != account.person.dump()


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("order", [("camt.053", "ofx"), ("ofx", "camt.053")])
def test_the_later_of_two_corrections_counts(new_person, number, order):
    amounts = {"camt.053": ("-40", 3), "ofx": ("-35", 2)}
    account = Account(new_person())
    for each in PAYMENTS[:number]:
        account.notify(each)
    for source in amounts:
        account.file(source, booked("-30"), as_of=1)
    for source in order:
        amount, as_of = amounts[source]
        account.file(source, booked(amount), as_of=as_of)
    assert account.total == -4_000
    # Without a day, the statement that was imported later is the later one.
    account.file("ofx", booked("-33"))
    assert account.total == -3_300
    account.person.audit()


@pytest.mark.parametrize("first", ["camt.053", "ofx"])
def test_third_format_states_a_corrected_payment_as_it_is_or_as_it_was(new_person, first):
    account = Account(new_person())
    for source in dict.fromkeys((first, "ofx")):
        account.file(source, booked("-30"))
    account.file("ofx", booked("-35", "T", corrects="S"))
    mt940 = Bank(account.person, "mt940")
    assert mt940.file(booked("-35"), account_name=NAME).matched == 1
    account.person.undo()
    with pytest.raises(ImportRefused, match="which the bank deleted or corrected since"):
        mt940.file(booked("-30"), account_name=NAME)
    assert mt940.file(booked("-30"), account_name=NAME, match_days=2).matched == 1
    assert account.total == -3_500
    assert mt940.file(booked("-36"), account_name=NAME).updated == 1
    assert account.total == -3_600


@pytest.mark.parametrize("match_days", [None, 1, 2])
@pytest.mark.parametrize("days", ["55", "56", "65"])
def test_amount_before_a_correction_is_not_open_if_the_file_has_the_new_one(
    new_person, days, match_days
):
    account = Account(new_person())
    account.file("ofx", booked("-30"))
    account.file("ofx", booked("-35", "T", corrects="S"))
    rows = entry(days[0], "-35", "Shop"), entry(days[1], "-30", "Other shop")
    report = Bank(account.person, "csv").file(*rows, account_name=NAME, match_days=match_days)
    assert (report.matched, account.total) == (1, -6_500)


#: Entries of another format before and after a correction, which their ids do not show.
UNKNOWN = [("csv", None, None), ("camt.053", None, None), ("camt.053", "X", "Y")]


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(("source", "bank_id", "new_id"), UNKNOWN)
def test_format_that_stated_a_corrected_payment_states_its_new_amount(
    new_person, source, bank_id, new_id, is_first, is_whole, number
):
    account = Account(new_person())
    for each in PAYMENTS[:number]:
        account.notify(each)
    beside = [entry("4", "-1", "Baker"), entry("6", "-2", "Café")] if is_whole else []
    files = [(source, [booked("-30", bank_id), *beside]), ("ofx", [booked("-30")])]
    for of, rows in files if is_first else reversed(files):
        account.file(of, *rows)
    account.file("ofx", booked("-35", "T", corrects="S"))
    corrected, bank = [booked("-35", new_id), *beside], Bank(account.person, source)
    if not is_whole:
        with pytest.raises(ImportRefused, match="which the file should contain but does not"):
            bank.file(*corrected, account_name=NAME)
        bank.file(*corrected, account_name=NAME, moved_days=0)
        assert account.total == -7_000
        account.person.undo()
    account.file(source, *corrected)
    for again in (corrected, files[0][1]):
        account.file(source, *again, data="again")
        assert account.total == (-3_800 if is_whole else -3_500)
    account.person.audit()


@pytest.mark.parametrize(("source", "bank_id", "new_id"), UNKNOWN)
def test_amount_between_two_corrections_of_another_format_is_an_older_one(
    new_person, source, bank_id, new_id
):
    account = Account(new_person())
    beside = [entry("4", "-1", "Baker"), entry("6", "-2", "Café")]
    account.file(source, booked("-30", bank_id), *beside)
    account.file("ofx", booked("-30"))
    account.file("ofx", booked("-35", "T", corrects="S"))
    account.file("ofx", booked("-40", "U", corrects="T"))
    for amount in ("-35", "-40", "-35"):
        account.file(source, booked(amount, new_id), *beside)
        assert account.total == -4_300
    account.person.audit()


@pytest.mark.parametrize("amounts", list(itertools.permutations(("-30", "-35"))))
@pytest.mark.parametrize("source", ["csv", "camt.053"])
@pytest.mark.parametrize("is_whole", [True, False])
def test_old_and_new_amount_on_one_day_are_two_payments(new_person, source, amounts, is_whole):
    beside = [entry("4", "-1", "Baker"), entry("6", "-2", "Café")] if is_whole else []
    for names in ("S", "SU"):
        account = Account(new_person())
        account.file(source, *(booked("-30", None) for _ in names), *beside)
        account.file("ofx", *(booked("-30", name) for name in names))
        account.file("ofx", booked("-35", "T", corrects="S"))
        account.file(source, *(booked(each, None) for each in amounts), *beside)
        assert len(kept(account.person)) == 2 + len(beside)
        assert account.total == (-6_800 if is_whole else -6_500)
        account.file(source, booked("-30", None), *beside, data="older")
        assert account.total == (-6_800 if is_whole else -6_500)
        account.person.audit()


@pytest.mark.parametrize("corrects", ["A", "B"])
@pytest.mark.parametrize(
    ("ids", "is_whole"),
    [*((ids, True) for ids in itertools.permutations("ABCD", 2)), ("AC", False), ("BC", False)],
)
def test_one_of_two_equal_payments_is_corrected_whatever_id_it_has_then(
    new_person, ids, corrects, is_whole
):
    beside = [entry("4", "-1", "Baker"), entry("6", "-2", "Café")] if is_whole else []
    account = Account(new_person())
    equal = [booked("-30", name) for name in "AB"]
    account.file("camt.053", *equal, *beside)
    account.file("ofx", *equal)
    account.file("ofx", booked("-35", "T", corrects=corrects))
    corrected = [booked(*each) for each in zip(("-30", "-35"), ids, strict=True)]
    for rows in (corrected, corrected, equal, corrected):
        account.file("camt.053", *rows, *beside)
        assert account.total == (-6_800 if is_whole else -6_500)
    account.person.audit()


@pytest.mark.parametrize("corrects", ["B", "C"])
@pytest.mark.parametrize("ids", list(itertools.permutations("BC")))
def test_one_of_two_equal_payments_is_corrected_beside_another_one(new_person, ids, corrects):
    """The other one was corrected to the same amount, some days before."""
    beside = [entry("1", "-1", "Baker"), entry("9", "-2", "Café")]
    account = Account(new_person())
    payments = [entry("4", "-20", None, "A"), *(entry("6", "-30", None, each) for each in "BC")]
    for source in ("camt.053", "ofx"):
        account.file(source, *payments, *beside)
    account.file("ofx", entry("6", "-35", None, "T", corrects=corrects))
    account.file("ofx", entry("4", "-35", None, "U", corrects="A"))
    equal = (entry("6", *each) for each in zip(("-30", "-35"), (None, None), ids, strict=True))
    rows = [entry("4", "-35", None, "N"), *equal, *beside]
    for data in ("corrected", "again"):
        account.file("camt.053", *rows, data=data)
        assert account.total == -10_300
    account.person.audit()


@pytest.mark.parametrize("is_sum_first", [True, False])
@pytest.mark.parametrize("is_stated_first", [True, False])
@pytest.mark.parametrize(("number", "name"), [(1, "Ann"), (2, "Ann"), (2, "Ben")])
def test_corrections_of_a_sum_and_of_a_payment_of_it_are_the_same_money(
    new_person, number, name, is_stated_first, is_sum_first
):
    account = Account(new_person())
    notify = [lambda each=each: account.notify(each) for each in PAYMENTS[:number]]
    state = [lambda: account.file("camt.053", booked("-30"))]
    for run in (*state, *notify) if is_stated_first else (*notify, *state):
        run()
    amount = str(int(dict(PAYMENTS)[name]) - 5)
    corrections = [
        lambda: account.notify((name, amount)),
        lambda: account.file("camt.053", booked("-35")),
    ]
    for run in corrections[:: -1 if is_sum_first else 1]:
        assert account.total == -3_000 or is_sum_first
        run()
    assert account.total == -3_500
    account.person.audit()


@pytest.mark.parametrize("is_ofx_first", [True, False])
def test_correction_counts_once_if_formats_may_share_payments_among_sums_differently(
    new_person, is_ofx_first
):
    account = Account(new_person())
    sums = booked("238.40", "S0"), booked("155.65", "S1")
    corrected = booked("246.55", "S0"), sums[1]
    account.notify(("Ann", "94.11"), ("Ben", "93.91"), ("Cleo", "61.54"))
    account.file("mt940", *sums)
    account.notify(("Dan", "34.94"), ("Eve", "61.63"))
    account.file("ofx", *sums)
    assert account.total == 39_405
    for source in ("ofx", "mt940")[:: 1 if is_ofx_first else -1]:
        account.file(source, *corrected)
        assert account.total == 40_220
    account.file("ofx", deleted("S1", "155.65"))
    assert account.total == 24_655
    account.person.audit()


def test_deletion_of_a_sum_leaves_what_other_sums_have_of_its_payments(new_person):
    account = Account(new_person())
    sums = booked("168.73", "S1"), booked("54.98", "S2")
    for name, amount in (("Ann", "9.19"), ("Ben", "14.29"), ("Cleo", "99.62"), ("Dan", "45.79")):
        account.notify((name, amount))
    for source in ("mt940", "ofx"):
        account.file(source, *sums)
        assert account.total == 22_371
    account.file("ofx", deleted("S1", "168.73"))
    assert account.total == 5_498
    account.person.audit()


def test_replacement_in_an_older_statement_changes_nothing(new_person):
    account = Account(new_person())
    account.file("ofx", booked("-30"), as_of=1)
    account.file("ofx", booked("-40", "V", corrects="S"), as_of=3)
    account.file("ofx", booked("-35", "U", corrects="S"), as_of=2)
    assert account.total == -4_000


def test_balance_of_a_day_covers_all_payments_of_a_sum(new_person):
    account = Account(new_person())
    account.notify(*PAYMENTS)
    for bank_ids, left in (("S", "70"), ("ST", "63")):
        amounts = {"S": "-30", "T": "-7"}
        rows = [booked(amounts[bank_id], bank_id) for bank_id in bank_ids]
        account.file("mt940", *rows, closing=BankBalance(units(left), day("5")))
        (row,) = account.person.rows(ACCOUNTS)
        assert (row["initialBalance"], row["balance"]) == (units("100"), units(left))


class History:
    """Random sums of a day: notified, stated, corrected and deleted in several formats.

    files: functions that import a file, each with the total afterwards; None if it is not known
    yet. The bank's statements have its amounts at a version.
    """

    def __init__(self, seed, account):
        self.chance, self.account, self.files = random.Random(seed), account, []
        self.formats = self.chance.sample(FORMATS, self.chance.randint(1, 3))
        # A format without ids, whose new amounts are known once another format has stated them.
        self.has_csv, self.csv_days = self.maybe(0.5), self.chance.choice((None, ("4", "6")))
        sign = self.chance.choice((-1, 1))
        names = (f"P{number}" for number in itertools.count())
        self.amounts, self.payments = [{}], []
        for number in range(self.chance.choice((1, 1, 2, 3))):
            cents = [self.chance.randint(100, 9_999) for _ in range(self.chance.randint(1, 4))]
            if len(cents) > 1 or self.maybe(0.3):
                self.notify([(next(names), sign * each) for each in cents])
            self.amounts[0][f"S{number}"] = sign * sum(cents)
        self.chance.shuffle(self.formats)
        first, *others = [
            self.statement(source, 0) for source in sorted(self.formats, key="ofx".__ne__)
        ]
        self.files += others
        if self.has_csv:
            self.files.append(self.statement("csv", 0))
        self.chance.shuffle(self.files)
        # Files that the user imports after those in which the bank corrected or deleted sums.
        is_single = len(self.amounts[0]) == 1
        late = [self.files.pop() for _ in self.files[:2] if is_single and self.maybe(0.3)]
        self.files.insert(self.chance.randint(0, len(self.files)), first)
        self.files.append((lambda: None, self.total(0)))
        if not late:
            if self.maybe(0.3):
                self.files.append((self.account.forget_shares, self.total(0)))
            self.correct(sign)
        left = self.amounts[-1]
        if "ofx" in self.formats and self.maybe(0.7):
            left = self.delete()
        self.files += [(run, sum(left.values())) for run, _ in late]

    def maybe(self, likely):
        return self.chance.random() < likely

    def notify(self, payments):
        files = [payments] if self.maybe(0.5) else [[each] for each in payments]
        for each in files[self.maybe(0.3) :]:
            self.payments += each if len(payments) > 1 else []
            rows = [(name, f"{cents / 100:.2f}") for name, cents in each]
            self.files.append((lambda rows=rows: self.account.notify(*rows), None))

    def total(self, version):
        return sum(self.amounts[version].values())

    def statement(self, source, version, *, is_dated=True):
        amounts = self.amounts[version].items()
        has_ids = source != "csv"
        rows = [booked(f"{cents / 100:.2f}", name if has_ids else None) for name, cents in amounts]
        as_of = 100 + version if is_dated else None
        days = None if has_ids else self.csv_days
        return lambda: self.account.file(source, *rows, as_of=as_of, days=days), None

    def correct(self, sign):
        for _ in range(self.chance.randint(0, 4)):
            name = self.chance.choice([*self.amounts[0]])
            amount = self.amounts[-1][name] + sign * self.chance.randint(-90, 900)
            # Without a day, a statement that repeats an earlier amount looks like an older one.
            if all(amount != earlier[name] for earlier in self.amounts):
                self.amounts.append({**self.amounts[-1], name: amount})
        versions = [*range(1, len(self.amounts))]
        is_dated = self.maybe(0.5)
        if is_dated:
            self.chance.shuffle(versions)
        for place, version in enumerate(versions, 1):
            newest = max(versions[:place])
            number = self.chance.randint(1, len(self.formats))
            for source in self.chance.sample(self.formats, number):
                run, _ = self.statement(source, version, is_dated=is_dated)
                self.files.append((run, self.total(newest)))
            if self.has_csv and version == newest and self.maybe(0.6):
                # Files without a day may be older ones.
                stated = version if is_dated else self.chance.randint(1, version)
                run, _ = self.statement("csv", stated, is_dated=is_dated)
                self.files.append((run, self.total(newest)))
            # A payment of a sum's amount may be paired with that sum.
            payments = [each for each in self.payments if each[1] not in self.amounts[0].values()]
            if payments and self.maybe(0.3):
                # The statements of the sum decide.
                name, cents = self.chance.choice(payments)
                row = name, f"{(cents + sign * self.chance.randint(-90, 900)) / 100:.2f}"
                run = lambda row=row: self.account.notify(row)  # noqa: E731
                self.files.append((run, self.total(newest)))

    def delete(self):
        left = dict(self.amounts[-1])
        for name in self.chance.sample([*left], self.chance.randint(1, len(left))):
            row = deleted(name, f"{left.pop(name) / 100:.2f}")
            run = lambda row=row: self.account.file("ofx", row, as_of=1_000)  # noqa: E731
            self.files.append((run, sum(left.values())))
        return left


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(count(60, 6_000)))
def test_any_corrections_and_deletions_of_sums_are_right_after_each_file(seed, new_person):
    account = Account(new_person())
    history = History(seed, account)
    for run, total in history.files:
        number = len(account.person.history())
        run()
        if len(account.person.history()) > number and history.maybe(0.3):
            account.person.undo()
            run()
        if total is not None:
            assert account.total == total
        account.person.audit()
    before = account.person.snapshot()
    for run, _ in history.files:
        if run != account.forget_shares:
            run()
    assert account.person.snapshot() == before
