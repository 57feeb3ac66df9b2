"""The end: every accepted request is answered whole, nothing more is taken."""

import logging
import time

from finance_api.server.deadlines import Phase
from finance_api.server.listener import Listener

logger = logging.getLogger(__name__)

# For requests that were sent before the end and have not been read yet.
LAST_READ_SECONDS = 0.2
_TURN_SECONDS = 0.05


def drain(listener: Listener, limit_seconds: float) -> bool:
    """Answer what was accepted; False when the limit passed before that was done.

    The listening socket closes first. Then every connection closes as soon as it owes nothing:
    idle ones at once, ones in the middle of a request after LAST_READ_SECONDS.
    """
    started = time.monotonic()
    listener.draining = True
    listener.stop_listening()
    # One read of what has already arrived on idle connections.
    listener.turn(0)
    while not _done(listener, time.monotonic() - started):
        if time.monotonic() - started > limit_seconds:
            logger.error("the drain limit of %g s has passed", limit_seconds)
            return False
        listener.turn(_TURN_SECONDS)
    return _end(listener, max(0.0, started + limit_seconds - time.monotonic()))


def _done(listener: Listener, elapsed_seconds: float) -> bool:
    reading = False
    busy = False
    for channel in listener.channels():
        phase = channel.place().phase
        if phase in (Phase.SILENT, Phase.HEADER, Phase.BODY) and (
            elapsed_seconds < LAST_READ_SECONDS
        ):
            reading = True
        elif phase in (Phase.WORK, Phase.ANSWER):
            busy = True
        elif phase is not Phase.LINGER:
            channel.end()
    return not (reading or busy)


def _end(listener: Listener, seconds: float) -> bool:
    dispatcher = listener.task_dispatcher
    # Also waits for work whose client has gone.
    dispatcher.shutdown(timeout=seconds)
    if dispatcher.threads:
        return False
    # Swallow once more what lingering clients sent, so that closing is no reset.
    listener.turn(0)
    listener.close_all()
    return True
