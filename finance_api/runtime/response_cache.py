"""Keeps responses in memory, by user, state of the data, and request."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

#: The approximate size of a cached response without its body.
_ENTRY_BYTES = 2_000
#: A response is cached only if it is at most 1/_LARGEST_PART of the whole cache.
_LARGEST_PART = 8

Key = tuple[Hashable, ...]


class ResponseCache:
    """Responses by user, tag of the data's state, and request.

    Evicts the least recently used first, so responses of earlier states disappear eventually.
    max_bytes: the maximum memory of all entries, roughly; 0 caches nothing.
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
        with self._lock:
            found = self._entries.get((user_id, tag, key))
            if found is None:
                return None
            self._entries.move_to_end((user_id, tag, key))
            return found[0]

    def put(self, user_id: int, tag: int, key: Key, response: Any, body_bytes: int) -> None:
        """Cache the response, unless it is too large."""
        if body_bytes > self._max_bytes // _LARGEST_PART:
            return
        size = body_bytes + _ENTRY_BYTES + sum(len(part) for part in key if isinstance(part, str))
        with self._lock:
            _, replaced = self._entries.pop((user_id, tag, key), (None, 0))
            self._entries[user_id, tag, key] = response, size
            self._bytes += size - replaced
            while self._bytes > self._max_bytes:
                _, (_, evicted) = self._entries.popitem(last=False)
                self._bytes -= evicted
