"""QIF files as records."""

from pathlib import Path

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.importers.qif import QifImporter
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.objects import set_object
from finance_api.resources import ACCOUNTS, RECORDS, SPLITS
from finance_api.storage.memory import MemoryBackend
from support.ledger import Person, ofx_file, ofx_statement

QUICKEN = Path(__file__).parents[2] / "samples" / "qif" / "quicken.qif"


def test_states_accounts_and_categories_come_over():
    person = Person(MemoryBackend())
    person.file(QUICKEN.read_bytes(), QifImporter({"currency": "EUR"}))
    assert {row["name"]: row["accountType"] for row in person.rows(ACCOUNTS)} == {
        "Checking": "CurrentAccount",
        "Visa": "CreditCard",
    }
    states = [row["recordState"] for row in person.rows(RECORDS)]
    assert sorted(states) == ["cleared"] * 3 + ["uncleared"] * 2
    food = [row["amount"] for row in person.rows(RECORDS) if row["category"] == "Household:Food"]
    assert sorted(food) == [-1_000_000, -305_000]


@pytest.mark.parametrize("qif_first", [True, False])
def test_splits_are_the_banks_entry_as_a_whole(qif_first):
    person = Person(MemoryBackend())
    bank = ofx_file(
        ofx_statement([("20260105", "-120.5", "2", "Market"), ("20260113", "-200", "3", "Card")])
    )
    qif = QUICKEN.read_text().partition("!Account\nNVisa")[0]

    def take_qif():
        options = {"currency": "EUR"}
        return person.file(qif, QifImporter(options), account_name="Checking")

    def take_bank():
        return person.ofx(bank, account_name="Checking")

    first, second = (take_qif, take_bank) if qif_first else (take_bank, take_qif)
    first()
    assert second().created == 0
    assert sum(row["amount"] for row in person.rows(RECORDS)) == -3_205_000
    assert (take_qif().created, take_bank().created) == (0, 0)
    person.audit()


OPENING = """!Account
NGiro
TBank
^
!Type:Bank
D3/31'26
T-30.00
POak Garage
^
D3/1'26
T1,000.00
POpening Balance
L[Giro]
^
"""


def test_opening_balance_is_no_income_however_often_it_comes():
    person = Person(MemoryBackend())
    for _ in range(2):
        person.file(OPENING, QifImporter({"currency": "EUR"}))
        assert [row["amount"] for row in person.rows(RECORDS)] == [-300_000]
        (account,) = person.rows(ACCOUNTS)
        assert (account["initialBalance"], account["balance"]) == (10_000_000, 9_700_000)


def test_opening_balance_that_was_stored_as_a_record_does_not_count_twice():
    person = Person(MemoryBackend())
    as_stored = OPENING.replace("L[Giro]", "LIncome")
    person.file(as_stored, QifImporter({"currency": "EUR"}))
    person.file(OPENING, QifImporter({"currency": "EUR"}))
    (account,) = person.rows(ACCOUNTS)
    assert (account["initialBalance"], account["balance"]) == (0, 9_700_000)


def imported(person, *names, bank):
    """Import these in order: the QIF file with the opening balance, and the bank's file."""
    reports = {}
    for name in names:
        if name == "qif":
            reports[name] = person.file(OPENING, QifImporter({"currency": "EUR"}))
        else:
            file = ofx_file(ofx_statement(bank))
            reports[name] = person.ofx(file, account_name="Giro", new_account=True)
    return reports


GARAGE = ("20260331", "-30", "9", "Oak Garage")
BAR = ("20260410", "-5", "10", "Bar")


def taken(names):
    """Return the account after these imports; ``restore`` moves all data to another service."""
    person = Person(MemoryBackend())
    files = {
        "bank": ofx_statement([("20260301", "1000", "1", "Deposit"), GARAGE]),
        "march": ofx_statement([GARAGE]),
        "april": ofx_statement([BAR], balance=("965", "20260411")),
    }
    for name in names:
        if name == "restore":
            dumped, person = person.dump(), Person(MemoryBackend())
            person.file(dumped)
            assert person.dump() == dumped
        elif name == "qif":
            person.file(OPENING, QifImporter({"currency": "EUR"}))
        else:
            person.ofx(ofx_file(files[name]), account_name="Giro", new_account=True)
    person.audit()
    (account,) = person.rows(ACCOUNTS)
    return account["initialBalance"], account["balance"]


@pytest.mark.parametrize(
    "names",
    [
        ("qif", "restore", "bank"),
        ("qif", "restore", "restore", "qif", "bank"),
        ("bank", "qif", "restore", "qif"),
        ("april", "restore", "bank"),
        ("april", "restore", "march", "bank"),
        ("qif", "april", "restore", "bank"),
    ],
)
def test_restored_balance_includes_older_records_as_before_the_dump(names):
    assert taken(names) == taken([name for name in names if name != "restore"])


