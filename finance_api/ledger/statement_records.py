"""Stores the decisions about a file's entries: new records, and changes to stored records."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import attrgetter

from finance_api.importers.interface import Entry
from finance_api.ledger.brought import (
    NOWHERE,
    Brought,
    as_deleted,
    as_stored,
    note_brought,
    read_brought,
)
from finance_api.ledger.derivation import Ruled, Rules, derive
from finance_api.ledger.matching.candidates import CandidateReader
from finance_api.ledger.matching.model import FileEntries, FileEntry, Outcome, correction_chain
from finance_api.ledger.matching.stated import (
    CONTENT,
    REST,
    Content,
    KnownAccount,
    StatedValues,
    bank_id_in,
    note_stated,
    own_source,
    read_stated,
    total_beside,
    total_stated,
    written,
)
from finance_api.ledger.orders import ImportReport, Listed
from finance_api.ledger.rows import RowSet, batched, blank_row, bounded_source_id, row_id
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.splits import (
    change_wholes,
    deleted_among,
    get_stated,
    is_stated,
    is_whole,
    part_of,
    whole_of,
)
from finance_api.resources import CATEGORIES, RECORD_RULES, RECORDS, SPLITS
from finance_api.resources.records import STATED, VOID
from finance_api.values import Row
from finance_api.values.ids import derived_id

_further = attrgetter(*STATED.values())
_CHANGING = (
    Outcome.CORRECTION,
    Outcome.OLDER,
    Outcome.MATCHED,
    Outcome.MATCHED_PARTS,
    Outcome.VOIDS,
)
_MATCHED = (Outcome.MATCHED, Outcome.MATCHED_PARTS)
#: A decided entry, and the entry itself, which takes time to unpack.
_Unpacked = tuple[FileEntry, Entry]


def content_of(entry: Entry) -> Content:
    return Content(entry.date, entry.amount, entry.payee, entry.note)


class StatementRecords:
    """Writes the records of a file whose entries are all decided."""

    def __init__(
        self,
        session: LedgerSession,
        file: FileEntries,
        reader: CandidateReader,
        report: ImportReport,
    ) -> None:
        """Empty ``file.entries``, so that entries are gone when they are stored."""
        self._session = session
        self._file = file
        self._reader = reader
        self._report = report
        #: The last number used for each bank id or content that stored records have as well.
        self._numbers: dict[tuple[KnownAccount, str | Content], int] = {}
        _number(file.entries, reader)
        # Newest first, like the read model: most files have the opposite order, which would leave
        # the model's pages half full.
        new = (row for row in file.entries if row.outcome is Outcome.NEW)
        self._new = deque(sorted(new, key=lambda row: -row.day))
        self._changing = [e for e in file.entries if e.outcome in _CHANGING or e.rest]
        waiting = (row for row in file.entries if row.outcome is Outcome.WAITING)
        self._waiting = sorted(waiting, key=lambda row: len(tuple(correction_chain(row))))
        #: Each new entry that another entry corrects -> the id of the new record.
        self._awaited = {row.awaits: "" for row in self._waiting if row.awaits is not None}
        #: How many entries consist of a record, by its id.
        self._entries_of = Counter(part.record for row in file.entries for part in row.parts)
        file.entries.clear()
        self._rules = Rules(session)
        if session.row_set(RECORD_RULES).rows:
            self._match_rules()

    def _match_rules(self) -> None:
        """Match the rules with the new entries now, before other changes have to wait."""
        for row in self._new:
            entry, account_id = row.whole, row.account.id
            row.payee = self._rules.payee(account_id, entry.payee, entry.note)
            parts = () if row.rest else entry.parts
            notes = [note for _, note, *_ in parts] or [entry.note]
            payees = row.payee, entry.payee
            row.ruled = tuple(self._rules.apply(account_id, payees, note) for note in notes)

    def write(self) -> None:
        """Store the records. Raises ImportRefused."""
        for batch in batched(self._take_new()):
            for made, row in zip(batch, self._create(batch), strict=True):
                if made in self._awaited:
                    self._awaited[made] = row["id"]
        for batch in batched(self._changing):
            self._change(batch)
        # One by one, because these entries may correct each other.
        for waiting in self._waiting:
            self._change([waiting])

    # -- new records

    def _take_new(self) -> Iterator[FileEntry]:
        """Yield the new entries, and let go of them: stored ones need no memory."""
        while self._new:
            yield self._new.popleft()

    def _source_ids(self, batch: Sequence[_Unpacked]) -> list[str]:
        """Return source ids that no record has or ever had."""
        found = [_source_id(row, entry, row.number) for row, entry in batch]
        if self._reader.is_empty:
            return found
        keys = [(row.account, row.bank_id or content_of(entry)) for row, entry in batch]
        places = list(range(len(batch)))
        while places:
            for place in places:
                if keys[place] in self._numbers:
                    row, entry = batch[place]
                    number = max(row.number, self._numbers[keys[place]] + 1)
                    self._numbers[keys[place]] = number
                    found[place] = _source_id(row, entry, number)
            taken = self._reader.taken([found[place] for place in places])
            places = [place for place in places if found[place] in taken]
            for place in places:
                self._numbers.setdefault(keys[place], batch[place][0].number)
        return found

    def _create(self, entries: list[FileEntry]) -> list[Row]:
        source, session = self._file.source, self._session
        batch = [(decided, decided.whole) for decided in entries]
        rows: list[Row] = []
        parts: list[Row] = []
        for (decided, entry), source_id in zip(batch, self._source_ids(batch), strict=True):
            if decided.rest:
                # Nobody knows which parts are left.
                entry = entry._replace(parts=())
            row = self._new_record(decided, entry)
            row["id"] = row_id(session.user.uuid, source, source_id)
            row["source"], row["sourceId"] = source, source_id
            derive(session, row, entry.line)
            row["createdAt"] = row["updatedAt"] = session.now
            row["importId"] = session.number
            rows.append(row)
            parts += self._parts(row, decided, entry)
        split_ids = {part["splitId"] for part in parts}
        session.write(SPLITS, [(None, whole_of(row)) for row in rows if row["id"] in split_ids])
        new = [*(row for row in rows if row["id"] not in split_ids), *parts]
        session.write(RECORDS, [(None, row) for row in new])
        self._report.note_new(new)
        return rows

    def _parts(self, record: Row, decided: FileEntry, entry: Entry) -> Iterator[Row]:
        session = self._session
        for number, (amount, note, category, labels) in enumerate(entry.parts, 1):
            name = f"{record['sourceId']}/part/{number}"
            part_id = derived_id(session.user.uuid, self._file.source, name)
            part = part_of(record, part_id, amount, session.now)
            part["note"] = note
            self._classify(part, decided.ruled_part(number), category, labels)
            derive(session, part, entry.line)
            yield part

    def _new_record(self, decided: FileEntry, entry: Entry) -> Row:
        row = blank_row(RECORDS)
        row["accountId"] = decided.account.id
        row["recordDate"] = entry.date
        row["amount"], row["payee"], row["note"] = entry.amount, entry.payee, entry.note
        row.update(zip(STATED, _further(entry), strict=True))
        row["paymentType"] = entry.payment_type
        # A bank's statement lists settled transactions.
        row["recordState"] = _state_of(entry)
        is_renamed = decided.payee not in (None, entry.payee)
        if is_renamed:
            row["payee"], row["originalPayee"] = decided.payee, entry.payee
        if decided.rest:
            row["amount"] = decided.rest
            shared = self._shared_values(decided, decided.rest)
            row["stated"] = written({self._file.source: [shared]})
        elif is_renamed or (entry.batch, entry.offset, entry.message) != (None, None, None):
            row["stated"] = written({self._file.source: [self._stated_values(decided)]})
        if not entry.parts:
            self._classify(row, decided.ruled_part(1), entry.category, entry.labels)
        return row

    def _classify(
        self, row: Row, ruled: Ruled, category: str | None, labels: Sequence[str]
    ) -> None:
        """Set category and labels by the rules, and by the names in the file."""
        category_id, label_ids = ruled
        row["categoryByRule"] = category_id is not None or None
        if category_id is None and category is not None:
            category_id = self._of_name(self._session.categories, category)
        if labels:
            own = (self._of_name(self._session.labels, name) for name in labels)
            label_ids = tuple(dict.fromkeys((*label_ids, *own)))
        row["categoryId"], row["labelIds"] = category_id, label_ids

    def _of_name(self, row_set: RowSet, name: str) -> str:
        """Return the id of the category or label with that name, which is created if missing."""
        source = self._file.source
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

    def _stated_values(self, decided: FileEntry) -> StatedValues:
        entry, statement = decided.whole, self._file.statements[decided.statement]
        return StatedValues(
            entry.bank_id,
            content_of(entry),
            as_of=statement.as_of,
            texts=statement.texts,
            batch=entry.batch,
            offset=entry.offset,
            message=REST if decided.rest else entry.message,
        )

    def _shared_values(self, decided: FileEntry, amount: int) -> StatedValues:
        """Return the values of an entry for a record that has ``amount`` of it.

        The record is the first of the entry's parts, or has the rest beside them.
        """
        rest, parts = decided.rest, decided.parts
        total = sum(part.amount for part in parts) + rest
        others = tuple(part.record for part in (parts if rest else parts[1:]))
        # Parts of another total belong to further entries, too.
        is_alone = total == decided.amount and all(self._entries_of[id_] == 1 for id_ in others)
        return self._stated_values(decided)._replace(
            beside=decided.amount - amount or None, others=others if others and is_alone else None
        )

    # -- stored records

    def _change(self, entries: list[FileEntry]) -> None:
        session = self._session
        records = [self._records(entry) for entry in entries]
        ids = dict.fromkeys(record_id for found in records for record_id, _ in found)
        before = get_stated(session, list(ids))
        for entry, found in zip(entries, records, strict=True):
            if found and _is_deletion(entry):
                others = get_stated(session, self._others(before[found[0][0]]) or ())
                found += [(record_id, 0) for record_id in others]
                before |= others
        after = {record_id: dict(row) for record_id, row in before.items()}
        matched = [(e, e.whole) for e in entries if e.outcome in _MATCHED]
        source_ids = iter(self._source_ids(matched))
        lines: dict[str, int] = {}
        stated_ids: set[str] = set()
        for entry, found in zip(entries, records, strict=True):
            source_id = next(source_ids) if entry.outcome in _MATCHED else None
            for number, (record_id, place) in enumerate(found):
                lines.setdefault(record_id, entry.whole.line)
                if source_id is not None or entry.rest:
                    self._match(after[record_id], entry, source_id, number)
                else:
                    stated_ids.add(record_id)
                    self._update(after[record_id], entry, place)
        self._put(before, after, lines, stated_ids)

    def _put(
        self,
        before: dict[str, Row],
        after: dict[str, Row],
        lines: dict[str, int],
        stated_ids: set[str],
    ) -> None:
        session = self._session
        pairs: list[tuple[Row, Row]] = []
        wholes: list[tuple[Row, Row]] = []
        changed_wholes = [i for i, old in before.items() if is_whole(old) and after[i] != old]
        deleted = deleted_among(session, changed_wholes)
        for record_id, old in before.items():
            row = as_deleted(after[record_id]) if record_id in deleted else after[record_id]
            if row == old:
                self._report.unchanged += record_id in stated_ids
                continue
            note_stated(old, row, session.history)
            if not is_whole(row):
                derive(session, row, lines[record_id])
            names = [f.name for f in RECORDS.fields if row.get(f.name) != old.get(f.name)]
            if names and record_id not in deleted:
                row["updatedAt"] = session.now
                values = [{n: r[n] for n in names if n in _SHOWN} for r in (old, row)]
                self._report.note_update(Listed(record_id, lines[record_id], *values))
            else:
                self._report.unchanged += record_id in stated_ids
            if is_whole(row):
                wholes.append((old, row))
                continue
            pairs.append((old, row))
        self._report.remarks += change_wholes(session, wholes)
        session.write(RECORDS, pairs)

    def _records(self, entry: FileEntry) -> list[tuple[str, int]]:
        """Return the ids of the records an entry changes, each with its `Candidate.place`."""
        *_, last = correction_chain(entry)
        if last is not entry and self._awaited.get(last):
            return [(self._awaited[last], 0)]
        found = [(c.record, c.place) for c in last.parts or (last.candidate,) if c is not None]
        return found if last is entry else found[:1]

    def _others(self, row: Row) -> tuple[str, ...] | None:
        """Return the ids of the records that an entry consists of, beside this one.

        None if this record, or another one, also belongs to further entries of the source.
        """
        entries = read_stated(row).get(self._file.source, [])
        others = entries[0].others if entries else None
        is_shared = len(entries) > 1 or (entries and entries[0].beside and others is None)
        return None if is_shared else others or ()

    def _match(self, row: Row, decided: FileEntry, source_id: str | None, number: int) -> None:
        """Note what the entry states.

        source_id: None if a new record has the rest of the entry. number: of the row, among the
        records that are the entry together, from 0.
        """
        source, entry = self._file.source, decided.whole
        if row["brought"] == NOWHERE and not is_stated(row) and row["recordState"] != VOID:
            note_brought(row, as_stored(row)._replace(date=entry.date))
        stated = read_stated(row)
        entries = stated.setdefault(source, [])
        if number > 0 or source_id is None:
            entries.append(self._stated_values(decided)._replace(now=None))
        else:
            first = (*decided.parts, decided.candidate)[0]
            assert first is not None
            # Further entries of a source come on top: the record's amount is that of the first.
            is_further = any(each.now is not None for each in entries)
            entries.append(self._shared_values(decided, 0 if is_further else first.amount))
            values = dict(zip(CONTENT, content_of(entry), strict=True))
            record = {name: row[name] for name in CONTENT}
            self._report.note_match(Listed(row["id"], entry.line, values, record))
        row["stated"] = written(stated)
        if source_id is not None:
            row["furtherSources"] = (*row["furtherSources"], f"{source}:{source_id}")

    def _update(self, row: Row, decided: FileEntry, place: int) -> None:
        """Update a record of the same source with the values that an entry states."""
        if _is_deletion(decided):
            self._delete(row, decided, place)
            return
        entry = decided.whole
        source, stated = self._file.source, read_stated(row)
        made_id = None if own_source(row) is None else bank_id_in(row["sourceId"])
        entries = stated.get(source) or [decided.account.as_made(row, made_id)]
        stated_values, content = entries[place], content_of(entry)
        brought = read_brought(row)
        assert stated_values.now is not None
        if decided.outcome is Outcome.OLDER:
            entries[place] = stated_values.with_older(entry.bank_id, content)
        else:
            if content.day == stated_values.now.day and not content.time:
                content = Content(stated_values.now.date, *content[1:])
            bank_id = entry.bank_id if entry.bank_id is not None else stated_values.bank_id
            later = self._stated_values(decided)._replace(bank_id=bank_id, now=content)
            entries[place] = stated_values.corrected(later)
            self._set(row, stated_values.now, content, entry)
            if content.date != stated_values.now.date and brought is not None:
                brought = brought._replace(date=content.date)
            if content.amount != stated_values.now.amount:
                brought = self._set_amount(row, stated, entries, place, brought)
        note_brought(row, brought)
        row["stated"] = written({**stated, source: entries})

    def _delete(self, row: Row, decided: FileEntry, place: int) -> None:
        """Void a record whose entry is deleted. If it has further entries, reduce it instead."""
        brought = read_brought(row)
        if self._others(row) is not None:
            if "recordState" not in row["setByHand"]:
                row["recordState"] = VOID
            note_brought(row, brought and brought._replace(is_void=True))
            return
        stated = read_stated(row)
        entries = stated[self._file.source]
        values = entries[place]
        if values.now is not None and values.now.amount:
            as_of = self._file.statements[decided.statement].as_of
            nothing = values._replace(now=values.now._replace(amount=0), as_of=as_of)
            entries[place] = values.corrected(nothing)
            note_brought(row, self._set_amount(row, stated, entries, place, brought))
            row["stated"] = written(stated)

    def _set_amount(
        self,
        row: Row,
        stated: dict[str, list[StatedValues]],
        entries: list[StatedValues],
        place: int,
        brought: Brought | None,
    ) -> Brought | None:
        """Set the amount that follows from a corrected entry of the file's source.

        It stays if the user edited it, if a later statement of another source corrected it, or if
        the entry notifies a part of a sum, because the statement of the sum decides. Return
        ``brought``, what files brought of the record, with the amount that they have now.
        """
        entry = entries[place]
        others = [each for source, each in stated.items() if source != self._file.source]
        is_part = entry.message not in (None, REST) and any(
            each.now is None or each.beside for each in (entry, *chain.from_iterable(others))
        )
        is_older = any(
            total_beside(each) == total_beside(entries) and _is_corrected_after(each, entry.as_of)
            for each in others
        )
        if is_part or is_older:
            return brought
        amount = total_stated(entries)
        if "amount" not in row["setByHand"]:
            row["amount"] = amount
        return brought and brought._replace(amount=amount)

    def _set(self, row: Row, old: Content, new: Content, entry: Entry) -> None:
        """Update the values that changed in the file, except for values that the user edited."""
        by_hand = row["setByHand"]
        for name, was, value in zip(CONTENT, old, new, strict=True):
            if value != was and name != "amount" and name not in by_hand:
                row[name] = value
        if new.payee != old.payee:
            if "payee" not in by_hand:
                given = self._rules.payee(row["accountId"], new.payee, new.note)
                row["payee"] = given or new.payee
            row["originalPayee"] = None if row["payee"] == new.payee else new.payee
        if row["recordState"] == "uncleared" and "recordState" not in by_hand:
            row["recordState"] = _state_of(entry)
        for name, column in STATED.items():
            if getattr(entry, column) is not None and name not in by_hand:
                row[name] = getattr(entry, column)


def _is_deletion(decided: FileEntry) -> bool:
    return decided.deletes and decided.outcome in (Outcome.VOIDS, Outcome.WAITING)


def _is_corrected_after(entries: list[StatedValues], as_of: int | None) -> bool:
    """Return whether a statement made after ``as_of`` corrected the amount of an entry."""
    return as_of is not None and any(
        each.now is not None
        and (each.as_of or as_of) > as_of
        and any(content.amount != each.now.amount for content, _ in each.before)
        for each in entries
    )


def _number(rows: list[FileEntry], reader: CandidateReader) -> None:
    """Number the entries that share a bank id or, if they have no bank id, a content."""
    wanted = [row for row in rows if row.outcome in (Outcome.NEW, Outcome.MATCHED)]
    counts: Counter[tuple[KnownAccount, str | int]] = Counter()
    for candidate in reader.candidates if wanted else ():
        if candidate.mine:
            counts[candidate.account, candidate.content] += 1
            if candidate.bank_id is not None:
                counts[candidate.account, candidate.bank_id] += 1
    for row in wanted:
        key = row.account, row.content if row.bank_id is None else row.bank_id
        counts[key] += 1
        row.number = counts[key]


def _state_of(entry: Entry) -> str | None:
    return "cleared" if entry.record_state is None else entry.record_state or None


def _source_id(row: FileEntry, entry: Entry, number: int) -> str:
    scope = row.account.scopes[row.statement]
    if row.bank_id is None:
        return scope.of_content(content_of(entry), number)
    return scope.of_bank_id(row.bank_id, number)


_SHOWN = frozenset(field.name for field in RECORDS.native_fields)
