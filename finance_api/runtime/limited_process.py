"""Runs a function in a separate process, with limits on memory, processor and elapsed time.

Meant for files that people send: if a file makes a parser run wild, only that process ends.
"""

import copy
import logging
import logging.handlers
import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from finance_api.runtime.logs import LogRecord

#: New processes are forked from a fork server, which has no threads and no connections.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["finance_api.uploads.work", "finance_api.storage.sql"])
#: Set in a process that this module started: the connection to its parent, and a lock for sending.
_parent: Connection | None = None
_sending = threading.Lock()


class _Report(NamedTuple):
    value: Any


def report(value: Any) -> None:
    """Send a value to the parent's `LimitedProcess.reported`; in other processes, do nothing."""
    if _parent is not None:
        with _sending:
            _parent.send(_Report(value))


class LimitExceeded(Exception):
    """A limit ended the process. The message says which one: "more than 512 MB of memory"."""


class ProcessKilled(Exception):
    """`LimitedProcess.kill` ended the process."""


class ProcessDied(Exception):
    """The process ended by itself without an answer; the message has its exit code."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """memory_mb: size of the process's data. cpu_seconds: processor time. None means no limit."""

    memory_mb: int | None = None
    cpu_seconds: int | None = None
    seconds: int | None = None

    def apply(self) -> None:
        """Limit this process, except for `seconds`, which the waiting process enforces."""
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self.memory_mb is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (self.memory_mb << 20,) * 2)
        if self.cpu_seconds is not None:
            # SIGXCPU at the limit shows the reason; SIGKILL follows a second later.
            resource.setrlimit(resource.RLIMIT_CPU, (self.cpu_seconds, self.cpu_seconds + 1))


class LimitedProcess:
    """Calls a function in another process, which starts at once.

    function, arguments: pickled for the other process, as is its answer. reported: the last value
    that the function has passed to `report`, None before the first; only updated in `result`.
    """

    def __init__(self, limits: Limits, function: Callable[..., Any], *arguments: Any) -> None:
        self.reported: Any = None
        self._limits = limits
        self._end = None if limits.seconds is None else time.monotonic() + limits.seconds
        self._lock = threading.Lock()
        self._is_over = self._is_killed = False
        self._answers, theirs = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(
            target=_run, args=(theirs, limits, function, arguments), daemon=True
        )
        self._process.start()
        theirs.close()

    def kill(self) -> None:
        """End the process; `result` then raises ProcessKilled."""
        with self._lock:
            if not self._is_over:
                self._is_killed = True
                self._process.kill()

    def result(self) -> Any:
        """Wait, and return the function's result. Call it only once.

        Raises LimitExceeded, ProcessKilled, ProcessDied, and what the function raises.
        """
        try:
            error, answer = self._receive()
        except EOFError:
            self._process.join()
            raise self._reason() from None
        finally:
            with self._lock:
                self._is_over = True
                self._process.kill()
                self._process.join()
                self._process.close()
                self._answers.close()
        if isinstance(error, MemoryError):
            raise LimitExceeded(f"more than {self._limits.memory_mb} MB of memory") from None
        if error is not None:
            raise error
        return answer

    def _receive(self) -> tuple[Exception | None, Any]:
        while True:
            left = None if self._end is None else max(0.0, self._end - time.monotonic())
            if not self._answers.poll(left):
                raise LimitExceeded(f"more than {self._limits.seconds} seconds")
            message = self._answers.recv()
            if isinstance(message, _Report):
                self.reported = message.value
                continue
            if not isinstance(message, logging.LogRecord):
                error, answer = message
                return error, answer
            logging.getLogger(message.name).handle(message)

    def _reason(self) -> Exception:
        if self._is_killed:
            return ProcessKilled()
        if self._process.exitcode == -signal.SIGXCPU:
            return LimitExceeded(f"more than {self._limits.cpu_seconds} seconds of processor time")
        return ProcessDied(f"exit code {self._process.exitcode}")


class _LogToParent(logging.handlers.QueueHandler):
    """Sends log records to the parent, which logs them. queue: the connection to the parent."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Return a record that can be pickled; its traceback is kept as text."""
        prepared = copy.copy(record)
        prepared.msg, prepared.args, prepared.exc_info = record.getMessage(), None, None
        return prepared

    def enqueue(self, record: logging.LogRecord) -> None:
        with _sending:
            self.queue.send(record)  # type: ignore[attr-defined]


def _run(
    parent: Connection, limits: Limits, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    global _parent
    _parent = parent
    # Ctrl-C reaches every process of a terminal; only the parent decides which of them end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    logging.setLogRecordFactory(LogRecord)
    logging.getLogger().addHandler(_LogToParent(parent))  # type: ignore[arg-type]
    limits.apply()
    answer: tuple[Exception | None, Any]
    try:
        answer = None, function(*arguments)
    except MemoryError:
        # A new error, without the frames that keep the memory in use.
        answer = MemoryError(), None
    except Exception as error:
        answer = error, None
    with _sending:
        parent.send(answer)


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
