"""Downloads: responses with all there is, made while they are sent, in one snapshot.

They have no time limit. Each has a connection to the database and a thread of the server for as
long as its client reads, so they are few.
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
    """A download cannot be ended; the server is to break the connection off."""


#: The chunks of a body.
Chunks = Generator[bytes, None, None]


def download(
    request: Request,
    user_id: int,
    begin: Callable[[Storage], tuple[Response, Chunks]],
    on_break: Callable[[], None] = lambda: None,
) -> Response:
    """The response that ``begin`` makes, with the chunks of its body, which are made as it is sent.

    begin: may read the storage, which has no time limit, and may raise: nothing is sent then.
    on_break: called where the body cannot be made to its end, through no fault of the client.
    Raises DownloadRunning, BulkheadFull.
    """
    # A request never needs two connections.
    request.close_storage()
    with ExitStack() as place, ExitStack() as unit:
        place.enter_context(request.services.downloads.running(user_id))
        storage = unit.enter_context(reading(request.services.storage))
        response, chunks = begin(storage)
        unit.callback(chunks.close)
        body = _Body(chunks, unit.pop_all(), place.pop_all(), on_break, request.request_id)
    response.app_iter = body
    return response


class _Body:
    """The body that a server iterates over, and closes in any case."""

    def __init__(
        self,
        chunks: Chunks,
        unit: ExitStack,
        place: ExitStack,
        on_break: Callable[[], None],
        request_id: str,
    ) -> None:
        """unit: ends the unit of work. place: gives the place back."""
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
            self._tell(error)
            # The place stays taken: a server may hold the connection for longer.
            self._unit.close()
            self._on_break()
            # Its own message may hold data of the user.
            raise DownloadBroken from None

    def close(self) -> None:
        with self._place:
            self._unit.close()

    # A response that is replaced by another one is closed by nobody.
    __del__ = close

    def _tell(self, error: Exception) -> None:
        outside = current_request_id.set(self._request_id)
        try:
            if isinstance(error, StorageError):
                logger.error("a download broke off: %s", error)
            else:
                name = type(error).__name__
                logger.error("a download broke off: unexpected %s", name, exc_info=error)
        finally:
            current_request_id.reset(outside)
