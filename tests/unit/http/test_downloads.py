"""Downloads: how many run at once, and when they release what they hold."""

import queue
import threading
import traceback
from types import SimpleNamespace
from typing import Any

import pytest
from pyramid.response import Response

from finance_api.http.downloads import DownloadBroken, download
from finance_api.runtime.bulkhead import BulkheadFull, DownloadRunning, Downloads
from finance_api.storage.memory import MemoryBackend


class Backend(MemoryBackend):
    """Counts open units of work."""

    opened = 0

    def read(self, **options: Any) -> Any:
        self.opened += 1
        storage = super().read(**options)
        object.__setattr__(storage, "close", self._close)
        return storage

    def _close(self) -> None:
        self.opened -= 1


@pytest.fixture
def request_of() -> Any:
    services = SimpleNamespace(downloads=Downloads(2), storage=Backend())
    return SimpleNamespace(services=services, request_id="x", close_storage=lambda: None)


def chunks_of(*parts: Any) -> Any:
    for part in parts:
        if isinstance(part, Exception):
            raise part
        yield part


def started(request: Any, user_id: int, *parts: Any, **options: Any) -> Response:
    return download(request, user_id, lambda storage: (Response(), chunks_of(*parts)), **options)


def is_free(request: Any, user_id: int) -> bool:
    try:
        with request.services.downloads.running(user_id):
            return True
    except (DownloadRunning, BulkheadFull):
        return False


def test_one_at_a_time_can_wait_for_a_place() -> None:
    downloads = Downloads(1)
    outcomes: queue.Queue[str] = queue.Queue()

    def wait(user_id: int) -> None:
        try:
            with downloads.running(user_id, wait_seconds=60):
                outcomes.put("ran")
        except (DownloadRunning, BulkheadFull) as error:
            outcomes.put(type(error).__name__)

    with downloads.running(1):
        threads = [threading.Thread(target=wait, args=(user_id,)) for user_id in (1, 2)]
        for thread in threads:
            thread.start()
        # One of them waits; the other one is refused, whichever user it belongs to.
        assert outcomes.get(timeout=60) in ("DownloadRunning", "BulkheadFull")
        assert outcomes.empty()
    assert outcomes.get(timeout=60) == "ran"
    for thread in threads:
        thread.join()
    with downloads.running(1), pytest.raises(BulkheadFull), downloads.running(2, wait_seconds=0.01):
        pass


def test_one_of_each_user_and_so_many_in_all(request_of: Any) -> None:
    first = started(request_of, 1, b"a")
    with pytest.raises(DownloadRunning):
        started(request_of, 1, b"a")
    second = started(request_of, 2, b"a")
    with pytest.raises(BulkheadFull):
        started(request_of, 3, b"a")
    second.app_iter.close()
    assert is_free(request_of, 3) and not is_free(request_of, 1)
    first.app_iter.close()
    assert is_free(request_of, 1)
    assert request_of.services.storage.opened == 0


def test_at_its_end_it_reads_no_more_and_has_its_place_until_it_is_closed(request_of: Any) -> None:
    body = started(request_of, 1, b"a", b"b").app_iter
    assert request_of.services.storage.opened == 1
    assert list(body) == [b"a", b"b"]
    assert request_of.services.storage.opened == 0
    assert not is_free(request_of, 1)
    body.close()
    body.close()
    assert is_free(request_of, 1)
    assert list(body) == []


def test_so_it_is_where_it_breaks_off(request_of: Any) -> None:
    told = []
    parts = (b"a", RuntimeError("secret"))
    body = started(request_of, 1, *parts, on_break=lambda: told.append(1)).app_iter
    assert next(body) == b"a"
    with pytest.raises(DownloadBroken) as broken:
        next(body)
    assert "secret" not in "".join(traceback.format_exception(broken.value))
    assert told == [1]
    assert request_of.services.storage.opened == 0
    assert not is_free(request_of, 1)
    body.close()
    assert is_free(request_of, 1)


def test_what_fails_before_it_begins_holds_nothing(request_of: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        download(request_of, 1, lambda storage: 1 / 0)  # type: ignore[arg-type,return-value]
    assert is_free(request_of, 1)
    assert request_of.services.storage.opened == 0


def test_a_response_that_nobody_sends_holds_nothing(request_of: Any) -> None:
    response = started(request_of, 1, b"a")
    assert not is_free(request_of, 1)
    del response
    assert is_free(request_of, 1)
    assert request_of.services.storage.opened == 0
