"""The wish to stop, which signals bring.

SIGTERM, SIGINT and SIGHUP (a closed terminal) all ask for the graceful end; a second one of any of
them ends the process at once. A signal that was ignored when the server started, as ``nohup`` does
with SIGHUP, stays ignored.
"""

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Stop:
    """Asked for or not; ``wake`` is called so that the loop looks."""

    def __init__(self, wake: Callable[[], object]) -> None:
        self._wake = wake
        self._wanted = False

    def wanted(self) -> bool:
        return self._wanted

    def want(self) -> None:
        self._wanted = True
        self._wake()

    @contextlib.contextmanager
    def on_signals(self) -> Iterator[None]:
        """Listen to signals meanwhile; Python allows that in the main thread only."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: signal.signal(number, self._on_signal)
            for number in SIGNALS
            if signal.getsignal(number) is not signal.SIG_IGN
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._wanted:
            # Written without buffers: the main thread may be in the middle of using them.
            os.write(2, b"second signal: stopped at once\n")
            os._exit(1)
        self.want()


def leave(code: int) -> NoReturn:
    """End the process with this exit code, whatever is above or still running.

    pserve turns SystemExit into exit code 0, and workers that overran the drain limit would hold
    up or race an ordinary end.
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
