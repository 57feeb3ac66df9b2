"""Books of Actual Budget that are imported again after they changed, and beside other data."""

import io
from typing import Any

import pytest

from finance_api.importers.books.actual.reader import ActualReader
from finance_api.importers.books.reading import book_file
from finance_api.importers.interface import ImportRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.records import add_record, change_records, remove_records
from finance_api.ledger.edits.splits import Part, split_record
from finance_api.ledger.edits.transfers import link_records
from finance_api.ledger.native_import import NativeImport
from finance_api.ledger.orders import ImportReport, StatementOptions
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS
from finance_api.resources.records import VOID
from finance_api.storage.memory import MemoryBackend
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS, date_text
from support.actual import HOUSEHOLD, edited_actual
from support.books import import_book, named, refusal
from support.edits import edited
from support.ledger import Person, document


def test_a_changed_book_changes_what_changed(person: Person):
    import_book(person, HOUSEHOLD)
    report = import_book(
        person,
        edited_actual(
            "UPDATE transactions SET amount = -13000 WHERE amount = -12050",
            "UPDATE accounts SET name = 'Kreditkarte' WHERE name = 'Card'",
        ),
    )
    assert (report.created, report.updated) == (0, 3)
    assert named(person, ACCOUNTS, "Kreditkarte")["balance"] == -800_000
    person.audit()


def test_what_was_deleted_there_stays_and_the_difference_is_named(person: Person):
    import_book(person, HOUSEHOLD)
    report = import_book(
        person, edited_actual("UPDATE transactions SET tombstone=1 WHERE amount=-12050")
    )
    assert [str(remark) for remark in report.remarks][-1] == (
        "the balance of 'Card' is -70.5 EUR here and 50 EUR in the file, a difference of "
        "-120.5 EUR, because of 1 record added here or deleted there"
    )


def test_the_records_that_a_book_lacks_are_counted(person: Person):
    import_book(person, HOUSEHOLD)
    card = {"accountId": named(person, ACCOUNTS, "Card")["id"]}
    for amount, state in ((-5, None), (-7, None), (-9, VOID)):
        person.clock.advance(1)
        values = {**card, "amount": amount * 10_000, "recordDate": shopping(person)["recordDate"]}
        edited(person, add_record, {**values, "recordState": state})
    edited(person, split_record, shopping(person)["id"], [Part(-100_000), Part(-99_900)])
    book = edited_actual("UPDATE transactions SET tombstone = 1 WHERE amount = -12050")
    remarks = [str(remark) for remark in import_book(person, book).remarks]
    assert [remark for remark in remarks if "the balance of" in remark] == [
        "the balance of 'Card' is -82.5 EUR here and 50 EUR in the file, a difference of "
        "-132.5 EUR, because of 3 records added here or deleted there"
    ]


def test_a_difference_that_no_records_explain_is_refused(person: Person):
    import_book(person, HOUSEHOLD)
    words = "a difference of -0.01 EUR, which no records explain: undo the earlier imports of the "
    with (
        book_file(ActualReader(), io.BytesIO(HOUSEHOLD)) as file,
        changing(person.backend, person.user.email, 1, action="import") as session,
        pytest.raises(ImportRefused, match=words),
    ):
        others = {i: balance + 100 for i, balance in file.balances.items()}
        importing = NativeImport(session, ImportReport())
        importing.run(file._replace(balances=others), StatementOptions())


def test_a_record_becomes_a_split_and_a_split_stands_apart(person: Person):
    import_book(person, HOUSEHOLD)
    row = "SELECT 'p' || number, acct, amount / 2, date, id, 1 FROM transactions, "
    row += "(SELECT 1 AS number UNION SELECT 2) WHERE amount = -12050"
    card_split = (
        f"INSERT INTO transactions (id, acct, amount, date, parent_id, isChild) {row}",
        "UPDATE transactions SET isParent = 1 WHERE amount = -12050",
    )
    import_book(person, edited_actual(*card_split))
    assert len([row for row in person.rows(RECORDS) if row["splitId"]]) == 6
    person.audit()
    moved = "UPDATE transactions SET date = 20260228 WHERE id = 'p1'"
    import_book(person, edited_actual(*card_split, moved))
    assert len([row for row in person.rows(RECORDS) if row["splitId"]]) == 4
    assert named(person, ACCOUNTS, "Card")["balance"] == -705_000
    person.audit()


def test_a_record_that_becomes_a_split_with_a_transfer_counts_once(person: Person):
    import_book(person, HOUSEHOLD)
    split = "UPDATE transactions SET isParent = 1 WHERE amount = -12050"
    row = "INSERT INTO transactions (id, acct, amount, date, parent_id, isChild, transferred_id) "
    row += "SELECT 'p1', acct, -2050, date, id, 1, NULL FROM transactions WHERE amount = -12050 "
    row += "UNION SELECT 'p2', acct, -10000, date, id, 1, 'q' FROM transactions "
    row += "WHERE amount = -12050"
    other = "INSERT INTO transactions (id, acct, amount, date, transferred_id) "
    other += "SELECT 'q', id, 10000, 20260227, 'p2' FROM accounts WHERE name = 'Savings'"
    report = import_book(person, edited_actual(split, row, other))
    assert "the balance of" not in str(report.remarks)
    assert named(person, ACCOUNTS, "Card")["balance"] == -705_000
    person.audit()


