"""Counts of tests: small and seeded by day, as docs and faults ask for them at night.

`make nightly` runs the tests with the mark ``nightly``, and these see NIGHTLY.
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

NIGHTLY = os.environ.get("FINANCE_TEST_NIGHTLY") == "1"


def count(small: T, large: T) -> T:
    """large: what `make nightly` takes."""
    return large if NIGHTLY else small


def by_day_on(fixture: str, database: str = "sqlite") -> Callable[[Any], Any]:
    """Run a test on one database by day, and on both at night. fixture: has the database."""
    databases = count([database], ["sqlite", "postgresql"])
    on_databases = pytest.mark.parametrize(fixture, databases, indirect=True)
    return lambda test: pytest.mark.nightly(on_databases(test))