def test_restored_balance_without_records_stays():
    alone = OPENING[: OPENING.index("D3/31")] + OPENING[OPENING.index("D3/1'") :]
    person = Person(MemoryBackend())
    person.file(alone, QifImporter({"currency": "EUR", "date_format": "MM/DD/YY"}))
    other = Person(MemoryBackend())
    other.file(person.dump())
    assert other.dump() == person.dump()
    (account,) = other.rows(ACCOUNTS)
    assert (account["initialBalance"], account["balance"]) == (10_000_000, 10_000_000)


@pytest.mark.parametrize(
    "names", [("bank", "qif"), ("qif", "bank"), ("qif", "bank", "qif", "bank")]
)
@pytest.mark.parametrize("day", ["20260228", "20260301", "20260302"])
def test_opening_balance_that_is_a_record_of_the_bank_does_not_count_twice(names, day):
    person = Person(MemoryBackend())
    reports = imported(person, *names, bank=[(day, "1000", "1", "Deposit"), GARAGE])
    (account,) = person.rows(ACCOUNTS)
    assert (account["initialBalance"], account["balance"]) == (0, 9_700_000)
    if names[0] == "bank":
        sentence = "Giro: the opening balance 1000 is not added: it is a record"
        assert sentence in reports["qif"].remarks
    person.audit()


@pytest.mark.parametrize("names", [("bank", "qif"), ("qif", "bank")])
@pytest.mark.parametrize(
    "other", [("20260303", "1000", "1", "Pay"), ("20260301", "999", "1", "Pay")]
)
def test_opening_balance_and_another_payment_both_count(names, other):
    person = Person(MemoryBackend())
    imported(person, *names, bank=[other, GARAGE])
    (account,) = person.rows(ACCOUNTS)
    assert account["initialBalance"] == 10_000_000
    assert account["balance"] == 9_700_000 + int(other[1]) * 10_000


@pytest.mark.parametrize("names", [("bank", "qif"), ("qif", "bank")])
def test_payment_of_the_same_amount_in_the_file_itself_is_not_its_opening_balance(names):
    pay = "D3/2'26\nT1,000.00\nPPay\n^\n"
    person = Person(MemoryBackend())
    for name in names:
        if name == "qif":
            person.file(OPENING + pay, QifImporter({"currency": "EUR"}))
        else:
            bank = ofx_file(ofx_statement([("20260302", "1000", "1", "Pay"), GARAGE]))
            person.ofx(bank, account_name="Giro", new_account=True)
    (account,) = person.rows(ACCOUNTS)
    assert (account["initialBalance"], account["balance"]) == (10_000_000, 19_700_000)


@pytest.mark.parametrize("names", [("bank", "qif"), ("qif", "bank")])
def test_opening_balance_includes_records_of_the_days_before_it(names):
    person = Person(MemoryBackend())
    imported(person, *names, bank=[("20260110", "400", "1", "Pay"), GARAGE])
    (account,) = person.rows(ACCOUNTS)
    assert (account["initialBalance"], account["balance"]) == (6_000_000, 9_700_000)
    assert (account["bankBalance"], account["unexplained"]) == (None, 0)
    person.audit()


def test_undoing_the_import_takes_the_opening_balance_back():
    person = Person(MemoryBackend())
    imported(person, "bank", "qif", bank=[GARAGE])
    person.undo()
    (account,) = person.rows(ACCOUNTS)
    assert (account["initialBalance"], account["balance"]) == (0, -300_000)


def test_opening_balance_does_not_replace_what_the_user_set():
    person = Person(MemoryBackend())
    imported(person, "bank", bank=[GARAGE])
    with changing(person.backend, person.user.email, person.clock.now(), action="edit") as session:
        set_object(session, ACCOUNTS, "Giro", {"initialBalance": "5"})
    reports = imported(person, "qif", bank=[])
    (account,) = person.rows(ACCOUNTS)
    assert account["initialBalance"] == 50_000
    assert any("was set to 5; " in remark for remark in reports["qif"].remarks)


MARKET = """!Account
NCash
TCash
^
!Type:Cash
D1/13'26
T-80.00
PMarket
MBoth
SFood
$-60.00
SGifts/Wedding
Efor Anna
$-20.00
^
D1/14'26
T-5.00
PKiosk
^
"""
OPTIONS = {"currency": "EUR"}


class OfOlderVersions(QifImporter):
    """The importer of older versions, which yields each split as an entry of its own."""

    def read(self, stream, *remembered):
        for statement, entry in super().read(stream, *remembered):
            for amount, note, category, labels in entry.parts if entry else ():
                part = entry._replace(amount=amount, note=note, category=category, labels=labels)
                yield statement, part._replace(parts=(), batch="a batch")
            if entry is None or not entry.parts:
                yield statement, entry


