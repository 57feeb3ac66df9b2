"""Transactions of YNAB as records, splits and transfers."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence

from finance_api.importers.books.reading import Document
from finance_api.importers.books.ynab.names import Names, flag
from finance_api.importers.books.ynab.plan import Part, Plan, Transaction
from finance_api.importers.interface import ImportRefused, quoted

_OPENING = "Starting Balance"
_STATES = ("cleared", "uncleared", "reconciled")


class Transactions:
    """The transactions of a plan.

    openings: the ids of transactions that are initial balances, by account. activity: the sums of
    categories in accounts on the budget, by month and category. sums: of accounts.
    """

    def __init__(self, plan: Plan, names: Names) -> None:
        self._names = names
        self.counts: Counter[str] = Counter()
        self.labels: set[str] = set()
        self.activity: Counter[tuple[str, str]] = Counter()
        self.sums: Counter[str] = Counter()
        self.openings: dict[str, Transaction] = {}
        self._wholes = plan.transactions
        self._parts = self._parts_of_splits(plan)
        self._transfers: dict[str, str] = {}
        self._find_openings()
        self._find_transfers()

    def _parts_of_splits(self, plan: Plan) -> dict[str, list[Transaction]]:
        """Return the parts of each split, which have what they lack from the whole."""
        wholes = {whole.id: whole for whole in plan.transactions}
        parts: defaultdict[str, list[Transaction]] = defaultdict(list)
        for part in plan.subtransactions:
            whole = wholes.get(part.transaction_id)
            if whole is not None:
                parts[whole.id].append(_as_transaction(whole, part))
        return parts

    def _rows(self) -> Iterator[Transaction]:
        """Yield what counts: transactions, but of a split its parts."""
        for whole in self._wholes:
            yield from self._parts.get(whole.id, (whole,))

    def _find_openings(self) -> None:
        first_days: dict[str, str] = {}
        openings: list[Transaction] = []
        for row in self._wholes:
            first_days[row.account_id] = min(first_days.get(row.account_id, row.date), row.date)
            is_plain = row.transfer_account_id is None and row.id not in self._parts
            if is_plain and self._names.payee(row) == _OPENING:
                openings.append(row)
        for row in sorted(openings, key=lambda row: (row.date, row.id)):
            if row.date == first_days[row.account_id]:
                self.openings.setdefault(row.account_id, row)
            if self.openings.get(row.account_id) != row:
                self.counts["late openings"] += 1

    def _find_transfers(self) -> None:
        """Pair the halves of transfers: by their ids, or else by day and amount.

        In a split, neither the part nor the other half has the id of the other.
        """
        halves = {row.id: row for row in self._rows() if row.transfer_account_id is not None}
        for row in list(halves.values()):
            other = halves.get(row.transfer_transaction_id or "")
            if row.id in halves and other is not None and _are_halves(row, other):
                del halves[row.id], halves[other.id]
                self._link(row, other)
        for has_same_memo in (True, False):
            waiting: defaultdict[Hashable, list[Transaction]] = defaultdict(list)
            for row in list(halves.values()):
                memo = row.memo if has_same_memo else None
                key = row.account_id, row.transfer_account_id, row.date, row.amount, memo
                others = waiting[
                    row.transfer_account_id, row.account_id, row.date, -row.amount, memo
                ]
                if others and row.amount:
                    other = others.pop(0)
                    del halves[row.id], halves[other.id]
                    self._link(other, row)
                else:
                    waiting[key].append(row)
        self.counts["odd transfers"] += len(halves)

    def _link(self, row: Transaction, other: Transaction) -> None:
        if self._is_spent(row) or self._is_spent(other):
            self.counts["spent transfers"] += 1
        else:
            self._transfers |= {row.id: row.id, other.id: row.id}

    def _is_spent(self, row: Transaction) -> bool:
        account = self._names.accounts.get(row.account_id)
        is_on_budget = account is not None and account.on_budget
        return is_on_budget and self._names.category(row.category_id) is not None

    def documents(self) -> Iterator[Document]:
        """Yield records and splits. Raises ImportRefused."""
        for whole in self._wholes:
            try:
                yield from self._transaction(whole, self._parts.get(whole.id, ()))
            except ImportRefused as refused:
                title = quoted(whole.id)
                raise ImportRefused(f"the transaction {title}: {refused.reason}") from None

    def _transaction(self, whole: Transaction, parts: Sequence[Transaction]) -> Iterator[Document]:
        names = self._names
        is_on_budget = names.account(whole.account_id).on_budget
        for row in parts or (whole,):
            self.sums[row.account_id] += row.amount
            if is_on_budget and row.category_id is not None:
                self.activity[row.date[:7], row.category_id] += row.amount
        self.counts["not approved"] += not whole.approved
        self.counts["bank texts"] += whole.import_id is not None
        if not parts:
            # A starting balance is in its account.
            is_opening = self.openings.get(whole.account_id) == whole
            yield self._whole(whole, whole.amount) if is_opening else self._record(whole)
            return
        amount = sum(part.amount for part in parts)
        self.counts["differing splits"] += amount != whole.amount
        yield self._whole(whole, amount)
        if any(part.id in self._transfers for part in parts):
            self.counts["splits apart"] += 1
            yield from map(self._record, parts)
            return
        split_id = names.ids.get("Record", whole.id)
        for part in parts:
            yield self._record(part) | {"source": None, "sourceId": None, "splitId": split_id}

    def _whole(self, row: Transaction, amount: int) -> Document:
        """Return the whole of a split. Without parts it counts nothing; it takes the place of the
        record that the transaction was before.
        """
        document = self._names.ids.document("SplitRecord", row.id, **self._values(row, amount))
        return document | {"id": self._names.ids.get("Record", row.id)}

    def _values(self, row: Transaction, amount: int) -> Document:
        if row.cleared is not None and row.cleared not in _STATES:
            raise ImportRefused(f"its state is {quoted(row.cleared)}, which is not known")
        return {
            "accountId": self._names.ids.get("Account", row.account_id),
            "amount": self._names.money(amount),
            "recordDate": row.date,
            "payee": self._names.payee(row),
            "note": row.memo,
            "recordState": row.cleared,
        }

    def _record(self, row: Transaction) -> Document:
        names, label = self._names, flag(row)
        pair = self._transfers.get(row.id)
        self.counts["lost categories"] += names.is_lost(row.category_id)
        if label is not None:
            self.labels.add(label)
        return names.ids.document(
            "Record",
            row.id,
            **self._values(row, row.amount),
            categoryId=names.category_id(row.category_id),
            labelIds=[] if label is None else [names.ids.get("Label", label)],
            transferId=None if pair is None else names.ids.get("Transfer", pair),
        )


def _as_transaction(whole: Transaction, part: Part) -> Transaction:
    return whole._replace(
        id=part.id,
        amount=part.amount,
        payee_id=part.payee_id or whole.payee_id,
        category_id=part.category_id,
        memo=part.memo or whole.memo,
        transfer_account_id=part.transfer_account_id,
        transfer_transaction_id=part.transfer_transaction_id,
    )


def _are_halves(row: Transaction, other: Transaction) -> bool:
    return (
        row.id != other.id
        and row.amount == -other.amount != 0
        and (row.account_id, row.transfer_account_id)
        == (other.transfer_account_id, other.account_id)
        and row.account_id != other.account_id
        and other.transfer_transaction_id in (row.id, None)
    )
