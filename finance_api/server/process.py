"""What a process asks of the system before it starts threads."""

import contextlib
import ctypes
import os

#: glibc's M_ARENA_MAX, see mallopt(3).
_ARENA_MAX = -8


def share_memory() -> None:
    """Have all threads allocate from one arena.

    glibc gives each thread one of its own, and each keeps what was once needed. Here one thread
    works at a time, now this one, now that one: ten of them would keep ten times as much. Where
    the C library has no such thing, nothing is done.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)


def work_in_batches() -> None:
    """Have a thread that becomes ready wait until the one that runs has to wait itself.

    Otherwise the thread that writes answers interrupts the one that makes them after each of them,
    where they share a core: two switches for each request, which cost more than writing it does.
    For this thread and those that it starts; where the system has no such thing, nothing is done.
    """
    if hasattr(os, "SCHED_BATCH"):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
