"""Turns what hledger printed of a journal into objects of the native format."""

import re
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, BinaryIO

from finance_api.importers.books.double_entry.model import Account, Kind, Transaction
from finance_api.importers.books.hledger.plans import Plans
from finance_api.importers.books.hledger.printed import (
    AccountType,
    Amount,
    Reading,
    amount_of,
    check_balanced,
    generated_by,
    printed_parts,
)
from finance_api.importers.books.reading import BookReader, Document
from finance_api.importers.books.text_books import (
    ContentIds,
    kind_of_root,
    most_common,
    path_account,
    text_ledger,
    with_groups,
)
from finance_api.importers.interface import ImportRefused, listed
from finance_api.resources.currencies import CODES, Mark, current_code, mark_of

_KINDS = {
    **dict.fromkeys("ALC", Kind.MONEY),
    **dict.fromkeys("RG", Kind.INCOME),
    "X": Kind.EXPENSE,
    **dict.fromkeys("EV", Kind.EQUITY),
}
#: The accounts that hledger itself takes for conversion accounts.
_CONVERSION = re.compile(r"equity:(?:trade|trades|trading|conversion)(?::|\Z)", re.IGNORECASE)


class HledgerReader(BookReader):
    program = "hledger"

    def read(self, stream: BinaryIO) -> Generator[Document]:
        printed = _Printed(stream)
        currencies = _currencies(printed.commodities, self)
        places: defaultdict[str, Counter[int]] = defaultdict(Counter)
        for commodity, shown in printed.reading.places.items():
            places[currencies.get(commodity, commodity)] += shown
        decimals = {each: most_common(shown) for each, shown in places.items()}
        transactions = list(printed.transactions(currencies, decimals))
        accounts = printed.accounts()
        told = None if printed.told is None else _in_money(printed.told, currencies)
        ledger = text_ledger(self, "journal", accounts, transactions, decimals, told)
        plans = Plans(accounts, self.remarks)
        for period, generated in printed.generated:
            plans.add(period, _in_currencies(generated, currencies))
        yield from plans.documents(ledger.names)
        yield from ledger.documents()
        self.balances = ledger.balances()
        self.remarks.count("virtual postings, not imported", printed.reading.virtual)
        self.remarks.count("balance assertions, not imported", printed.reading.assertions)
        self.remarks.count("prices, not imported", printed.prices)


