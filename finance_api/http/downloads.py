"""Downloads: responses with all data, made from one snapshot while they are sent.

Downloads have no time limit. Each uses a database connection and a thread of the server for as long
as its client reads, so only a few may run.
"""

import logging
from collections.abc import Callable, Generator
from contextlib import ExitStack

from pyramid.response import Response

from finance_api.http.requests import Request
from finance_api.runtime.logs import current_request_id
from finance_api.storage.errors import StorageError
from finance_api.storage.interface import Storage, reading

logger = logging.getLogger(__name__)


class DownloadBroken(Exception):
    """A download cannot be completed, so the server must abort the connection."""


#: The chunks of a body.
Chunks = Generator[bytes, None, None]


def download(
    request: Request,
    user_id: int,
    begin: Callable[[Storage], tuple[Response, Chunks]],
    on_break: Callable[[], None] = lambda: None,
) -> Response:
    """Return the response that ``begin`` makes; the chunks of its body are made while it is sent.

    begin: may read the storage, without a time limit. If it raises, nothing is sent.
    on_break: called if the body cannot be completed, through no fault of the client.
    Raises DownloadRunning, BulkheadFull.
    """
    # So that a request never needs two connections.
    request.close_storage()
    with ExitStack() as place, ExitStack() as unit:
        place.enter_context(request.services.downloads.running(user_id))
        storage = unit.enter_context(reading(request.services.storage))
        response, chunks = begin(storage)
        unit.callback(chunks.close)
        body = _Body(chunks, unit.pop_all(), place.pop_all(), on_break, request.request_id)
    # WebOb's length is 0 before there is a body, and is forgotten with each new body.
    length = response.content_length or None
    response.app_iter = body
    response.content_length = length
    return response


class _Body:
    """The body that a server iterates over, and then closes."""

    def __init__(
        self,
        chunks: Chunks,
        unit: ExitStack,
        place: ExitStack,
        on_break: Callable[[], None],
        request_id: str,
    ) -> None:
        """unit: closing it ends the unit of work. place: closing it releases the place."""
        self._chunks = chunks
        self._unit = unit
        self._place = place
        self._on_break = on_break
        self._request_id = request_id

    def __iter__(self) -> "_Body":
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._chunks)
        except StopIteration:
            self._unit.close()
            raise
        except Exception as error:
            self._log(error)
            # Do not release the place yet: the connection may stay open for longer.
            self._unit.close()
            self._on_break()
            # Hide the original error, whose message may contain data of the user.
            raise DownloadBroken from None

    def close(self) -> None:
        with self._place:
            self._unit.close()

    # If another response replaces this one, nobody closes this body.
    __del__ = close

    def _log(self, error: Exception) -> None:
        outside = current_request_id.set(self._request_id)
        try:
            if isinstance(error, StorageError):
                logger.error("a download broke off: %s", error)
            else:
                name = type(error).__name__
                logger.error("a download broke off: unexpected %s", name, exc_info=error)
        finally:
            current_request_id.reset(outside)