SPLIT = "(SELECT id FROM transactions WHERE isParent = 1 AND amount = -1000 AND NOT tombstone)"
PARTS_DELETED = {
    "the whole is less": (
        f"UPDATE transactions SET tombstone = 1 WHERE amount = -300 AND parent_id = {SPLIT}",
        "UPDATE transactions SET amount = -200 WHERE isParent = 1 AND amount = -1000",
    ),
    "the other part is more": (
        f"UPDATE transactions SET tombstone = 1 WHERE amount = -300 AND parent_id = {SPLIT}",
        f"UPDATE transactions SET amount = -500 WHERE amount = -200 AND parent_id = {SPLIT}",
    ),
    "the other part stands apart": (
        f"UPDATE transactions SET tombstone = 1 WHERE amount = -300 AND parent_id = {SPLIT}",
        f"UPDATE transactions SET date = 20260306 WHERE amount = -200 AND parent_id = {SPLIT}",
    ),
    "none is left": (f"UPDATE transactions SET tombstone = 1 WHERE parent_id = {SPLIT}",),
}


@pytest.mark.parametrize("case", PARTS_DELETED)
def test_parts_that_a_split_no_longer_has_are_removed(person: Person, case: str):
    import_book(person, HOUSEHOLD)
    before = person.everything()
    book = edited_actual(*PARTS_DELETED[case])
    assert "the balance of" not in str(import_book(person, book).remarks)
    assert import_book(person, book).updated == 0
    person.audit()
    fresh = Person(MemoryBackend())
    import_book(fresh, book)
    for row in fresh.rows(ACCOUNTS):
        for name in ("balance", "initialBalance", "recordCount"):
            assert named(person, ACCOUNTS, row["name"])[name] == row[name]
    person.undo()
    assert person.everything()[RECORDS.name] == before[RECORDS.name]


def test_a_split_of_the_book_replaces_one_made_here(person: Person):
    join = (
        f"UPDATE transactions SET tombstone = 1 WHERE parent_id = {SPLIT}",
        "UPDATE transactions SET isParent = 0, amount = -500 WHERE isParent = 1 AND amount = -1000",
    )
    import_book(person, edited_actual(*join))
    (row,) = [row for row in person.rows(RECORDS) if row["amount"] == -50_000]
    edited(person, split_record, row["id"], [Part(-10_000), Part(-40_000)])
    assert "the balance of" not in str(import_book(person, HOUSEHOLD).remarks)
    parts = [part["amount"] for part in person.rows(RECORDS) if part["splitId"] == row["id"]]
    assert sorted(parts) == [-30_000, -20_000]
    person.audit()


def test_a_starting_balance_counts_once_whatever_comes_before_it(person: Person):
    earlier = "UPDATE transactions SET date = 20260110 WHERE amount = 26000 OR amount = 25000"
    later = "UPDATE transactions SET date = 20260210 WHERE amount = 25000"
    for statement in (later, earlier, later):
        report = import_book(person, edited_actual(statement))
        assert "the balance of" not in str(report.remarks)
        initial = 0 if statement == earlier else 50_000_000
        assert named(person, ACCOUNTS, "Depot")["initialBalance"] == initial
        assert named(person, ACCOUNTS, "Depot")["balance"] == 52_600_000
        person.audit()


def edit(person: Person, row: Row, values: dict[str, Any]) -> None:
    person.clock.advance(1)
    edited(person, change_records, [row["id"]], values)


def shopping(person: Person) -> Row:
    (row,) = [row for row in person.rows(RECORDS) if row["amount"] == -199_900]
    return row


@pytest.mark.parametrize("to_card", [False, True])
@pytest.mark.parametrize("times", [1, 2])
def test_a_moved_record_is_back_where_the_book_has_it(person: Person, to_card: bool, times: int):
    import_book(person, HOUSEHOLD)
    before = shopping(person)
    moved = {"recordDate": before["recordDate"] + 10 * DAY_SECONDS}
    if to_card:
        moved = {"accountId": named(person, ACCOUNTS, "Card")["id"]}
    for _ in range(times):
        edit(person, shopping(person), moved)
        moved_there = person.everything()
        report = import_book(person, HOUSEHOLD)
        assert "records that were moved here, and are where the file has them again: 1" in map(
            str, report.remarks
        )
        assert "the balance of" not in str(report.remarks)
        assert shopping(person)["id"] == before["id"]
        assert shopping(person)["recordDate"] == before["recordDate"]
        assert import_book(person, HOUSEHOLD).updated == 0
        person.audit()
    person.undo()
    assert person.everything()[RECORDS.name] == moved_there[RECORDS.name]


