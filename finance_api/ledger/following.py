"""Follows books: a file becomes the truth for everything that came from its source.

Each object is compared three ways: what the book last had (`book_states`), what it has now, and
what is here. `NativeImport` imports what only the book changed; what was changed here stays. What
the book has lost is removed, unless the user's own data uses it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from finance_api.importers.clauses import Day, Topic, clause
from finance_api.importers.interface import Choice, ImportRefused, Questions, listed
from finance_api.importers.native import NativeFile, NativeRow
from finance_api.ledger.book_states import (
    GONE,
    BookStates,
    Key,
    deleted_of_books,
    key_of,
    source_id_in,
    state_of,
)
from finance_api.ledger.edits.naming import many_of
from finance_api.ledger.edits.questions import asking_for
from finance_api.ledger.edits.report import title_of
from finance_api.ledger.edits.transfers import other_halves
from finance_api.ledger.joined_accounts import JoinedAccounts
from finance_api.ledger.orders import ImportReport, StatementOptions
from finance_api.ledger.references import ids_in, records_with, references_in
from finance_api.ledger.rows import batched
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.splits import (
    deleted_among,
    forget_deleted,
    is_whole,
    moved_from,
    parts_of,
    title_of_whole,
)
from finance_api.query.model import Condition
from finance_api.query.operators import Operator
from finance_api.resources import (
    ACCOUNTS,
    BY_NAME,
    RECORDS,
    REFERRED,
    RESOURCES,
    SPLITS,
    referred_by,
)
from finance_api.resources.field import SOURCE, Resource
from finance_api.storage.interface import HistoryEntry
from finance_api.values import Row
from finance_api.values.text import count_text, message
from finance_api.values.time import DAY_SECONDS

#: Ask if more than a third of a type would go, and more than this many records or at least this
#: many objects of another type; or if the book ends this much earlier than what is stored.
_MANY_RECORDS, _MANY_OTHERS, _MONTH = 20, 5, 31 * DAY_SECONDS
#: Options that answer a question about one state of the file only.
_ANSWERS = ("confirm_smaller", "into", "new_account")
_DOCUMENTS = [resource for resource in RESOURCES if resource not in (RECORDS, SPLITS)]


class UndoneState(ImportRefused):
    """A refusal of a state of a book that the user has undone."""


class _Stored(NamedTuple):
    """What is known of each row of the book's source. day: of a record, as seconds."""

    state: str | None
    day: int | None


class FollowedBook(NamedTuple):
    """A book whose file is looked at again.

    path, options: where the file is, and the options for it. sha256, changed_at: of the file that
    was last imported, also if that was undone.
    """

    source: str
    path: str
    options: dict[str, Any]
    sha256: str
    changed_at: int


def followed_books(history: Iterable[HistoryEntry]) -> list[FollowedBook]:
    """Return the books whose files are followed, in the order in which that began."""
    entries = list(history)
    books = []
    for source in dict.fromkeys(e.details["book"] for e in entries if "book" in e.details):
        last = last_entry(entries, source)
        if last is not None and (path := last.details["follow"]["path"]) is not None:
            newest = next(e for e in reversed(entries) if e.details.get("book") == source)
            file, options = newest.details["file"], last.details["follow"]["options"]
            changed_at = file.get("changed_at", newest.at)
            books.append(FollowedBook(source, path, options, file["sha256"], changed_at))
    return books


def last_entry(history: Iterable[HistoryEntry], source: str | None) -> HistoryEntry | None:
    """Return the newest entry with which a book was followed, and which is not undone."""
    entries = [e for e in history if e.undone_at is None and "follow" in e.details]
    return next((e for e in reversed(entries) if e.details["book"] == source), None)


