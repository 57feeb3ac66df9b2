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

logger = logging.getLogger(__name__)

#: Poll interval for a client disconnect after a broken response.
_LOOK_SECONDS = 1.0


def make_application(global_conf: dict[str, str], drain_seconds: int) -> Any:
    """Make the application of this worker, and see to the end of its process.

    drain_seconds: time for accepted requests after the death of the parent process.
    """
    # granian's handler needs the main thread, which waits for a lock. Python does not wake it where
    # the system gives the signal to another thread: such a worker would go on until it is killed.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    # Until granian sets its handler, nothing is in flight.
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(1))
    for work in (_pass_sigterm_on, partial(_end_with_parent, drain_seconds)):
        threading.Thread(target=work, daemon=True).start()
    setup_logging(global_conf["__file__"], global_conf)
    app = get_app(global_conf["__file__"], options=global_conf)

    def application(environ: dict[str, Any], start_response: Any) -> Any:
        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            # granian names itself in answers that name no server.
            return start_response(status, [*headers, ("Server", "finance_api")], *error)

        body = app(environ, start)
        return body if isinstance(body, list) else UnendedBody(body)

    return application


def _pass_sigterm_on() -> None:
    while True:
        number = signal.sigwait({signal.SIGTERM})
        signal.getsignal(number)(number, None)  # type: ignore[misc, operator]


def _end_with_parent(drain_seconds: int) -> None:
    """Wait for the death of the parent, then stop as after SIGTERM: nobody else would ask for it.

    Otherwise the worker would share the port with the next server.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(drain_seconds)
    os._exit(1)


class UnendedBody:
    """A body that has no end where it breaks off.

    granian takes an error for the end, and tells the client that all is there. So nothing more is
    sent, until the client or the proxy gives up, which closes the body.
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
                # Without the message, which may contain data of the user.
                name = type(error).__name__
                logger.error("a response broke off, and is left without an end: %s", name)
                self._is_broken = True
        time.sleep(_LOOK_SECONDS)
        # It reaches no client, but tells whether there is one.
        return b""

    def close(self) -> None:
        close = getattr(self._body, "close", None)
        if close is not None:
            close()
