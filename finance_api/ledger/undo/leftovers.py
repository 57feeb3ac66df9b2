"""Documents that an undone entry made: removed, or owned by the next entry that uses them."""

from collections import defaultdict
from collections.abc import Iterator

from finance_api.ledger.references import fields_referring_to, ids_in
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.undo.past import Past
from finance_api.ledger.undo.report import UndoReport
from finance_api.query.model import Operator, condition_on
from finance_api.query.records import any_of
from finance_api.resources import ACCOUNTS, RECORDS, RESOURCES, referred_by
from finance_api.resources.field import Resource
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row

DOCUMENTS = [resource for resource in RESOURCES if resource is not RECORDS]
_BY_NAME = {resource.name: resource for resource in RESOURCES}
_PAGE = 1_000

#: The name of a resource, and the id of one of its rows.
Key = tuple[str, str]


class Leftovers:
    """The documents of an entry that was otherwise undone.

    links: see `Past.links`, by name of the resource.
    """

    def __init__(
        self,
        session: LedgerSession,
        past: Past,
        report: UndoReport,
        entry: HistoryEntry,
        links: dict[str, dict[str, int]],
    ) -> None:
        self._session = session
        self._past = past
        self._report = report
        self._number = entry.number
        self._links = links
        self._made: set[Key] = {
            (resource.name, image.row_id)
            for resource in DOCUMENTS
            for page in past.images(entry.number, resource)
            for image in page
            if image.row is None
        }

    def remove(self) -> None:
        """Remove what nothing uses, and hand over the rest."""
        while self._made and (heirs := self._heirs()):
            for (name, row_id), number in heirs.items():
                self._past.replace(number, [BeforeImage(_BY_NAME[name], row_id, None)])
                self._note_kept(name, row_id)
            # A category that stays needs those above it.
            self._made -= heirs.keys()
        in_use = self._used_by_records() | self._used_by_documents()
        for name, row_id in self._made:
            rows = self._session.row_set(_BY_NAME[name])
            if (name, row_id) in in_use:
                self._note_kept(name, row_id)
            elif row_id in rows.rows:
                rows.remove(row_id)
                self._report.removed[name] += 1
        self._report.used.sort()

    def _note_kept(self, name: str, row_id: str) -> None:
        row = self._session.row_set(_BY_NAME[name]).rows.get(row_id)
        if row is not None and "name" in row:
            self._report.used.append(row["name"])
        elif row is not None:
            self._report.kept += 1

    # -- who uses them

    def _heirs(self) -> dict[Key, int]:
        """The first later entry that changed each of them, or wrote a row that refers to it."""
        users: defaultdict[Key, set[int]] = defaultdict(set)
        for name, row_id in self._made:
            if row_id in self._links[name]:
                users[name, row_id].add(self._links[name][row_id])
        for number in self._past.later(self._number):
            for fact in self._past.live[number].facts:
                users[ACCOUNTS.name, fact["accountId"]].add(number)
            for resource in RESOURCES:
                for page in self._past.images(number, resource) if resource.references else ():
                    self._note_writers(resource, number, page, users)
        heirs = {key: min(users[key]) for key in self._made & users.keys()}
        for key in self._used_by_records():
            maker = self._first_maker(key, heirs.get(key))
            if maker is not None:
                heirs[key] = maker
        return heirs

    def _note_writers(
        self,
        resource: Resource,
        number: int,
        page: list[BeforeImage],
        users: defaultdict[Key, set[int]],
    ) -> None:
        """Note who wrote the versions before an entry, and those of today."""
        now = self._rows(resource, [image.row_id for image in page])
        for image in page:
            versions = (image.row, number), (now.get(image.row_id), None)
            for row, end in versions:
                for key in self._refers_to(resource, row):
                    writer = self._writer(resource, image.row_id, row, end)
                    if writer is not None:
                        users[key].add(writer)

    def _writer(
        self, resource: Resource, row_id: str, row: Row | None, end: int | None
    ) -> int | None:
        """The later entry that wrote a version, which the entry ``end`` replaced."""
        for number in reversed(self._past.later(self._number, end)):
            if self._past.image_of(number, resource, row_id) is not None:
                return number
        maker = self._past.maker(BeforeImage(resource, row_id, row))
        return maker if maker in self._past.live and maker != self._number else None

    def _first_maker(self, key: Key, before: int | None) -> int | None:
        """The first import, before that entry, whose records have referred to it from the start."""
        data, user_id = self._session.storage.data, self._session.user.id
        for name in fields_referring_to(_BY_NAME[key[0]], RECORDS):
            condition = any_of(name, [key[1]])
            sums = data.sum_by(user_id, ["importId"], [condition], with_void=True)
            makers = {number for (number,) in sums}
            for maker in self._past.later(self._number, before):
                if maker not in makers:
                    continue
                made = condition_on(RECORDS, "importId", Operator.ANY_OF, (maker,))
                for page in data.scan_pages(user_id, RECORDS, _PAGE, conditions=[condition, made]):
                    left = {row["id"] for row in page}
                    for later in self._past.later(maker):
                        left -= self._past.images_of(later, RECORDS, left).keys()
                    if left:
                        return maker
        return None

    def _rows(self, resource: Resource, ids: list[str]) -> dict[str, Row]:
        if resource is RECORDS:
            return self._session.storage.data.get_rows(self._session.user.id, RECORDS, ids)
        return self._session.row_set(resource).rows

    def _refers_to(self, resource: Resource, row: Row | None) -> Iterator[Key]:
        """Yield the entry's documents that the row refers to."""
        for field in resource.references if row else ():
            for row_id in ids_in(row[field.name] if row else None):
                key = referred_by(field).name, row_id
                if key in self._made:
                    yield key

    def _used_by_documents(self) -> set[Key]:
        return {
            key
            for resource in DOCUMENTS
            for row in self._session.row_set(resource).rows.values()
            if (resource.name, row["id"]) not in self._made
            for key in self._refers_to(resource, row)
        }

    def _used_by_records(self) -> set[Key]:
        data, user_id = self._session.storage.data, self._session.user.id
        used: set[Key] = set()
        for field in RECORDS.references:
            made = {row_id for name, row_id in self._made if name == referred_by(field).name}
            while made:
                condition = any_of(field.name, made)
                found = data.scan_rows(user_id, RECORDS, conditions=[condition], limit=1)
                if not found:
                    break
                used |= set(self._refers_to(RECORDS, found[0]))
                made -= set(ids_in(found[0][field.name]))
        return used
