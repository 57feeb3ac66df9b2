"""Numbers of examples: few and seeded by day, many at night.

`make nightly` runs the tests with the mark ``nightly``, with NIGHTLY set.
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

NIGHTLY = os.environ.get("FINANCE_TEST_NIGHTLY") == "1"


def count(small: T, large: T) -> T:
    """Return ``large`` in `make nightly`, otherwise ``small``."""
    return large if NIGHTLY else small


def by_day_on(fixture: str, database: str = "sqlite") -> Callable[[Any], Any]:
    """Run a test on one database by day, and on both at night. fixture: gets the database."""
    databases = count([database], ["sqlite", "postgresql"])
    on_databases = pytest.mark.parametrize(fixture, databases, indirect=True)
    return lambda test: pytest.mark.nightly(on_databases(test))
