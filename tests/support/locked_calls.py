"""Counts what is computed while a user's data is locked for writing."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import finance_api
from finance_api.storage.sql.backend import SqlBackend

_PACKAGE = str(Path(finance_api.__file__).parent)
#: Parts whose functions may run while a change has the lock: they store, convert and check values.
_STORING = (
    "/storage/",
    "/serialization/",
    "/ledger/changing.py",
    "/ledger/rehearsal.py",
    "/resources/",
    "/values/",
    "/runtime/",
)
#: Calls of other functions, such as those that make an entry of the audit log.
FEW_CALLS = 60


@contextmanager
def calls_under_lock() -> Iterator[Counter[str]]:
    """Count the calls of functions that neither store nor convert values, from the moment when a
    unit of work that writes has begun until its transaction ends.
    """
    calls: Counter[str] = Counter()
    write = SqlBackend.write

    def note(frame: Any, event: str, argument: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(_PACKAGE):
            below = path.removeprefix(_PACKAGE)
            if not below.startswith(_STORING):
                calls[f"{below}:{frame.f_code.co_qualname}"] += 1

    def watched(self: SqlBackend, tm: Any, **options: Any) -> Any:
        storage = write(self, tm, **options)
        tm.get().addAfterCommitHook(lambda is_stored: sys.setprofile(None))
        sys.setprofile(note)
        return storage

    SqlBackend.write = watched  # type: ignore[method-assign]
    try:
        yield calls
    finally:
        SqlBackend.write = write  # type: ignore[method-assign]
        sys.setprofile(None)
