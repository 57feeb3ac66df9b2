"""The entries of the history that are not undone, and rows as they were before each of them.

Every row has a chain of versions. An entry that changed the row has an image of the version before
the entry. The version after the entry is the image of the next such entry, or the current row. An
entry that created a row has an image without values. Imports have no image of the records that they
created: a record's importId names its import. The whole of a split counts as a record here. An undo
removes one link from the chain: see `Past.links`.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from finance_api.ledger.edits.naming import counted_rows
from finance_api.ledger.rows import batched
from finance_api.ledger.session import LedgerSession
from finance_api.query.model import any_of
from finance_api.resources import RECORDS, RESOURCES, SPLITS
from finance_api.resources.field import Resource
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row
from finance_api.values.text import message

_PAGE = 1_000
DOCUMENTS = [resource for resource in RESOURCES if resource not in (RECORDS, SPLITS)]
#: The name of a resource, and the id of one of its rows.
Key = tuple[str, str]


class Past:
    """The history of a user. live: the entries that are not undone, by number."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._history = session.storage.ledger
        self.live = {entry.number: entry for entry in session.live}

    def later(self, number: int) -> list[int]:
        """Return the numbers of the live entries after this one, in order."""
        return sorted(n for n in self.live if n > number)

    def end(self, entry: HistoryEntry) -> None:
        """Mark the entry as undone."""
        del self.live[entry.number]
        self._history.set_undone(self._session.user.id, entry.number, self._session.now)

    def images(self, number: int, resource: Resource) -> Iterator[list[BeforeImage]]:
        """Yield the images of an entry, in pages."""
        after = (resource.name, "")
        while page := self._history.scan_before(
            self._session.user.id, number, after=after, limit=_PAGE
        ):
            after = (page[-1].resource.name, page[-1].row_id)
            own = [image for image in page if image.resource is resource]
            if own:
                yield own
            if len(own) < len(page):
                return

    def made_by(self, number: int) -> set[Key]:
        """Return the accounts, categories and other documents that an entry created."""
        return {
            (resource.name, image.row_id)
            for resource in DOCUMENTS
            for page in self.images(number, resource)
            for image in page
            if image.row is None
        }

    def images_of(
        self, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        return self._history.get_before(self._session.user.id, number, resource, ids)

    def image_of(self, number: int, resource: Resource, row_id: str) -> BeforeImage | None:
        return self.images_of(number, resource, [row_id]).get(row_id)

    def replace(self, number: int, images: Iterable[BeforeImage]) -> None:
        self._history.put_before(self._session.user.id, number, images, replace=True)

    def after(self, number: int, resource: Resource, row_id: str) -> Row | None:
        """Return a row as the entry left it; None if it did not exist then."""
        for later in self.later(number):
            image = self.image_of(later, resource, row_id)
            if image is not None:
                return image.row
        return self._session.row_set(resource).rows.get(row_id)

    def changed_later(self, number: int) -> Iterator[tuple[int, BeforeImage]]:
        """Yield later entries' images of rows that the entry created or changed, oldest first."""
        for later in self.later(number):
            for resource in RESOURCES:
                for page in self.images(later, resource):
                    own = self.images_of(number, resource, [image.row_id for image in page])
                    for image in page:
                        if image.row_id in own or maker(image) == number:
                            yield later, image

    def links(self, number: int) -> dict[Key, int]:
        """Return the entry's rows that later entries changed, each with the first later entry.

        An undo of the entry keeps such a row, and gives the row's image to that later entry.
        """
        links: dict[Key, int] = {}
        splits: dict[str, int] = {}
        for later, image in self.changed_later(number):
            made_by = maker(image) or 0
            is_between = made_by > number and made_by in self.live
            heir = made_by if is_between else later
            links.setdefault((image.resource.name, image.row_id), heir)
            if image.resource in (RECORDS, SPLITS):
                split_id = _split_id(image.row_id, image.row)
                splits[split_id] = min(heir, splits.get(split_id, heir))
        if splits:
            self._link_splits(number, links, splits)
        return links

    def _link_splits(self, number: int, links: dict[Key, int], splits: dict[str, int]) -> None:
        """Keep whole and parts of a split together: if one of them is linked, link all of them.

        splits: the id of a whole (or of an unsplit record) -> the first later entry that is linked.
        """
        own = [*self._split_images(number)]
        for key, split_id in own:
            if key in links:
                splits[split_id] = min(links[key], splits.get(split_id, links[key]))
        for key, split_id in (*own, *self._made_splits(number, list(splits))):
            if split_id in splits:
                links[key] = splits[split_id]

    def _split_images(self, number: int) -> Iterator[tuple[Key, str]]:
        """Yield the records and wholes that have images in an entry, each with its split's id."""
        for resource in (RECORDS, SPLITS):
            for page in self.images(number, resource):
                now = self._session.get_rows(resource, [image.row_id for image in page])
                for _, row_id, row in page:
                    yield (resource.name, row_id), _split_id(row_id, row or now.get(row_id))

    def _made_splits(self, number: int, split_ids: list[str]) -> Iterator[tuple[Key, str]]:
        """Yield the parts and wholes of splits that an import created, each with its split's id."""
        data, user_id = self._session.storage.data, self._session.user.id
        for batch in batched(split_ids):
            parts = data.scan_rows(user_id, RECORDS, conditions=[any_of("splitId", batch)])
            wholes = self._session.get_rows(SPLITS, batch).values()
            for resource, rows in ((RECORDS, parts), (SPLITS, wholes)):
                for row in rows:
                    if row["importId"] == number:
                        yield (resource.name, row["id"]), _split_id(row["id"], row)


def _split_id(row_id: str, row: Row | None) -> str:
    """Return the id of the whole: a part's splitId, or the row's own id."""
    return (row or {}).get("splitId") or row_id


def maker(image: BeforeImage) -> int | None:
    """Return the number of the import that created the image's record or whole of a split."""
    return image.row["importId"] if image.resource in (RECORDS, SPLITS) and image.row else None


@dataclass
class UndoReport:
    """The changes of an undo.

    entries: the numbers of the undone entries, newest first. removed, restored: counts of rows by
    resource. kept: number of rows kept because of later changes. used: the names of accounts,
    categories and labels that are kept because other data refers to them.
    """

    entries: list[int] = field(default_factory=list)
    removed: Counter[str] = field(default_factory=Counter)
    restored: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    used: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def texts(self) -> tuple[str, str]:
        """The removed and the restored rows: ``1 account, 3 records``, or ``nothing``."""
        return _text(self.removed), _text(self.restored)

    def as_json(self) -> dict[str, Any]:
        counts = {"removed": dict(+self.removed), "restored": dict(+self.restored)}
        return {"entries": self.entries, **counts, "kept": self.kept, "stillUsed": self.used}


def _text(counts: Counter[str]) -> str:
    rows = sorted(RESOURCES, key=lambda resource: resource.name)
    texts = [counted_rows(counts[r.name], r) for r in rows if counts[r.name]]
    return message(", ".join(texts) or "nothing")
