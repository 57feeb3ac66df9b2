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
    """Responses by user, tag of the data's state, and request.

    The least recently used are evicted first: those of an earlier state, in the end.
    max_bytes: approximate memory of all entries; 0 caches nothing.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._bytes = 0
        self._entries: OrderedDict[tuple[int, int, Key], tuple[Any, int]] = OrderedDict()

    @property
    def cached_bytes(self) -> int:
        """Approximate memory of all entries."""
        return self._bytes

    def get(self, user_id: int, tag: int, key: Key) -> Any | None:
        """The cached response, if there is one."""
        with self._lock:
            found = self._entries.get((user_id, tag, key))
            if found is None:
                return None
            self._entries.move_to_end((user_id, tag, key))
            return found[0]

    def put(self, user_id: int, tag: int, key: Key, response: Any, body_bytes: int) -> None:
        """Caches it, unless it is too large."""
        size = body_bytes + _ENTRY_BYTES + sum(len(part) for part in key if isinstance(part, str))
        if size > self._max_bytes // _LARGEST_PART:
            return
        with self._lock:
            _, replaced = self._entries.pop((user_id, tag, key), (None, 0))
            self._entries[user_id, tag, key] = response, size
            self._bytes += size - replaced
            while self._bytes > self._max_bytes:
                _, (_, evicted) = self._entries.popitem(last=False)
                self._bytes -= evicted
