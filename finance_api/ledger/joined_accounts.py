"""Joins accounts of a book with accounts that are here already, so that no money counts twice.

Records of the book that equal records of other sources in such an account are matched: the stored
record stays, and remembers the book's. All other objects of the book refer to the account here.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from finance_api.importers.clauses import Day, Says, StoredRow, Topic, Units, clause
from finance_api.importers.interface import Choice, ImportRefused, listed, quoted
from finance_api.importers.native import NativeFile, NativeRow
from finance_api.ledger.edits.naming import find_row
from finance_api.ledger.orders import ImportReport, StatementOptions
from finance_api.ledger.references import ids_in
from finance_api.ledger.rows import batched, id_in
from finance_api.ledger.session import LedgerSession, Pair
from finance_api.ledger.splits import get_stated_by_source, put_records
from finance_api.query.model import any_of
from finance_api.resources import ACCOUNTS, RECORDS, SPLITS, referred_by
from finance_api.resources.currencies import money_text
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.text import message
from finance_api.values.time import DAY_SECONDS

#: A transaction may be _REACH_DAYS apart in the book and here; up to _DOUBTFUL_DAYS, it is asked.
_REACH_DAYS, _DOUBTFUL_DAYS = 1, 5


class _Match(NamedTuple):
    """An object of the book, and the stored record that it equals."""

    document: NativeRow
    row: Row


class JoinedAccounts:
    """The accounts of a book that are accounts here. Raises ImportRefused.

    original: the whole file. ids: the ids of accounts here, by the ids of the book's accounts.
    lost: the ids of the book's accounts that were joined with accounts deleted here since.
    """

    def __init__(self, session: LedgerSession, file: NativeFile, options: StatementOptions) -> None:
        self._session = session
        self.original = file
        self._prefix = f"{file.source}:"
        remembered, stored = self._remembered(), session.accounts.rows
        self.ids = {told: here for told, here in remembered.items() if here in stored}
        self.ids |= self._given(options)
        self.lost = remembered.keys() - self.ids.keys()
        #: The transfers of the records here that are the book's, too, by their source ids there;
        #: empty for a whole of a split.
        self._known: dict[str, str | None] = {}
        self._matches: list[_Match] = []
        #: The ids of the matched objects in the file, and its transfers of which the half here is
        #: part of another one.
        self._left_out: set[str] = set()
        self._cut: set[str] = set()
        if self.ids:
            self._match(options.match_days)
            self._leave_out()

    # -- which accounts

    def _remembered(self) -> dict[str, str]:
        own = (
            entry.details["into"]
            for entry in reversed(self._session.live)
            if entry.details.get("book") == self.original.source and "into" in entry.details
        )
        return next(own, {})

    def _given(self, options: StatementOptions) -> dict[str, str]:
        if not options.into:
            return {}
        self.original.check_source("accounts can be joined")
        accounts = [
            {**d.values, "id": self._id_of(d)}
            for d in self.original.documents()
            if d.resource is ACCOUNTS
        ]
        return dict(self._pair(accounts, text) for text in options.into)

    def _pair(self, accounts: list[Row], text: str) -> tuple[str, str]:
        named, equals, name = text.partition("=")
        if not equals:
            raise ImportRefused(f"{quoted(text)} is not BOOKACCOUNT=ACCOUNT")
        found = [a for a in accounts if named in (a["name"], a["id"], a.get("sourceId"))]
        if len(found) != 1:
            names = listed(account["name"] for account in accounts)
            ids = listed(account["id"] for account in found)
            which = f"give one of their ids: {ids}" if found else f"its accounts are {names}"
            raise ImportRefused(
                f"the book has {len(found) or 'no'} accounts named {quoted(named)}: {which}"
            )
        (account,) = found
        here = find_row(self._session, ACCOUNTS, name)
        if self._session.accounts.stored(account["id"]) is not None:
            raise ImportRefused(
                f"the account {quoted(account['name'])} of the book is here already as an account "
                "of its own: undo the imports of the book first"
            )
        if here["source"] == self.original.source:
            raise ImportRefused(
                f"the account {quoted(here['name'])} came from this book: follow the book if it "
                "was renamed there"
            )
        if self.ids.get(account["id"], here["id"]) != here["id"]:
            raise ImportRefused(
                f"the account {quoted(account['name'])} of the book is another account here "
                "already: undo the imports of the book first"
            )
        if account["currencyCode"] != here["currencyCode"]:
            raise ImportRefused(
                f"the account {quoted(account['name'])} of the book is in "
                f"{account['currencyCode']}, but {quoted(here['name'])} is in "
                f"{here['currencyCode']}: they are not the same"
            )
        return account["id"], here["id"]

    # -- which records

    def _stored(self) -> Iterator[Row]:
        """Yield the records and wholes of splits in the accounts here."""
        of_account = any_of("accountId", set(self.ids.values()))
        for resource in (RECORDS, SPLITS):
            for row in chain.from_iterable(self._session.pages(resource, of_account)):
                if row.get("splitId") is None:
                    yield row

    def _match(self, match_days: int | None) -> None:
        free: defaultdict[tuple[str, int], list[Row]] = defaultdict(list)
        void: list[Row] = []
        file = self.original.objects()
        given = {f"{self._prefix}{document.values.get('sourceId')}" for document in file}
        for row in self._stored():
            # What the book has lost can be there under another id.
            of_book = [each for each in row["furtherSources"] if each in given]
            for each in of_book:
                self._known[each.removeprefix(self._prefix)] = row.get("transferId", "")
            if row["source"] != self.original.source and not of_book:
                is_void = row["recordState"] == VOID
                (void if is_void else free[row["accountId"], row["amount"]]).append(row)
        left = list(self._unmatched())
        for reach in (0, _REACH_DAYS):
            pairs, left = self._nearest(left, free, reach)
            self._matches += pairs
        # A void record may be a payment that the user does not want, or a duplicate.
        for row in void:
            free[row["accountId"], row["amount"]].append(row)
        doubtful, _ = self._nearest(left, free, match_days or _DOUBTFUL_DAYS)
        if match_days is None:
            self._ask(doubtful)
        elif match_days > _REACH_DAYS:
            self._matches += doubtful
        for match in self._matches:
            self._known[match.document.values["sourceId"]] = match.row.get("transferId", "")

    def _unmatched(self) -> Iterator[NativeRow]:
        """Yield the book's records in these accounts that are not here yet, by day."""
        # A whole without parts counts nothing.
        splits = {document.values.get("splitId") for document in self.original.records()}
        own = [
            document
            for document in self.original.objects()
            if document.resource is RECORDS
            or (document.resource is SPLITS and self._id_of(document) in splits)
            if document.values["accountId"] in self.ids
            if document.values.get("sourceId") is not None
            if document.values["sourceId"] not in self._known
            if document.values.get("recordState") != VOID
        ]
        source = str(self.original.source)
        for batch in batched(sorted(own, key=lambda d: d.values["recordDate"])):
            ids = [document.values["sourceId"] for document in batch]
            stored = get_stated_by_source(self._session, source, ids)
            yield from (d for d in batch if d.values["sourceId"] not in stored)

    def _nearest(
        self, documents: Iterable[NativeRow], free: Mapping[tuple[str, int], list[Row]], reach: int
    ) -> tuple[list[_Match], list[NativeRow]]:
        """Pair objects with records up to ``reach`` days away; return the pairs, and the rest."""
        pairs, left = [], []
        for document in documents:
            values = document.values
            rows = free.get((self.ids[values["accountId"]], values["amount"]), [])
            near = [(_apart(values, row), row["id"], row) for row in rows]
            if near and (best := min(near, key=lambda each: each[:2]))[0] <= reach:
                rows.remove(best[2])
                pairs.append(_Match(document, best[2]))
            else:
                left.append(document)
        return pairs, left

    def _ask(self, doubtful: list[_Match]) -> None:
        if not doubtful:
            return
        apart = (_apart(match.document.values, match.row) for match in doubtful)
        days = max(_REACH_DAYS + 1, *apart)
        values, row = doubtful[0].document.values, doubtful[0].row
        fact = clause(
            Topic.MAYBE_HERE,
            count=len(doubtful),
            day=Day(values["recordDate"]),
            amount=Units(values["amount"]),
            record=StoredRow(
                Day(row["recordDate"]), Units(row["amount"]), row["id"], row["payee"] or ""
            ),
            days=days,
            least=_REACH_DAYS,
        )
        raise ImportRefused(
            fact,
            choices=(
                Choice({"match_days": days}, clause(Says.ARE_SAME)),
                Choice({"match_days": _REACH_DAYS}, clause(Says.ARE_OTHERS)),
            ),
        )

    def _leave_out(self) -> None:
        for document in self.original.objects():
            values = document.values
            source_id, told = values.get("sourceId"), values.get("transferId")
            if source_id in self._known and values.get("accountId") in self.ids:
                self._left_out.add(self._id_of(document))
                if told is not None and self._known[source_id] not in (None, told):
                    self._cut.add(told)

    def _id_of(self, document: NativeRow) -> str:
        return id_in(self._session.user.uuid, document.values)

    # -- what is imported

    @property
    def file(self) -> NativeFile:
        """The file without what is here already."""
        file = self.original
        if not self.ids:
            return file
        balances = {i: told for i, told in file.balances.items() if i not in self.ids}
        return file.mapped(self._rewritten)._replace(balances=balances)

    def _rewritten(self, documents: Iterable[NativeRow]) -> Iterator[NativeRow]:
        for document in documents:
            values = document.values
            own_id = self._id_of(document)
            if document.resource is ACCOUNTS and own_id in self.ids:
                continue
            if {own_id, values.get("splitId")} & self._left_out:
                continue
            changed: dict[str, Any] = {}
            if (account_id := values.get("accountId")) in self.ids:
                changed["accountId"] = self.ids[account_id]
            if "accountIds" in values:
                changed["accountIds"] = tuple(self.ids.get(i, i) for i in values["accountIds"])
            if values.get("transferId") in self._cut:
                changed["transferId"] = None
            kept = {**values, **changed}
            yield document._replace(values={n: v for n, v in kept.items() if v is not None})

    def note(self, report: ImportReport) -> None:
        """Note in the matched records which of the book's they are, with its category if they have
        none.
        """
        records: list[Pair] = []
        for document, row in self._matches:
            told = document.values
            others = (s for s in row["furtherSources"] if not s.startswith(self._prefix))
            after = {**row, "furtherSources": (*others, self._prefix + told["sourceId"])}
            if "splitId" not in row:
                self._session.write(SPLITS, [(row, after)])
                continue
            for name in ("categoryId", "labelIds", "transferId"):
                if not row[name] and name in told and self._is_here(name, told[name]):
                    after |= {name: told[name], "updatedAt": self._session.now}
            records.append((row, after))
        put_records(self._session, records)
        report.matched += len(self._matches)
        report.unchanged += len(self._known) - len(self._matches)

    def _is_here(self, name: str, value: Any) -> bool:
        """Return whether a record here can have this value of the book."""
        if name == "transferId":
            return value not in self._cut
        rows = self._session.row_set(referred_by(RECORDS[name])).rows
        return all(each in rows for each in ids_in(value))

    def remark(self, report: ImportReport) -> None:
        """Name accounts whose balance differs from the book's."""
        for told, here in self.ids.items():
            row, balance = self._session.accounts.rows[here], self.original.balances.get(told)
            if balance is not None and balance != row["balance"]:
                money = [
                    money_text(each, row["currencyCode"]) for each in (row["balance"], balance)
                ]
                text = f"the balance of {quoted(row['name'])} is {money[0]} here and {money[1]}"
                report.remarks.append(message(f"{text} in the book"))


def _apart(values: Mapping[str, Any], row: Row) -> int:
    """Return how many days are between an object of the book and a record."""
    return abs(int(values["recordDate"]) // DAY_SECONDS - int(row["recordDate"]) // DAY_SECONDS)
