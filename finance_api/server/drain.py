"""The end: every accepted request is answered whole, nothing more is taken."""

import logging
import time

from finance_api.server.deadlines import Phase
from finance_api.server.listener import Listener

logger = logging.getLogger(__name__)

# For requests that were sent before the end and have not been read yet.
LAST_READ_SECONDS = 0.2
_TURN_SECONDS = 0.05


class Drain:
    """What the listener's turns are at the end.

    The listening socket closes first. Then every connection closes as soon as it owes nothing:
    idle ones at once, ones in the middle of a request after LAST_READ_SECONDS.
    """

    def __init__(self, listener: Listener, limit_seconds: float) -> None:
        self._listener = listener
        self._limit_seconds = limit_seconds
        self._started: float | None = None
        self._is_overdue = False

    @property
    def seconds_left(self) -> float:
        """Of the limit; 0 once it has passed."""
        if self._started is None:
            return self._limit_seconds
        return max(0.0, self._started + self._limit_seconds - time.monotonic())

    def turn(self, wait: bool) -> bool:
        """One turn; False when everything was answered, or the limit has passed."""
        if self._started is None:
            self._begin()
            return True
        if self._is_done():
            return False
        if not self.seconds_left:
            self._is_overdue = True
            return False
        self._listener.turn(_TURN_SECONDS if wait else 0)
        return True

    def _begin(self) -> None:
        logger.info("stopping: answering what was accepted")
        self._started = time.monotonic()
        self._listener.draining = True
        self._listener.stop_listening()
        # One read of what has already arrived on idle connections.
        self._listener.turn(0)

    def _is_done(self) -> bool:
        reading = False
        busy = False
        in_time = self._limit_seconds - self.seconds_left < LAST_READ_SECONDS
        for channel in self._listener.channels():
            phase = channel.place().phase
            if phase in (Phase.SILENT, Phase.HEADER, Phase.BODY) and in_time:
                reading = True
            elif phase in (Phase.WORK, Phase.ANSWER):
                busy = True
            elif phase is not Phase.LINGER:
                channel.end()
        return not (reading or busy)

    def finish(self, idle: bool) -> bool:
        """After the last turn: close what is left. Returns whether nothing was.

        idle: whether no work goes on, also none whose client has gone.
        """
        if self._is_overdue or not idle:
            logger.error("the drain limit of %g s has passed", self._limit_seconds)
            return False
        # Swallow once more what lingering clients sent, so that closing is no reset.
        self._listener.turn(0)
        self._listener.close_all()
        return True
