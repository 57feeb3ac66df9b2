"""Accounts of a book that are here already: no money counts twice."""

from decimal import Decimal
from typing import Any

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.edits.objects import remove_object
from finance_api.ledger.edits.records import remove_records
from finance_api.ledger.edits.transfers import link_records
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS, SPLITS
from finance_api.values import Row
from finance_api.values.number import decimal_text
from finance_api.values.time import DAY_SECONDS, date_text
from support.books import BOOKS, import_book
from support.edits import edited
from support.ledger import Person, account, an_id, document, record
from support.service import native_line
from support.text_books import Entry, printed_by_hledger

BOOK = (BOOKS / "actual-household.zip").read_bytes()
INTO = {"into": ("Giro=Bank",)}


def giro_of_book(person: Person) -> tuple[Row, list[Row]]:
    """Return the book's account, and what a bank would state: wholes in place of parts."""
    other = Person(person.backend)
    import_book(other, BOOK)
    (giro,) = [row for row in other.rows(ACCOUNTS) if row["name"] == "Giro"]
    records = [row for row in other.rows(RECORDS) if row["accountId"] == giro["id"]]
    wholes = {row["splitId"] for row in records} - {None}
    splits = [row for row in other.rows(SPLITS) if row["id"] in wholes]
    return giro, [row for row in records if row["splitId"] is None] + splits


def bank(person: Person, *, days: int = 0, left_out: int = 0) -> int:
    """Store the account as a bank's files brought it; return the number of records."""
    giro, rows = giro_of_book(person)
    rows = rows[left_out:]
    opening = Decimal(decimal_text(giro["initialBalance"]))
    made = [
        record(
            10 + number,
            amount=Decimal(decimal_text(row["amount"])),
            recordDate=date_text(row["recordDate"] + days * DAY_SECONDS),
            source="csv",
            sourceId=f"b{number}",
        )
        for number, row in enumerate(rows)
    ]
    person.native(account(1, name="Bank", initialBalance=opening), *made)
    return len(made)


def refused(person: Person, **options: Any) -> ImportRefused:
    before = person.snapshot()
    with pytest.raises(ImportRefused) as refusal:
        import_book(person, BOOK, **options)
    assert person.snapshot() == before
    return refusal.value


@pytest.mark.parametrize("follow", [False, True])
def test_equal_records_are_matched_and_the_rest_is_added(person, follow):
    count = bank(person, left_out=2)
    report = import_book(person, BOOK, follow=follow, **INTO)
    assert report.matched == count
    giro, _ = giro_of_book(person)
    assert person.row(ACCOUNTS, 1)["balance"] == giro["balance"]
    assert [row["name"] for row in person.rows(ACCOUNTS) if row["name"] == "Giro"] == []
    assert not [text for text in map(str, report.remarks) if "in the book" in text]
    person.audit()
    # The next time needs no option, and changes nothing.
    before, entries = person.snapshot(), len(person.history())
    import_book(person, BOOK, follow=follow)
    assert (person.snapshot(), len(person.history())) == (before, entries)
    person.undo()
    assert len(person.rows(RECORDS)) == count
    assert not any(row["furtherSources"] for row in person.rows(RECORDS))
    person.audit()


def test_matched_records_get_the_category_and_transfer_that_they_lack(person):
    bank(person)
    import_book(person, BOOK, **INTO)
    own = [row for row in person.rows(RECORDS) if row["source"] == "csv"]
    assert {"Salary", "Flat", "Kino"} <= {row["category"] for row in own}
    halves: dict[str, int] = {}
    for row in person.rows(RECORDS):
        if row["transferId"]:
            halves[row["transferId"]] = halves.get(row["transferId"], 0) + 1
    assert set(halves.values()) == {2}


def test_records_some_days_apart_are_asked_about(person):
    count = bank(person, days=3)
    question = refused(person, **INTO)
    assert "up to 3 days apart" in str(question)
    choices = [choice.changes for choice in question.questions[0].choices]
    assert choices == [{"match_days": 3}, {"match_days": 1}]
    assert import_book(person, BOOK, match_days=3, **INTO).matched == count


def test_an_account_that_is_here_already_is_asked_about(person):
    bank(person)
    (question,) = refused(person).questions
    assert [choice.changes for choice in question.choices] == [
        {"into": ("Giro=Bank",)},
        {"new_account": True},
    ]


