"""Turns transactions with legs into records, splits and transfers.

Records keep three things as they are in the book: the balance of each account on each day, the
sums of categories, and what moves between accounts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from finance_api.importers.books.double_entry.model import (
    Account,
    Kind,
    Leg,
    Transaction,
    Transactions,
    groups,
)
from finance_api.importers.books.double_entry.names import Names, between, money
from finance_api.importers.books.double_entry.survey import Holding, Survey, amount
from finance_api.importers.books.reading import BookIds, Document, Remarks
from finance_api.resources.currencies import CODES, decimals_of
from finance_api.resources.records import VOID
from finance_api.values.number import NumberError, to_units

_UNITS_ONLY = "movements of securities without a value in money, not imported"


class _Side(NamedTuple):
    """One or several legs of an account of money. units: their amount in ten-thousandths."""

    transaction: Transaction
    leg: Leg
    holding: Holding
    day: date
    amount: Fraction
    value: Fraction
    units: int


@dataclass
class DoubleEntry:
    """A book of a double-entry program as objects of the native format.

    places: how many decimals the program shows of a currency. told: the balances that the program
    prints of each account and currency, without those of 0. remarks, balances: complete when all
    documents are read.
    """

    ids: BookIds
    accounts: Mapping[str, Account]
    transactions: Transactions
    remarks: Remarks
    places: Callable[[str], int] = decimals_of
    told: Mapping[tuple[str, str], Fraction] | None = None

    def __post_init__(self) -> None:
        self._survey = Survey(self.accounts, self.transactions, self.places)
        for account_id, currency in self.told or ():
            account = self.accounts.get(account_id)
            if account is not None and account.kind is Kind.MONEY and currency in CODES:
                self._survey.sums.setdefault(Holding(account_id, currency, False), Fraction())
        self.names = Names(self.ids, self.accounts, self._survey)
        self._initial: dict[Holding, int] = {}

    def documents(self) -> Iterator[Document]:
        """Yield all objects: first records and splits. Raises ImportRefused."""
        for transaction in self.transactions():
            for legs in groups(transaction):
                yield from self._group(transaction, legs)
        yield from self.names.documents(self._initial)
        self._note_remarks()

    def balances(self) -> dict[str, int]:
        """Return the balances of accounts in ten-thousandths, by their ids."""
        exact = {holding: Fraction() for holding in self.names.holdings()} | self._survey.sums
        if self.told is not None:
            of_money = [holding for holding in exact if not holding.is_security]
            exact |= {h: self.told.get((h.account, h.currency), Fraction()) for h in of_money}
        return {
            self.names.account_id(holding): self._survey.rounded(amount, holding.currency)
            for holding, amount in exact.items()
        }

    # -- what a transaction becomes

    def _group(self, transaction: Transaction, legs: Sequence[Leg]) -> Iterator[Document]:
        """Yield the records of legs that balance by themselves."""
        if not legs or legs[0].currency not in CODES:
            self.remarks.count(_UNITS_ONLY, any(leg.quantity for leg in legs))
            return
        is_empty = not any(leg.quantity or leg.value for leg in legs)
        sides: list[_Side] = []
        others: list[Leg] = []
        is_opening = False
        for leg in legs:
            holding = self._survey.holding(leg)
            if leg.id in self._survey.openings and holding is not None:
                is_opening = True
                self._note_opening(holding, leg)
            elif holding is not None and (is_empty or amount(leg)):
                day, units = leg.day or transaction.day, self._survey.units(leg)
                sides.append(_Side(transaction, leg, holding, day, amount(leg), leg.value, units))
            elif is_empty or leg.value:
                others.append(leg)
            elif holding is not None:
                self.remarks.count(_UNITS_ONLY, leg.quantity != 0)
        if is_empty:
            sides, others = sides[:1], others if len(others) == 1 else []
        if not sides:
            yield from self._without_account(transaction, [] if is_opening else others)
        elif len({side.holding for side in sides}) == 1 and len(others) <= 1:
            yield from (self._record(side, others) for side in sides)
        elif is_opening or self._is_one_way(sides, others):
            yield from (self._record(side, others[:1]) for side in sides)
        else:
            yield from self._joined(transaction, _merged(sides), others)

    def _is_one_way(self, sides: Sequence[_Side], others: Sequence[Leg]) -> bool:
        """Return whether all accounts get money from one of equity, or all give it some."""
        kinds = [self.accounts[leg.account].kind for leg in others]
        return kinds == [Kind.EQUITY] and len({side.value > 0 for side in sides}) == 1

    def _note_opening(self, holding: Holding, leg: Leg) -> None:
        self._initial[holding] = self._survey.units(leg)
        self.remarks.count(
            "openings that are initial balances of accounts, from before their first day"
        )

    def _joined(
        self, transaction: Transaction, sides: list[_Side], others: list[Leg]
    ) -> Iterator[Document]:
        """Yield the records of several accounts, or of several categories."""
        if not sides:
            yield from self._without_account(transaction, others)
        elif len(sides) == 1 and len(others) <= 1:
            yield self._record(sides[0], others)
        elif len(sides) == 1:
            yield from self._split(sides[0], others)
        elif len(sides) == 2 and not others:
            first, second = sides
            pair = self._transfer_id(first, second, second.units)
            yield self._record(first, transferId=pair)
            yield self._record(second, transferId=pair)
        else:
            self.remarks.count(
                "transactions of several accounts, which hang on their first one as transfers"
            )
            yield from self._on_main(sides, others)

    def _split(self, side: _Side, others: list[Leg]) -> Iterator[Document]:
        own_id, values = (
            self.ids.get("Record", side.leg.id),
            self._values(side, side.units, side.leg),
        )
        yield self.ids.document("SplitRecord", side.leg.id, **values) | {"id": own_id}
        split = {"splitId": own_id, "source": None, "sourceId": None}
        parts = self._parts(side, [leg.value for leg in others])
        for leg, units in zip(others, parts, strict=True):
            part = self._hung(side, leg, leg.id, units)
            yield part | split | {"note": _joined_text(leg.note, _units_note(leg))}

    def _on_main(self, sides: list[_Side], others: list[Leg]) -> Iterator[Document]:
        """Yield records that all hang on one account: a transfer for each other account."""
        able = [side for side in sides if side.value] or sides
        main = min(able, key=lambda side: side.holding.is_security)
        rest = [side for side in sides if side is not main]
        parts = self._parts(main, [*(side.value for side in rest), *(leg.value for leg in others)])
        for side, units in zip(rest, parts, strict=False):
            pair = self._transfer_id(side, main, units)
            yield self._record(side, transferId=pair)
            yield self._hung(main, side.leg, f"{side.leg.id}/of", units) | {"transferId": pair}
        for leg, units in zip(others, parts[len(rest) :], strict=True):
            yield self._hung(main, leg, leg.id, units)

    def _parts(self, main: _Side, values: Sequence[Fraction]) -> list[int]:
        """Return what values count on the main account; the last one takes what rounding leaves."""
        rate = main.amount / main.value if main.value else Fraction(1)
        return self._shares([-each * rate for each in values], main.holding.currency, main.units)

    def _shares(self, values: Sequence[Fraction], currency: str, total: int) -> list[int]:
        parts = [self._survey.rounded(each, currency) for each in values]
        parts[-1] += total - sum(parts)
        return parts

    def _transfer_id(self, side: _Side, other: _Side, units: int) -> str | None:
        """Return the id of a transfer between two sides, of which the other has a record with these
        units; None if the records cannot be linked.
        """
        if side.transaction.state == VOID:
            return None
        if side.holding == other.holding or side.units * units >= 0:
            self.remarks.count("movements between accounts that cannot be linked as transfers")
            return None
        return self.ids.get("Transfer", side.leg.id)

    def _without_account(self, transaction: Transaction, others: list[Leg]) -> Iterator[Document]:
        """Yield a reclassification as records on an account whose balance is always 0."""
        others = [leg for leg in others if leg.value]
        if not others:
            return
        self.remarks.count(
            "transactions without an account of money, on an account 'Between categories'"
        )
        currency = others[0].currency
        values = [-leg.value for leg in others]
        total = self._survey.rounded(sum(values, Fraction()), currency)
        parts = self._shares(values, currency, total)
        for leg, units in zip(others, parts, strict=True):
            day, own = leg.day or transaction.day, leg._replace(state=None)
            side = _Side(transaction, own, between(currency), day, leg.value, leg.value, units)
            yield self._hung(side, leg, leg.id, units)

    # -- records

    def _record(self, side: _Side, others: Sequence[Leg] = (), **values: str | None) -> Document:
        """Return the record of a leg of money, with the only category that it is paid for."""
        legs = side.leg, *others
        common = self._values(side, side.units, *legs) | self._labels(side, *legs)
        for leg in others:
            if not self._survey.rounded(side.value + leg.value, leg.currency):
                common |= self._original(side, leg)
            common["categoryId"] = self._category_id(leg)
        return self.ids.document("Record", side.leg.id, **common, **values)

    def _hung(self, main: _Side, leg: Leg, leg_id: str, units: int) -> Document:
        """Return a record on the main account that stands for another leg."""
        values = self._values(main, units, leg) | self._labels(main, leg)
        values |= self._original(main, leg) | {"categoryId": self._category_id(leg)}
        return self.ids.document("Record", leg_id, **values)

    def _category_id(self, leg: Leg) -> str | None:
        """Return a leg's category; None if it is money, which may count nothing on its account."""
        return None if self._survey.holding(leg) else self.names.category_id(leg.account)

    def _values(self, side: _Side, units: int, *legs: Leg) -> Document:
        """Return the fields of a record with the texts of legs."""
        transaction = side.transaction
        categories = [leg for leg in legs if not self._survey.holding(leg)]
        self.remarks.count(
            "records on another day than their category has in the book",
            any((leg.day or transaction.day) != side.day for leg in categories),
        )
        texts = [text for leg in legs for text in (leg.note, _units_note(leg))]
        state = side.leg.state or transaction.state
        return {
            "accountId": self.names.account_id(side.holding),
            "amount": money(units),
            "recordDate": side.day.isoformat(),
            "payee": transaction.payee,
            "note": _joined_text(transaction.note, *texts),
            "reference": transaction.reference,
            "recordState": transaction.state if transaction.state == VOID else state,
        }

    def _labels(self, side: _Side, *legs: Leg) -> Document:
        labels = [*side.transaction.labels, *(label for leg in legs for label in leg.labels)]
        return {"labelIds": self.names.label_ids(tuple(dict.fromkeys(labels)))}

    def _original(self, side: _Side, leg: Leg) -> Document:
        """Return the money that a category counts, if it is another currency's."""
        is_other = leg.commodity in CODES and leg.commodity != side.holding.currency
        if not is_other or self._survey.holding(leg):
            return {}
        self.remarks.count("records in another currency than their category has in the book")
        try:
            units = to_units(decimal(-leg.quantity))
        except NumberError:
            return {}
        return {"originalAmount": money(units), "originalCurrencyCode": leg.commodity}

    def _note_remarks(self) -> None:
        names, securities = self.names, [h for h in self.names.holdings() if h.is_security]
        self.remarks.count(
            "amounts that are rounded, so that each balance is as the program shows it",
            self._survey.rounded_legs,
        )
        self.remarks.name("accounts without transactions, not imported", *names.left_out)
        self.remarks.name(
            "accounts of securities at book value, without units and market prices",
            *map(names.account_name, securities),
        )
        self.remarks.name(
            "equity accounts that are categories", *(self.accounts[i].name for i in names.equity)
        )


