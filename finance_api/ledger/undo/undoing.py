"""Undoes entries, newest first: removes the rows they created, and restores old values."""

from collections import Counter, defaultdict

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.balances import settle_balances, settle_bank_balances
from finance_api.ledger.derivation import derive, rederive_records
from finance_api.ledger.edits.questions import renamed_texts, set_addresses
from finance_api.ledger.references import check_tree
from finance_api.ledger.rows import batched
from finance_api.ledger.session import IMPORT, LedgerSession, Pair, own_values
from finance_api.ledger.splits import check_splits, deleted_among
from finance_api.ledger.undo.leftovers import Leftovers, hand_over_numbers, infer_keys, marks_of
from finance_api.ledger.undo.past import DOCUMENTS, Key, Past, UndoReport
from finance_api.ledger.undo.plan import plan_undo
from finance_api.query.model import condition_on
from finance_api.query.operators import Operator
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS, SPLITS
from finance_api.resources.field import Resource
from finance_api.storage.interface import AuditAction, BeforeImage, HistoryEntry
from finance_api.values import Row

#: The wholes of splits are undone as records are.
_RECORDS = (RECORDS, SPLITS)
#: Page size of removals, which is larger because each page touches the whole table.
_REMOVED_PAGE = 10_000
_INITIAL = "initialBalance"


class UndoTooLarge(ChangeRefused):
    """A refusal because of the number of records. report: the entries, and this number."""

    def __init__(self, entries: list[int], count: int) -> None:
        super().__init__(f"too many records to undo at once: {count}")
        self.report = UndoReport(entries, Counter({RECORDS.name: count}))


def undo(
    session: LedgerSession,
    number: int,
    *,
    with_later: bool = False,
    keep_changed: bool = False,
    most: int | None = None,
) -> UndoReport:
    """Undo an entry, in a session without an action.

    with_later: also undo later entries about the same rows or days. keep_changed: keep rows that
    were edited manually since. most: refuse if the entries created more records than this; None:
    never. Raises ChangeRefused.
    """
    past = Past(session)
    entries = plan_undo(session, past, number, with_later=with_later, keep_changed=keep_changed)
    # Only imports create so many records.
    imports = tuple(sorted(each.number for each in entries if each.action == IMPORT))
    if most is not None and imports:
        made = condition_on(RECORDS, "importId", Operator.ANY_OF, imports)
        sums = session.storage.data.sum_by(session.user.id, ("importId",), [made], with_void=True)
        if (count := sum(each.number for each in sums.values())) > most:
            raise UndoTooLarge([each.number for each in entries], count)
    return _Undo(session, past).run(entries)


