"""Reads the stored records that may equal entries of a file, as earlier files stated them."""

from collections.abc import Iterable
from itertools import chain, islice
from sys import intern
from typing import NamedTuple

from finance_api.importers import NATIVE
from finance_api.ledger.matching.model import (
    NOTHING_FURTHER,
    OTHER_TEXTS,
    SAME_TEXTS,
    UNKNOWN_TEXTS,
    Candidate,
    Earlier,
    Further,
    names_other_side,
)
from finance_api.ledger.matching.stated import (
    REACH_DAYS,
    REST,
    Content,
    KnownAccount,
    StatedValues,
    bank_id_in,
    own_content,
    own_source,
    payee_of_file,
    read_stated,
    total_stated,
)
from finance_api.ledger.rows import batched, row_id
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.splits import get_stated, get_stated_by_source, stated_pages
from finance_api.resources import RECORDS, SPLITS
from finance_api.resources.records import VOID
from finance_api.values import Row

#: For each bank id, look for up to this many records.
MOST_OF_AN_ID = 8


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
        self._own: dict[str, Candidate] = {}
        self._known_own = 0
        #: Many candidates share a day or a time, and each number of its own takes memory.
        self._same: dict[int, int] = {}
        scan = session.storage.data.scan_rows
        #: Whether the user has no records at all, and deleted none.
        self.is_empty = not any(scan(session.user.id, r, limit=1) for r in (RECORDS, SPLITS))

    def _own_of(self, record_id: str) -> Candidate | None:
        """Return a record's first candidate whose entry is from this source, if it was read."""
        for candidate in islice(self.candidates, self._known_own, None):
            if candidate.mine:
                self._own.setdefault(candidate.record, candidate)
        self._known_own = len(self.candidates)
        return self._own.get(record_id)

    def read_days(self) -> None:
        """Read the accounts' records on the days of the file and near them."""
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
        for wanted in batched([] if self.is_empty else dict.fromkeys(entries)):
            for number in range(1, MOST_OF_AN_ID + 1):
                keys = {
                    each.account.scopes[each.statement].of_bank_id(each.bank_id, number): each
                    for each in wanted
                }
                found = self.by_source_ids(list(keys))
                for source_id, row in found.items():
                    if self._own_of(row["id"]) is None:
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
            if self._own_of(row["id"]) is None:
                self._add(row, account, content=content)
            candidate = self._own_of(row["id"])
            if candidate is not None and candidate.is_free:
                found[source_id] = candidate
        return found

    def texts_of(self, candidate: Candidate) -> tuple[str | None, str | None]:
        """Return the payee and the note that a file stated; the candidate itself lacks them."""
        row = get_stated(self._session, [candidate.record])[candidate.record]
        stated = read_stated(row).get(self._source) if candidate.mine else None
        now = stated[candidate.place].now if stated else None
        return (payee_of_file(row), row["note"]) if now is None else (now.payee, now.note)

    def taken(self, source_ids: list[str]) -> set[str]:
        """Return the source ids that records have, or had when the records' ids were derived."""
        user, source = self._session.user, self._source
        ids = {row_id(user.uuid, source, source_id): source_id for source_id in source_ids}
        stored = get_stated(self._session, list(ids))
        of_source = get_stated_by_source(self._session, source, source_ids)
        return {*of_source, *(ids[each] for each in stored)}

    def by_source_ids(self, source_ids: list[str]) -> dict[str, Row]:
        """Return records by source id. If a record has no source id now, its first one counts."""
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
        """Add a candidate for each entry that stated the record.

        bank_id, content: the values of the entry that the record was created from, if known.
        """
        stated, of = read_stated(row), own_source(row)
        is_void = row["recordState"] == VOID
        is_deleted = is_void and of not in (None, NATIVE) and "recordState" not in row["setByHand"]
        mine = stated.get(self._source)
        if mine is None and (of == self._source or bank_id is not None or content is not None):
            mine = [account.as_made(row, bank_id, content)]
        other = _of_another(row, stated)
        rest = _rest(other, mine) if mine and of != self._source else None
        past = [] if mine else _before_corrections(other, stated)
        others = [each for s in stated if s != self._source for each in stated[s]]
        change = row["amount"] - total_stated(mine) if mine else 0
        sums = tuple(
            each.now.amount
            for each in others
            if each.now is not None and each.beside is not None
            if each.batch is None and each.message in (None, REST)
        )
        now = None
        for place, each in enumerate((*(mine or [other]), *([rest] if rest else []), *past)):
            if each.now is None:
                continue
            is_own = mine is not None and each is not rest
            its_id = each.bank_id
            # Only the record's source id contains the bank id.
            if is_own and its_id is None and place == 0 and of == self._source:
                its_id = bank_id_in(row["sourceId"])
            further = Further(sums=sums)
            if is_own:
                restated = _restated(each, others)
                further = Further(_earlier(each), each.others or (), sums, restated)
            candidate = Candidate(
                account,
                record=row["id"],
                import_id=row["importId"],
                place=place,
                mine=is_own,
                source=of and intern(of),
                bank_id=its_id,
                texts=_texts_differ(row, each, account.texts),
                is_void=is_void and not is_deleted,
                is_past=is_deleted or each in past,
                message=(row["importId"], each.message) if each.message else None,
                names_other=names_other_side(of, each.now.payee, row["counterpartyAccount"]),
                present=each.now.amount + change if change else each.now.amount,
                day=self._same.setdefault(each.now.day, each.now.day),
                time=self._same.setdefault(each.now.time, each.now.time),
                amount=each.now.amount,
                text=each.now.text_hash,
                as_of=each.as_of,
                batch=each.batch,
                offset=each.offset,
                further=further if any(further) else NOTHING_FURTHER,
                now=now if each in past else None,
            )
            now = now or candidate
            self.candidates.append(candidate)


