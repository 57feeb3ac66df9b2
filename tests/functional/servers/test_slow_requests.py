"""Slow requests for data never take all threads: requests beyond the limit get 503 at once.

The same is true of downloads. Without this limit, eight slow requests on four threads held up all
other requests until they had ended.
"""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from finance_api.storage.memory.data import MemoryData
from support.locks import locked
from support.native_rows import account, label, record
from support.nightly import count
from support.process import ServerProcess
from support.programs import wait_until
from support.service import USUAL_LIMITS, Service

#: The places that one user may have: one is left for other users.
PLACES = 3
BUSY = "The database is busy with other requests; please try again."
OWN_BUSY = "Your other requests are still running; please try again when they have finished."


class SlowReads:
    """Makes lists and downloads wait until ``end`` is set."""

    def __init__(self, monkeypatch):
        self.begun, self.end = threading.Semaphore(0), threading.Event()
        for name in ("list_rows", "list_json", "scan_rows"):
            monkeypatch.setattr(MemoryData, name, self._slow(getattr(MemoryData, name)))

    def _slow(self, read):
        def slowly(*arguments, **options):
            self.begun.release()
            assert self.end.wait(120)
            return read(*arguments, **options)

        return slowly

    def wait(self, number):
        for _ in range(number):
            assert self.begun.acquire(timeout=60)


@pytest.fixture
def service(new_settings):
    settings = {"finance_api.max_data_requests": str(PLACES + 1)}
    service = Service("memory", {**new_settings("memory"), **USUAL_LIMITS, **settings})
    yield service
    service.stop()


def test_what_is_too_much_is_503_and_everything_else_is_answered(service, monkeypatch):
    client = service.client()
    client.load(account(), record(), label())
    known = client.get("labels").headers["ETag"]
    reads = SlowReads(monkeypatch)
    with ThreadPoolExecutor(16) as pool:
        slow = [
            pool.submit(client.get, "records", limit=1),
            pool.submit(client.internal, "get-records", limit=1),
            pool.submit(client.get, "categories"),
        ]
        try:
            reads.wait(PLACES)
            # Without a limit these requests would wait, too, for as long as the slow ones take.
            for path, ask, limit in (
                ("records", client.get, "499"),
                ("goals", client.get, "499"),
                ("get-records", client.internal, "99"),
            ):
                refused = in_time(pool.submit(ask, path))
                assert refused.status_int == 503
                assert refused.json["error"] == refused.json["detail"] == OWN_BUSY
                assert refused.headers["Retry-After"] == "2"
                assert refused.headers["Content-Type"] == "application/problem+json"
                # The public API also counts the list of labels, and the slow request.
                left = int(refused.headers["X-RateLimit-Remaining"])
                assert left == int(limit) - 2 * (ask == client.get)
            others = service.client()
            slow.append(pool.submit(others.get, "records"))
            reads.wait(1)
            assert in_time(pool.submit(others.get, "goals")).json["detail"] == BUSY
            for path, headers, status in (
                ("/__lbheartbeat__", {}, 200),
                ("/__heartbeat__", {}, 200),
                ("/v1/api/labels", {"If-None-Match": known}, 304),
                ("/v1/api/labels", {}, 200),
                ("/v1/api/api-usage/stats", {}, 200),
                ("/v1/api/records?limit=0", {}, 400),
                ("/v1/api/nothing", {}, 404),
                ("/settings/login", {}, 200),
            ):
                sent = {**client.headers, **headers}
                answer = in_time(pool.submit(service.web.get, path, headers=sent, status="*"))
                assert (path, answer.status_int) == (path, status)
        finally:
            reads.end.set()
        assert [in_time(each).status_int for each in slow] == [200] * 4
        assert in_time(pool.submit(client.get, "goals")).status_int == 200


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("ini", "workers"),
    count([("production.ini", 1)], [("development.ini", 0), ("production.ini", 1)]),
)
def test_health_is_answered_while_requests_are_slow(tmp_path, new_settings, figures, ini, workers):
    """Tests waitress and granian with eight threads, while eight requests wait for a locked table.
    granian has one worker and the limiter in memory, as in the ini file.
    """
    settings = new_settings("postgresql")
    service = Service("postgresql", settings)
    headers = service.client().headers
    given = {
        "sqlalchemy.url": settings["sqlalchemy.url"],
        "sqlalchemy.statement_seconds": "300",
        "finance_api.allowed_hosts": "localhost",
        "finance_api.require_https": "false",
        "finance_api.jwt.keys": "",
    }
    server = ServerProcess(tmp_path, ini=ini, settings=given).wait("/__heartbeat__")
    assert len(server.workers) == workers

    def get(path):
        return server.ask("GET", path, headers)[0]

    try:
        with (
            ThreadPoolExecutor(9) as pool,
            locked(settings["sqlalchemy.url"], "budgets") as waiting,
        ):
            slow = [pool.submit(get, "/v1/api/budgets") for _ in range(8)]
            wait_until(lambda: sum(each.done() for each in slow) == 8 - PLACES)
            wait_until(lambda: waiting() == 1)
            seconds = []
            for _ in range(20):
                for path in ("/__heartbeat__", "/__lbheartbeat__", "/v1/api/goals/x"):
                    started = time.perf_counter()
                    assert in_time(pool.submit(get, path)) == (404 if path.endswith("x") else 200)
                    seconds.append(time.perf_counter() - started)
        assert sorted(each.result() for each in slow) == [200] * PLACES + [503] * (8 - PLACES)
        figures(f"{ini}: the slowest of {len(seconds)} took {max(seconds) * 1000:.1f} ms")
    finally:
        assert server.stop() == 0, server.said
        service.stop()
    assert "Traceback" not in server.said


def in_time(future: Future):
    """Return the result, which must come long before the slow requests end."""
    return future.result(60)
