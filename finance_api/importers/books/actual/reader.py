"""Turns a book of Actual into objects of the native format."""

from collections.abc import Generator
from typing import BinaryIO

from finance_api.importers.books.actual.book import Names, Transactions
from finance_api.importers.books.actual.database import NEWEST, actual_database, newest_migration
from finance_api.importers.books.actual.plans import Plans
from finance_api.importers.books.reading import BookIds, BookReader, Document
from finance_api.importers.books.single_entry import SingleEntry
from finance_api.importers.books.sqlite_file import SqliteFile
from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.interface import Choice, ImportRefused
from finance_api.resources.currencies import decimals_of

#: Tables whose rows have no counterpart here, and what they are.
_NOT_READ = {
    "account_groups": "groups of accounts",
    "transaction_filters": "saved filters",
    "custom_reports": "reports",
}


class ActualReader(BookReader):
    program = "Actual"
    advice = (
        ": a part of a split may lack its split; choose Repair transactions in Actual's advanced "
        "settings, and export the book again"
    )

    def read(self, stream: BinaryIO) -> Generator[Document]:
        with actual_database(stream) as database:
            preferences = dict(database.rows("preferences"))
            currency = self.currency(preferences.get("defaultCurrencyCode"))
            ids, names = _ids(database), Names(database, self.remarks)
            book = SingleEntry(
                ids, currency, self._cents(currency), names.accounts, names.categories, self.remarks
            )
            transactions = Transactions(database, names)
            plans = Plans(database, names, book)
            yield from book.records(transactions)
            yield from plans.budgets(preferences.get("budgetType") or "envelope")
            yield from plans.standing_orders()
            yield from plans.record_rules()
            yield from book.named()
            self.balances = book.balances(transactions.balances)
            self._name_what_is_not_read(database, transactions)

    def _cents(self, currency: str) -> int:
        """Return how many of Actual's units are one of the currency's. Raises ImportRefused.

        Of a currency without decimals, Actual's pages store hundredths, other programs do not.
        """
        units = self.given.get("units")
        if decimals_of(currency) == 0 and units is None:
            raise ImportRefused(
                clause(Topic.UNITS, heading="transactions"),
                choices=(
                    Choice({"units": "minor"}, clause(Says.MINOR)),
                    Choice({"units": "major"}, clause(Says.MAJOR)),
                ),
            )
        return 1 if units == "major" else 100

    def _name_what_is_not_read(self, database: SqliteFile, transactions: Transactions) -> None:
        if (newest := newest_migration(database)) > NEWEST:
            self.remarks.sentences.append(
                f"the book is of a newer version of Actual (migration {newest}); the tables that "
                "are read are as before"
            )
        self.remarks.count(
            "transactions whose text or id from the bank is not imported", transactions.bank_texts
        )
        self.remarks.count(
            "notes of categories, accounts and months, not imported",
            sum(1 for _ in database.rows("notes")),
        )
        for table, what in _NOT_READ.items():
            if "tombstone" in database.columns.get(table, ()):
                rows = database.untyped_rows(table, "tombstone")
                self.remarks.count(f"{what}, not imported", sum(not gone for (gone,) in rows))


def _ids(database: SqliteFile) -> BookIds:
    """Return ids that are the same for each copy of the book, also without metadata.json.

    Actual changes the ids in metadata.json, but never removes an account from its table.
    """
    first = next(database.rows("accounts"), None)
    if first is None:
        raise ImportRefused("the book has no accounts; there is nothing to import")
    return BookIds(f"actual:{first[0]}")
