"""granian's part of a worker: the connections, HTTP/1.1, and the threads that call us."""

import asyncio
import os
import select
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from granian._futures import _new_cbscheduler
from granian._granian import SocketHolder, WorkerSignal, WSGIWorker
from granian.http import HTTP1Settings

from finance_api.server.drain import LAST_READ_SECONDS
from finance_api.server.granian.body import BODY_THREADS
from finance_api.server.granian.settings import GranianSettings
from finance_api.server.head import MAX_HEADER_BYTES, MAX_TARGET_BYTES

# Connections that wait in the system's queue.
BACKLOG = 1024
# The application refuses what is longer than one of these two; granian what is longer than both.
_HEAD_BYTES = MAX_TARGET_BYTES + MAX_HEADER_BYTES + 4096
# Ten years: threads wait for their turns, and the only one that takes requests must not end.
_IDLE_THREAD_SECONDS = 315_360_000
_NAP_SECONDS = 0.005

#: Called in a thread, with granian's side of the exchange and the environ it makes.
Respond = Callable[[Any, dict[str, Any]], None]


class Engine:
    """granian, serving one process' share of a listening socket from `start` to `stop`."""

    def __init__(
        self, number: int, settings: GranianSettings, listening: socket.socket, respond: Respond
    ) -> None:
        """number: of the process, from 1."""
        self._signal = WorkerSignal()
        self._drained = threading.Event()
        self._signal.add_cb(self._drained.set)
        self._listening = listening
        # granian's own; it closes it when it stops.
        self._descriptor = os.dup(listening.fileno())
        holder: Any = SocketHolder
        worker: Any = WSGIWorker
        self._worker = worker(
            worker_id=number,
            sock=(None, holder(self._descriptor, False, BACKLOG)),
            ipc=None,
            threads=1,
            blocking_threads=1,
            py_threads=settings.threads + BODY_THREADS,
            py_threads_idle_timeout=_IDLE_THREAD_SECONDS,
            backpressure=settings.connection_limit,
            http_mode="1",
            http1_opts=HTTP1Settings(
                header_read_timeout=round(settings.header_seconds * 1000),
                max_buffer_size=_HEAD_BYTES,
            ),
        )
        # Not used for WSGI, but wanted.
        loop = asyncio.new_event_loop()
        schedule: Any = _new_cbscheduler
        self._scheduler = schedule(loop, respond, impl_asyncio=True)
        self._loop = loop

    def start(self) -> None:
        """Serve, in threads of granian's."""
        self._worker.serve_mtr(self._scheduler, self._loop, self._signal)

    def stop(self, seconds: float) -> bool:
        """Stop listening, answer what was accepted; False if that takes longer."""
        self._stop_listening()
        self._signal.set()
        return self._drained.wait(seconds)

    def _stop_listening(self) -> None:
        """Let granian accept what waits, and read what has been sent on it.

        At its own end it closes each connection that it has read nothing of, also where a request
        has arrived already. So it goes on for a moment, with nothing more to accept: its listening
        socket is exchanged for one that nobody knows.
        """
        waiting = select.poll()
        waiting.register(self._listening, select.POLLIN)
        until = time.monotonic() + LAST_READ_SECONDS
        while waiting.poll(0) and time.monotonic() < until:
            time.sleep(_NAP_SECONDS)
        # Not a Unix one: granian may be about to ask for its address, and dies of what is none.
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as unknown:
            unknown.bind(("127.0.0.1", 0))
            unknown.listen(0)
            unknown.setblocking(False)
            os.dup2(unknown.fileno(), self._descriptor, inheritable=False)
        self._listening.close()
        time.sleep(LAST_READ_SECONDS)
