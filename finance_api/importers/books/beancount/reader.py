"""Turns what bean-query printed of a book into objects of the native format.

It prints CSV, several queries one after the other. Columns of amounts are rounded when they are
printed; ``number(…)`` of them is not.
"""

import codecs
import csv
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import groupby
from sys import intern
from typing import BinaryIO

from finance_api.importers.books.double_entry.model import (
    Account,
    Kind,
    Leg,
    Transaction,
    imbalance,
)
from finance_api.importers.books.reading import BookReader, Document, parse_day
from finance_api.importers.books.text_books import (
    ContentIds,
    most_common,
    path_account,
    text_ledger,
    with_groups,
)
from finance_api.importers.interface import ImportRefused, quoted

#: Headings -> the query that has them. The transactions come last.
_QUERIES = {
    ("account", "closed"): "SELECT account, close.date AS closed FROM #accounts",
    ("directive", "count"): (
        "SELECT type AS directive, count(*) AS count FROM #entries GROUP BY type"
    ),
    ("account", "currency", "balance"): (
        "SELECT account, currency, sum(number) AS balance GROUP BY account, currency"
    ),
    (
        *("id", "date", "flag", "payee", "narration", "account", "number", "currency"),
        *("value", "value_currency", "tags", "links", "posting_flag"),
    ): (
        "SELECT id, date, flag, payee, narration, account, number, currency, "
        "number(weight) AS value, currency(weight) AS value_currency, tags, links, posting_flag"
    ),
}
QUERIES = tuple(_QUERIES.values())
ACCOUNTS, DIRECTIVES, BALANCES, LEGS = _QUERIES
#: The first cell of a row with an option of the book, such as ``option,name_assets,Vermoegen``.
OPTION = "option"
#: The option that names a root -> the kind of the accounts below it, and beancount's own name.
_ROOTS = {
    "name_assets": (Kind.MONEY, "Assets"),
    "name_liabilities": (Kind.MONEY, "Liabilities"),
    "name_income": (Kind.INCOME, "Income"),
    "name_expenses": (Kind.EXPENSE, "Expenses"),
    "name_equity": (Kind.EQUITY, "Equity"),
}
_UNCLEARED = "!"
#: Directives that have no counterpart here.
_NOT_READ = {
    "price": "prices",
    "balance": "balance assertions",
    "note": "notes of accounts",
    "document": "documents",
    "event": "events",
    "query": "queries",
    "custom": "custom directives, such as Fava's budgets",
}
#: How far legs may be from a sum of 0, besides a two-hundredth of the largest one: beancount infers
#: a tolerance from digits and costs, which it does not print.
_TOLERANCE = Fraction(1, 20)


class BeancountReader(BookReader):
    program = "beancount"

    def read(self, stream: BinaryIO) -> Generator[Document]:
        printed = _Printed(stream)
        ledger = text_ledger(
            self,
            "book",
            printed.accounts(),
            printed.transactions,
            {code: most_common(shown) for code, shown in printed.places.items()},
            printed.told,
        )
        yield from ledger.documents()
        self.balances = ledger.balances()
        for directive, what in _NOT_READ.items():
            self.remarks.count(f"{what}, not imported", printed.directives.get(directive, 0))


