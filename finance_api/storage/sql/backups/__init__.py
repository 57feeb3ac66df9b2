"""Backups of the whole database in one file, and restoring them."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A file that takes the name ``path`` if the block ends without an error, else it is removed.

    In the same folder, so that it is renamed; only its owner may read it.
    """
    descriptor, name = tempfile.mkstemp(".part", f"{path.name}.", path.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
        for each, flags in ((part, os.O_RDWR), (path.parent, os.O_DIRECTORY)):
            descriptor = os.open(each, flags)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if each is part:
                part.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            part.unlink()
        raise
