"""Responses that break off while they are sent, on a server that takes an error for the end."""

import logging
import time
from collections.abc import Iterable

logger = logging.getLogger(__name__)

#: How often it is looked whether the client of a broken response has gone.
_LOOK_SECONDS = 1.0


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
