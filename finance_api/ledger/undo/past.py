"""The entries of the history that are not taken back, and rows as they were before each of them."""

from collections.abc import Collection, Iterator

from finance_api.ledger.session import LedgerSession
from finance_api.resources.field import Resource
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row

_PAGE = 1_000


class Past:
    """live: the entries that are not taken back, by number."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._history = session.storage.history
        self.live = {e.number: e for e in session.history if e.undone_at is None}

    def later(self, number: int) -> list[int]:
        """The numbers of those after it, in order."""
        return sorted(each for each in self.live if each > number)

    def end(self, entry: HistoryEntry) -> None:
        """The entry is taken back."""
        del self.live[entry.number]
        self._history.set_undone(self._session.user.id, entry.number, self._session.now)

    def images(self, number: int, resource: Resource) -> Iterator[list[BeforeImage]]:
        """Those of an entry, in pages."""
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

    def images_of(
        self, number: int, resource: Resource, ids: Collection[str]
    ) -> dict[str, BeforeImage]:
        return self._history.get_before(self._session.user.id, number, resource, ids)

    def image_of(self, number: int, resource: Resource, row_id: str) -> BeforeImage | None:
        return self.images_of(number, resource, [row_id]).get(row_id)

    def replace(self, number: int, image: BeforeImage) -> None:
        self._history.put_before(self._session.user.id, number, [image], replace=True)

    def after(self, number: int, resource: Resource, row_id: str) -> Row | None:
        """A document as the entry left it."""
        for later in self.later(number):
            image = self.image_of(later, resource, row_id)
            if image is not None:
                return image.row
        return self._session.row_set(resource).rows.get(row_id)