def test_what_is_offered_can_be_given_if_accounts_have_one_name(person):
    bank(person)
    person.native(account(2, name="Bank"))
    (question,) = refused(person).questions
    assert question.choices[0].changes == {"into": (f"Giro={an_id(1)}",)}
    report = import_book(person, BOOK, **question.choices[0].changes)
    assert report.matched


@pytest.mark.parametrize(
    ("into", "fault"),
    [
        ("Giro", "is not BOOKACCOUNT=ACCOUNT"),
        ("Girokonto=Bank", "the book has no accounts named 'Girokonto'"),
        ("Giro=Nothing", "Nothing"),
        ("Giro=Dollars", "is in EUR, but 'Dollars' is in USD"),
    ],
)
def test_accounts_that_are_not_the_same_are_refused(person, into, fault):
    person.native(account(1, name="Bank"), account(2, name="Dollars", currencyCode="USD"))
    assert fault in str(refused(person, into=(into,)))


def test_an_account_that_the_book_brought_is_not_joined_later(person):
    import_book(person, BOOK)
    person.native(account(1, name="Bank"))
    assert "is here already as an account of its own" in str(refused(person, **INTO))


def test_a_record_that_was_deleted_here_does_not_come_with_the_book(person):
    count = bank(person)
    edited(person, remove_records, [an_id(10)])
    import_book(person, BOOK, **INTO)
    own = [row for row in person.rows(RECORDS) if row["accountId"] == an_id(1)]
    assert len(own) == count - 1


def test_an_account_that_is_joined_is_not_joined_with_another_one(person):
    bank(person)
    import_book(person, BOOK, **INTO)
    person.native(account(2, name="Second bank"))
    again = refused(person, into=("Giro=Second bank",))
    assert "of the book is another account here already" in str(again)


# -- native files of one source


