"""The process that works on an upload, and whether it still runs."""

import os
import socket
from contextlib import suppress
from pathlib import Path


def this_worker() -> str:
    """The name of this process: host, its boot, process id and when the process started."""
    return _worker(os.getpid())


def is_gone(worker: str) -> bool:
    """Whether a process of this host has certainly ended; False for processes of other hosts."""
    place, _, pid = worker.rpartition("/")[0].rpartition("/")
    if not this_worker().startswith(f"{place}/"):
        return False
    return worker != _worker(int(pid))


def _worker(pid: int) -> str:
    """The name of a process. The start is empty if the process has ended."""
    boot, started = "", ""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        # The command, in parentheses, may contain anything; 19 fields after it comes the start.
        status = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        started = status.rpartition(")")[2].split()[19]
    return f"{socket.gethostname()}/{boot}/{pid}/{started}"
