"""Which account a statement goes to."""

import unicodedata

import pytest

from finance_api.importers.clauses import Topic
from finance_api.importers.interface import ImportRefused
from finance_api.resources import ACCOUNTS, RECORDS
from support.bank_files import camt, camt_entry, camt_statement
from support.csv_files import answers
from support.ledger import account, an_id, ofx_file, ofx_statement

ENTRY = ("20260101", "-5", "F1", "Shop")
STATEMENT = ofx_file(ofx_statement([ENTRY]))
CSV = "date,amount\n2026-01-01,-5\n"


def refused(person, work):
    before = person.snapshot()
    with pytest.raises(ImportRefused) as error:
        work()
    assert person.snapshot() == before
    return error.value.reason


def test_account_of_a_statement_is_made_and_found_again(person):
    person.ofx(STATEMENT)
    made = person.only(ACCOUNTS)
    assert (made["accountType"], made["currencyCode"]) == ("CurrentAccount", "EUR")
    assert made["bankAccountNumber"] == "100"
    person.ofx(ofx_file(ofx_statement([("20260102", "1", "F2", "Boss")])))
    assert person.only(ACCOUNTS)["id"] == made["id"]
    assert len(person.rows(RECORDS)) == 2


def test_account_that_the_user_renamed_is_found_again(person):
    person.ofx(STATEMENT)
    made = person.only(ACCOUNTS)
    row = account(name="My giro", source=made["source"], sourceId=made["sourceId"])
    person.native({**row, "id": made["id"]})
    person.ofx(ofx_file(ofx_statement([("20260102", "1", "F2", "Boss")])))
    assert person.only(ACCOUNTS)["name"] == "My giro"
    person.audit()


def test_account_whose_source_was_left_out_by_a_replacement_is_found_again(person):
    person.ofx(STATEMENT)
    made = person.only(ACCOUNTS)
    person.native(account(name="My giro", id=made["id"]))
    person.ofx(STATEMENT)
    assert person.only(ACCOUNTS)["id"] == made["id"]
    person.audit()


def test_named_account_is_taken_and_from_then_on_found_without_its_name(person):
    person.native(account(name="Giro"))
    person.ofx(STATEMENT, account_name="Giro")
    before = person.snapshot()
    person.ofx(STATEMENT)
    assert person.snapshot() == before
    assert person.only(RECORDS)["accountId"] == an_id(1)


def test_named_account_is_made_if_it_is_new(person):
    person.ofx(STATEMENT, account_name="Giro")
    assert person.only(ACCOUNTS)["name"] == "Giro"
    person.csv(CSV, account="Other", currency="CHF")
    assert sorted(row["name"] for row in person.rows(ACCOUNTS)) == ["Giro", "Other"]


def test_name_of_two_accounts_is_refused(person):
    person.native(account(1, name="same"), account(2, name="same"))
    assert "same" in refused(person, lambda: person.ofx(STATEMENT, account_name="same"))
    assert "same" in refused(person, lambda: person.csv(CSV, account="same"))


def test_statement_in_another_currency_than_its_account_is_refused(person):
    person.native(account(name="Giro", currencyCode="USD"))
    assert "EUR" in refused(person, lambda: person.ofx(STATEMENT, account_name="Giro"))
    assert "EUR" in refused(person, lambda: person.csv(CSV, account="Giro", currency="EUR"))


def test_csv_into_a_known_account_needs_no_currency(person):
    person.native(account(name="Giro", currencyCode="CHF"))
    person.csv(CSV, account="Giro")
    assert person.only(RECORDS)["currencyCode"] == "CHF"


def test_new_account_without_a_currency_is_refused_with_the_option(person):
    assert "--currency" in refused(person, lambda: person.csv(CSV, account="Giro"))


@pytest.mark.parametrize("code", ["XXQ", "", "euros and cents"])
def test_currency_that_is_none_is_refused(person, code):
    refused(person, lambda: person.csv(CSV, account="Giro", currency=code))


