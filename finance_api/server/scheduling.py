"""How the system shares a core among this process' threads."""

import contextlib
import os


def work_in_batches() -> None:
    """Have a thread that becomes ready wait until the one that runs has to wait itself.

    Otherwise the thread that writes answers interrupts the one that makes them after each of them,
    where they share a core: two switches for each request, which cost more than writing it does.
    For this thread and those that it starts; where the system has no such thing, nothing is done.
    """
    if hasattr(os, "SCHED_BATCH"):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
