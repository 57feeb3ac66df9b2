"""Stores what was decided about the entries of a file: new records, and changes of stored ones."""

import json
from collections.abc import Iterator
from itertools import islice
from operator import attrgetter

from finance_api.ledger.balances import Balances
from finance_api.ledger.derivation import derive
from finance_api.ledger.matching.known_account import KnownAccount
from finance_api.ledger.matching.source_ids import bank_ids_in
from finance_api.ledger.matching.stated import (
    CONTENT,
    Content,
    Said,
    own_content,
    own_source,
    read_stated,
    written,
)
from finance_api.ledger.matching.stored import StoredReader
from finance_api.ledger.matching.workspace import Outcome, StoredEntry, Workspace
from finance_api.ledger.report import ImportReport, Match, Update
from finance_api.ledger.row_set import RowSet
from finance_api.ledger.rows import blank_row, bounded_source_id, row_id
from finance_api.ledger.rules import Rules
from finance_api.ledger.session import LedgerSession
from finance_api.resources import CATEGORIES, RECORDS
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

_BATCH = 1_000
#: What else of an entry is kept, by the record's field.
_FURTHER = {
    "valueDate": "value_date",
    "counterpartyAccount": "counterparty_account",
    "reference": "reference",
    "originalAmount": "original_amount",
    "originalCurrencyCode": "original_currency",
}
_further = attrgetter(*_FURTHER.values())
_STORED = (
    Outcome.CORRECTION,
    Outcome.OLDER,
    Outcome.MATCHED,
    Outcome.MATCHED_PARTS,
    Outcome.VOIDS,
)


def content_of(entry: StoredEntry) -> Content:
    date = entry.day * DAY_SECONDS + entry.time
    return Content(date, entry.amount, entry.payee, entry.note)


