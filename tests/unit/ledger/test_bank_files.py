"""Imports of camt and MT940: each transaction once, whichever files have it and how often."""

import itertools
from pathlib import Path

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.memory import MemoryBackend
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text
from support.any_file import imported_once
from support.bank_files import (
    camt,
    camt_balance,
    camt_entry,
    camt_part,
    camt_statement,
    mt940,
    mt940_entry,
    mt942,
)
from support.ledger import Person

SAMPLES = sorted(
    path
    for folder in ("camt", "mt940", "ofx", "qif")
    for path in (Path(__file__).parents[2] / "samples" / folder).iterdir()
    if path.suffix != ".json"
)


@pytest.fixture
def person():
    return Person(MemoryBackend())


def kept(person):
    """Return day of the month, amount and payee of each record, in order."""
    rows = sorted(person.rows(RECORDS), key=lambda r: (r["recordDate"], r["amount"], r["payee"]))
    return [
        (int(date_text(r["recordDate"])[8:]), decimal_text(r["amount"]), r["payee"]) for r in rows
    ]


def refused(person, data, **options):
    before = person.snapshot()
    with pytest.raises(ImportRefused) as reason:
        person.bank_file(data, **options)
    assert person.snapshot() == before
    return str(reason.value)


# -- each movement in every format: a batch of two parts, two equal payments, others

DAYS = {1: "2026-03-02", 2: "2026-03-03", 3: "2026-03-04"}
PARTS = camt_part("-10", name="A") + camt_part("-20", name="B")
BALANCES = [("100", "2026-03-01"), ("1061", "2026-03-04")]


def camt_entries(*, details=PARTS):
    return [
        camt_entry(DAYS[1], "-30", ref="R1", details=details),
        camt_entry(DAYS[1], "-4.5", ref="R2", details=camt_part(name="Cafe")),
        camt_entry(DAYS[1], "-4.5", ref="R3", details=camt_part(name="Cafe")),
        camt_entry(DAYS[2], "1000", ref="R4"),
    ]


def camt_053(**values):
    balances = [
        camt_balance("OPBD", BALANCES[0][0], DAYS[1]),
        camt_balance("CLBD", BALANCES[1][0], BALANCES[1][1]),
    ]
    return camt(camt_statement(camt_entries(**values), balances=balances))


def camt_052():
    pending = camt_entry(DAYS[3], "-1", status="PDNG")
    return camt(camt_statement([*camt_entries(), pending]), message="camt.052")


def camt_054():
    """Return a file with a notification for each entry."""
    statements = [camt_statement([entry]) for entry in camt_entries()]
    return camt(*statements, message="camt.054", version="08")


def mt940_entries():
    return [
        mt940_entry(DAYS[1], "-30", ref="B1", details="166?00SAMMLER?20Batch"),
        mt940_entry(DAYS[1], "-4.5", ref="B2", details="166?00KARTE?32CAFE 1"),
        mt940_entry(DAYS[1], "-4.5", ref="B3", details="166?00KARTE?32CAFE 1"),
        mt940_entry(DAYS[2], "1000", ref="B4"),
    ]


FILES = {
    "camt.052": camt_052(),
    "camt.053": camt_053(),
    "camt.053 without parts": camt_053(details=""),
    "camt.054": camt_054(),
    "mt940": mt940(mt940_entries(), opening=BALANCES[0], closing=BALANCES[1]),
    "mt942": mt942(mt940_entries()),
}
IN_PARTS = {"camt.052", "camt.053", "camt.054"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pair
        for pair in itertools.permutations(FILES, 2)
        if {name[:8] for name in pair} != {"camt.053"}
    ],
)
def test_two_formats_of_one_account_do_not_double_its_records(person, first, second):
    created = person.bank_file(FILES[first]).created
    assert created == (5 if first in IN_PARTS else 4)
    before = kept(person)
    report = person.bank_file(FILES[second])
    assert (report.created, report.updated) == (0, 0)
    assert report.matched == (5 if second in IN_PARTS else 4)
    assert kept(person) == before
    assert len(person.rows(ACCOUNTS)) == 1
    person.audit()
    snapshot = person.snapshot()
    for name in (first, second, first):
        report = person.bank_file(FILES[name])
        assert (report.created, report.matched) == (0, 0)
        assert report.unchanged == (5 if name in IN_PARTS else 4)
    assert person.snapshot() == snapshot


