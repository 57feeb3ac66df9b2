"""Accounts and transactions of double-entry programs, as their readers give them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from enum import Enum, auto
from fractions import Fraction
from typing import NamedTuple

from finance_api.resources.currencies import CODES


class Kind(Enum):
    """What an account is for. MONEY: assets and liabilities, also those kept in securities."""

    MONEY = auto()
    INCOME = auto()
    EXPENSE = auto()
    EQUITY = auto()


class Account(NamedTuple):
    """An account of the book, or a group of accounts.

    id: stable in the program, or the account's path. parent: the id of the account that it is part
    of. currency: the only currency that an account of money can hold; None if it may hold several,
    or securities. Such an account exists here for each currency that is in it. An account with a
    currency also exists here if it is empty, unless it is_group. archived: closed or hidden.
    """

    id: str
    name: str
    parent: str | None
    kind: Kind
    currency: str | None = None
    account_type: str = "General"
    archived: bool = False
    is_group: bool = False


class Leg(NamedTuple):
    """A part of a transaction. Positive: into the account; income is negative, expenses positive.

    id: unique in the book. quantity, commodity: what the account gets; a commodity that is not a
    currency of ISO 4217 is a security on accounts of money, and only a note on others. value,
    currency: what it counts in the balance of the transaction; equal to them without a cost. day,
    state: its own ones, if they differ from those of the transaction.
    """

    id: str
    account: str
    quantity: Fraction
    commodity: str
    value: Fraction
    currency: str
    note: str | None = None
    labels: tuple[str, ...] = ()
    day: date | None = None
    state: str | None = None


class Transaction(NamedTuple):
    """legs: in the order of the book, without virtual legs and those that only balance currencies
    (trading and conversion accounts). converts: whether such legs were left out, and the values of
    the others are in two currencies. The first leg of money is the main one.
    """

    day: date
    legs: Sequence[Leg]
    payee: str | None = None
    note: str | None = None
    state: str | None = None
    reference: str | None = None
    labels: tuple[str, ...] = ()
    converts: bool = False


#: Yields the transactions, each time from the first one, in the order of the book.
Transactions = Callable[[], Iterable[Transaction]]


def imbalance(legs: Iterable[Leg]) -> dict[str, Fraction]:
    """Return by currency what the legs' values add up to, where this is not 0."""
    sums: defaultdict[str, Fraction] = defaultdict(Fraction)
    for leg in legs:
        sums[leg.currency] += leg.value
    return {currency: rest for currency, rest in sums.items() if rest}


def groups(transaction: Transaction) -> Iterable[Sequence[Leg]]:
    """Return the legs in groups that balance by themselves, each with its values in one currency.

    This is a currency of ISO 4217 if any leg of the group has money.
    """
    legs = transaction.legs
    first = legs[0].currency if legs else ""
    if first in CODES and all(leg.currency == first for leg in legs):
        return [legs]
    if transaction.converts and len(rests := imbalance(legs)) == 2:
        # What one currency lacks is what was paid for the other.
        (target, paid), (other, got) = rests.items()
        legs = [_valued(leg, target, -paid / got) if leg.currency == other else leg for leg in legs]
    by_currency: defaultdict[str, list[Leg]] = defaultdict(list)
    for leg in legs:
        by_currency[leg.currency].append(leg)
    return [_in_money(currency, group) for currency, group in by_currency.items()]


def _in_money(currency: str, legs: list[Leg]) -> list[Leg]:
    if currency in CODES:
        return legs
    money = next((leg for leg in legs if leg.commodity in CODES and leg.value), None)
    if money is None:
        return legs
    return [_valued(leg, money.commodity, money.quantity / money.value) for leg in legs]


def _valued(leg: Leg, currency: str, rate: Fraction) -> Leg:
    return leg._replace(value=leg.value * rate, currency=currency)
