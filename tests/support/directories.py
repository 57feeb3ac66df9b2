"""Chooses the directory for the tests' files."""

import os
import shutil
import tempfile
from pathlib import Path

import psutil

_MEMORY = Path("/dev/shm")
#: Much more than the files of a test run need.
_PLENTY_BYTES = 8 << 30


def work_in_memory() -> None:
    """Keep temporary files in memory if there is plenty, because files are faster there.

    Call this before any file is made. Does nothing if TMPDIR is set.
    """
    if "TMPDIR" in os.environ or not _MEMORY.is_dir():
        return
    if min(psutil.virtual_memory().available, shutil.disk_usage(_MEMORY).free) > _PLENTY_BYTES:
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)
