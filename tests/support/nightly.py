"""Counts of tests: small and seeded by day, as docs and faults ask for them at night.

`make nightly` runs the tests with the mark ``nightly``, and these see NIGHTLY.
"""

import os
from typing import TypeVar

T = TypeVar("T")

NIGHTLY = os.environ.get("FINANCE_TEST_NIGHTLY") == "1"


def count(small: T, large: T) -> T:
    """large: what `make nightly` takes."""
    return large if NIGHTLY else small
