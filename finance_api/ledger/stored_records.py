"""The user's records in the storage, as an import meets them."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from finance_api.ledger.session import LedgerSession
from finance_api.resources import RECORDS
from finance_api.values import Row

_Key = TypeVar("_Key", bound=Hashable)

# The system gives the memory when a place is used, not before.
_PLACES = 2**24


class StoredRecords:
    """Finds records by id and by source, and stores them.

    Most big files come to a user without records. There an import can meet only what it stored
    itself, so the storage is asked for nothing but keys that were put there. Remembering each of
    them would take more memory with every record; what is remembered is that a key with this hash
    was put there (a Bloom filter of one hash). Another key with the same hash is asked for in vain,
    which costs a look-up and nothing else.
    """

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._storage = session.storage
        self._user_id = session.user.id
        #: None where any key may be stored already.
        self._used: bytearray | None = None
        if not self._storage.data.scan_rows(self._user_id, RECORDS, limit=1):
            self._used = bytearray(_PLACES)

    def by_id(self, ids: Iterable[str]) -> dict[str, Row]:
        """Those that exist, by id."""
        wanted = self._possible(ids)
        return self._storage.data.get_rows(self._user_id, RECORDS, wanted) if wanted else {}

    def by_source(self, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Row]:
        """Those that exist, by source and source id."""
        source_ids: defaultdict[str, list[str]] = defaultdict(list)
        for source, source_id in self._possible(keys):
            source_ids[source].append(source_id)
        return {
            (source, source_id): row
            for source, wanted in source_ids.items()
            for source_id, row in self._storage.data.get_rows_by_source(
                self._user_id, RECORDS, source, wanted
            ).items()
        }

    def put(self, *, new: Sequence[Row], changed: Sequence[Row]) -> None:
        """Stores whole rows."""
        self._storage.data.put_rows(self._user_id, RECORDS, new=new, changed=changed)
        self._session.note_records(new=new, changed=changed)
        used = self._used
        if used is not None:
            places = len(used)
            for row in (*new, *changed):
                used[hash(row["id"]) % places] = 1
                if row["sourceId"] is not None:
                    used[hash((row["source"], row["sourceId"])) % places] = 1

    def _possible(self, keys: Iterable[_Key]) -> list[_Key]:
        """The keys that may be stored."""
        used = self._used
        if used is None:
            return list(keys)
        places = len(used)
        return [key for key in keys if used[hash(key) % places]]