def test_csv_accounts_come_from_a_column(person):
    text = "date,amount,account,currency\n2026-01-01,-5,A,EUR\n2026-01-02,-6,B,USD\n"
    person.csv(text)
    assert {r["name"]: r["currencyCode"] for r in person.rows(ACCOUNTS)} == {"A": "EUR", "B": "USD"}
    before = person.snapshot()
    person.csv(text)
    assert person.snapshot() == before


def test_two_accounts_of_a_file_are_never_mixed_into_the_named_one(person):
    both = ofx_file(
        ofx_statement([ENTRY], balance=("10", "20260131")),
        ofx_statement([ENTRY], number="200", balance=("20", "20260131")),
    )
    with pytest.raises(ImportRefused, match="the file has 2 accounts, but --account names one"):
        person.ofx(both, account_name="Giro")
    assert person.revision == 0


def test_name_of_a_new_account_is_nfc(person):
    name = unicodedata.normalize("NFD", "Épargne")
    person.ofx(STATEMENT, account_name=name)
    assert person.only(ACCOUNTS)["name"] == "Épargne"
    person.ofx(STATEMENT, account_name="Épargne")
    assert len(person.rows(ACCOUNTS)) == 1


@pytest.mark.parametrize("name", [" ", "\t", "a\x00b", "a\udcff"])
def test_name_that_cannot_be_kept_is_refused(person, name):
    """Blank becomes null, and an account needs a name."""
    refused(person, lambda: person.ofx(STATEMENT, account_name=name))
    refused(person, lambda: person.csv(CSV, account=name, currency="EUR"))


def test_control_characters_are_dropped_from_the_name(person):
    person.ofx(STATEMENT, account_name="Gi\x07ro\r")
    assert person.only(ACCOUNTS)["name"] == "Giro"


@pytest.mark.parametrize("amount, fits", [("$5", "CAD"), ("5 kr", "NOK")])
def test_a_symbol_of_several_currencies_must_fit_the_account(person, amount, fits):
    text = f"date,amount\n2026-01-01,-{amount}\n"
    person.native(account(1, name="Giro"), account(2, name="Other", currencyCode=fits))
    said = refused(person, lambda: person.csv(text, account="Giro", currency=None))
    assert amount.strip("5 ") in said and "Giro is in EUR" in said
    person.csv(text, account="Other", currency=None)
    assert person.only(RECORDS)["accountId"] == an_id(2)


def test_a_currency_that_the_symbol_can_stand_for_is_proposed(person):
    with pytest.raises(ImportRefused) as refusal:
        person.csv("date,amount\n2026-01-01,-$5\n", account="New", currency=None)
    assert "such as USD" in refusal.value.reason
    assert answers(refusal.value) == ["--currency CODE"]


def test_options_are_remembered_by_the_name_that_was_given(person):
    """If a file has several currencies, its accounts have names that differ from the given one."""
    text = "tag,amount,currency\n{}/2026,-5,EUR\n{}/2026,-6,USD\n"
    options = {"account": "Card", "currency": None}
    columns = {"date": "tag"}
    person.csv(text.format("02/01", "02/03"), **options, columns=columns, date_format="DD/MM/YYYY")
    person.csv(text.format("02/04", "02/05"), **options)
    assert sorted(row["name"] for row in person.rows(ACCOUNTS)) == ["Card EUR", "Card USD"]
    assert len(person.rows(RECORDS)) == 4
    person.audit()


NUMBERED = "date,amount,accountNumber\n2026-01-01,-5,DE02 1203 0000\n"


def test_a_number_in_a_file_finds_the_account(person):
    held = account(1, name="Giro", bankAccountNumber="de0212030000")
    person.native(held, account(2, name="Other", bankAccountNumber="DE02"))
    person.csv(NUMBERED, account=None)
    assert person.only(RECORDS)["accountId"] == an_id(1)
    person.native(held | {"bankAccountNumber": "moved"})
    person.csv(NUMBERED, account=None)
    assert len(person.rows(ACCOUNTS)) == 2 and person.only(RECORDS)["accountId"] == an_id(1)
    person.audit()


def test_an_iban_finds_the_account_that_is_called_so(person):
    """A column of a CSV file may have named the account by its IBAN."""
    person.native(account(1, name="DE02 1203 0000 0000 2020 51"))
    person.bank_file(camt(camt_statement([camt_entry("2026-01-01", "-5")])))
    assert person.only(RECORDS)["accountId"] == an_id(1)