def _rest(whole: StatedValues, parts: list[StatedValues]) -> StatedValues | None:
    """Return another source's sum less its known notified parts; None if nothing is left."""
    total = sum(part.now.amount for part in parts if part.now is not None)
    content = whole.now
    if content is None or not any(part.message for part in parts):
        return None
    rest = content.amount - total
    is_less = total < 0 > rest or total > 0 < rest
    return whole._replace(now=content._replace(amount=rest)) if is_less else None


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


def _of_another(row: Row, stated: dict[str, list[StatedValues]]) -> StatedValues:
    """Return what another source's only entry stated; if there is no such entry, the row's values.

    Of a rest, and after a correction by any source, the amount is the row's.
    """
    values = stated.get(own_source(row) or "", [])
    if len(values) == 1 and (now := values[0].now) is not None:
        (only,) = values
        is_corrected = "amount" not in row["setByHand"] and any(w.before for w in _wholes(stated))
        if only.message == REST or is_corrected:
            now = now._replace(amount=row["amount"])
        return only._replace(now=now)
    bank_id = None if own_source(row) is None else bank_id_in(row["sourceId"])
    return StatedValues(bank_id, own_content(row))


def _wholes(stated: dict[str, list[StatedValues]]) -> list[StatedValues]:
    """Return the entries of all sources that equal the record, and are no part or sum of it."""
    each_one = chain.from_iterable(stated.values())
    return [w for w in each_one if w.now is not None and w.beside is None and w.message is None]


def _restated(own: StatedValues, others: list[StatedValues]) -> tuple[int, ...]:
    """Return the amounts that entries of other sources, for the same money, had before and after
    corrections.
    """
    same = (each.amounts for each in others if each.before and each.beside == own.beside)
    return tuple(dict.fromkeys(n for amounts in same for n in amounts if n != own.amounts[-1]))


def _before_corrections(
    other: StatedValues, stated: dict[str, list[StatedValues]]
) -> list[StatedValues]:
    """Return what statements of other sources had before corrections, one of each amount."""
    assert other.now is not None
    contents = chain.from_iterable((w.now, *(c for c, _ in w.before)) for w in _wholes(stated))
    past = {content.amount: content for content in contents if content is not None}
    return [other._replace(now=past[n]) for n in past if n != other.now.amount]
