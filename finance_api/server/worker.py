"""A worker of the production server: its application, and how the process ends."""

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterable
from functools import partial
from typing import Any

from pyramid.paster import get_app, setup_logging

from finance_api.server.ini_files import accept_marks

logger = logging.getLogger(__name__)

#: Poll interval for a client disconnect after a broken response.
_LOOK_SECONDS = 1.0


def make_application(global_conf: dict[str, str], drain_seconds: int) -> Any:
    """Make the application of this worker, and make sure that its process ends properly.

    drain_seconds: time for accepted requests after the death of the parent process.
    """
    # granian's handler runs in the main thread, which waits for a lock. If another thread gets the
    # signal, Python does not wake the main thread, and the worker would run until it is killed.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    # Until granian sets its handler, no request runs, so the process may end at once.
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(1))
    for work in (_pass_sigterm_on, partial(_end_with_parent, drain_seconds)):
        threading.Thread(target=work, daemon=True).start()
    accept_marks()
    setup_logging(global_conf["__file__"], global_conf)
    app = get_app(global_conf["__file__"], options=global_conf)

    def application(environ: dict[str, Any], start_response: Any) -> Any:
        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            # granian adds its own name to responses without a Server header.
            return start_response(status, [*headers, ("Server", "finance_api")], *error)

        body = app(environ, start)
        return body if isinstance(body, list) else UnendedBody(body)

    return application


def _pass_sigterm_on() -> None:
    while True:
        number = signal.sigwait({signal.SIGTERM})
        signal.getsignal(number)(number, None)  # type: ignore[misc, operator]


def _end_with_parent(drain_seconds: int) -> None:
    """Wait for the parent's death, then send SIGTERM to this process, as no other process would.

    Otherwise the worker would keep listening, and share the port with the next server.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(drain_seconds)
    os._exit(1)


class UnendedBody:
    """A body that never ends if it breaks off.

    granian would mistake an error for the end, and tell the client that the body is complete. So
    after an error this body sends nothing more, until the client or the proxy gives up.
    """

    def __init__(self, body: Iterable[bytes]) -> None:
        self._body = body
        self._chunks = iter(body)
        self._is_broken = False

    def __iter__(self) -> "UnendedBody":
        return self

    def __next__(self) -> bytes:
        if not self._is_broken:
            try:
                return next(self._chunks)
            except StopIteration:
                raise
            except Exception as error:
                # The exception's message is left out: it may contain data of the user.
                name = type(error).__name__
                logger.error("a response broke off and stays incomplete: %s", name)
                self._is_broken = True
        time.sleep(_LOOK_SECONDS)
        # Sends nothing to the client, but notices whether the client is still connected.
        return b""

    def close(self) -> None:
        close = getattr(self._body, "close", None)
        if close is not None:
            close()