@pytest.mark.parametrize("further", ["split", "transfer", "again"])
def test_what_was_done_to_a_moved_record_goes_with_it(person: Person, further: str):
    import_book(person, HOUSEHOLD)
    card = named(person, ACCOUNTS, "Card")["id"]
    edit(person, shopping(person), {"accountId": card})
    row = shopping(person)
    if further == "split":
        edited(person, split_record, row["id"], [Part(-100_000), Part(-99_900)])
    elif further == "again":
        edit(person, row, {"recordDate": row["recordDate"] + 20 * DAY_SECONDS})
    else:
        other = {"accountId": named(person, ACCOUNTS, "Savings")["id"], "amount": 199_900}
        edited(person, add_record, {**other, "recordDate": row["recordDate"]})
        (half,) = [row for row in person.rows(RECORDS) if row["amount"] == 199_900]
        edited(person, link_records, row["id"], half["id"])
    import_book(person, HOUSEHOLD)
    assert shopping(person)["accountName"] == "Giro"
    assert named(person, ACCOUNTS, "Card")["balance"] == -705_000
    person.audit()


def test_a_moved_record_that_a_statement_has_there_stays(person: Person):
    import_book(person, HOUSEHOLD)
    day = shopping(person)["recordDate"]
    edit(person, shopping(person), {"accountId": named(person, ACCOUNTS, "Card")["id"]})
    csv_of(person, "Card", (date_text(day), "-19.99"))
    assert shopping(person)["accountName"] == "Card"
    report = import_book(person, HOUSEHOLD)
    accounts = [r["accountName"] for r in person.rows(RECORDS) if r["amount"] == -199_900]
    assert sorted(accounts) == ["Card", "Giro"]
    assert "the balance of 'Card'" in str(report.remarks)


@pytest.mark.parametrize("done", ["moved", "split", "deleted", "void"])
def test_a_record_that_becomes_the_starting_balance_counts_once(person: Person, done: str):
    import_book(
        person, edited_actual("UPDATE transactions SET date = 20260110 WHERE amount = 25000")
    )
    (opening,) = [row for row in person.rows(RECORDS) if row["amount"] == 50_000_000]
    if done == "moved":
        edit(person, opening, {"recordDate": opening["recordDate"] + 30 * DAY_SECONDS})
    elif done == "split":
        parts = [Part(20_000_000), Part(30_000_000)]
        edited(person, split_record, opening["id"], parts)
    elif done == "deleted":
        edited(person, remove_records, [opening["id"]])
    else:
        edit(person, opening, {"recordState": VOID})
    assert "the balance of" not in str(import_book(person, HOUSEHOLD).remarks)
    depot = named(person, ACCOUNTS, "Depot")
    assert (depot["initialBalance"], depot["balance"]) == (50_000_000, 52_600_000)
    person.audit()


# -- beside other data


def test_categories_and_labels_of_the_same_name_are_named(person: Person):
    person.native(document("Category", 5, name="Flat"), document("Label", 6, name="food"))
    remarks = [str(remark) for remark in import_book(person, HOUSEHOLD).remarks]
    assert remarks[-2:] == [
        "categories that are here twice now, of the book and your own: 1 ('Flat')",
        "labels that are here twice now, of the book and your own: 1 ('food')",
    ]
    assert len([row for row in person.rows(CATEGORIES) if row["name"] == "Flat"]) == 3
    assert "twice" not in str(import_book(person, HOUSEHOLD).remarks)


def csv_of(person: Person, account: str, *rows: tuple[str, str]) -> None:
    lines = "".join(f"{day},{amount},x\n" for day, amount in rows)
    person.csv(f"date,amount,payee\n{lines}", account=account, currency="EUR", positive="in")


def test_an_account_that_is_here_already_is_not_imported_a_second_time(person: Person):
    csv_of(person, "Tagesgeld", ("2026-01-05", "12"), ("2026-01-13", "500"), ("2026-01-20", "1000"))
    assert refusal(person, HOUSEHOLD) == (
        "3 of the 3 entries for the new account Savings are already in the account Tagesgeld, "
        "at most a day apart; if it is the same account, give --into 'Savings=Tagesgeld'; if it "
        "is another one, give --new-accounts"
    )
    import_book(person, HOUSEHOLD, new_account=True)
    assert not import_book(person, HOUSEHOLD).changed


def test_an_account_of_which_few_records_are_here_is_another_one(person: Person):
    csv_of(person, "Bank", ("2026-01-02", "2500"), ("2026-01-03", "-800"), ("2026-01-05", "-19.99"))
    import_book(person, HOUSEHOLD)
    assert len(person.rows(ACCOUNTS)) == 6
