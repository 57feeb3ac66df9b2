"""Which cases a run by day takes: others each day; FINANCE_TEST_SAMPLE repeats a day's."""

import hashlib
import os
from collections.abc import Iterable
from datetime import UTC, datetime

#: Workers inherit the environment, so that all of them draw the same cases, at midnight too.
SAMPLE = os.environ.setdefault("FINANCE_TEST_SAMPLE", datetime.now(UTC).date().isoformat())


def drawn_number(node: str, sample: str = SAMPLE) -> int:
    """Return the number that a test or a case draws. node: its node id."""
    return int.from_bytes(hashlib.sha256(f"{sample} {node}".encode()).digest()[:8])


def is_drawn(node: str, one_of: int, sample: str = SAMPLE) -> bool:
    return drawn_number(node, sample) % one_of == 0


def drawn(nodes: Iterable[str], most: int, sample: str = SAMPLE) -> list[str]:
    """Return at most this many of the nodes, in any order."""
    return sorted(nodes, key=lambda node: drawn_number(node, sample))[:most]
