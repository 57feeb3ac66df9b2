"""Downloads: responses with all there is, made while they are sent, in one snapshot.

They have no time limit. Each has a connection to the database and a thread of the server for as
long as its client reads, so they are few.
"""

import logging
import threading
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import ExitStack, contextmanager

from pyramid.response import Response

from finance_api.http.requests import Request
from finance_api.runtime.bulkhead import BulkheadFull
from finance_api.runtime.logs import current_request_id
from finance_api.storage.errors import StorageError
from finance_api.storage.interface import Storage, reading

logger = logging.getLogger(__name__)


class DownloadRunning(Exception):
    """The user has a download already."""


class Downloads:
    """Bounds those that run at once: ``most`` in all, and one of each user.

    Uploads are among them, since they have a thread for as long as their client sends.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._ended = threading.Condition()
        self._waiter = threading.Lock()
        self._users: set[Hashable] = set()

    @contextmanager
    def running(self, user_id: Hashable, *, wait_seconds: float = 0) -> Iterator[None]:
        """For as long as a download of the user's runs. Raises DownloadRunning, BulkheadFull.

        wait_seconds: how long to wait for others to end, if nobody else is waiting: whoever waits
        keeps a thread of the server busy.
        """
        if wait_seconds and self._waiter.acquire(blocking=False):
            try:
                with self._ended:
                    self._ended.wait_for(lambda: self._has_place(user_id), wait_seconds)
                    self._begin(user_id)
            finally:
                self._waiter.release()
        else:
            self._begin(user_id)
        try:
            yield
        finally:
            with self._ended:
                self._users.remove(user_id)
                self._ended.notify_all()

    def _has_place(self, user_id: Hashable) -> bool:
        return user_id not in self._users and len(self._users) < self._most

    def _begin(self, user_id: Hashable) -> None:
        with self._ended:
            if user_id in self._users:
                raise DownloadRunning
            if len(self._users) >= self._most:
                raise BulkheadFull(is_own=False)
            self._users.add(user_id)


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
    """What a server iterates over, and closes whether it has come to the end or not."""

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
