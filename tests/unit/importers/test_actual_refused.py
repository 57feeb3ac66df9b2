"""Books of Actual Budget that leave something open, are damaged or hostile."""

import io
import sqlite3
import zipfile

import pytest

from finance_api.importers.formats import detect_format
from finance_api.importers.interface import ImportRefused
from finance_api.resources import ACCOUNTS
from support.actual import HOUSEHOLD, database_in, edited_actual
from support.books import BOOKS, import_book, named, refusal
from support.ledger import Person


def test_a_book_without_currency_asks_for_it(person: Person):
    book = (BOOKS / "actual-imported.zip").read_bytes()
    with pytest.raises(ImportRefused) as refused:
        import_book(person, book)
    assert refused.value.questions[0].choices[0].needs == ("currency",)


def test_another_currency_than_the_book_has_is_refused(person: Person):
    assert refusal(person, HOUSEHOLD, currency="USD") == (
        "the book is kept in EUR: give no other currency, or change it in Actual"
    )


def test_money_without_decimals_is_asked_for_its_units(person: Person):
    yen = edited_actual("UPDATE preferences SET value = 'JPY' WHERE id = 'defaultCurrencyCode'")
    with pytest.raises(ImportRefused) as refused:
        import_book(person, yen)
    choices = [choice.changes for choice in refused.value.questions[0].choices]
    assert choices == [{"units": "minor"}, {"units": "major"}]
    import_book(person, yen, units="major")
    assert named(person, ACCOUNTS, "Card")["balance"] == -7_050 * 10_000
    import_book(person, yen, units="minor")
    assert named(person, ACCOUNTS, "Card")["balance"] == -7_050 * 100


