"""Everything in this process's memory: the plain statement of what a storage means.

It serves tests, and exports that are loaded at start. Data is lost with the process. There is one
module for each role, as in the interface.
"""

from collections.abc import Mapping
from typing import Any

from finance_api.storage.memory.backend import MemoryBackend


def from_settings(settings: Mapping[str, Any]) -> MemoryBackend:
    """An empty storage; `finance_api.demo.preload` fills it."""
    return MemoryBackend()
