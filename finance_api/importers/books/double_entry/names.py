"""Accounts, categories and labels of a double-entry book, and their ids here."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction

from finance_api.importers.books.double_entry.model import Account, Kind
from finance_api.importers.books.double_entry.survey import Holding, Survey
from finance_api.importers.books.reading import BookIds, Document
from finance_api.resources.field import MAX_SOURCE_ID_CHARACTERS
from finance_api.values.number import DECIMALS

_CATEGORIES = (Kind.INCOME, Kind.EXPENSE)
_BETWEEN = "Between categories"


class Names:
    """What records refer to. labels: filled while records are made. left_out: the names of accounts
    of money without transactions, whose currency is unknown.
    """

    def __init__(self, ids: BookIds, accounts: Mapping[str, Account], survey: Survey) -> None:
        self.ids = ids
        self.labels: set[str] = set()
        self._accounts = accounts
        self._holdings: dict[str, list[Holding]] = {}
        parents = {account.parent for account in accounts.values()}
        alone = [
            each
            for each in accounts.values()
            if each.kind is Kind.MONEY and not each.is_group and each.id not in parents
        ]
        empty = [Holding(each.id, each.currency, False) for each in alone if each.currency]
        for holding in dict.fromkeys([*empty, *survey.sums]):
            self._holdings.setdefault(holding.account, []).append(holding)
        used = self._holdings.keys() | survey.used
        self.left_out = [each.name for each in alone if each.id not in used]
        self._only_tops = set(self._tops())
        self._roots = self._only_tops - survey.used
        self._tails = Counter(
            tail for account_id in self._holdings for tail in self._tails_of(account_id)
        )
        self._between: dict[str, None] = {}
        #: The equity accounts that records refer to.
        self.equity: dict[str, None] = {}

    # -- ids

    def account_id(self, holding: Holding) -> str:
        if holding.account == _BETWEEN:
            self._between[holding.currency] = None
        return self.ids.get("Account", self._source_id(holding))

    def category_id(self, account_id: str) -> str | None:
        """Return the category of an account; None for the root of all expenses or income."""
        if account_id in self._roots:
            return None
        if self._accounts[account_id].kind is Kind.EQUITY:
            self.equity[account_id] = None
        return self.ids.get("Category", source_id(account_id))

    def category_ids(self, account_id: str) -> list[str]:
        """Return the category of an account; of the root of all expenses, those below it."""
        below = [a.id for a in self._accounts.values() if a.parent == account_id]
        own = self.category_id(account_id)
        return list(filter(None, map(self.category_id, below))) if own is None else [own]

    def label_ids(self, labels: tuple[str, ...]) -> list[str]:
        self.labels.update(labels)
        return [self.ids.get("Label", source_id(label)) for label in labels]

    # -- names

    def holdings(self) -> Iterator[Holding]:
        """Yield the accounts here."""
        for holdings in self._holdings.values():
            yield from holdings

    def account_name(self, holding: Holding) -> str:
        """Return the shortest end of the path that no other account has; the currency follows if
        the account is several accounts here.
        """
        tails = self._tails_of(holding.account)
        name = next((tail for tail in tails if self._tails[tail] == 1), tails[-1])
        if len(self._holdings[holding.account]) == 1:
            return name
        what = f"{holding.currency}{' securities' if holding.is_security else ''}"
        is_taken = f"{name} {what}" in self._tails
        return f"{name} ({what})" if is_taken else f"{name} {what}"

    def _tails_of(self, account_id: str) -> list[str]:
        path = self._path(account_id)
        return [":".join(path[-length:]) for length in range(1, len(path) + 1)]

    def _path(self, account_id: str) -> list[str]:
        names: list[str] = []
        current: str | None = account_id
        while current is not None:
            account = self._accounts[current]
            names.insert(0, account.name)
            current = account.parent
        return names

    def _source_id(self, holding: Holding) -> str:
        account = self._accounts.get(holding.account)
        is_only = account is not None and holding.currency == account.currency
        parts = [holding.account, *([] if is_only else [holding.currency])]
        return source_id(" ".join([*parts, *(["securities"] if holding.is_security else [])]))

    # -- objects

    def documents(self, initial: Mapping[Holding, int]) -> Iterator[Document]:
        """Yield accounts, categories and labels. initial: balances in ten-thousandths."""
        for holding in self.holdings():
            account = self._accounts[holding.account]
            yield self.ids.document(
                "Account",
                self._source_id(holding),
                name=self.account_name(holding),
                accountType="Investment" if holding.is_security else account.account_type,
                currencyCode=holding.currency,
                initialBalance=money(initial.get(holding, 0)),
                archived=account.archived,
            )
        for currency in self._between:
            name = _BETWEEN if len(self._between) == 1 else f"{_BETWEEN} {currency}"
            yield self.ids.document(
                "Account", self._source_id(between(currency)), name=name, currencyCode=currency
            )
        for account_id, account in self._accounts.items():
            if account_id in self.equity:
                yield self._category(account, None)
            elif account.kind in _CATEGORIES and account_id not in self._roots:
                above = self._above(account)
                yield self._category(account, None if above in self._only_tops else above)
        for label in sorted(self.labels):
            yield self.ids.document("Label", source_id(label), name=label)

    def _category(self, account: Account, parent: str | None) -> Document:
        kind = "income" if account.kind is Kind.INCOME else "expense"
        return self.ids.document(
            "Category",
            source_id(account.id),
            name=account.name,
            parentId=None if parent is None else self.ids.get("Category", source_id(parent)),
            kind=None if parent is not None else kind,
            archived=account.archived,
            customCategory=True,
        )

    def _above(self, account: Account) -> str | None:
        """Return the account of the same kind that an account is part of."""
        parent = None if account.parent is None else self._accounts[account.parent]
        return parent.id if parent is not None and parent.kind is account.kind else None

    def _tops(self) -> Iterator[str]:
        """Yield the accounts that hold together all income, or all expenses."""
        parents = {account.parent for account in self._accounts.values()}
        for kind in _CATEGORIES:
            of_kind = [each for each in self._accounts.values() if each.kind is kind]
            tops = [each.id for each in of_kind if self._above(each) is None]
            if len(tops) == 1 and tops[0] in parents:
                yield tops[0]


def between(currency: str) -> Holding:
    """Return the account of transactions that have none; its balance is always 0."""
    return Holding(_BETWEEN, currency, False)


def source_id(text: str) -> str:
    """Return a text as a source id; a text that is too long for one, as its hash."""
    if len(text) <= MAX_SOURCE_ID_CHARACTERS:
        return text
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def money(units: int) -> Decimal:
    """Return ten-thousandths as a number of the native format."""
    return Decimal(units).scaleb(-DECIMALS)


def rounded_money(amount: Fraction) -> Decimal:
    """Return an amount as a number of the native format, which has at most four decimals."""
    return money(round(amount * 10**DECIMALS))