def test_a_number_of_two_accounts_is_asked_about_unless_the_currency_decides(person):
    number = {"bankAccountNumber": "DE0212030000"}
    person.native(account(1, name="Giro", **number), account(2, currencyCode="USD", **number))
    assert "Giro" in refused(person, lambda: person.csv(NUMBERED, account=None))
    person.csv(NUMBERED, account=None, currency="USD")
    assert person.only(RECORDS)["accountId"] == an_id(2)


def test_a_number_in_a_file_is_kept_where_the_account_has_none(person):
    person.native(account(1, name="Giro"))
    person.csv(NUMBERED, account="Giro")
    assert person.only(ACCOUNTS)["bankAccountNumber"] == "DE0212030000"
    person.csv(NUMBERED.replace("DE02", "DE03"), account="Giro")
    assert person.only(ACCOUNTS)["bankAccountNumber"] == "DE0212030000"
    person.audit()


def test_what_statements_call_an_account_moves_house_with_it(person, new_person):
    """Without this, the next statement would create a second account and duplicate the records."""
    person.native(account(name="Giro"))
    person.ofx(STATEMENT, account_name="Giro")
    moved = new_person()
    moved.file(person.dump())
    moved.ofx(STATEMENT)
    assert moved.only(ACCOUNTS)["name"] == "Giro"
    assert len(moved.rows(RECORDS)) == 1
    moved.audit()


# -- no money is counted in two accounts


def january(fitid="f1", amount="-10", **options):
    return ofx_file(ofx_statement([("20260110", amount, fitid, "Shop")], **options))


def balances(person):
    return {row["name"]: row["balance"] / 10_000 for row in person.rows(ACCOUNTS)}


def test_an_existing_account_is_never_replaced_by_a_new_one_of_its_key(person):
    file = january(balance=("100", "20260131"))
    person.ofx(file)
    said = refused(person, lambda: person.ofx(file, account_name="Giro"))
    assert "leave out --account" in said
    assert balances(person) == {"Checking 100": 100}
    # The balance stays the bank's when an import in the native format changes a record.
    row = person.only(RECORDS)
    names = ("id", "source", "sourceId", "accountId", "payee")
    changes = {"amount": -10, "recordDate": "2026-01-10", "recordState": "void"}
    person.native({"reserved_model_type": "Record", **{n: row[n] for n in names}, **changes})
    assert balances(person) == {"Checking 100": 100}


def test_a_slash_in_an_id_is_no_other_account(person):
    person.ofx(january("2/3"))
    assert person.ofx(january("3", "-77", number="100/2")).created == 1
    assert balances(person) == {"Checking 100": -10, "Checking 100/2": -77}


AMBIGUOUS = "Date,Payee,Amount\n03/04/2026,Cafe,-5.00\n05/06/2026,Shop,-7.50\n"


def test_currency_of_a_new_account_is_asked_for_together_with_the_rest(person):
    with pytest.raises(ImportRefused) as refused:
        person.csv(AMBIGUOUS, account="Giro")
    assert [q.fact.topic for q in refused.value.questions] == [Topic.DATE_FORM, Topic.NEW_ACCOUNT]
    person.native(account(name="Giro", currencyCode="CHF"))
    with pytest.raises(ImportRefused) as refused:
        person.csv(AMBIGUOUS, account="Giro")
    assert [q.fact.topic for q in refused.value.questions] == [Topic.DATE_FORM]


def test_choice_of_one_currency_needs_its_code_only_for_a_new_account(person):
    text = "Date,Payee,Amount,Unit\n2026-03-14,Cafe,-5.00,EUR\n2026-03-15,Shop,-7.50,USD\n"

    def needs():
        with pytest.raises(ImportRefused) as refused:
            person.csv(text, account="Giro")
        (question,) = refused.value.questions
        return [choice.needs for choice in question.choices]

    assert needs() == [(), ("currency",)]
    person.native(account(name="Giro", currencyCode="CHF"))
    assert needs() == [(), ()]