def test_mt940_and_mt942_call_one_account_alike(person):
    """Both name the account by a number that is not an IBAN."""
    entries, account = [mt940_entry(DAYS[1], "-30", ref="B1")], "12345678/0001234567"
    person.bank_file(mt942(entries, account=account))
    statement = mt940(entries, opening=("30", DAYS[1]), closing=("0", DAYS[1]), account=account)
    assert person.bank_file(statement).matched == 1
    assert len(person.rows(ACCOUNTS)) == 1


@pytest.mark.parametrize("has_ids", [True, False])
@pytest.mark.parametrize("is_in_parts", [True, False])
def test_one_format_may_state_a_batch_as_a_whole_or_in_parts(person, is_in_parts, has_ids):
    def file(details, further=()):
        refs = {"ref": "R/1"} if has_ids else {}
        entries = [camt_entry(DAYS[2], "-30", details=details, **refs), *further]
        return camt(camt_statement(entries))

    # Without ids, the file must cover the whole day to show that it lacks the other records.
    further = [] if has_ids else [camt_entry(DAYS[n], "1") for n in (1, 3)]
    forms = [file(PARTS, further), file("", further)]
    first, second = forms if is_in_parts else forms[::-1]
    person.bank_file(first)
    before = person.snapshot()
    for data in (second, first, second):
        report = person.bank_file(data)
        assert (report.created, report.updated, report.remarks) == (0, 0, [])
    assert person.snapshot() == before
    if has_ids:
        other = camt_entry(DAYS[2], "-30", ref="R")
        # It may be the same transaction with a new id.
        if not is_in_parts:
            assert "--moved-days 0" in refused(person, camt(camt_statement([other])))
        assert person.bank_file(camt(camt_statement([other])), moved_days=0).created == 1


def test_all_formats_of_one_account_one_after_the_other(person):
    for name in [*FILES, *reversed(FILES)]:
        person.bank_file(FILES[name])
    assert kept(person) == [
        (2, "-20", "B"),
        (2, "-10", "A"),
        (2, "-4.5", "Cafe"),
        (2, "-4.5", "Cafe"),
        (3, "1000", None),
    ]
    account = person.only(ACCOUNTS)
    assert decimal_text(account["balance"]) == decimal_text(account["bankBalance"]) == "1061"
    assert account["unexplained"] == 0
    person.audit()


def test_a_batch_meets_no_other_records_of_its_sum(person):
    """An entry's parts are its own details, not any other records that add up to its amount."""
    entries = [
        camt_entry(DAYS[1], "-10", ref="X1", details=camt_part(name="A")),
        camt_entry(DAYS[1], "-20", ref="X2", details=camt_part(name="B")),
    ]
    person.bank_file(camt(camt_statement(entries)))
    report = person.bank_file(
        mt940([mt940_entry(DAYS[1], "-30", ref="B1")], closing=("0", DAYS[1]))
    )
    assert (report.created, report.matched) == (1, 0)


# -- accounts


def test_a_number_here_and_an_iban_there_is_asked_for_once(person):
    person.bank_file(FILES["camt.053 without parts"])
    by_number = mt940(
        mt940_entries(), opening=BALANCES[0], closing=BALANCES[1], account="12030000/202051"
    )
    message = refused(person, by_number)
    assert (
        "4 of the 4 entries for the new account Account 202051 are already in the account"
        in message
    )
    name = "Account DE02120300000000202051"
    assert (
        f"if it is the same account, give --account '{name}'; if it is another account" in message
    )
    assert person.bank_file(by_number, account_name=name).matched == 4
    person.clock.set("2027-01-01T00:00:00Z")
    assert person.bank_file(by_number).unchanged == 4
    assert len(person.rows(ACCOUNTS)) == 1


