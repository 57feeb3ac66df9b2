"""Imports with a profile: identities, opening rows, undo."""

import pytest

from finance_api.importers.csv import CsvImporter, Mapping
from finance_api.importers.csv.index import Profiles
from finance_api.importers.csv.profile_file import parse_profile
from finance_api.importers.interface import ImportRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.objects import set_object
from finance_api.resources import ACCOUNTS, RECORDS
from support.ledger import units

PROFILE = """
title = "My app"
version = 1
headings = "Day,Sum,Text,Place,Purse"
[map]
account = "Purse"
recordDate = "Day"
amount = "Sum"
payee = "Text"
[opening]
Text = "Start"
"""
OPENING = "2026-03-01,100.00,Start,,Bar\n"
FILE = f"Day,Sum,Text,Place,Purse\n{OPENING}2026-03-04,-12.40,Shop,Wien,Bar\n"


@pytest.fixture
def app(person):
    """Imports a file with a profile."""

    def read(text=FILE, profile=PROFILE):
        known = Profiles([parse_profile("mine", profile)])
        return person.file(text, CsvImporter(Mapping(currency="EUR"), known))

    return read


def initial(person):
    return {row["name"]: row["initialBalance"] for row in person.rows(ACCOUNTS)}


def payees(person):
    return [row["payee"] for row in person.rows(RECORDS)]


def test_opening_rows_are_the_initial_balance_and_no_record(person, app):
    report = app()
    assert (report.created, payees(person)) == (1, ["Shop"])
    assert initial(person) == {"Bar": units("100")}
    assert person.only(ACCOUNTS)["balance"] == units("87.6")
    (total,) = report.totals
    assert (total.money_in, total.money_out) == (0, units("-12.4"))
    before = person.snapshot()
    assert app().unchanged == 1
    assert person.snapshot() == before
    person.audit()


def test_a_later_file_changes_the_initial_balance_and_undo_brings_it_back(person, app):
    app()
    app(FILE.replace("100.00", "120.00"))
    assert initial(person) == {"Bar": units("120")}
    person.undo()
    assert initial(person) == {"Bar": units("100")}
    # A file without an opening row does not change the initial balance.
    app(FILE.replace(OPENING, "") + "2026-03-05,-1,Kiosk,,Bar\n")
    assert initial(person) == {"Bar": units("100")}
    person.audit()


def test_an_initial_balance_that_a_hand_set_stays(person, app):
    app()
    email, now = person.user.email, person.clock.now()
    with changing(person.backend, email, now, action="edit") as session:
        set_object(session, ACCOUNTS, "Bar", {"initialBalance": "55"})
    report = app()
    assert initial(person) == {"Bar": units("55")}
    assert "Bar: its initial balance was set to 55; the file says 100" in report.remarks


def test_the_balance_of_a_bank_counts_before_an_opening_row(person, app):
    balance = PROFILE.replace('Purse"\n[map]', 'Purse,Left"\nbalance = "Left"\n[map]')
    text = (
        "Day,Sum,Text,Place,Purse,Left\n2026-03-01,100.00,Start,,Bar,100.00\n"
        "2026-03-04,-12.40,Shop,Wien,Bar,87.60\n"
    )
    report = app(text, balance)
    row = person.only(ACCOUNTS)
    assert (row["initialBalance"], row["balance"]) == (units("100"), units("87.6"))
    assert (row["bankBalance"], row["unexplained"]) == (units("87.6"), 0)
    assert not [remark for remark in report.remarks if "more than" in remark]


def test_texts_of_another_version_are_not_compared(person, app):
    app()
    newer = PROFILE.replace("version = 1", "version = 2").replace(
        'payee = "Text"', 'payee = "Place"'
    )
    report = app(profile=newer)
    assert (report.created, report.updated) == (0, 1)
    assert payees(person) == ["Wien"]
    # With the same version of the profile, a different text may mean a different transaction.
    with pytest.raises(ImportRefused, match="--moved-days 0"):
        app(FILE.replace("Wien", "Graz"), newer)


def test_the_history_names_the_profile(person, app):
    app()
    assert person.history()[-1].details["profile"] == "mine"
    person.csv("date,amount\n2026-01-01,-1\n", account="X", currency="EUR")
    assert person.history()[-1].details["profile"] is None


def test_both_sides_of_a_row_become_records_once(person):
    text = (
        '"DATE","TYPE","FROM ACCOUNT","TO ACCOUNT / TO CATEGORY","AMOUNT","CURRENCY","AMOUNT 2",'
        '"CURRENCY 2","TAGS","NOTES"\n"03/16/26","Transfer","Purse","Bank","50.00","EUR","50.00",'
        '"EUR","",""\n'
    )
    assert person.csv(text).created == 2
    assert person.csv(text).unchanged == 2
    assert sorted(row["amount"] for row in person.rows(RECORDS)) == [units("-50"), units("50")]