def test_splits_become_parts():
    person = Person(MemoryBackend())
    report = person.file(MARKET, QifImporter(OPTIONS))
    assert report.created == 3
    whole = person.only(SPLITS)
    assert (whole["amount"], whole["payee"], whole["note"]) == (-800_000, "Market", "Both")
    parts = [row for row in person.rows(RECORDS) if row["splitId"] == whole["id"]]
    assert {(p["amount"], p["category"], p["note"], p["labels"]) for p in parts} == {
        (-600_000, "Food", "Both", ()),
        (-200_000, "Gifts", "Both for Anna", ("Wedding",)),
    }
    assert {part["importId"] for part in parts} == {whole["importId"]} == {1}
    before = person.snapshot()
    assert person.file(MARKET, QifImporter(OPTIONS)).unchanged == 2
    assert person.snapshot() == before
    person.audit()
    person.undo()
    assert person.rows(SPLITS) == person.rows(RECORDS) == []


@pytest.mark.parametrize("more", ["", "D1/12'26\nT-1.00\nPA\n^\nD1/15'26\nT-2.00\nPB\n^\n"])
def test_splits_that_an_older_version_stored_are_not_doubled(more):
    """The split's day is the first day of the file, or in its middle."""
    person = Person(MemoryBackend())
    person.file(MARKET, OfOlderVersions(OPTIONS))
    assert len(person.rows(RECORDS)) == 3
    assert person.rows(SPLITS) == []
    report = person.file(MARKET + more, QifImporter(OPTIONS))
    assert report.created == more.count("^")
    assert person.rows(SPLITS) == []
    person.audit()


def test_a_split_with_a_transfer_is_a_record_for_each_line():
    person = Person(MemoryBackend())
    person.file(MARKET.replace("SFood", "S[Savings]"), QifImporter(OPTIONS))
    assert (len(person.rows(RECORDS)), person.rows(SPLITS)) == (3, [])


def qif(*rows):
    """Return a register; rows: date, amount, payee, L."""
    lines = (f"D{day}\nT{amount}\nP{payee}\n{further}^\n" for day, amount, payee, further in rows)
    return "!Account\nNGiro\nTBank\n^\n!Type:Bank\n" + "".join(lines)


SHOP, PAY = ("03/13/2026", "-12.50", "Shop", ""), ("03/20/2026", "900", "Pay", "")
BEGIN = ("03/01/2026", "1000", "Opening Balance", "L[Giro]\n")


def giro(*rows):
    person = Person(MemoryBackend())
    report = person.file(qif(*rows), QifImporter({"currency": "EUR"}))
    person.audit()
    (account,) = person.rows(ACCOUNTS)
    return len(person.rows(RECORDS)), account["balance"], account["bankBalance"], report


@pytest.mark.parametrize("own", ["", "L[Giro]\n"])
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("begin", [[BEGIN], [(*BEGIN[:3], "")], []])
def test_closing_balance_is_no_payment(own, order, begin):
    end = ("03/31/2026", "1887.50", "Closing Balance", own)
    number, balance, stated, report = giro(*[*begin, SHOP, PAY, end][::order])
    assert (number, balance, stated) == (2, 18_875_000, 18_875_000)
    assert report.skipped == {"Closing Balance": 1}


def test_closing_balance_that_does_not_fit_is_refused_with_both_numbers():
    end = ("03/31/2026", "1887.40", "Closing Balance", "")
    words = "the closing balance is 1887.4, but the transactions until then make 1887.5"
    with pytest.raises(ImportRefused, match=words):
        giro(BEGIN, SHOP, PAY, end)


def test_each_of_several_closing_balances_has_to_fit():
    middle = ("03/14/2026", "987.50", "Closing Balance", "")
    end = ("03/31/2026", "1887.50", "Closing Balance", "")
    assert giro(SHOP, middle, PAY, end)[:3] == (2, 18_875_000, 18_875_000)
    with pytest.raises(ImportRefused, match=r"make 1887\.5"):
        giro(SHOP, middle, PAY, (*end[:1], "1888", *end[2:]))


@pytest.mark.parametrize("further", ["L[Savings]\n", "LIncome\n"])
def test_payment_of_the_balance_to_another_account_is_a_payment(further):
    end = ("03/31/2026", "-887.50", "Closing Balance", further)
    assert giro(SHOP, PAY, end)[:2] == (3, 0)


def test_payment_that_is_called_an_opening_balance_later_is_a_payment():
    later = ("03/14/2026", "100", "Opening Balance", "")
    assert giro(SHOP, later, PAY)[:2] == (3, 9_875_000)