def of_book(row: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {**row, "source": "ledger:home", "sourceId": row["id"], **values}


def follow(person: Person, *rows: dict[str, Any], **options: Any) -> int:
    return person.file("".join(map(native_line, rows)), follow=True, **options).matched


GIRO = of_book(account(101, name="Giro"))


def test_a_transfer_stays_cut_the_next_time_if_its_half_here_is_part_of_another(person):
    back = record(4, accountId=an_id(2), amount=Decimal("1.50"))
    person.native(account(1, name="Bank"), account(2, name="Own"), record(3, source="csv"), back)
    edited(person, link_records, an_id(3), an_id(4))
    out = of_book(record(103), accountId=an_id(101), transferId=an_id(9))
    into = of_book(back, id=an_id(104), accountId=an_id(102), transferId=an_id(9))
    rows = GIRO, of_book(account(102, name="Cash")), out, into
    assert follow(person, *rows, **INTO) == 1
    before, entries = person.snapshot(), len(person.history())
    assert follow(person, *rows) == 0
    assert (person.snapshot(), len(person.history())) == (before, entries)


def test_a_void_record_is_asked_about(person):
    bought = of_book(record(103), accountId=an_id(101))
    person.native(account(1, name="Bank"), record(3, source="csv", recordState="void"))
    with pytest.raises(ImportRefused, match="may be here already") as refusal:
        follow(person, GIRO, bought, **INTO)
    (same, other) = (each.changes for each in refusal.value.questions[0].choices)
    assert follow(person, GIRO, bought, **INTO, **other) == 0
    assert len(person.rows(RECORDS)) == 2
    person.undo()
    assert follow(person, GIRO, bought, **INTO, **same) == 1
    assert person.only(RECORDS)["recordState"] == "void"


def test_a_category_that_was_deleted_here_does_not_come_with_a_match(person):
    food = of_book(document("Category", 111, kind="expense"))
    person.native(account(1, name="Bank"))
    follow(person, GIRO, food, **INTO)
    edited(person, remove_object, CATEGORIES, an_id(111))
    person.native(record(3, source="csv"))
    bought = of_book(record(103), accountId=an_id(101), categoryId=an_id(111))
    assert follow(person, GIRO, food, bought) == 1
    assert person.only(RECORDS)["categoryId"] is None
    assert not person.rows(CATEGORIES)


def test_an_account_that_was_deleted_here_stays_deleted(person):
    spent = of_book(record(103), accountId=an_id(101))
    person.native(account(1, name="Bank"), account(2, name="Own"))
    follow(person, GIRO, spent, **INTO)
    edited(person, remove_object, ACCOUNTS, "Bank", with_records=True)
    for _ in range(2):
        follow(person, GIRO, spent)
        assert [row["name"] for row in person.rows(ACCOUNTS)] == ["Own"]
        assert not person.rows(RECORDS)
    entries = len(person.history())
    follow(person, GIRO, spent)
    assert len(person.history()) == entries
    follow(person, GIRO, spent, into=("Giro=Own",))
    assert person.only(RECORDS)["accountId"] == an_id(2)


def test_a_transaction_that_gets_another_id_is_matched_again(person):
    """As in text books, in which an edit gives a transaction another id."""
    person.native(account(1, name="Bank"), record(3, source="csv"))
    follow(person, GIRO, of_book(record(103), accountId=an_id(101)), **INTO)
    edited_there = of_book(record(104), accountId=an_id(101), payee="Shop")
    assert follow(person, GIRO, edited_there) == 1
    assert person.only(RECORDS)["furtherSources"] == (f"ledger:home:{an_id(104)}",)
    again = of_book(record(103), accountId=an_id(101))
    follow(person, GIRO, edited_there, again)
    assert len(person.rows(RECORDS)) == 2


def test_lost_records_that_other_files_have_are_counted(person):
    person.native(account(1, name="Bank"))
    follow(person, GIRO, of_book(record(103), accountId=an_id(101)), **INTO)
    person.csv("Date,Amount\n2026-01-31,-1.50\n", account="Bank", currency="EUR")
    assert len(person.rows(RECORDS)) == 1
    report = person.file(native_line(GIRO), follow=True)
    assert "records that other files have, too, and are gone because the book has lost them: 1" in (
        "; ".join(map(str, report.remarks))
    )


def test_records_of_a_file_without_ids_are_matched(person):
    person.native(account(1, name="Bank"), record(3, source="csv"))
    bought = of_book(record(103), accountId=an_id(101))
    del bought["id"]
    assert follow(person, GIRO, bought, **INTO) == 1
    assert len(person.rows(RECORDS)) == 1


def test_accounts_of_a_file_of_no_book_are_not_joined(person):
    person.native(account(1, name="Bank"))
    with pytest.raises(ImportRefused, match="accounts can be joined if the file is a book"):
        person.file(native_line(account(101, name="Giro")), **INTO)


def test_an_account_that_was_renamed_in_a_text_book_is_followed_and_not_joined(person):
    def journal(name: str) -> bytes:
        shopping = [(f"assets:{name} -{n} EUR", f"expenses:food {n} EUR") for n in range(1, 9)]
        return printed_by_hledger(
            *map(Entry, [*shopping, ("assets:cash -1 EUR", "expenses 1 EUR")])
        )

    def balances() -> dict[str, int]:
        return {row["name"]: row["balance"] // 10_000 for row in person.rows(ACCOUNTS)}

    import_book(person, journal("giro"))
    before = balances()
    assert before == {"giro": -36, "cash": -1}
    with pytest.raises(ImportRefused) as asked:
        import_book(person, journal("bank"))
    changes = [choice.changes for choice in asked.value.questions[0].choices]
    assert changes == [{"follow": True}, {"new_account": True}]
    assert all(choice.meaning for choice in asked.value.questions[0].choices)
    with pytest.raises(ImportRefused, match="came from this book"):
        import_book(person, journal("bank"), into=("bank=giro",))
    assert balances() == before
    import_book(person, journal("bank"), follow=True)
    assert balances() == {"bank": -36, "cash": -1}


def test_a_state_that_was_undone_is_known_again_after_a_bank_brought_more_of_it(person):
    first, second = (of_book(record(n), accountId=an_id(101), payee=f"{n}") for n in (103, 104))
    person.native(account(1, name="Bank"))
    follow(person, GIRO, first, **INTO)
    follow(person, GIRO, first, second)
    person.undo()
    person.native(record(3, source="csv"), record(4, source="csv"))
    with pytest.raises(ImportRefused, match="was undone"):
        follow(person, GIRO, first, second)
