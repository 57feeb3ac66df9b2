"""Where the files of tests are."""

import os
import shutil
import tempfile
from pathlib import Path

import psutil

_MEMORY = Path("/dev/shm")
#: Much more than all files of a run take.
_PLENTY_BYTES = 8 << 30


def work_in_memory() -> None:
    """Where there is plenty of it: making and removing files takes less time there.

    To be called before any are made. What TMPDIR says is left as it is.
    """
    if "TMPDIR" in os.environ or not _MEMORY.is_dir():
        return
    if min(psutil.virtual_memory().available, shutil.disk_usage(_MEMORY).free) > _PLENTY_BYTES:
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)
