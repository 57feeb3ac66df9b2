"""One connection."""

import logging
import socket
import time
from contextlib import suppress
from typing import Any

from waitress.channel import ClientDisconnected, HTTPChannel

from finance_api.server.answers import AppTask, ProblemTask
from finance_api.server.deadlines import ANSWER_BYTES, Phase, Place
from finance_api.server.parser import RequestParser
from finance_api.server.refusal import Refusal

logger = logging.getLogger(__name__)


class Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """waitress' channel with deadlines and an end that no client loses an answer to."""

    task_class = AppTask
    error_task_class = ProblemTask
    parser_class = RequestParser

    current_outbuf_count: int
    request: RequestParser | None
    requests: list[RequestParser]

    answered = 0
    sent_bytes = 0
    lingering = False
    #: Whether the loop wants to be woken when the worker is done.
    is_waited_for = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._place = Place(Phase.SILENT, 0)
        self._since = time.monotonic()

    # Deadlines

    def place(self) -> Place:
        # Requests are looked at before output: a worker leaves them in the other order.
        working = bool(self.requests)
        if self.lingering:
            return Place(Phase.LINGER, 0)
        if self.total_outbufs_len:
            return Place(Phase.ANSWER, self.answered + self.sent_bytes // ANSWER_BYTES)
        if working or self.close_when_flushed:
            return Place(Phase.WORK, 0)
        if self.request is not None and self.request.begun:
            phase = Phase.BODY if self.request.headers_finished else Phase.HEADER
            return Place(phase, self.answered)
        return Place(Phase.IDLE if self.answered else Phase.SILENT, self.answered)

    def cut_if_overdue(self, now: float) -> None:
        """now: of the monotonic clock."""
        place = self.place()
        if place != self._place:
            self._place, self._since = place, now
            return
        limit = self.server.limits.get(place.phase)
        if limit is None or now - self._since < limit:
            return
        if self.request is not None and place.phase in (Phase.HEADER, Phase.BODY):
            self._answer_408(self.request)
        elif place.phase in (Phase.SILENT, Phase.IDLE):
            # Nothing was asked, so nothing is answered: a client that only opened the connection
            # ahead of its next request would take a 408 for the answer to that.
            self.end()
        else:
            self.handle_close()

    def _answer_408(self, request: RequestParser) -> None:
        self.request = None
        request.refuse(Refusal(408, "the request did not arrive in time"))
        self.requests.append(request)
        # Here and not as a task: all threads may be busy.
        self.service()

    def service(self) -> None:
        """Answers the first request that waits.

        As waitress' own, whose tasks may raise; and it wakes the loop only where that is needed.
        """
        request = self.requests[0]
        task = (self.error_task_class if request.error else self.task_class)(self, request)
        try:
            if self.connected:
                task.service()
            else:
                task.close_on_finish = True
        except ClientDisconnected:
            task.close_on_finish = True
        except Exception:
            logger.exception("answering failed")
            task.close_on_finish = True
        if task.close_on_finish:
            self._finish()
        else:
            self._go_on()
        self.answered += 1
        if self.connected and (
            self.is_waited_for or self.requests or self.total_outbufs_len or self.close_when_flushed
        ):
            self.is_waited_for = False
            self.server.ask(self)

    def _finish(self) -> None:
        with self.requests_lock:
            self.close_when_flushed = True
            for request in self.requests:
                request.close()
            self.requests = []

    def _go_on(self) -> None:
        if len(self.requests) > 1:
            self._flush_outbufs_below_high_watermark()
        if self.current_outbuf_count:
            # The next answer gets a buffer of its own, so that this one can be let go of.
            self.current_outbuf_count = self.adj.outbuf_high_watermark
        self.requests[0].close()
        with self.requests_lock:
            self.requests.pop(0)
            if self.connected and self.requests:
                self.server.add_task(self)
            elif self.connected and self._is_continue_due:
                self.send_continue()

    @property
    def _is_continue_due(self) -> bool:
        """Whether a client waits for leave to send a body, which the answers before it put off."""
        request = self.request
        return (
            request is not None
            and request.expect_continue
            and request.headers_finished
            and not self.sent_continue
        )

    def write_soon(self, data: Any) -> int:
        # What the socket takes at once needs no buffer.
        sent = 0
        if type(data) is bytes and data:
            with self.outbuf_lock:
                if self.connected and not self.total_outbufs_len:
                    with suppress(OSError):
                        sent = self.send(data, do_close=False)
            if sent == len(data):
                return sent
            data = data[sent:]
        return sent + int(super().write_soon(data))

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent: int = super().send(data, do_close=do_close)
        self.sent_bytes += sent
        return sent

    @property
    def working(self) -> bool:
        """Whether a worker is on a request, and nothing else is to be done."""
        return bool(self.requests) and not (
            self.total_outbufs_len or self.close_when_flushed or self.will_close
        )

    @property
    def settled(self) -> bool:
        """Whether this only waits for its client to send; see ``Sockets``."""
        return not (
            self.requests or self.total_outbufs_len or self.close_when_flushed or self.will_close
        )

    # The end of a connection

    def handle_write(self) -> None:
        if not self.close_when_flushed or self.will_close:
            super().handle_write()
            return
        self._flush_exception(self._flush_some)
        if self.connected and not self.total_outbufs_len:
            self.end()

    def end(self) -> None:
        """End our side and swallow what still comes until the client ends its own.

        Closing with bytes unread makes the system send a reset, at which the client throws away
        the answer it has not read yet (RFC 9112 section 9.6).
        """
        self.close_when_flushed = False
        self.lingering = True
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()

    def readable(self) -> bool:
        if self.lingering:
            return not self.will_close
        return bool(super().readable())

    def received(self, data: bytes) -> bool:
        if self.lingering:
            return False
        return bool(super().received(data))

    def handle_close(self) -> None:
        if self.server.crew.is_in_turn:
            super().handle_close()
        else:
            # A worker that fails to send "100 Continue" would change the map of connections while
            # the loop goes through it.
            self.will_close = True
            self.server.pull_trigger()