class _Printed:
    """What bean-query printed. told: balances by account and currency, if it printed them.
    directives: how many of each type the book has. places: how often each number of decimals is
    shown, by currency.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.transactions: list[Transaction] = []
        self.told: dict[tuple[str, str], Fraction] | None = None
        self.directives: dict[str, int] = {}
        self._roots = {name: kind for kind, name in _ROOTS.values()}
        self._paths: dict[str, bool] = {}
        self.places: defaultdict[str, Counter[int]] = defaultdict(Counter)
        ids = ContentIds()
        has_legs = False
        for headings, rows in groupby(_printed_rows(stream), lambda each: each[0]):
            cells = (row for _, row in rows)
            if headings != LEGS:
                for row in cells:
                    self._take(headings, row)
                continue
            if has_legs:
                raise ImportRefused("the file has the transactions twice: print them only once")
            has_legs = True
            for _, legs in groupby(cells, lambda row: row[0]):
                self.transactions.append(ids.with_ids(self._transaction(list(legs))))
        if not has_legs:
            raise ImportRefused("the file has no transactions; there is nothing to import")

    def _take(self, headings: tuple[str, ...], row: Sequence[str]) -> None:
        if not headings:
            if row[1] not in _ROOTS:
                raise ImportRefused(f"{quoted(row[1])} is not an option with the name of a root")
            self._roots[row[2]] = _ROOTS[row[1]][0]
        elif headings == ACCOUNTS:
            self._paths[row[0]] = bool(row[1])
        elif headings == DIRECTIVES:
            self.directives[row[0]] = int(_number(row[1]))
        elif headings == BALANCES:
            self.told = {} if self.told is None else self.told
            self.told[row[0], row[1]] = _number(row[2])

    def _transaction(self, rows: Sequence[Sequence[str]]) -> Transaction:
        """Return a transaction; its legs have no ids. Raises ImportRefused."""
        _, day, flag, payee, narration = rows[0][:5]
        labels = [*rows[0][10].split(","), *rows[0][11].split(",")]
        transaction = Transaction(
            parse_day(day, "the book"),
            [self._leg(row) for row in rows],
            payee=payee or None,
            note=narration or None,
            state="uncleared" if flag == _UNCLEARED else "cleared",
            labels=tuple(sorted({intern(label.strip()) for label in labels if label.strip()})),
        )
        for currency, rest in imbalance(transaction.legs).items():
            values = [abs(leg.value) for leg in transaction.legs if leg.currency == currency]
            if abs(rest) > _TOLERANCE + max(values) / 200:
                title = " ".join(filter(None, (day, payee, narration)))
                raise ImportRefused(
                    f"the transaction {quoted(title)} does not balance: correct what bean-check "
                    "reports, and print the book again"
                )
        return transaction

    def _leg(self, row: Sequence[str]) -> Leg:
        _, _, _, _, _, account, number, currency, value, value_currency, _, _, flag = row
        quantity = _number(number)
        self.places[currency][len(number.partition(".")[2])] += 1
        self._paths.setdefault(account, False)
        return Leg(
            "",
            intern(account),
            quantity,
            intern(currency),
            quantity if (number, currency) == (value, value_currency) else _number(value),
            intern(value_currency),
            state="uncleared" if flag == _UNCLEARED else None,
        )

    def accounts(self) -> dict[str, Account]:
        """Return the accounts by path. Raises ImportRefused if the kind of one is unknown."""
        found = []
        for path, is_closed in self._paths.items():
            kind = self._roots.get(path.partition(":")[0])
            if kind is None:
                raise ImportRefused(
                    f"the account {quoted(path)} has a root that the file does not explain: put "
                    "the names of the book's roots into it first, such as "
                    "'option,name_assets,Vermoegen'"
                )
            found.append(path_account(path, kind, archived=is_closed))
        return with_groups(found)


def _number(text: str) -> Fraction:
    try:
        number = Decimal(text)
        if number.is_finite() and abs(number.adjusted()) < 100:
            return Fraction(number)
    except InvalidOperation:
        pass
    raise ImportRefused(f"{quoted(text)} is not a number: print the book again")


def _printed_rows(stream: BinaryIO) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield the rows of all queries, each with the headings of its query; options have none.

    Raises ImportRefused.
    """
    headings: tuple[str, ...] | None = None
    rows = csv.reader(codecs.iterdecode(stream, "utf-8-sig"), strict=True)
    try:
        for row in rows:
            if tuple(row) in _QUERIES:
                headings = tuple(row)
            elif row[:1] == [OPTION] and len(row) == 3:
                yield (), row
            elif headings is None or len(row) != len(headings):
                raise ImportRefused(
                    f"{quoted(','.join(row))} is not what bean-query prints for these queries: the "
                    "file is cut off, or was printed by others",
                    rows.line_num,
                )
            else:
                yield headings, [cell.strip() for cell in row]
    except UnicodeDecodeError:
        raise ImportRefused("the file is not UTF-8: print it with LC_ALL=C.UTF-8") from None
    except csv.Error:
        raise ImportRefused(
            "the file is damaged or cut off: print the book again", rows.line_num
        ) from None
