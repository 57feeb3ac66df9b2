"""Reads stored records into the workspace: as files said them, by windows of days."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from finance_api.ledger.matching.known_account import KnownAccount
from finance_api.ledger.matching.source_ids import bank_ids_in
from finance_api.ledger.matching.stated import (
    Content,
    Said,
    hash_of,
    own_content,
    own_source,
    read_stated,
)
from finance_api.ledger.matching.workspace import Workspace
from finance_api.ledger.rows import row_id
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import Query, SortKey
from finance_api.query.records import any_of, dated
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

_PAGE = 5_000
_FEW = 2_000
_NEWEST_FIRST = (SortKey(RECORDS["recordDate"], descending=True),)
#: So many records of one bank id are looked for.
MOST_OF_AN_ID = 8
_BATCH = 1_000
#: How far from the file's days its transactions may be stored.
REACH_DAYS = 7


def record_pages(
    session: LedgerSession, account_ids: Sequence[str], first: int, last: int
) -> Iterator[list[Row]]:
    """The records of the accounts on the days from ``first`` to ``last``, in pages by id."""
    conditions = (
        any_of("accountId", account_ids),
        dated(first * DAY_SECONDS, (last + 1) * DAY_SECONDS),
    )
    data, user_id = session.storage.data, session.user.id
    # A few are looked up by their days; for many, all records are gone through once.
    by_date = Query(RECORDS, conditions, _NEWEST_FIRST, limit=_FEW)
    few = data.list_rows(user_id, by_date)
    if not few.has_more:
        found = data.get_rows(user_id, RECORDS, [row["id"] for row in few.rows])
        yield [found[row_id] for row_id in sorted(found)]
        return
    yield from data.scan_pages(user_id, RECORDS, _PAGE, conditions=conditions)


class StoredReader:
    """Puts the records that entries of the file may be into the workspace, each once."""

    def __init__(
        self, session: LedgerSession, workspace: Workspace, accounts: Iterable[KnownAccount]
    ) -> None:
        self._session = session
        self._workspace = workspace
        self._accounts = {account.id: account for account in accounts}
        self._by_number = {account.number: account for account in self._accounts.values()}
        self._k = 0
        #: Whether the user has no records at all.
        self.is_empty = not session.storage.data.scan_rows(session.user.id, RECORDS, limit=1)

    def read_days(self) -> None:
        """Those of the file's accounts on its days and near them."""
        known = [a for a in self._accounts.values() if not a.is_new and a.covers]
        if not self.is_empty and known:
            self._read_days(known)
        self._workspace.run("CREATE INDEX stored_record ON stored (record)")

    def _read_days(self, known: list[KnownAccount]) -> None:
        first = min(account.first for account in known) - REACH_DAYS
        last = max(account.last for account in known) + REACH_DAYS
        for page in record_pages(self._session, [account.id for account in known], first, last):
            self._put([(row, self._accounts[row["accountId"]], None) for row in page])

    def read_ids(self, sql: str) -> int:
        """Those that the bank ids of some entries were given to, wherever they lie.

        sql: selects account, statement, bank_id. Returns how many were not there yet.
        """
        if self.is_empty:
            return 0
        begin = self._k
        wanted = self._workspace.database.execute(sql)
        while batch := wanted.fetchmany(_BATCH):
            self._read_ids(batch)
        return self._k - begin

    def read_named(self, account: int, statement: int, bank_id: str) -> None:
        """Those of one bank id."""
        self._read_ids([(account, statement, bank_id)])

    def _read_ids(self, wanted: list[tuple[int, int, str]]) -> None:
        number = 1
        while wanted and number <= MOST_OF_AN_ID:
            keys: dict[str, tuple[int, int, str]] = {}
            for each in wanted:
                scope = self._by_number[each[0]].scopes[each[1]]
                keys.update((source_id, each) for source_id in scope.lookups(each[2], number))
            found = self.by_source_ids(list(keys))
            self._put(
                [
                    (row, self._by_number[keys[source_id][0]], keys[source_id][2])
                    for source_id, row in found.items()
                ]
            )
            wanted = list(dict.fromkeys(keys[source_id] for source_id in found))
            number += 1

    def read_contents(self, wanted: dict[str, tuple[int, int, Content]]) -> dict[int, int]:
        """The stored rows that were once made of entries without a bank id: n -> k.

        wanted: account, n and content of entries, by source id.
        """
        if self.is_empty or not wanted:
            return {}
        found = {}
        for source_id, row in self.by_source_ids(list(wanted)).items():
            known = self._workspace.one(
                "SELECT k, taken FROM stored WHERE record = ? AND mine", row["id"]
            )
            account, n, content = wanted[source_id]
            if known is None:
                self._put([(row, self._by_number[account], None)], said=content)
                found[n] = self._k
            elif not known["taken"]:
                found[n] = known["k"]
        return found

    def taken(self, source_ids: list[str]) -> set[str]:
        """Those under which a record is stored, or was when it got its id."""
        data, user, source = self._session.storage.data, self._session.user, self._workspace.source
        ids = {row_id(user.uuid, source, source_id): source_id for source_id in source_ids}
        stored = data.get_rows(user.id, RECORDS, list(ids))
        of_source = data.get_rows_by_source(user.id, RECORDS, source, source_ids)
        return {*of_source, *(ids[each] for each in stored)}

    def by_source_ids(self, source_ids: list[str]) -> dict[str, Row]:
        """Stored records by the source ids of this source that they have, or once had."""
        if self.is_empty or not source_ids:
            return {}
        data, user, source = self._session.storage.data, self._session.user, self._workspace.source
        found = data.get_rows_by_source(user.id, RECORDS, source, source_ids)
        ids = {row_id(user.uuid, source, source_id): source_id for source_id in source_ids}
        for each, row in data.get_rows(user.id, RECORDS, list(ids)).items():
            if row["sourceId"] is None:
                found.setdefault(ids[each], row)
        return found

    def _put(
        self,
        found: list[tuple[Row, KnownAccount, str | None]],
        said: Content | None = None,
    ) -> None:
        """found: rows, the accounts whose entries they may be, and the bank id if it is known."""
        source = self._workspace.source
        rows: list[tuple[Any, ...]] = []
        earlier: list[tuple[Any, ...]] = []
        for row, account, bank_id in found:
            if bank_id is not None and self._workspace.one(
                "SELECT 1 FROM stored WHERE record = ? AND mine", row["id"]
            ):
                continue
            stated = read_stated(row)
            of = own_source(row)
            mine = stated.get(source)
            if mine is None and (of == source or bank_id is not None or said is not None):
                mine = [self._as_made(row, account, bank_id, said)]
            for number, each in enumerate(mine or [_of_another(row, stated.get(of or ""))]):
                if each.now is None:
                    continue
                self._k += 1
                rows.append(self._values(row, account, number, each, mine is not None, of))
                for content, its_id in each.before if mine else ():
                    text = content.text_hash
                    ids = its_id, its_id is not None and its_id != each.bank_id
                    hashed = content.hash_of(text), content.time, content.day
                    earlier.append((self._k, account.number, *ids, *hashed))
        self._workspace.add_stored(rows)
        self._workspace.add_earlier(earlier)

    def _as_made(
        self, row: Row, account: KnownAccount, bank_id: str | None, said: Content | None
    ) -> Said:
        number, learned = row["importId"], account.learned
        return Said(
            bank_id,
            said or own_content(row),
            as_of=learned.as_of.get(number),
            texts=learned.texts.get(number),
        )

    def _values(
        self, row: Row, account: KnownAccount, number: int, said: Said, mine: bool, of: str | None
    ) -> tuple[Any, ...]:
        content = said.now
        assert content is not None
        bank_id, other_id = said.bank_id, None
        # One that only its source id names.
        if mine and bank_id is None and number == 0 and of == self._workspace.source:
            bank_id, other_id = bank_ids_in(row["sourceId"])
        text = content.text_hash
        return (
            self._k,
            row["id"],
            number,
            account.number,
            mine,
            of,
            bank_id,
            other_id,
            content.day,
            content.time,
            content.amount,
            text,
            content.hash_of(text),
            said.as_of,
            _texts_differ(row, said, account.texts),
            account.covers_day(content.day),
            account.covers_all_of(content.day),
            row["recordState"] == VOID,
            said.batch,
            False,
            hash_of(content.payee),
            hash_of(content.note),
        )


#: Whether the texts of a stored entry are made otherwise than the file's.
SAME_TEXTS, OTHER_TEXTS, UNKNOWN_TEXTS = 0, 1, 2


def _texts_differ(row: Row, said: Said, texts: str) -> int:
    by_hand = not {"payee", "note"}.isdisjoint(row["setByHand"])
    if by_hand and row["stated"] is None:
        return OTHER_TEXTS
    if said.texts is None:
        return UNKNOWN_TEXTS if texts else SAME_TEXTS
    return SAME_TEXTS if said.texts == texts else OTHER_TEXTS


def _of_another(row: Row, said: list[Said] | None) -> Said:
    """What another source says of a record; several of its entries are one record."""
    if said is not None and len(said) == 1 and said[0].now is not None:
        return said[0]
    return Said(None, own_content(row))
