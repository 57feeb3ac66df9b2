"""What transactions depend on in others: openings, and amounts rounded so that balances are."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from finance_api.importers.books.double_entry.model import Account, Kind, Leg, Transactions, groups
from finance_api.resources.currencies import CODES
from finance_api.resources.records import VOID
from finance_api.values.number import DECIMALS

_UNIT = 10**DECIMALS


class Holding(NamedTuple):
    """An account here: an account of the book in one currency, or its securities at book value."""

    account: str
    currency: str
    is_security: bool


class Survey:
    """openings: the ids of the legs that are initial balances. holdings: in the order of the book.
    sums: what the legs of each holding add up to, without void ones. used: the accounts with legs.
    rounded_legs: how many legs have another amount here.
    """

    def __init__(
        self,
        accounts: Mapping[str, Account],
        transactions: Transactions,
        places: Callable[[str], int],
    ) -> None:
        self._accounts = accounts
        self._places = places
        self.used: set[str] = set()
        self.sums: dict[Holding, Fraction] = {}
        self.openings: set[str] = set()
        self._rounded: dict[str, int] = {}
        self._read(transactions)
        self.rounded_legs = len(self._rounded)

    def holding(self, leg: Leg) -> Holding | None:
        """Return where a leg is here; None if it is a category, equity, or has no money."""
        if self._accounts[leg.account].kind is not Kind.MONEY:
            return None
        if leg.commodity in CODES:
            return Holding(leg.account, leg.commodity, False)
        return Holding(leg.account, leg.currency, True) if leg.currency in CODES else None

    def units(self, leg: Leg) -> int:
        """Return the amount of a leg of a holding in ten-thousandths, as its record has it."""
        rounded = self._rounded.get(leg.id)
        return int(amount(leg) * _UNIT) if rounded is None else rounded

    def rounded(self, value: Fraction, currency: str) -> int:
        """Return an amount in ten-thousandths, with the decimals that the program shows."""
        step = self._step(currency)
        return int(round(value * _UNIT / step) * step)

    def _step(self, currency: str) -> int:
        return int(10 ** (DECIMALS - min(self._places(currency), DECIMALS)))

    def _read(self, transactions: Transactions) -> None:
        firsts: dict[Holding, tuple[date, str]] = {}
        openings: list[list[tuple[Holding, Leg]]] = []
        inexact: set[Holding] = set()
        for transaction in transactions():
            for legs in groups(transaction):
                self.used.update(leg.account for leg in legs)
                of_money = [(each, leg) for leg in legs if (each := self.holding(leg))]
                if self._is_opening(legs):
                    openings.append(of_money)
                for holding, leg in of_money:
                    exact = amount(leg)
                    counted = Fraction() if transaction.state == VOID else exact
                    self.sums[holding] = self.sums.get(holding, Fraction()) + counted
                    if (exact * _UNIT / self._step(holding.currency)).denominator != 1:
                        inexact.add(holding)
                    day, first = leg.day or transaction.day, firsts.get(holding)
                    if counted and (first is None or day < first[0]):
                        firsts[holding] = day, leg.id
        for opening in openings:
            # If money goes both ways, it is rather a transfer unless it is the first of all.
            is_mixed = len({leg.value > 0 for _, leg in opening}) > 1
            known = {firsts[holding][1] for holding, _ in opening if holding in firsts}
            own = known & {leg.id for _, leg in opening}
            if own == known or not is_mixed:
                self.openings |= own
        if inexact:
            self._round(transactions, inexact)

    def _is_opening(self, legs: Sequence[Leg]) -> bool:
        """Return whether there are only accounts of money against equity."""
        kinds = {self._accounts[leg.account].kind for leg in legs if leg.value}
        return kinds == {Kind.MONEY, Kind.EQUITY}

    def _round(self, transactions: Transactions, holdings: set[Holding]) -> None:
        """Round amounts so that the balance after each is as the program shows it."""
        by_holding: defaultdict[Holding, list[tuple[date, int, str, Fraction]]] = defaultdict(list)
        number = 0
        for transaction in transactions():
            for legs in groups(transaction):
                for leg in legs:
                    number += 1
                    if (holding := self.holding(leg)) not in holdings or holding is None:
                        continue
                    if transaction.state == VOID:
                        self._rounded[leg.id] = self.rounded(amount(leg), holding.currency)
                    else:
                        day = leg.day or transaction.day
                        by_holding[holding].append((day, number, leg.id, amount(leg)))
        for holding, entries in by_holding.items():
            balance, shown = Fraction(), 0
            for _, _, leg_id, exact in sorted(entries):
                balance += exact
                before, shown = shown, self.rounded(balance, holding.currency)
                if exact * _UNIT != shown - before:
                    self._rounded[leg_id] = shown - before


def amount(leg: Leg) -> Fraction:
    """Return what a leg counts on its account: money, or securities at book value."""
    return leg.quantity if leg.commodity in CODES else leg.value
