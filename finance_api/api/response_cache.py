"""Responses that are cached while their data is unchanged."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

#: The approximate size of an entry without its body.
_ENTRY_BYTES = 2_000
#: The largest entry, as a part of the whole cache.
_LARGEST_PART = 8

Key = tuple[Hashable, ...]


class ResponseCache:
    """Responses by user, revision and request; the least recently used are evicted first.

    Each user has entries of one revision: the newest that was seen. An entry is never found for
    another user or another revision.
    max_bytes: approximate memory of all entries; 0 caches nothing.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._bytes = 0
        self._entries: OrderedDict[tuple[int, Key], tuple[Any, int]] = OrderedDict()
        self._revisions: dict[int, int] = {}
        self._keys: dict[int, set[Key]] = {}

    @property
    def cached_bytes(self) -> int:
        """Approximate memory of all entries."""
        return self._bytes

    def get(self, user_id: int, revision: int, key: Key) -> Any | None:
        """The cached response, if there is one."""
        with self._lock:
            known = self._revisions.get(user_id)
            if known is None:
                return None
            if known != revision:
                if known < revision:
                    self._forget_user(user_id)
                return None
            found = self._entries.get((user_id, key))
            if found is None:
                return None
            self._entries.move_to_end((user_id, key))
            return found[0]

    def put(self, user_id: int, revision: int, key: Key, response: Any, body_bytes: int) -> None:
        """Caches it, unless it is too large or of an older revision than is known."""
        size = body_bytes + _ENTRY_BYTES + sum(len(part) for part in key if isinstance(part, str))
        if size > self._max_bytes // _LARGEST_PART:
            return
        with self._lock:
            known = self._revisions.get(user_id)
            if known is not None and known != revision:
                if known > revision:
                    return
                self._forget_user(user_id)
            self._drop(user_id, key)
            self._keys.setdefault(user_id, set()).add(key)
            self._revisions[user_id] = revision
            self._entries[user_id, key] = response, size
            self._bytes += size
            while self._bytes > self._max_bytes:
                self._drop(*next(iter(self._entries)))

    def _forget_user(self, user_id: int) -> None:
        for key in list(self._keys.get(user_id, ())):
            self._drop(user_id, key)

    def _drop(self, user_id: int, key: Key) -> None:
        found = self._entries.pop((user_id, key), None)
        if found is None:
            return
        self._bytes -= found[1]
        keys = self._keys[user_id]
        keys.discard(key)
        if not keys:
            del self._keys[user_id]
            del self._revisions[user_id]
