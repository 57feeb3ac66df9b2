"""What readers of Actual and YNAB share: from entries of one account to native objects.

Both programs keep a book in one currency, put categories into groups, and give them money by month.
Their transactions have one category each, or are split into parts.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from finance_api.importers.books.plans import Recurrence, limit_values, transfer_values
from finance_api.importers.books.reading import BookIds, Document, Remarks
from finance_api.resources.plans import MONTH
from finance_api.values.number import to_units


class Account(NamedTuple):
    """account_type: None if the program has no types."""

    name: str
    is_off_budget: bool
    is_closed: bool
    account_type: str | None = None


class Category(NamedTuple):
    """is_own: whether the program made it; then it is only here if anything refers to it."""

    name: str
    group: str | None
    is_income: bool
    is_hidden: bool
    is_own: bool = False


class Entry(NamedTuple):
    """A transaction, or a part of one.

    amount: in the program's units. category: after merging; it can be deleted. other_half,
    other_account: of a transfer, as far as the program says. parts: None if it is not split.
    """

    id: str
    account: str
    day: str
    amount: int
    payee: str | None
    note: str | None
    state: str | None
    category: str | None
    labels: Sequence[str] = ()
    other_half: str | None = None
    other_account: str | None = None
    is_opening: bool = False
    parts: Sequence["Entry"] | None = None

    @property
    def counted(self) -> Sequence["Entry"]:
        """What counts: a transaction itself, but of a split its parts."""
        return (self,) if self.parts is None else self.parts


#: Yields the transactions, each time from the first one.
Transactions = Callable[[], Iterable[Entry]]


@dataclass
class SingleEntry:
    """A book as objects of the native format.

    units: how many of the program's units are one of the currency's. accounts, categories: by the
    program's ids. no_categories: the ids of categories that mean none.
    """

    ids: BookIds
    currency: str
    units: int
    accounts: Mapping[str, Account]
    categories: Mapping[str, Category]
    remarks: Remarks
    no_categories: Collection[str] = ()
    _used: set[str] = field(default_factory=set)
    _labels: set[str] = field(default_factory=set)
    _openings: dict[str, Entry] = field(default_factory=dict)
    #: The source ids of transfers, by their halves.
    _transfers: dict[str, str] = field(default_factory=dict)

    def money(self, amount: int) -> Decimal:
        return Decimal(amount) / self.units

    def balances(self, amounts: Mapping[str, int]) -> dict[str, int]:
        """Return balances in ten-thousandths by the ids here. amounts: by the program's ids."""
        return {
            self.ids.get("Account", account_id): to_units(self.money(amounts[account_id]))
            for account_id in self.accounts
        }

    # -- what a transaction depends on in others

    def _survey(self, transactions: Transactions) -> None:
        first_days: dict[str, str] = {}
        openings: list[Entry] = []
        halves: dict[str, Entry] = {}
        for whole in transactions():
            for entry in whole.counted:
                first = first_days.get(entry.account, entry.day)
                first_days[entry.account] = min(first, entry.day)
                if entry.other_half is not None or entry.other_account is not None:
                    halves[entry.id] = entry
                elif entry.is_opening and whole.parts is None:
                    openings.append(entry)
        for entry in sorted(openings, key=lambda entry: (entry.day, entry.id)):
            if entry.day == first_days[entry.account] and entry.account not in self._openings:
                self._openings[entry.account] = entry
                self.remarks.count("starting balances that are initial balances of accounts")
            else:
                self.remarks.count(
                    "starting balances that stay records, because other transactions came before "
                    "them"
                )
        self._pair(halves)

    def _pair(self, halves: dict[str, Entry]) -> None:
        """Pair the halves of transfers: by their ids, or else by their accounts, day and amount.

        In a split of YNAB, neither the part nor the other half has the id of the other.
        """
        for entry in list(halves.values()):
            other = halves.get(entry.other_half or "")
            if entry.id in halves and other is not None and _are_halves(entry, other):
                self._link(halves, entry, other)
        for has_same_note in (True, False):
            waiting: defaultdict[tuple[object, ...], list[Entry]] = defaultdict(list)
            for entry in [each for each in halves.values() if each.other_account and each.amount]:
                accounts = entry.account, entry.other_account
                rest = entry.day, entry.note if has_same_note else None
                if others := waiting[accounts[::-1], -entry.amount, rest]:
                    self._link(halves, entry, others.pop(0))
                else:
                    waiting[accounts, entry.amount, rest].append(entry)
        self.remarks.count(
            "halves of transfers whose other half is missing or does not fit, which are not linked",
            len(halves),
        )

    def _link(self, halves: dict[str, Entry], entry: Entry, other: Entry) -> None:
        del halves[entry.id], halves[other.id]
        if self._is_spent(entry) or self._is_spent(other):
            self.remarks.count("transfers with a category, which count as spent and are not linked")
        else:
            transfer = min(entry.id, other.id)
            self._transfers |= {entry.id: transfer, other.id: transfer}

    def _is_spent(self, entry: Entry) -> bool:
        return entry.category in self.categories and not self.accounts[entry.account].is_off_budget

    # -- records

    def records(self, transactions: Transactions) -> Iterator[Document]:
        """Yield records and splits. Raises ImportRefused."""
        self._survey(transactions)
        for whole in transactions():
            if whole.parts is not None:
                yield from self._split(whole, whole.parts)
            elif self._openings.get(whole.account) == whole:
                # A starting balance is in its account.
                yield self._whole(whole)
            else:
                yield self._record(whole)

    def _split(self, whole: Entry, parts: Sequence[Entry]) -> Iterator[Document]:
        amount = sum(part.amount for part in parts)
        yield self._whole(whole._replace(amount=amount))
        own = {"source": None, "sourceId": None, "splitId": self.ids.get("Record", whole.id)}
        if not parts:
            self.remarks.count("splits without parts, which count nothing")
        elif any(
            part.id in self._transfers or (part.account, part.day) != (whole.account, whole.day)
            for part in parts
        ):
            self.remarks.count(
                "splits with a transfer, another account or another day in them, whose parts are "
                "records"
            )
            own = {}
        self.remarks.count(
            "splits that count as the sum of their parts, which differs from their amount",
            bool(parts) and amount != whole.amount,
        )
        for part in parts:
            yield self._record(part) | own

    def _whole(self, entry: Entry) -> Document:
        """Return the whole of a split. Without parts it counts nothing; it takes the place of the
        record that the transaction was before.
        """
        document = self.ids.document("SplitRecord", entry.id, **self._values(entry))
        return document | {"id": self.ids.get("Record", entry.id)}

    def _values(self, entry: Entry) -> Document:
        return {
            "accountId": self.ids.get("Account", entry.account),
            "amount": self.money(entry.amount),
            "recordDate": entry.day,
            "payee": entry.payee,
            "note": entry.note,
            "recordState": entry.state,
        }

    def _record(self, entry: Entry) -> Document:
        pair, category = self._transfers.get(entry.id), entry.category
        is_known = category is None or category in self.categories
        is_lost = not is_known and category not in self.no_categories
        self.remarks.count("records whose category was deleted", is_lost)
        return self.ids.document(
            "Record",
            entry.id,
            **self._values(entry),
            categoryId=self.category_id(category),
            labelIds=self._label_ids(entry.labels),
            transferId=None if pair is None else self.ids.get("Transfer", pair),
        )

    def category_id(self, category: str | None) -> str | None:
        """Return the id that a category has here, if it is imported."""
        if category is None or category not in self.categories:
            return None
        self._used.add(category)
        return self.ids.get("Category", category)

    def _label_ids(self, labels: Sequence[str]) -> list[str]:
        self._labels.update(labels)
        return [self.ids.get("Label", label) for label in labels]

    # -- plans

    def budgets(self, limits: Mapping[str, Mapping[date, int]]) -> Iterator[Document]:
        """Yield monthly budgets. limits: by category and first day of the month."""
        months = sorted({month for by_month in limits.values() for month in by_month})
        for category_id, by_month in limits.items():
            category = self.categories[category_id]
            negative = sum(limit < 0 for limit in by_month.values())
            self.remarks.count("limits of months that are below 0, which are 0 here", negative)
            money = {month: self.money(limit) for month, limit in by_month.items()}
            yield self.ids.document(
                "Budget",
                category_id,
                name=category.name,
                currencyCode=self.currency,
                categoryIds=[self.ids.get("Category", category_id)],
                closed=category.is_hidden,
                **limit_values(MONTH, money, months[0], months[-1]),
            )

    def standing_order(
        self,
        source_id: str,
        account: str | None,
        other: str | None,
        amount: int | None,
        recurrence: Recurrence,
        *,
        labels: Sequence[str] = (),
        **values: Any,
    ) -> Document:
        """Return the standing order of a schedule. other: the other account of a transfer; the
        standing order is that of the account that pays.
        """
        account = account if account in self.accounts else None
        if account is not None and other is not None and amount is not None and amount > 0:
            account, other, amount = other, account, -amount
            values["payee"] = self.accounts[other].name
        if other is not None:
            values |= transfer_values(self.accounts[other].name, values.get("note"))
        return self.ids.document(
            "StandingOrder",
            source_id,
            **{"name": values["payee"], **values},
            accountId=None if account is None else self.ids.get("Account", account),
            amount=None if amount is None else self.money(amount),
            currencyCode=self.currency,
            recurrenceRule=recurrence.rule,
            startDate=recurrence.start.isoformat(),
            labelIds=self._label_ids(labels),
        )

    # -- what records and plans refer to

    def named(self) -> Iterator[Document]:
        """Yield accounts, categories and labels."""
        for account_id, account in self.accounts.items():
            opening = self._openings.get(account_id)
            yield self.ids.document(
                "Account",
                account_id,
                name=account.name,
                accountType=account.account_type,
                currencyCode=self.currency,
                initialBalance=self.money(0 if opening is None else opening.amount),
                archived=account.is_closed,
                excludeFromStats=account.is_off_budget,
            )
        for category_id, category in self.categories.items():
            if category_id in self._used or not category.is_own:
                yield self.ids.document(
                    "Category",
                    category_id,
                    name=category.name,
                    group=category.group,
                    kind="income" if category.is_income else "expense",
                    archived=category.is_hidden,
                    customCategory=True,
                )
        for label in sorted(self._labels):
            yield self.ids.document("Label", label, name=label)


def _are_halves(entry: Entry, other: Entry) -> bool:
    return (
        entry.id != other.id
        and entry.account != other.account
        and entry.amount == -other.amount != 0
        and other.other_half in (entry.id, None)
        and entry.other_account in (other.account, None)
        and other.other_account in (entry.account, None)
    )