def _merged(sides: Sequence[_Side]) -> list[_Side]:
    """Join the legs of one account on one day."""
    found: dict[tuple[Holding, date], _Side] = {}
    for side in sides:
        key = side.holding, side.day
        before = found.get(key)
        found[key] = side
        if before is not None:
            found[key] = before._replace(
                leg=_merged_leg(before.leg, side.leg),
                amount=before.amount + side.amount,
                value=before.value + side.value,
                units=before.units + side.units,
            )
    return [side for side in found.values() if side.amount or side.value]


def _merged_leg(leg: Leg, other: Leg) -> Leg:
    """Return a leg with the texts and units of both."""
    is_same = leg.commodity == other.commodity
    return leg._replace(
        quantity=leg.quantity + other.quantity if is_same else leg.quantity,
        note=_joined_text(leg.note, other.note, None if is_same else _units_note(other)),
        labels=(*leg.labels, *other.labels),
    )


def _units_note(leg: Leg) -> str | None:
    """Return how much of something that is not money a leg has."""
    if leg.commodity in CODES or not leg.quantity:
        return None
    return f"{decimal(leg.quantity):f} {leg.commodity}"


def _joined_text(*texts: str | None) -> str | None:
    return "; ".join(dict.fromkeys(filter(None, texts))) or None


def decimal(number: Fraction) -> Decimal:
    """Return a number as a decimal, rounded if it has no end."""
    return Decimal(number.numerator) / Decimal(number.denominator)
