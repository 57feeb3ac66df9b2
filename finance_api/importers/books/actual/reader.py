"""Turns a book of Actual into objects of the native format."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from finance_api.importers.books.actual.container import actual_database
from finance_api.importers.books.actual.names import Names
from finance_api.importers.books.actual.plans import Plans
from finance_api.importers.books.actual.tables import NEWEST, newest_migration, table_rows
from finance_api.importers.books.actual.transactions import Transactions
from finance_api.importers.books.reading import BookIds, Document
from finance_api.importers.books.sqlite_file import SqliteFile
from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.interface import Choice, ImportRefused, listed, quoted, stated_code
from finance_api.resources.currencies import decimals_of
from finance_api.values.number import to_units
from finance_api.values.text import amount_text, count_text, message

#: Tables whose rows have no counterpart here, and what they are.
_NOT_READ = {
    "account_groups": "groups of accounts",
    "transaction_filters": "saved filters",
    "custom_reports": "reports",
}


@dataclass
class ActualReader:
    """Reads a book. currency, units: the user's answers to what the book leaves open."""

    currency: str | None = None
    units: str | None = None
    remarks: list[str] = field(default_factory=list)
    balances: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "ActualReader":
        return cls(given.get("currency"), given.get("units"))

    def read(self, stream: BinaryIO) -> Generator[Document]:
        """See `BookReader`."""
        with actual_database(stream) as database:
            preferences = dict(table_rows(database, "preferences"))
            currency = self._currency(preferences.get("defaultCurrencyCode"))
            names = Names(database, _ids(database), currency, self._cents(currency))
            transactions = Transactions(database, names)
            plans = Plans(database, names)
            yield from transactions.documents()
            if differing := transactions.differing_balance():
                raise _differing(names, *differing)
            yield from _named(names, transactions)
            yield from plans.budgets(preferences.get("budgetType") or "envelope")
            yield from plans.standing_orders()
            yield from plans.record_rules()
            self.remarks = list(_remarks(database, names, transactions, plans))
            self.balances = {
                names.ids.get("Account", account_id): to_units(
                    names.money(transactions.balances[account_id])
                )
                for account_id in names.accounts
            }

    def _currency(self, stated: str | None) -> str:
        stated = stated_code(stated, "the currency of the book") if stated else None
        if stated and self.currency and stated != self.currency:
            raise ImportRefused(
                f"the book is kept in {stated}: give no other currency, or change it in Actual"
            )
        if currency := stated or self.currency:
            return currency
        raise ImportRefused(
            clause(Topic.CURRENCY, example="EUR"), choices=(Choice({}, needs=("currency",)),)
        )

    def _cents(self, currency: str) -> int:
        """Return how many of Actual's units are one of the currency's. Raises ImportRefused.

        Of a currency without decimals, Actual's pages store hundredths, other programs do not.
        """
        if decimals_of(currency) == 0 and self.units is None:
            raise ImportRefused(
                clause(Topic.UNITS, heading="transactions"),
                choices=(
                    Choice({"units": "minor"}, clause(Says.MINOR)),
                    Choice({"units": "major"}, clause(Says.MAJOR)),
                ),
            )
        return 1 if self.units == "major" else 100


def _ids(database: SqliteFile) -> BookIds:
    """Return ids that are the same for each copy of the book, also without metadata.json.

    Actual changes the ids in metadata.json, but never removes an account from its table.
    """
    first = next(table_rows(database, "accounts"), None)
    if first is None:
        raise ImportRefused("the book has no accounts; there is nothing to import")
    return BookIds(f"actual:{first[0]}")


def _differing(names: Names, account_id: str, told: int, found: int) -> ImportRefused:
    shown = [amount_text(to_units(names.money(cents))) for cents in (told, found, told - found)]
    return ImportRefused(
        f"the account {quoted(names.accounts[account_id].name)} has a balance of {shown[0]} in "
        f"Actual, but its transactions add up to {shown[1]}, a difference of {shown[2]}: a part of "
        "a split may lack its split; choose Repair transactions in Actual's advanced settings, and "
        "export the book again"
    )


def _named(names: Names, transactions: Transactions) -> Iterator[Document]:
    """Yield accounts, categories and labels."""
    for account_id, account in names.accounts.items():
        opening = transactions.openings.get(account_id)
        yield names.ids.document(
            "Account",
            account_id,
            name=account.name,
            currencyCode=names.currency,
            initialBalance=names.money(0 if opening is None else opening.amount),
            archived=account.is_closed,
            excludeFromStats=account.is_off_budget,
        )
    for category_id, category in names.categories.items():
        yield names.ids.document(
            "Category",
            category_id,
            name=category.name,
            group=category.group,
            kind="income" if category.is_income else "expense",
            archived=category.is_hidden,
            customCategory=True,
        )
    for label in sorted(transactions.labels):
        yield names.ids.document("Label", label, name=label)


def _remarks(
    database: SqliteFile, names: Names, transactions: Transactions, plans: Plans
) -> Iterator[str]:
    """Yield a sentence about each kind of thing that is not here as it is in Actual."""
    if (newest := newest_migration(database)) > NEWEST:
        yield (
            f"the book is of a newer version of Actual (migration {newest}); the tables that are "
            "read are as before"
        )
    counts = transactions.counts
    for what, count in {
        "starting balances that are initial balances of accounts": len(transactions.openings),
        "starting balances that stay records, because other transactions came before them": (
            counts["late openings"]
        ),
        "transfers with a category, which count as spent and are not linked": (
            counts["spent transfers"]
        ),
        "transfers whose halves do not fit, which are not linked": counts["odd transfers"],
        "splits with a transfer, another account or another day in them, whose parts are records": (
            counts["splits apart"]
        ),
        "splits that count as the sum of their parts, which differs from their amount": (
            counts["differing splits"]
        ),
        "splits without parts, which count nothing in Actual": counts["empty splits"],
        "records whose category was deleted": counts["lost categories"],
        "transactions whose text or id from the bank is not imported": counts["bank texts"],
        "limits of months that are below 0, which are 0 here": plans.negative_limits,
        "categories that roll over from month to month, which budgets do not": len(plans.rollovers),
        "budgets of income, not imported": plans.income_budgets,
        "months that hold money for the next one, not imported": plans.held_months,
        "goals of categories, not imported": (
            sum(category.has_goal for category in names.categories.values())
        ),
        "notes of categories, accounts and months, not imported": (
            sum(1 for _ in table_rows(database, "notes"))
        ),
        "finished schedules, not imported": plans.finished,
        "rules for exactly some words, which here fit every record that contains them": (
            plans.wider_rules
        ),
        **{f"{what}, not imported": _count(database, table) for table, what in _NOT_READ.items()},
    }.items():
        if count:
            yield message(f"{what}: {count_text(count)}")
    for what, several in {
        "schedules that no longer avoid weekends": plans.avoiding_weekends,
        "schedules that are not imported": plans.left_out,
        "rules that are not imported": plans.rules_left_out,
    }.items():
        if several:
            yield message(f"{what}: {count_text(len(several))} ({listed(several)})")


def _count(database: SqliteFile, table: str) -> int:
    """Return the number of rows of a table that are not deleted; 0 if it has none."""
    if "tombstone" not in database.columns.get(table, ()):
        return 0
    return sum(not deleted for (deleted,) in database.rows(table, "tombstone"))
