"""Reads the stored records that may equal entries of a file, as earlier files stated them."""

from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from finance_api.ledger.matching.accounts import KnownAccount
from finance_api.ledger.matching.model import (
    OTHER_TEXTS,
    SAME_TEXTS,
    UNKNOWN_TEXTS,
    Candidate,
    Earlier,
)
from finance_api.ledger.matching.stated import (
    REACH_DAYS,
    Content,
    StatedValues,
    bank_id_in,
    own_content,
    own_source,
    read_stated,
)
from finance_api.ledger.matching.stored import get_stated, get_stated_by_source, stated_pages
from finance_api.ledger.rows import row_id
from finance_api.ledger.session import LedgerSession
from finance_api.resources import RECORDS, SPLITS
from finance_api.resources.records import VOID
from finance_api.values import Row

#: For each bank id, look for up to this many records.
MOST_OF_AN_ID = 8
_BATCH = 1_000


class Wanted(NamedTuple):
    """An entry whose record is to be read by its bank id."""

    account: KnownAccount
    statement: int
    bank_id: str


class CandidateReader:
    """Reads the records that may equal entries of the file, each once.

    candidates: the candidates read so far, in the order of reading.
    """

    def __init__(
        self, session: LedgerSession, source: str, accounts: Iterable[KnownAccount]
    ) -> None:
        self._session = session
        self._source = source
        self._accounts = {account.id: account for account in accounts}
        self.candidates: list[Candidate] = []
        scan = session.storage.data.scan_rows
        #: Whether the user has no records at all, and deleted none.
        self.is_empty = not any(scan(session.user.id, r, limit=1) for r in (RECORDS, SPLITS))

    @cached_property
    def _own(self) -> dict[str, Candidate]:
        """The first candidate of each record of this source, by the record's id."""
        own: dict[str, Candidate] = {}
        for candidate in self.candidates:
            if candidate.mine:
                own.setdefault(candidate.record, candidate)
        return own

    def read_days(self) -> None:
        """Read the records of the file's accounts on its days and near them."""
        known = [a for a in self._accounts.values() if not a.is_new and a.covers]
        if self.is_empty or not known:
            return
        first = min(account.first for account in known) - REACH_DAYS
        last = max(account.last for account in known) + REACH_DAYS
        for page in stated_pages(self._session, [account.id for account in known], first, last):
            for row in page:
                self._add(row, self._accounts[row["accountId"]])

    def read_ids(self, entries: Iterable[Wanted]) -> bool:
        """Read the records with the entries' bank ids, on any day.

        Returns whether there are new candidates.
        """
        begin = len(self.candidates)
        left = iter([] if self.is_empty else dict.fromkeys(entries))
        while wanted := list(islice(left, _BATCH)):
            for number in range(1, MOST_OF_AN_ID + 1):
                keys = {
                    each.account.scopes[each.statement].of_bank_id(each.bank_id, number): each
                    for each in wanted
                }
                found = self.by_source_ids(list(keys))
                for source_id, row in found.items():
                    if row["id"] not in self._own:
                        self._add(row, keys[source_id].account, bank_id=keys[source_id].bank_id)
                wanted = list(dict.fromkeys(keys[source_id] for source_id in found))
        return len(self.candidates) > begin

    def read_contents(
        self, wanted: dict[str, tuple[KnownAccount, Content]]
    ) -> dict[str, Candidate]:
        """Return the free candidates that came from entries without a bank id, by source id."""
        if self.is_empty or not wanted:
            return {}
        found = {}
        for source_id, row in self.by_source_ids(list(wanted)).items():
            account, content = wanted[source_id]
            if row["id"] not in self._own:
                self._add(row, account, content=content)
            candidate = self._own.get(row["id"])
            if candidate is not None and not candidate.is_taken:
                found[source_id] = candidate
        return found

    def texts_of(self, candidate: Candidate) -> tuple[str | None, str | None]:
        """Return the payee and the note of the candidate's record."""
        row = get_stated(self._session, [candidate.record])[candidate.record]
        return row["payee"], row["note"]

    def taken(self, source_ids: list[str]) -> set[str]:
        """Return the source ids that records have, or had when their own ids were derived."""
        user, source = self._session.user, self._source
        ids = {row_id(user.uuid, source, source_id): source_id for source_id in source_ids}
        stored = get_stated(self._session, list(ids))
        of_source = get_stated_by_source(self._session, source, source_ids)
        return {*of_source, *(ids[each] for each in stored)}

    def by_source_ids(self, source_ids: list[str]) -> dict[str, Row]:
        """Return stored records by source id: the current or, if they have none now, the first."""
        if self.is_empty or not source_ids:
            return {}
        user, source = self._session.user, self._source
        found = get_stated_by_source(self._session, source, source_ids)
        ids = {row_id(user.uuid, source, source_id): source_id for source_id in source_ids}
        for each, row in get_stated(self._session, list(ids)).items():
            if row["sourceId"] is None:
                found.setdefault(ids[each], row)
        return found

    def _add(
        self,
        row: Row,
        account: KnownAccount,
        *,
        bank_id: str | None = None,
        content: Content | None = None,
    ) -> None:
        """bank_id, content: those of the entry the record was made from, if known."""
        stated, of = read_stated(row), own_source(row)
        mine = stated.get(self._source)
        if mine is None and (of == self._source or bank_id is not None or content is not None):
            mine = [account.as_made(row, bank_id, content)]
        for place, each in enumerate(mine or [_of_another(row, stated.get(of or ""))]):
            if each.now is None:
                continue
            its_id = each.bank_id
            # The bank id is only in the record's source id.
            if mine is not None and its_id is None and place == 0 and of == self._source:
                its_id = bank_id_in(row["sourceId"])
            candidate = Candidate(
                account,
                each,
                record=row["id"],
                place=place,
                mine=mine is not None,
                source=of,
                bank_id=its_id,
                texts=_texts_differ(row, each, account.texts),
                is_void=row["recordState"] == VOID,
                earlier=_earlier(each) if mine is not None else (),
            )
            self.candidates.append(candidate)
            if mine is not None and "_own" in vars(self):
                self._own.setdefault(row["id"], candidate)


def _earlier(values: StatedValues) -> tuple[Earlier, ...]:
    return tuple(
        (
            content.hash_of(content.text_hash),
            content.time,
            bank_id,
            bank_id is not None and bank_id != values.bank_id,
        )
        for content, bank_id in values.before
    )


def _texts_differ(row: Row, values: StatedValues, texts: str) -> int:
    by_hand = not {"payee", "note"}.isdisjoint(row["setByHand"])
    if by_hand and row["stated"] is None:
        return OTHER_TEXTS
    if values.texts is None:
        return UNKNOWN_TEXTS if texts else SAME_TEXTS
    return SAME_TEXTS if values.texts == texts else OTHER_TEXTS


def _of_another(row: Row, values: list[StatedValues] | None) -> StatedValues:
    """Return the values another source's entry stated, or the record's if several entries did."""
    if values is not None and len(values) == 1 and values[0].now is not None:
        return values[0]
    return StatedValues(None, own_content(row))