class _Undo:
    def __init__(self, session: LedgerSession, past: Past) -> None:
        self._session = session
        self._past = past
        self._report = UndoReport()
        #: Accounts whose initial balances are derived again from the bank's balances.
        self._accounts: set[str] = set()
        self._categories: set[str] = set()
        #: Ids of restored rows. Several entries can restore a row, or remove it again.
        self._restored: defaultdict[Resource, set[str]] = defaultdict(set)
        self._splits: set[str] = set()
        self._questions = 0
        #: While an entry is taken back: the rows that later entries changed; see `Past.links`.
        self._links: dict[Key, int] = {}

    def run(self, entries: list[HistoryEntry]) -> UndoReport:
        session = self._session
        for entry in entries:
            self._take_back(entry)
            self._past.end(entry)
            infer_keys(session, self._past, entry)
            self._report.entries.append(entry.number)
        session.history = session.storage.ledger.list_entries(session.user.id)
        if self._categories:
            rows = session.categories.rows
            check_tree(session.categories, {i: None for i in self._categories if i in rows})
        rederive_records(session)
        if len(entries) > 1:
            self._name_restored_records()
        check_splits(session, sorted(self._splits))
        wanted = (*sorted(self._accounts), *session.touched)
        self._report.remarks = settle_bank_balances(session, wanted)
        self._report.remarks += renamed_texts(self._questions)
        settle_balances(session)
        for resource, ids in self._restored.items():
            left = ids if resource is RECORDS else ids & session.row_set(resource).rows.keys()
            self._report.restored[resource.name] = len(left)
        session.close(new_revision=True)
        numbers = ", ".join(map(str, self._report.entries))
        session.storage.note(session.user.id, AuditAction.UNDO, session.now, numbers)
        return self._report

    def _take_back(self, entry: HistoryEntry) -> None:
        self._accounts |= {fact["accountId"] for fact in entry.facts}
        renamed = (entry.details.get("summary") or {}).get("questions", {})
        self._questions += set_addresses(self._session, renamed, is_undo=True)
        self._links = links = self._past.links(entry.number)
        for resource in _RECORDS:
            self._remove_records(resource, entry)
        for resource in DOCUMENTS:
            for page in self._past.images(entry.number, resource):
                self._restore_documents(entry, resource, page)
        for resource in _RECORDS:
            self._restore_records(resource, entry)
            self._hand_over_records(resource, entry)
        hand_over_numbers(self._session, self._past, entry)
        Leftovers(self._session, self._past, self._report, entry.number, links).remove()

    # -- records

    def _remove_records(self, resource: Resource, entry: HistoryEntry) -> None:
        brought = condition_on(RECORDS, "importId", Operator.ANY_OF, (entry.number,))
        for page in self._session.pages(resource, brought, size=_REMOVED_PAGE):
            kept = {row["id"] for row in page if self._is_linked(resource, row["id"])}
            self._remove(resource, [row for row in page if row["id"] not in kept])
            # A whole without parts is a deleted record.
            kept = kept if resource is RECORDS else deleted_among(self._session, kept)
            self._report.kept += len(kept)
        # Records that an undone import created, and that its undo kept because of this entry.
        later = self._past.later(entry.number)
        for images in self._past.images(entry.number, resource):
            made = [image.row_id for image in images if image.row is None]
            ids = [row_id for row_id in made if not self._is_linked(resource, row_id)]
            rows = self._session.get_rows(resource, ids).values()
            self._remove(resource, [row for row in rows if row["importId"] not in later])

    def _remove(self, resource: Resource, rows: list[Row]) -> None:
        self._session.write(resource, [(row, None) for row in rows])
        if resource is RECORDS:
            self._splits.update(row["splitId"] for row in rows if row["splitId"])
            self._restored[RECORDS].difference_update(row["id"] for row in rows)
            self._report.removed[RECORDS.name] += len(rows)

    def _is_linked(self, resource: Resource, row_id: str) -> bool:
        return (resource.name, row_id) in self._links

    def _restore_records(self, resource: Resource, entry: HistoryEntry) -> None:
        renamed: list[str] = []
        for page in self._past.images(entry.number, resource):
            left = [image for image in page if not self._is_linked(resource, image.row_id)]
            restored = [image for image in left if image.row]
            renamed += self._put_records(resource, restored)
            if resource is RECORDS:
                self._report.kept += len(page) - len(left)
        # Rows may have exchanged their source ids, so restore these only now, when all are free.
        for ids in batched(renamed):
            images = self._past.images_of(entry.number, resource, ids)
            self._put_records(resource, list(images.values()), with_sources=True)

    def _put_records(
        self, resource: Resource, images: list[BeforeImage], *, with_sources: bool = False
    ) -> list[str]:
        """Restore records; return the ids of records whose source id is still to be restored."""
        stored = self._session.get_rows(resource, [image.row_id for image in images])
        pairs: list[Pair] = []
        renamed: list[str] = []
        for _, row_id, image in images:
            assert image is not None
            current = stored.get(row_id)
            row = dict(image)
            if resource is RECORDS:
                row["currencyCode"] = None
                derive(self._session, row)
            if current is not None and not with_sources and _source(current) != _source(row):
                renamed.append(row_id)
                row |= {"source": None, "sourceId": None}
            pairs.append((current, row))
            if resource is RECORDS:
                self._restored[RECORDS].add(row_id)
                self._splits.update(r["splitId"] for r in (row, current or row) if r["splitId"])
        self._session.write(resource, pairs)
        return renamed

    def _name_restored_records(self) -> None:
        """Derive restored records again: their images may contain names from undone entries."""
        for batch in batched(self._restored[RECORDS]):
            rows = list(self._session.get_rows(RECORDS, batch).values())
            for row in rows:
                row["currencyCode"] = None
                derive(self._session, row)
            self._session.put_derived(RECORDS, rows)

    def _hand_over_records(self, resource: Resource, entry: HistoryEntry) -> None:
        for batch in batched([row_id for name, row_id in self._links if name == resource.name]):
            images = self._past.images_of(entry.number, resource, batch)
            by_heir: defaultdict[int, list[BeforeImage]] = defaultdict(list)
            for row_id in batch:
                image = images.get(row_id, BeforeImage(resource, row_id, None))
                by_heir[self._links[resource.name, row_id]].append(image)
            for number, handed_over in by_heir.items():
                self._past.replace(number, handed_over)

    # -- documents

    def _restore_documents(
        self, entry: HistoryEntry, resource: Resource, images: list[BeforeImage]
    ) -> None:
        row_set = self._session.row_set(resource)
        restored = []
        for image in images:
            current = row_set.rows.get(image.row_id)
            after = None
            if resource is ACCOUNTS:
                after = self._past.after(entry.number, ACCOUNTS, image.row_id)
            if image.row is None:
                # If later entries need the account, it stays without this initial balance.
                if after is not None and current is not None and _INITIAL in after["setByHand"]:
                    marks = tuple(name for name in after["setByHand"] if name != _INITIAL)
                    before = {**after, _INITIAL: 0, "setByHand": marks}
                    row_set.put(self._merged(entry, before, after, current) or current)
                    self._accounts.add(image.row_id)
                continue
            if after is not None:
                row = self._merged(entry, image.row, after, current)
            elif self._is_linked(resource, image.row_id):
                self._past.replace(self._links[resource.name, image.row_id], [image])
                row = None
            else:
                row = {**(current or image.row), **own_values(resource, image.row)}
            if row is None:
                self._report.kept += 1
                continue
            restored.append(row)
            if current is not None:
                row_set.put({**current, "source": None, "sourceId": None})
        for row in restored:
            row_set.put(row)
            if resource is ACCOUNTS:
                self._accounts.add(row["id"])
            elif resource is CATEGORIES:
                self._categories.add(row["id"])
        self._restored[resource].update(row["id"] for row in restored)

    def _merged(
        self, entry: HistoryEntry, image: Row, left: Row, current: Row | None
    ) -> Row | None:
        """Return the account without the entry's changes, and update the images of later entries.

        Values that a later entry set are kept. left: the account as the entry left it.
        """
        before, after = own_values(ACCOUNTS, image), own_values(ACCOUNTS, left)
        names = before.keys() - {"setByHand", *marks_of(entry, image["id"])}
        for number in self._past.later(entry.number):
            later = self._past.image_of(number, ACCOUNTS, image["id"])
            if later is not None and later.row is not None:
                row = _reverted(later.row, names, before, after)
                self._past.replace(number, [later._replace(row=row)])
        return None if current is None else _reverted(current, names, before, after)


def _reverted(account: Row, names: set[str], before: Row, after: Row) -> Row:
    """Return the account with these fields, and whether they were set manually, as before.

    Removes the fields from ``names`` that the account no longer has as they were after the entry.
    """
    own = own_values(ACCOUNTS, account)
    marks, was, had = (set(row["setByHand"]) for row in (own, before, after))
    names -= {n for n in names if own[n] != after[n] or n in marks - had}
    marks = (marks - (names & had - was)) | (names & was - had)
    values = {name: before[name] for name in names}
    return {**account, **own, **values, "setByHand": tuple(sorted(marks))}


def _source(row: Row) -> tuple[str | None, str | None]:
    return row["source"], row["sourceId"]
