"""Objects that an entry made: they go with it, or with the entries that have come to need them."""

from collections import defaultdict
from collections.abc import Iterator

from finance_api.ledger.references import fields_referring_to, ids_in
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.undo.past import Past
from finance_api.ledger.undo.plan import Plan
from finance_api.ledger.undo.report import UndoReport
from finance_api.query.records import any_of
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS, RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row

DOCUMENTS = [resource for resource in RESOURCES if resource is not RECORDS]
#: They stay while something refers to them.
_REFERRED = (LABELS, CATEGORIES, ACCOUNTS)


class Leftovers:
    """Of an entry whose rows have gone or got their old values."""

    def __init__(
        self,
        session: LedgerSession,
        past: Past,
        plan: Plan,
        report: UndoReport,
        entry: HistoryEntry,
    ) -> None:
        self._session = session
        self._past = past
        self._plan = plan
        self._report = report
        self._entry = entry

    def remove(self) -> None:
        """What is in use stays: the first later entry that uses it is who made it now."""
        made: dict[str, set[str]] = {resource.name: set() for resource in _REFERRED}
        for resource in DOCUMENTS:
            row_set = self._session.row_set(resource)
            for page in self._past.images(self._entry.number, resource):
                for image in page:
                    if image.row is not None or image.row_id not in row_set.rows:
                        continue
                    if self._plan.keeps(self._entry, resource, image.row_id):
                        self._report.kept += 1
                    elif resource in _REFERRED:
                        made[resource.name].add(image.row_id)
                    else:
                        self._remove(resource, image.row_id)
        for resource in _REFERRED:
            if made[resource.name]:
                self._remove_unused(resource, made[resource.name])

    def _remove(self, resource: Resource, row_id: str) -> None:
        self._session.row_set(resource).remove(row_id)
        self._report.removed[resource.name] += 1

    def _remove_unused(self, resource: Resource, made: set[str]) -> None:
        users = self._later_users(resource)
        candidates = made - users.keys()
        candidates -= self._used_by_records(resource, candidates)
        while unused := candidates - self._used_by_documents(resource):
            for row_id in unused:
                self._remove(resource, row_id)
            candidates -= unused
        rows = self._session.row_set(resource).rows
        for row_id in sorted(made & rows.keys(), key=lambda row_id: str(rows[row_id]["name"])):
            self._report.used.append(rows[row_id]["name"])
            makers = self._makers_of_records(resource, row_id)
            later = users[row_id] | {n for n in makers if n > self._entry.number}
            if later or makers:
                self._past.replace(min(later or makers), BeforeImage(resource, row_id, None))

    # -- what uses them

    def _later_users(self, resource: Resource) -> defaultdict[str, set[int]]:
        """What later entries have to do with, and which: it is needed when they are taken back.

        They refer to it, did before, or have statements of it.
        """
        users: defaultdict[str, set[int]] = defaultdict(set)
        for number in self._past.later(self._entry.number):
            for row_id in self._named_by(number, resource):
                users[row_id].add(number)
            if resource is ACCOUNTS:
                for fact in self._past.live[number].facts:
                    users[fact["accountId"]].add(number)
        return users

    def _named_by(self, number: int, resource: Resource) -> Iterator[str]:
        """What the rows refer to that an entry changed, or did before."""
        for other in RESOURCES:
            names = fields_referring_to(resource, other)
            for page in self._past.images(number, other) if names else ():
                now = self._rows(other, [image.row_id for image in page])
                for image in page:
                    rows = [r for r in (image.row, now.get(image.row_id)) if r is not None]
                    for row in rows:
                        for name in names:
                            yield from ids_in(row[name])

    def _rows(self, resource: Resource, ids: list[str]) -> dict[str, Row]:
        if resource is RECORDS:
            return self._session.storage.data.get_rows(self._session.user.id, RECORDS, ids)
        return self._session.row_set(resource).rows

    def _makers_of_records(self, resource: Resource, row_id: str) -> set[int]:
        """The entries that made records that refer to it."""
        found: set[int] = set()
        for name in fields_referring_to(resource, RECORDS):
            condition = any_of(name, [row_id])
            sums = self._session.storage.data.sum_by(
                self._session.user.id, ["importId"], [condition], with_void=True
            )
            found |= {number for (number,) in sums if number in self._past.live}
        return found - {self._entry.number}

    def _used_by_documents(self, resource: Resource) -> set[str]:
        return {
            row_id
            for other in DOCUMENTS
            for name in fields_referring_to(resource, other)
            for row in self._session.row_set(other).rows.values()
            for row_id in ids_in(row[name])
        }

    def _used_by_records(self, resource: Resource, candidates: set[str]) -> set[str]:
        used: set[str] = set()
        for name in fields_referring_to(resource, RECORDS):
            while unknown := candidates - used:
                condition = any_of(name, unknown)
                found = self._session.storage.data.scan_rows(
                    self._session.user.id, RECORDS, conditions=[condition], limit=1
                )
                if not found:
                    break
                used |= set(ids_in(found[0][name]))
        return used & candidates
