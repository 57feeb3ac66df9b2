"""The bodies of requests, with a cap and a deadline, which granian's have not."""

import io
import threading
from typing import Any

from finance_api.server.head import MAX_BODY_BYTES
from finance_api.server.refusal import Refusal

#: So many threads of a process may wait for bodies; they are there beside those of the settings.
BODY_THREADS = 4


class Overdue(Refusal):
    """A body that did not arrive in time.

    granian lets nobody end a read. And one that goes on when granian's thread is given back to it
    stops the whole process: so after the answer ``wait`` has to be called, which takes until the
    client ends the connection.
    """

    def __init__(self, reader: threading.Thread) -> None:
        super().__init__(408, "the request did not arrive in time")
        self.wait = reader.join


class Bodies:
    """Reads bodies; a client that sends none holds a thread, but never the last one."""

    def __init__(self, seconds: float) -> None:
        """seconds: that each body may take."""
        self._seconds = seconds
        self._places = threading.BoundedSemaphore(BODY_THREADS)

    def read(self, stream: Any, length: str) -> io.BytesIO:
        """The whole body. Raises Refusal.

        stream: granian's. length: as the client states it.
        """
        # Counted first: Python refuses to read a number of thousands of digits.
        if len(length.lstrip("0")) > 9 or int(length) > MAX_BODY_BYTES:
            raise Refusal(413, f"the body is longer than {MAX_BODY_BYTES} bytes")
        if not int(length):
            return io.BytesIO()
        if not self._places.acquire(blocking=False):
            raise Refusal(503, "too many requests are sending their bodies")
        arrived: list[bytes] = []

        def read() -> None:
            try:
                arrived.append(stream.read(int(length)))
            finally:
                self._places.release()

        reader = threading.Thread(target=read, name="reads a body", daemon=True)
        reader.start()
        reader.join(self._seconds)
        if reader.is_alive():
            raise Overdue(reader)
        if not arrived or len(arrived[0]) < int(length):
            raise Refusal(400, "the body broke off")
        return io.BytesIO(arrived[0])