class _Printed:
    """What hledger printed. told: balances by account and commodity, if it printed them."""

    def __init__(self, stream: BinaryIO) -> None:
        self._types: dict[str, str] = {}
        self.prices = 0
        self.told: defaultdict[tuple[str, str], Fraction] | None = None
        self.reading = Reading(self._is_conversion)
        self._forecast = Reading(self._is_conversion)
        self.generated: list[tuple[str, Transaction]] = []
        self._transactions: list[Transaction] = []
        self._numbers: set[int] = set()
        self._used: set[str] = set()
        for part in printed_parts(stream):
            self._take(part)

    def _take(self, part: Any) -> None:
        match part:
            case AccountType(path, letter):
                if self._transactions:
                    raise ImportRefused(
                        "the types of accounts come after the transactions: print them first, with "
                        "'hledger accounts --types'"
                    )
                self._types[path] = letter
            case str():
                self.prices += 1
            case {"tpostings": list(), "ttags": list(), "tindex": int(number)}:
                self._take_transaction(part, number)
            case list():
                self._take_balances(part)
            case _:
                raise ImportRefused("the file has a part that hledger does not print")

    def _take_transaction(self, part: dict[str, Any], number: int) -> None:
        period = generated_by(part)
        reading = self.reading if period is None else self._forecast
        transaction = reading.transaction(part)
        self._used.update(leg.account for leg in transaction.legs)
        if period is not None:
            self.generated.append((period, transaction))
            return
        if number in self._numbers:
            raise ImportRefused("the file has a transaction twice: print the book only once")
        self._numbers.add(number)
        self._transactions.append(transaction)

    def _take_balances(self, rows: list[Any]) -> None:
        """Take the rows of balances; their totals, which follow, are amounts."""
        told = self.told = defaultdict(Fraction) if self.told is None else self.told
        for row in rows:
            match row:
                case [str(path), str(), int(), list(amounts)]:
                    for amount in map(_amount, amounts):
                        told[path, amount.commodity] += amount.quantity

    @property
    def commodities(self) -> list[str]:
        return list({**self.reading.places, **self._forecast.places})

    def transactions(
        self, currencies: Mapping[str, str], places: Mapping[str, int]
    ) -> Iterator[Transaction]:
        """Yield the transactions, which are then forgotten. Raises ImportRefused."""
        ids = ContentIds()
        self._transactions.reverse()
        while self._transactions:
            transaction = ids.with_ids(self._transactions.pop())
            transaction = _in_currencies(transaction, currencies)
            check_balanced(transaction, places)
            yield transaction

    def accounts(self) -> dict[str, Account]:
        """Return the accounts by path. Raises ImportRefused if the kind of one is unknown."""
        kinds = {path: self._kind(path) for path in sorted({*self._used, *self._types})}
        unknown = [path for path in kinds if path in self._used and kinds[path] is None]
        if unknown:
            raise ImportRefused(
                f"it is not known what these accounts are: {listed(unknown)}; declare their types "
                "in the journal, such as 'account Vermögen  ; type: Asset' (Liability, Equity, "
                "Revenue, Expense), and print 'hledger accounts --types' into the file first"
            )
        return with_groups(path_account(path, kind) for path, kind in kinds.items() if kind)

    def _kind(self, path: str) -> Kind | None:
        letter = self._letter(path)
        return _KINDS.get(letter) if letter else kind_of_root(path)

    def _letter(self, path: str) -> str:
        """Return the type of an account, or of the nearest one above that has any; or ""."""
        while not self._types.get(path) and ":" in path:
            path = path.rpartition(":")[0]
        return self._types.get(path, "")

    def _is_conversion(self, path: str) -> bool:
        letter = self._letter(path)
        return letter == "V" if letter else _CONVERSION.match(path) is not None


def _amount(printed: Any) -> Amount:
    try:
        return amount_of(printed)
    except (KeyError, TypeError, ValueError):
        raise ImportRefused("a balance is not as hledger prints it") from None


def _in_currencies(transaction: Transaction, currencies: Mapping[str, str]) -> Transaction:
    """Return a transaction with the currencies of its commodities that are money."""
    if all(currencies.get(each, each) == each for leg in transaction.legs for each in leg[3:6:2]):
        return transaction
    legs = [
        leg._replace(
            commodity=currencies.get(leg.commodity, leg.commodity),
            currency=currencies.get(leg.currency, leg.currency),
        )
        for leg in transaction.legs
    ]
    return transaction._replace(legs=legs)


def _in_money(
    told: Mapping[tuple[str, str], Fraction], currencies: Mapping[str, str]
) -> dict[tuple[str, str], Fraction]:
    found: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for (path, commodity), quantity in told.items():
        if commodity in currencies:
            found[path, currencies[commodity]] += quantity
    return found


def _currencies(commodities: Iterable[str], reader: BookReader) -> dict[str, str]:
    """Return the currencies of the commodities that are money.

    The user gives the currency of a commodity that leaves it open, such as $ or "".
    Raises ImportRefused.
    """
    found: dict[str, str] = {}
    is_open: dict[str, Mark] = {}
    for commodity in commodities:
        if commodity in CODES:
            found[commodity] = current_code(commodity)
            continue
        mark = Mark("", None, ()) if not commodity else _symbol(commodity)
        if mark is not None and mark.currency is not None:
            found[commodity] = mark.currency
        elif mark is not None:
            is_open[commodity] = mark
    if not is_open:
        return found
    given = reader.currency(None)
    unfit = [commodity for commodity, mark in is_open.items() if not mark.fits(given)]
    if unfit or len(is_open) > 1:
        raise ImportRefused(
            f"the commodities {listed(is_open)} do not say which currency they are, and cannot all "
            f"be {given}: write their codes instead, such as USD, in the book"
        )
    return found | dict.fromkeys(is_open, given)


def _symbol(commodity: str) -> Mark | None:
    """Return the currency of a symbol; None for a word in small letters, such as h or all."""
    if commodity.isascii() and commodity.isalpha() and commodity.islower() and commodity != "kr":
        return None
    return mark_of(commodity)