REFUSED = {
    "a part without its split": (
        "UPDATE transactions SET tombstone = 1 WHERE isParent = 1 AND amount = -6000",
        "the account 'Giro' has a balance of 4510.8 EUR in Actual, but its records add up to "
        "4570.8 EUR, a difference of -60 EUR: a part of a split may lack its split; choose Repair "
        "transactions",
    ),
    "year 9999": (
        "UPDATE transactions SET date = 99991231 WHERE amount = -777",
        "9999-12-31 cannot be right",
    ),
    "a month that is none": (
        "UPDATE zero_budgets SET month = 202613 WHERE amount = 5000",
        "20261301 is not a date",
    ),
    "a month in years": (
        "UPDATE zero_budgets SET month = 9000000000000000001 WHERE amount = 5000",
        "900000000000000000101 is not a date",
    ),
    "no date": ("UPDATE transactions SET date = 20260231 WHERE amount = -777", "is not a date"),
    "half a cent": (
        "UPDATE transactions SET amount = 0.5 WHERE amount = -777",
        "'amount' is '0.5' in a row",
    ),
    "bytes": (
        "UPDATE accounts SET name = x'00ff' WHERE name = 'Card'",
        "where the program has a text",
    ),
    "too much money": (
        "UPDATE transactions SET amount = 9000000000000000000 WHERE amount = -777",
        "the Record '",
    ),
    "a half of a surrogate pair": (
        "UPDATE payees SET name = CAST(x'eda080' AS TEXT) WHERE name = 'Corner Shop'",
        "damaged or cut short",
    ),
    "an older version": (
        "ALTER TABLE zero_budgets DROP COLUMN carryover",
        "the book lacks 'carryover' in the table zero_budgets: open it with a current version",
    ),
    "a number as an id": ("UPDATE transactions SET id = x'31' WHERE amount = -777", "'id' is"),
    "no id": ("UPDATE transactions SET id = NULL WHERE amount = -777", "'id' is 'None'"),
    "a day beyond all years": (
        "UPDATE transactions SET date = 9000000000000000000 WHERE amount = -777",
        "is not a date",
    ),
    "an unknown currency": (
        "UPDATE preferences SET value = 'XBT' WHERE id = 'defaultCurrencyCode'",
        "the currency of the book 'XBT' is not an ISO 4217 code",
    ),
    "no accounts": ("DELETE FROM accounts", "the book has no accounts"),
    "another kind of budget": (
        "INSERT INTO preferences VALUES ('budgetType', 'magic')",
        "budgets of an unknown type, 'magic'",
    ),
    "a long text": (
        "UPDATE transactions SET notes = hex(zeroblob(2000000)) WHERE amount = -777",
        "damaged or cut short",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_book_that_cannot_be_right_is_refused(person: Person, case: str):
    statement, reason = REFUSED[case]
    assert reason in refusal(person, edited_actual(statement))


def test_a_newer_version_is_refused_by_name_if_what_is_read_changed(person: Person):
    newer = "INSERT INTO __migrations__ VALUES (1900000000000)"
    report = import_book(person, edited_actual(newer))
    assert "newer version of Actual (migration 1900000000000)" in report.remarks[0]
    changed = edited_actual(newer, "ALTER TABLE transactions ADD COLUMN currency TEXT")
    assert "changed 'currency' in the table transactions" in refusal(person, changed)


def test_views_triggers_and_indexes_of_the_file_are_ignored(person: Person):
    hostile = edited_actual(
        "CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM accounts; END",
        "CREATE VIEW boom AS SELECT randomblob(1000000000)",
        "CREATE INDEX hidden ON transactions (amount) WHERE amount > 0",
    )
    import_book(person, hostile)
    assert len(person.rows(ACCOUNTS)) == 5


@pytest.mark.parametrize("table", ["accounts", "transactions"])
def test_a_view_in_place_of_a_table_is_refused(person: Person, table: str):
    book = edited_actual(
        "PRAGMA legacy_alter_table = ON",
        f"ALTER TABLE {table} RENAME TO real_{table}",
        f"CREATE VIEW {table} AS SELECT * FROM real_{table}",
    )
    assert f"in the table {table}" in refusal(person, book)


@pytest.mark.parametrize("kind", ["VIRTUAL", "VIRTUAL NOT NULL", "STORED NOT NULL"])
@pytest.mark.parametrize("table", ["other", "search_content"])
def test_a_column_that_the_file_computes_is_refused(person: Person, table: str, kind: str):
    # Where this is computed, it fails.
    least = "abs(-9223372036854775807 - id)"
    computed = f"CREATE TABLE {table} (id, c0, note TEXT GENERATED ALWAYS AS ({least}) {kind})"
    book = edited_actual(
        "CREATE TABLE other (id, c0)",
        # Its own tables are neither ordinary nor virtual.
        "CREATE VIRTUAL TABLE search USING fts5(word)",
        f"INSERT INTO {table} VALUES (1, 2)",
        "PRAGMA writable_schema = ON",
        f"UPDATE sqlite_schema SET sql = '{computed}' WHERE name = '{table}'",
    )
    expected = f"the table '{table}' has a column that SQL in the file computes"
    assert expected in refusal(person, book)


def test_a_database_whose_newest_changes_are_elsewhere_is_refused(person: Person):
    data = bytearray(database_in(HOUSEHOLD))
    data[18:20] = b"\x02\x02"
    assert "name ends with -wal" in refusal(person, bytes(data))


def zipped(database: bytes, *others: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("metadata.json", "db.sqlite"):
            archive.writestr(name, database if name == "db.sqlite" else "{}")
        for name in others:
            archive.writestr(name, database)
    return stream.getvalue()


def test_a_book_in_a_folder_of_the_zip_is_found(person: Person):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("My-Finances/metadata.json", "{}")
        archive.writestr("My-Finances/db.sqlite", database_in(HOUSEHOLD))
    import_book(person, stream.getvalue())
    assert len(person.rows(ACCOUNTS)) == 5


def test_two_books_in_one_zip_are_refused(person: Person):
    book = zipped(database_in(HOUSEHOLD), "old/db.sqlite")
    assert "has 2 databases" in refusal(person, book)


def test_a_zip_bomb_is_refused(person: Person, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("finance_api.importers.books.sqlite_file.MAX_BYTES", 1_000_000)
    assert "1,000,000 bytes" in refusal(person, zipped(bytes(2_000_000)))


@pytest.mark.parametrize("kind", ["zip", "database"])
def test_a_book_that_is_cut_off_is_refused(person: Person, kind: str):
    whole = HOUSEHOLD if kind == "zip" else database_in(HOUSEHOLD)
    for length in range(20_000, len(whole) - 1, len(whole) // 12):
        assert "book is damaged or cut short" in refusal(person, whole[:length])


def test_damaged_bytes_are_read_right_or_refused(person: Person):
    whole = database_in(HOUSEHOLD)
    refused = 0
    for place in range(100, len(whole), len(whole) // 60):
        damaged = bytearray(whole)
        damaged[place : place + 8] = b"\xff" * 8
        try:
            import_book(Person(person.backend, person.clock), bytes(damaged))
        except ImportRefused as error:
            refused += 1
            assert len(error.reason) > 15
    assert refused > 5


def test_a_book_is_recognised_by_its_content():
    for data in (HOUSEHOLD, database_in(HOUSEHOLD)):
        assert detect_format(io.BytesIO(data)).name == "actual"
    other = sqlite3.connect(":memory:")
    other.execute("CREATE TABLE transactions (id)")
    with pytest.raises(ImportRefused, match="SQLite database"):
        detect_format(io.BytesIO(other.serialize()))
    other.close()
