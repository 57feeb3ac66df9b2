"""Exports while they are sent: from one state, on one connection, and if they break off."""

import gc
import threading

import pytest
from sqlalchemy import text
from webob import Request

from finance_api.api.public import exports
from finance_api.http.downloads import DownloadBroken
from finance_api.ratelimit import tween
from finance_api.runtime.bulkhead import Downloads
from finance_api.storage.errors import StorageUnavailable
from support.exports import export, many
from support.native_rows import record
from support.programs import wait_until


class Stream:
    """A response as the server gets it: an iterator, which the server closes at the end."""

    def __init__(self, client, path, **headers):
        request = Request.blank(f"/v1/api/export/{path}", headers={**client.headers, **headers})
        self.status, given, self._iterable = request.call_application(client.service.app)
        self.headers = dict(given)
        self.chunks = iter(self._iterable)

    def close(self):
        self._iterable.close()


def test_an_export_is_of_one_state_whatever_is_imported_meanwhile(client):
    client.load(*many())
    for path in ("records.csv", "records.ndjson", "records.ndjson?sortBy=amount", "all.ndjson"):
        before = export(client, path)
        stream = Stream(client, path)
        first = next(stream.chunks)
        done = []

        def load(done=done):
            done.append(client.load(*(record(n, amount=-7, payee="new") for n in range(1, 900))))

        thread = threading.Thread(target=load)
        thread.start()
        thread.join(60)
        assert done, "the import waits for the reader"
        assert first + b"".join(stream.chunks) == before.body
        stream.close()
        for name in ("ETag", "X-Last-Data-Change-Rev", "X-Total-Count"):
            assert stream.headers[name] == before.headers[name]
        assert export(client, path).body != before.body
        client.load(*many())


@pytest.fixture
def nobody_else(service):
    """Free connections of responses that other tests did not close."""
    if connections_in_use(service):
        gc.collect()


def connections_in_use(service):
    if service.kind == "memory":
        return 0
    return service.backend.read_engine.pool.checkedout()


@pytest.mark.usefixtures("nobody_else")
def test_an_export_is_made_while_it_is_sent(service, reader):
    client = reader(many)
    for path in ("records.csv", "records.ndjson", "records.xlsx", "all.ndjson"):
        stream = Stream(client, path)
        assert "Content-Length" not in stream.headers
        assert next(stream.chunks)
        if service.kind != "memory":
            assert connections_in_use(service) == 1
        rest = list(stream.chunks)
        assert rest
        # It has released everything even before the server closes it.
        assert connections_in_use(service) == 0
        stream.close()


@pytest.mark.parametrize("chunks", [0, 1, 2])
@pytest.mark.parametrize("path", ["records.csv", "records.xlsx", "records.ndjson?sortBy=amount"])
@pytest.mark.usefixtures("nobody_else")
def test_a_reader_that_goes_away_ends_the_statement(service, reader, path, chunks):
    client = reader(many)
    stream = Stream(client, path)
    for _ in range(chunks):
        assert next(stream.chunks)
    if service.kind == "postgresql":
        wait_until(lambda: in_transaction(service) == 1)
    stream.close()
    stream.close()
    assert list(stream.chunks) == []
    assert connections_in_use(service) == 0
    if service.kind == "postgresql":
        wait_until(lambda: in_transaction(service) == 0)
    if service.kind == "sqlite":
        # SQLite can write its whole log to the file only if nobody reads.
        wait_until(lambda: checkpoint(service) == (0, 0, 0))
    assert export(client, path).status_int == 200


def checkpoint(service):
    with service.backend.engine.connect() as connection:
        return connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)")).one()


def in_transaction(service):
    """Return the connections in a transaction; for a moment these include background work."""
    query = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND backend_type = 'client backend'"
        " AND pid <> pg_backend_pid() AND state <> 'idle'"
    )
    with service.backend.engine.connect() as connection:
        return connection.execute(query).scalar_one()


def break_after(monkeypatch, service, pages):
    """Make streams of the service's storage fail after this many pages."""
    read = service.backend.read

    def broken(**options):
        storage = read(**options)
        stream = storage.data.stream_json

        def failing(user_id, query):
            for number, page in enumerate(stream(user_id, query)):
                if number == pages:
                    raise StorageUnavailable("the database does not answer: away")
                yield page

        storage.data.stream_json = failing
        return storage

    monkeypatch.setattr(service.backend, "read", broken)


@pytest.mark.usefixtures("nobody_else")
@pytest.mark.parametrize("path", ["records.csv", "records.ndjson?trailer=true", "records.xlsx"])
def test_an_export_that_breaks_off_is_an_error_to_the_server(
    service, reader, path, monkeypatch, caplog
):
    client = reader(many)
    with monkeypatch.context() as patch:
        break_after(patch, service, 1)
        for encoding in ("identity", "gzip"):
            stream = Stream(client, path, **{"Accept-Encoding": encoding})
            assert stream.status == "200 OK"
            with pytest.raises(DownloadBroken):
                list(stream.chunks)
            # The body has no end that would make it look complete.
            assert list(stream.chunks) == []
            stream.close()
    assert connections_in_use(service) == 0
    said = [r for r in caplog.records if r.name == "finance_api.http.downloads"]
    assert [r.getMessage() for r in said] == [
        "a download broke off: the database does not answer: away"
    ] * 2
    assert all(len(r.request_id) == 32 for r in said)
    assert export(client, path).status_int == 200


def test_a_storage_that_fails_before_it_begins_is_a_503(client, monkeypatch):
    client.load(*many(3))

    def away(*arguments):
        raise StorageUnavailable("away")

    monkeypatch.setattr(exports, "count_dumped", away)
    assert client.get("export/all.ndjson").status_int == 503
    monkeypatch.undo()
    assert client.get("export/all.ndjson").status_int == 200


def test_one_download_of_each_user_and_so_many_in_all(service):
    service.replace(downloads=Downloads(2))
    clients = [service.client() for _ in range(3)]
    for client in clients:
        client.load(*many(600))
    first = Stream(clients[0], "records.csv")
    again = clients[0].get("export/records.csv")
    assert again.status_int == 429
    assert int(again.headers["Retry-After"]) > 0
    assert "Another download or upload of yours" in again.json["detail"]
    assert again.headers["X-RateLimit-Remaining"]
    second = Stream(clients[1], "records.csv")
    third = clients[2].get("export/records.csv")
    assert third.status_int == 503
    assert int(third.headers["Retry-After"]) > 0
    # All other requests are answered.
    for client in clients:
        assert client.get("records").status_int == 200
    second.close()
    assert clients[2].get("export/records.csv").status_int == 200
    assert clients[0].get("export/records.csv").status_int == 429
    list(first.chunks)
    first.close()
    assert clients[0].get("export/records.csv").status_int == 200
    service.replace(downloads=replace_downloads(service))


def replace_downloads(service):
    return Downloads(service.app.registry.settings["finance_api.max_downloads"])


def test_an_export_that_breaks_off_is_refunded(limited, monkeypatch):
    monkeypatch.setattr(tween, "ROWS_OF_A_REQUEST", 10)
    client = limited()
    client.load(*many(55))
    break_after(monkeypatch, client.service, 0)
    stream = Stream(client, "records.csv")
    assert stream.headers["X-RateLimit-Remaining"] == "93"
    with pytest.raises(DownloadBroken):
        list(stream.chunks)
    assert client.get("labels").headers["X-RateLimit-Remaining"] == "99"
