"""Directories of databases."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

_MEMORY = Path("/dev/shm")
#: Much more than all databases of a run take.
_PLENTY_BYTES = 8 << 30


@contextmanager
def quick_directory() -> Iterator[Path]:
    """In memory where there is plenty: making and removing databases takes less time there."""
    free = psutil.virtual_memory().available
    if _MEMORY.is_dir():
        free = min(free, shutil.disk_usage(_MEMORY).free)
    where = _MEMORY if _MEMORY.is_dir() and free > _PLENTY_BYTES else None
    # Not below pytest's own directory, which is closed to PostgreSQL's user.
    directory = Path(tempfile.mkdtemp(prefix="finance-tests-", dir=where))
    try:
        yield directory
    finally:
        shutil.rmtree(directory)