class StatementRecords:
    """Writes the records of a workspace in which everything is decided.

    changed: whether anything that is seen changed.
    """

    def __init__(
        self,
        session: LedgerSession,
        workspace: Workspace,
        reader: StoredReader,
        accounts: list[KnownAccount],
        balances: Balances,
        report: ImportReport,
    ) -> None:
        self._session = session
        self._workspace = workspace
        self._reader = reader
        self._accounts = {account.number: account for account in accounts}
        self._balances = balances
        self._report = report
        self._rules = Rules(session)
        #: The last number that a bank id or content has, where the storage has others of it.
        self._numbers: dict[tuple[int, str | Content], int] = {}
        self.changed = False

    def write(self) -> None:
        """Raises ImportRefused."""
        self._number()
        awaited = {
            row["k"]: row["n"]
            for row in self._workspace.rows(
                "SELECT k, n FROM entries WHERE outcome = ?", Outcome.WAITING
            )
        }
        record_ids: dict[int, str] = {}
        # As the projection has them: in the order of most files it would be written in half-full
        # pages.
        for batch in self._batches(f"outcome = {Outcome.NEW}", order="day DESC, n"):
            for entry, row in zip(batch, self._create(batch), strict=True):
                if entry.n in awaited:
                    record_ids[entry.n] = row["id"]
        for batch in self._batches(f"outcome IN ({','.join(str(int(o)) for o in _STORED)})"):
            records = [self._places(entry) for entry in batch]
            self._change(batch, records)
        self._write_awaiting(record_ids)

    def _batches(self, condition: str, order: str = "n") -> Iterator[list[StoredEntry]]:
        found = self._workspace.entries(condition, order)
        while batch := list(islice(found, _BATCH)):
            yield batch

    # -- new records

    def _number(self) -> None:
        """Numbers those that share a bank id, or a content where there is none."""
        new = f"outcome IN ({int(Outcome.NEW)}, {int(Outcome.MATCHED)})"
        stored = self._workspace.has_stored
        for key, entries in (("bank_id", "bank_id IS NOT NULL"), ("content", "bank_id IS NULL")):
            known, which = "0", "1"
            if stored:
                known = (
                    f"(SELECT count(*) FROM stored AS s WHERE s.account = e.account AND s.mine "
                    f"AND s.{key} = e.{key})"
                )
            else:
                # Of others the number is 1, as it stands there.
                which = (
                    f"(account, {key}) IN (SELECT account, {key} FROM entries WHERE {entries} "
                    f"GROUP BY account, {key} HAVING count(*) > 1)"
                )
            if stored and key == "content":
                self._workspace.run(
                    "CREATE INDEX IF NOT EXISTS stored_content ON stored (account, content)"
                )
            self._workspace.run(
                f"""
                UPDATE entries SET number = counted.number FROM (
                    SELECT n, {known} + row_number() OVER (
                        PARTITION BY account, {key} ORDER BY n
                    ) AS number FROM entries AS e WHERE {new} AND {entries} AND {which}
                ) AS counted WHERE counted.n = entries.n AND counted.number <> entries.number
                """
            )

    def _source_ids(self, batch: list[StoredEntry]) -> list[str]:
        """Ids that no stored record has, nor ever had."""
        if self._reader.is_empty:
            return [self._source_id(entry, entry.number) for entry in batch]
        keys = [(entry.account, entry.bank_id or content_of(entry)) for entry in batch]
        found: list[str] = [""] * len(batch)
        places = list(range(len(batch)))
        while places:
            for place in places:
                number = batch[place].number
                if keys[place] in self._numbers:
                    number = max(number, self._numbers[keys[place]] + 1)
                    self._numbers[keys[place]] = number
                found[place] = self._source_id(batch[place], number)
            taken = self._reader.taken([found[place] for place in places])
            places = [place for place in places if found[place] in taken]
            for place in places:
                self._numbers.setdefault(keys[place], batch[place].number)
        return found

    def _source_id(self, entry: StoredEntry, number: int) -> str:
        scope = self._accounts[entry.account].scopes[entry.statement]
        if entry.bank_id is None:
            return scope.of_content(content_of(entry), number)
        return scope.of_bank_id(entry.bank_id, number)

    def _create(self, batch: list[StoredEntry]) -> list[Row]:
        source, session = self._workspace.source, self._session
        rows = []
        for entry, source_id in zip(batch, self._source_ids(batch), strict=True):
            row = self._new_record(entry)
            row["id"] = row_id(session.user.uuid, source, source_id)
            row["source"], row["sourceId"] = source, source_id
            derive(session, row, entry.line)
            row["createdAt"] = row["updatedAt"] = session.now
            row["importId"] = session.number
            self._balances.note(None, row)
            rows.append(row)
        session.storage.data.put_rows(session.user.id, RECORDS, new=rows, changed=())
        session.note_records(new=rows)
        self._report.note_new(rows)
        self.changed = True
        return rows

    def _new_record(self, entry: StoredEntry) -> Row:
        row = blank_row(RECORDS)
        row["accountId"] = self._accounts[entry.account].id
        row["recordDate"] = entry.day * DAY_SECONDS + entry.time
        row["amount"], row["payee"], row["note"] = entry.amount, entry.payee, entry.note
        row.update(zip(_FURTHER, _further(entry), strict=True))
        category_id, label_ids = self._rules.apply(row["accountId"], row["payee"], row["note"])
        row["categoryByRule"] = category_id is not None or None
        if category_id is None and entry.category is not None:
            category_id = self._of_name(self._session.categories, entry.category)
        if entry.labels is not None:
            own = (self._of_name(self._session.labels, n) for n in json.loads(entry.labels))
            label_ids = tuple(dict.fromkeys((*label_ids, *own)))
        row["categoryId"], row["labelIds"] = category_id, label_ids
        row["paymentType"] = entry.payment_type
        # A bank's statement lists what is settled.
        row["recordState"] = entry.record_state or "cleared"
        if entry.batch is not None:
            row["stated"] = written({self._workspace.source: [self._said(entry)]})
        return row

    def _of_name(self, row_set: RowSet, name: str) -> str:
        """The id of the category or label of that name, made if there is none."""
        source = self._workspace.source
        source_id = bounded_source_id(f"{row_set.resource.model_type}/{name}")
        known = row_set.find(None, source, source_id)
        if known is None:
            known = next(iter(row_set.named(name)), None)
        if known is None:
            known = {
                **blank_row(row_set.resource),
                "id": row_id(self._session.user.uuid, source, source_id),
                "name": name,
                "createdAt": self._session.now,
                "updatedAt": self._session.now,
                "source": source,
                "sourceId": source_id,
            }
            if row_set.resource is CATEGORIES:
                known["customCategory"] = True
            row_set.put(known)
        return str(known["id"])

    def _said(self, entry: StoredEntry, *, in_part: bool = False) -> Said:
        statement = self._workspace.statements[entry.statement]
        return Said(
            entry.bank_id,
            None if in_part else content_of(entry),
            as_of=statement.as_of,
            texts=statement.texts,
            batch=entry.batch,
        )

    # -- stored records

    def _places(self, entry: StoredEntry) -> list[tuple[str, int]]:
        """The records that an entry is about, and its place among the entries of each."""
        if entry.outcome == Outcome.MATCHED_PARTS:
            sql = "SELECT record, entry FROM parts JOIN stored USING (k) WHERE n = ? ORDER BY k"
            return self._workspace.database.execute(sql, (entry.n,)).fetchall()
        sql = "SELECT record, entry FROM stored WHERE k = ?"
        return self._workspace.database.execute(sql, (entry.k,)).fetchall()

    def _change(self, batch: list[StoredEntry], places: list[list[tuple[str, int]]]) -> None:
        session = self._session
        ids = dict.fromkeys(record_id for records in places for record_id, _ in records)
        before = session.storage.data.get_rows(session.user.id, RECORDS, list(ids))
        after = {record_id: dict(row) for record_id, row in before.items()}
        matched = [e for e in batch if e.outcome in (Outcome.MATCHED, Outcome.MATCHED_PARTS)]
        source_ids = dict(zip([e.n for e in matched], self._source_ids(matched), strict=True))
        lines: dict[str, int] = {}
        for entry, records in zip(batch, places, strict=True):
            for number, (record_id, place) in enumerate(records):
                row = after[record_id]
                lines.setdefault(record_id, entry.line)
                if entry.outcome in (Outcome.MATCHED, Outcome.MATCHED_PARTS):
                    self._match(row, entry, source_ids[entry.n], in_part=number > 0)
                else:
                    self._tell(row, entry, place)
        told = {
            record_id
            for entry, records in zip(batch, places, strict=True)
            if entry.n not in source_ids
            for record_id, _ in records
        }
        self._put(before, after, lines, told)

    def _put(
        self, before: dict[str, Row], after: dict[str, Row], lines: dict[str, int], told: set[str]
    ) -> None:
        session = self._session
        pairs = []
        for record_id, old in before.items():
            row = after[record_id]
            if row == old:
                self._report.unchanged += record_id in told
                continue
            derive(session, row, lines[record_id])
            names = [f.name for f in RECORDS.fields if row[f.name] != old[f.name]]
            if names:
                row["updatedAt"] = session.now
                self.changed = True
                values = [{n: r[n] for n in names if n in _SHOWN} for r in (old, row)]
                self._report.note_update(Update(record_id, lines[record_id], *values))
            else:
                self._report.unchanged += record_id in told
            self._balances.note(old, row)
            pairs.append((old, row))
        if pairs:
            # What this import made has no image.
            session.note_changes(RECORDS, [p for p in pairs if p[0]["importId"] != session.number])
            changed = [row for _, row in pairs]
            session.storage.data.put_rows(session.user.id, RECORDS, new=(), changed=changed)
            session.note_records(changed=changed)

    def _match(self, row: Row, entry: StoredEntry, source_id: str, *, in_part: bool) -> None:
        source = self._workspace.source
        stated = read_stated(row)
        stated.setdefault(source, []).append(self._said(entry, in_part=in_part))
        row["stated"] = written(stated)
        row["furtherSources"] = (*row["furtherSources"], f"{source}:{source_id}")
        if not in_part:
            values = dict(zip(CONTENT, content_of(entry), strict=True))
            record = {name: row[name] for name in CONTENT}
            self._report.note_match(Match(row["id"], entry.line, values, record))

    def _tell(self, row: Row, entry: StoredEntry, place: int) -> None:
        """Brings what the entry says of a record of its source."""
        if entry.outcome == Outcome.VOIDS:
            if "recordState" not in row["setByHand"]:
                row["recordState"] = VOID
            return
        source = self._workspace.source
        stated = read_stated(row)
        entries = stated.get(source) or [self._as_made(row)]
        said, content = entries[place], content_of(entry)
        assert said.now is not None
        if entry.outcome == Outcome.OLDER:
            entries[place] = said.with_older(entry.bank_id, content)
        else:
            statement = self._workspace.statements[entry.statement]
            if content.day == said.now.day and not content.time:
                content = Content(said.now.date, *content[1:])
            self._set(row, said.now, content, entry)
            bank_id = entry.bank_id if entry.bank_id is not None else said.bank_id
            entries[place] = said.corrected(bank_id, content, statement.as_of, statement.texts)
        row["stated"] = written({**stated, source: entries})

    def _as_made(self, row: Row) -> Said:
        """What the source that made the record said, where nothing else is noted."""
        learned = next(
            (a.learned for a in self._accounts.values() if a.id == row["accountId"]), None
        )
        number = row["importId"]
        return Said(
            bank_ids_in(row["sourceId"])[0] if own_source(row) is not None else None,
            own_content(row),
            as_of=None if learned is None else learned.as_of.get(number),
            texts=None if learned is None else learned.texts.get(number),
        )

    def _set(self, row: Row, old: Content, new: Content, entry: StoredEntry) -> None:
        """Changes what the file says otherwise now, and no hand has set."""
        by_hand = row["setByHand"]
        for name, was, value in zip(CONTENT, old, new, strict=True):
            if value != was and name not in by_hand:
                row[name] = value
        for name, column in _FURTHER.items():
            if getattr(entry, column) is not None and name not in by_hand:
                row[name] = getattr(entry, column)

    # -- entries that correct others of the file

    def _write_awaiting(self, record_ids: dict[int, str]) -> None:
        waiting = f"outcome = {Outcome.WAITING}"
        places = {
            n: (record_id, place)
            for n, record_id, place in self._workspace.database.execute(
                "SELECT e.n, s.record, s.entry FROM entries AS e JOIN entries AS o ON o.n = e.k "
                f"LEFT JOIN stored AS s ON s.k = o.k WHERE e.{waiting}"
            )
        }
        for entry in list(self._workspace.entries(waiting)):
            stored_id, place = places[entry.n]
            assert entry.k is not None
            record_id = record_ids.get(entry.k) or stored_id
            before = self._session.storage.data.get_rows(
                self._session.user.id, RECORDS, [record_id]
            )
            after = {record_id: dict(row) for record_id, row in before.items()}
            self._tell_waiting(after[record_id], entry, place or 0)
            self._put(before, after, {record_id: entry.line}, {record_id})

    def _tell_waiting(self, row: Row, entry: StoredEntry, place: int) -> None:
        if entry.deletes:
            if "recordState" not in row["setByHand"]:
                row["recordState"] = VOID
        else:
            self._tell(row, entry, place)


_SHOWN = frozenset(field.name for field in RECORDS.native_fields)
