"""Makes the program's limits small, so that little data reaches what is done past them."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_LIMIT = re.compile("_?MAX_[A-Z_]+|STREAMED_ROWS")
#: The parts that read data, compute and show figures.
_PARTS = tuple(f"finance_api.{part}." for part in ("planning", "storage", "api", "web"))
#: The range of stored values, and limits on what a client sends: neither depends on the data.
KEPT = {
    *("MAX_UNITS", "MAX_SECONDS", "MAX_AGE_DAYS", "MAX_OPERAND_CHARACTERS"),
    *("MAX_PARAMETERS", "MAX_CONDITIONS", "MAX_WORDS", "MAX_LIMIT", "MAX_OFFSET", "MAX_DIMENSIONS"),
    *("MAX_PAGE", "MAX_DAYS", "MAX_PERIODS", "MAX_REFERENCES", "MAX_NAME_CHARACTERS", "MAX_LIVE"),
    *("MAX_URL_BYTES", "MAX_BODY_BYTES", "MAX_INTERVAL", "MAX_COUNT", "MAX_CHARACTERS"),
    *("_MAX_BYTES", "_MAX_CARRIED", "_MAX_FORMS", "_MAX_CHARACTERS"),
}


def limits() -> Iterator[tuple[object, str]]:
    """Yield module and name of each limit, in each module that has it."""
    for name, module in sorted(sys.modules.items()):
        if name.startswith(_PARTS) and not name.startswith("finance_api.storage.testing"):
            for limit, value in list(vars(module).items()):
                if _LIMIT.fullmatch(limit) and isinstance(value, int) and limit not in KEPT:
                    yield module, limit


@contextmanager
def small_limits(value: int | None, names: set[str] | None = None) -> Iterator[None]:
    """Set the limits with these names, or all limits, to ``value``. None changes nothing."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for module, name in [] if value is None else limits():
            if names is None or name in names:
                monkeypatch.setattr(module, name, value)
        yield