def test_an_account_of_an_iban_is_found_whoever_made_it(person):
    person.csv(
        "date,amount,payee\n2026-03-02,-1,Bus\n",
        account="Giro",
        currency="EUR",
        columns={"recordDate": "date"},
    )
    (account,) = person.rows(ACCOUNTS)
    person.native(
        {
            "reserved_model_type": "Account",
            "id": account["id"],
            "name": "Giro",
            "currencyCode": "EUR",
            "bankAccountNumber": "DE02 1203 0000 0000 2020 51",
        }
    )
    report = person.bank_file(camt(camt_statement([camt_entry("2026-03-02", "-1")])))
    assert (report.created, report.matched) == (0, 1)
    # Each currency has its own account.
    dollars = camt_statement([camt_entry("2026-03-02", "-1", currency="USD")], currency="USD")
    assert person.bank_file(camt(dollars)).created == 1
    assert len(person.rows(ACCOUNTS)) == 2


def test_a_file_of_several_accounts_and_currencies(person):
    data = camt(
        camt_statement([camt_entry("2026-03-02", "-1")]),
        camt_statement([camt_entry("2026-03-02", "-2", currency="USD")], currency="USD"),
        camt_statement([camt_entry("2026-03-02", "-3")], number="<Othr><Id>17</Id></Othr>"),
    )
    assert person.bank_file(data).created == 3
    accounts = {(r["name"], r["currencyCode"], r["balance"]) for r in person.rows(ACCOUNTS)}
    assert accounts == {
        ("Account DE02120300000000202051", "EUR", -10_000),
        ("Account DE02120300000000202051 USD", "USD", -20_000),
        ("Account 17", "EUR", -30_000),
    }
    assert person.bank_file(data).unchanged == 3
    assert "--account names one" in refused(person, data, account_name="Giro")


def test_a_fragment_needs_an_account_and_its_currency(person):
    data = mt940_entry("2026-03-02", "-1")
    assert "give --account NAME" in refused(person, data)
    assert "give --currency, such as EUR" in refused(person, data, account_name="Giro")
    assert person.bank_file(data, account_name="Giro", currency="CHF").created == 1
    assert person.bank_file(data, account_name="Giro").unchanged == 1


# -- what is told twice, and what happened twice


def test_equal_entries_with_one_id_in_one_statement_are_two(person):
    same = camt_entry("2026-03-02", "-4.5", ref="DAY")
    data = camt(camt_statement([same, same]))
    assert person.bank_file(data).created == 2
    assert person.bank_file(data).unchanged == 2
    ended = camt_entry(
        "2026-03-02", "-5", details="<TxDtls><Refs><EndToEndId>E</EndToEndId></Refs></TxDtls>"
    )
    assert person.bank_file(camt(camt_statement([ended, ended]))).created == 2


def test_entries_of_two_reports_in_one_file_are_reported_twice(person):
    first = camt_entry("2026-03-02", "-4.5", ref="A")
    second = camt_entry("2026-03-02", "-4.5", ref="B")
    reports = [camt_statement([first]), camt_statement([first, second])]
    report = person.bank_file(camt(*reports, message="camt.052"))
    assert (report.created, report.skipped["duplicate"]) == (2, 1)


def test_equal_rows_without_id_in_two_reports_are_asked_for(person):
    coffee = mt940_entry("2026-03-02", "-4.5", details="Coffee")
    tea = mt940_entry("2026-03-02", "-2", details="Tea")
    data = mt942([coffee]) + mt942([coffee, tea, coffee])
    message = refused(person, data)
    assert "2026-03-02 -4.5 Coffee in line 16 appears in line 4 as well" in message
    assert "say --first-day same; if they are two, say --first-day new" in message
    other = Person(person.backend)
    assert person.bank_file(data, first_day="same").created == 3
    assert other.bank_file(data, first_day="new").created == 4


def test_notifications_of_equal_entries_are_several(person):
    one = camt_statement([camt_entry("2026-03-02", "-4.5")])
    assert person.bank_file(camt(one, one, message="camt.054")).created == 2


# -- whole files


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_sample_is_imported_whole_and_once(person, path):
    says_which = path.name not in ("bank.qif", "cash.qif", "fragment.txt")
    options = {"currency": "EUR"} | ({} if says_which else {"account": "A"})
    imported_once(person, path.read_bytes(), options)
