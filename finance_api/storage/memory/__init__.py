"""A storage in this process's memory: the simplest model of what a storage must do.

It is for tests, and for exports that are loaded at start. Data is lost with the process. `data`,
`users` and `roles` have the parts of a unit of work.
"""

from collections.abc import Mapping
from typing import Any

from finance_api.storage.memory.backend import MemoryBackend


def from_settings(settings: Mapping[str, Any]) -> MemoryBackend:
    """Return an empty storage; `finance_api.demo.preload` fills it."""
    return MemoryBackend()