class Following:
    """What following a file does. Raises ImportRefused if it is not clear that it should be done.

    states: the states of the file's objects.
    """

    def __init__(
        self,
        session: LedgerSession,
        joined: JoinedAccounts,
        report: ImportReport,
        options: StatementOptions,
    ) -> None:
        self._session = session
        self._file = file = joined.file
        self._report = report
        file.check_source("a file can be followed")
        self.source = str(file.source)
        self._last = last_entry(session.history, self.source)
        self._stored: dict[Key, _Stored] = {}
        self._hollow: set[Key] = set()
        self.states = BookStates(session.user.uuid, file, self._read_stored())
        #: The digest of the whole file, whatever of it is matched.
        whole = BookStates(session.user.uuid, joined.original, {}) if joined.ids else self.states
        self._whole = whole.whole
        self._refuse_undone()
        states, parts = self.states.by_key, self.states.parts
        self._vanished = [key for key in self._stored if key not in states and key[1] not in parts]
        if not options.confirm_smaller:
            self._ask()
        #: The objects to import, and the rows of which only the state changes.
        self._taken: set[Key] = set()
        self._noted: list[tuple[Resource, str]] = []
        gone = {key_of(ACCOUNTS, row_id) for row_id in joined.lost} & states.keys()
        self._deleted = self._find_deleted() | gone - self._stored.keys()
        self._compare()
        self._revive()

    def _refuse_undone(self) -> None:
        own = [e for e in self._session.history if e.details.get("book") == self.source]
        live = [e.number for e in own if e.undone_at is None]
        for entry in own:
            is_later = bool(live) and entry.number > live[-1]
            if is_later and entry.details.get("follow", {}).get("state") == self._whole:
                raise UndoneState(
                    f"this state of the book was undone (entry {entry.number}), and is not "
                    "followed again: change the book in its program first"
                )

    # -- what is stored

    def _read_stored(self) -> dict[Key, str]:
        """Read the rows of the source; return their ids, by kind and source id.

        Wholes without parts are hollow: records that were deleted here, or count nothing.
        """
        ids, wholes = {}, []
        of_source = Condition(SOURCE, Operator.ANY_OF, (self.source,))
        for resource in RESOURCES:
            for row in chain.from_iterable(self._session.pages(resource, of_source)):
                stored = _Stored(row["bookState"], row.get("recordDate"))
                self._stored[key_of(resource, row["id"])] = stored
                ids[key_of(resource, row["sourceId"])] = row["id"]
                wholes += [row["id"]] if resource is SPLITS else []
        self._hollow = {key_of(SPLITS, i) for i in deleted_among(self._session, wholes)}
        return ids

    def _find_deleted(self) -> set[Key]:
        """Return the documents of the file that were deleted here.

        A record that was deleted here is a whole without parts.
        """
        deleted = deleted_of_books(self._session.history)[self.source]
        return {
            self._key(document)
            for document in (self._file.documents() if deleted else ())
            if (document.resource.name, source_id_in(document.values)) in deleted
        } - self._stored.keys()

    # -- questions

    def _ask(self) -> None:
        """Ask about a file that may be an older copy, or another book. Raises ImportRefused."""
        questions = Questions()
        confirm = Choice({"confirm_smaller": True})
        of_kind = Counter(kind for kind, _ in self._stored.keys() - self._hollow)
        gone = [key for key in self._vanished if self._stored[key].state != GONE]
        gone = [key for key in gone if key not in self._hollow]
        for kind, count in Counter(kind for kind, _ in gone).items():
            resource = BY_NAME[kind]
            is_many = count > _MANY_RECORDS if resource is RECORDS else count >= _MANY_OTHERS
            if is_many and 3 * count > of_kind[kind]:
                topic, of = Topic.MUCH_VANISHED, of_kind[kind]
                fact = clause(topic, gone=count, count=of, objects=many_of(resource))
                questions.ask(fact, confirm)
        stored = [each.day for each in self._stored.values() if each.day is not None]
        rows = self._file.objects()
        newest = self._newest(stored)
        own = self._newest(row.values["recordDate"] for row in rows if "recordDate" in row.values)
        if newest is not None and own is not None and own < newest - _MONTH:
            questions.ask(clause(Topic.OLDER_BOOK, own=Day(own), stored=Day(newest)), confirm)
        questions.put()

    def _newest(self, days: Iterable[int]) -> int | None:
        return max((day for day in days if day <= self._session.now), default=None)

    # -- the comparison

    def _compare(self) -> None:
        left_out = {key[1] for key in self._deleted if key[0] == ACCOUNTS.name}
        changed: defaultdict[str, list[str]] = defaultdict(list)
        for key, state in self.states.by_key.items():
            stored = self._stored.get(key)
            if stored is None and key not in self._deleted:
                self._taken.add(key)
            elif stored is not None and stored.state != state:
                changed[key[0]].append(key[1])
        kept: list[tuple[Resource, Row]] = []
        followed: list[tuple[Key, Row]] = []
        for kind, ids in changed.items():
            for resource, row, parts in self._with_parts(BY_NAME[kind], ids):
                key = key_of(resource, row["id"])
                told, here = self.states.by_key[key], state_of(resource, row, parts)
                if here == told:
                    self._noted.append((resource, row["id"]))
                elif row["bookState"] in (None, GONE, here):
                    followed.append((key, row))
                else:
                    kept.append((resource, row))
        # The halves of a transfer stay together.
        transfers = {row.get("transferId") for _, row in kept} - {None}
        for key, row in followed:
            if row.get("transferId") in transfers:
                kept.append((RECORDS, row))
            else:
                self._taken.add(key)
        self._noted += [(resource, row["id"]) for resource, row in kept]
        self._remark(
            "changed both here and in the book, which stay as they are here",
            [self._title(resource, row) for resource, row in kept],
        )
        if left_out:
            self._leave_out(left_out)
        self._report.unchanged += len(self.states.by_key) - len(self._taken)

    def _with_parts(
        self, resource: Resource, ids: Iterable[str]
    ) -> Iterator[tuple[Resource, Row, list[Row]]]:
        """Yield rows with their resource and, of wholes, with their parts."""
        for batch in batched(ids):
            rows = self._session.get_rows(resource, batch)
            yield from ((resource, row, []) for row in rows.values())
            if resource is RECORDS:
                wholes = self._session.get_rows(SPLITS, [i for i in batch if i not in rows])
                parts = parts_of(self._session, wholes)
                yield from ((SPLITS, row, parts[row["id"]]) for row in wholes.values())

    def _leave_out(self, accounts: set[str]) -> None:
        """Leave out what belongs to accounts that were deleted here."""
        for document in self._file.objects():
            values = document.values
            own = (*ids_in(values.get("accountId")), *ids_in(values.get("accountIds")))
            if accounts.intersection(own):
                self._taken.discard(self._key(document))

    def _revive(self) -> None:
        """Take documents that were deleted here if what is taken refers to them."""
        while self._deleted:
            used = {
                key_of(referred_by(field), row_id)
                for document in self.to_import.objects()
                for field, row_id in references_in(document.resource, document.values)
            } & self._deleted
            if not used:
                return
            self._deleted -= used
            self._taken |= used

    def _key(self, document: NativeRow) -> Key:
        """Return the key of an object in the file; for a part, that of its whole."""
        whole = document.values.get("splitId")
        return key_of(document.resource, whole or self.states.id_of(document))

    @property
    def to_import(self) -> NativeFile:
        """The objects of the file that are new or that only the book changed."""
        return self._file.mapped(lambda rows: (d for d in rows if self._key(d) in self._taken))

    def _title(self, resource: Resource, row: Row) -> str:
        if resource in (RECORDS, SPLITS):
            return message(title_of_whole(self._session, row))
        return message(f"{resource.word} {title_of(resource, row)}")

    def _remark(self, what: str, names: list[str]) -> None:
        if names:
            text = f"objects {what}: {count_text(len(names))} ({listed(sorted(names))})"
            self._report.remarks.append(message(text))

    # -- changes beside the import

    def joined(self) -> list[Row]:
        """Return the stored wholes of splits that the book has as one record now."""
        ids = [self._key(d)[1] for d in self.to_import.records() if "splitId" not in d.values]
        return [
            row for batch in batched(ids) for row in self._session.get_rows(SPLITS, batch).values()
        ]

    def note_states(self) -> None:
        """Store what the book has now of objects that are not imported."""
        session, by_resource = self._session, defaultdict[Resource, list[str]](list)
        for resource, row_id in self._noted:
            by_resource[resource].append(row_id)
        for resource, ids in by_resource.items():
            for batch in batched(ids):
                for row in session.get_rows(resource, batch).values():
                    after = {**row, "bookState": self.states.get(resource, row["id"])}
                    if resource in REFERRED:
                        session.row_set(resource).put(after)
                    else:
                        session.write(resource, [(row, after)])

    def vanished_records(self) -> Iterator[list[Row]]:
        """Yield the records and wholes that the book has lost, in batches.

        Records that were moved here go, too.
        """
        ids = [row_id for kind, row_id in self._vanished if kind == RECORDS.name]
        edited, shared = 0, 0
        for batch in batched(ids):
            rows: list[Row] = []
            for resource, row, parts in self._with_parts(RECORDS, batch):
                edited += row["bookState"] not in (None, state_of(resource, row, parts))
                shared += bool(row["furtherSources"])
                rows.append(row)
            deleted = deleted_among(self._session, [r["id"] for r in rows if is_whole(r)])
            self._report.removed += len(batch) - len(deleted)
            yield [*rows, *moved_from(self._session, deleted).values()]
        for count, what in ((edited, "were changed here"), (shared, "other files have, too")):
            if count:
                text = f"records that {what}, and are gone because the book has lost them"
                self._report.remarks.append(message(f"{text}: {count_text(count)}"))

    def lone_halves(self) -> Iterator[Row]:
        """Yield imported halves of transfers whose other half is not one here."""
        number = Counter(d.values.get("transferId") for d in self._file.records())
        new = {d.values.get("transferId") for d in self.to_import.records()} - {None}
        for batch in batched([str(each) for each in new if number[each] > 1]):
            halves = other_halves(self._session, batch).values()
            yield from (rows[0] for rows in halves if len(rows) == 1)

    def remove_documents(self) -> None:
        """Remove documents that the book has lost; archive those that other data uses."""
        session, kept = self._session, list[str]()
        gone = {
            key
            for key in self._vanished
            if key[0] != RECORDS.name and self._stored[key].state != GONE
        }
        used = {key for key in gone if self._is_used(key)}
        while found := {key for key in self._referred(gone - used) if key in gone - used}:
            used |= found
        for key in sorted(gone):
            row_set = session.row_set(BY_NAME[key[0]])
            row = row_set.rows[key[1]]
            if key in used:
                after = {**row, "bookState": GONE, "updatedAt": session.now}
                row_set.put({**after, "archived": True} if "archived" in row else after)
                kept.append(self._title(row_set.resource, row))
                continue
            if row_set.resource is ACCOUNTS:
                forget_deleted(session, key[1])
            row_set.remove(key[1])
            self._report.removed += 1
        self._remark("that the book has lost, archived because your own data uses them", kept)

    def _is_used(self, key: Key) -> bool:
        """Return whether a record or a saved question uses the document."""
        session, resource, row_id = self._session, BY_NAME[key[0]], key[1]
        row = session.row_set(resource).rows[row_id]
        is_of_record = records_with(session, resource, row_id) > 0
        return is_of_record or bool(asking_for(session, resource, row))

    def _referred(self, removed: set[Key]) -> Iterator[Key]:
        """Yield the documents that other documents refer to, without those that are removed."""
        for resource in _DOCUMENTS:
            for row in self._session.row_set(resource).rows.values() if resource.references else ():
                if key_of(resource, row["id"]) not in removed:
                    for field, row_id in references_in(resource, row):
                        yield key_of(referred_by(field), row_id)

    # -- the history

    def remember(self, details: dict[str, Any]) -> bool:
        """Add what is needed to follow the book again to the details of the history entry.

        Return whether this differs from before.
        """
        before = {} if self._last is None else self._last.details["follow"]
        how = {
            "path": details.get("file", {}).get("path", before.get("path")),
            "options": {k: v for k, v in details.get("options", {}).items() if k not in _ANSWERS},
        }
        deleted = (
            [document.resource.name, source_id_in(document.values)]
            for document in (self._file.documents() if self._deleted else ())
            if self._key(document) in self._deleted
        )
        state = {"state": self._whole, "deleted": sorted(deleted)}
        details["follow"] = {**how, **state}
        noted = {**how, "deleted": state["deleted"]}
        return any(before.get(name) != value for name, value in noted.items())
