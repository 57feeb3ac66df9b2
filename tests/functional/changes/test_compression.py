"""gzip: by Accept-Encoding, with a separate entity tag, from the response cache."""

import gzip

import pytest
from webob import Request

from finance_api.runtime.response_cache import ResponseCache
from support.native_rows import account, record
from support.service import read_no_rows

TAKEN = (
    *("gzip", "gzip, deflate, br", "GZIP", "*", "gzip;q=0.1, identity;q=0", "br, gzip;q=1.0"),
    # Encodings that are not named have the lowest priority.
    *("br;q=1.0, gzip;q=0.9, deflate;q=0.8", "gzip;q=0.5"),
)
NOT_TAKEN = (
    *("", "identity", "br", "gzip;q=0", "*, gzip;q=0", "nonsense;;", "x" * 5_000),
    *("gzip;q=0.5, identity", "gzip;q=0.5, *"),
)


@pytest.fixture
def loaded(client):
    client.load(account(), *(record(n, payee=f"payee {n}") for n in range(1, 31)))
    return client


def ask(client, encoding, path="/v1/api/records", **headers):
    """Call the application directly: WebTest would unpack the response."""
    given = {**client.headers, "Accept-Encoding": encoding, **headers}
    return Request.blank(path, headers=given).get_response(client.service.app)


@pytest.mark.parametrize("path", ["records", "records.csv", "records.ndjson"])
def test_a_client_that_takes_gzip_gets_it(loaded, path):
    plain = loaded.get(path)
    assert "Content-Encoding" not in plain.headers
    for encoding in TAKEN:
        response = ask(loaded, encoding, f"/v1/api/{path}")
        assert response.headers["Content-Encoding"] == "gzip"
        assert int(response.headers["Content-Length"]) == len(response.body)
        assert len(response.body) < len(plain.body) / 4
        assert gzip.decompress(response.body) == plain.body
        for name in ("Content-Type", "Vary", "X-Last-Data-Change-Rev"):
            assert response.headers[name] == plain.headers[name]
        assert response.headers.get("Link") == plain.headers.get("Link")
    assert "Accept-Encoding" in plain.headers["Vary"]


@pytest.mark.parametrize("encoding", NOT_TAKEN)
def test_other_clients_get_it_as_it_is(loaded, encoding):
    response = ask(loaded, encoding)
    assert "Content-Encoding" not in response.headers
    assert response.body == loaded.get("records").body


def test_small_bodies_workbooks_and_errors_are_not_compressed(loaded):
    for path, status in (("labels", 200), ("records.xlsx", 200), ("accounts?limit=0", 400)):
        response = ask(loaded, "gzip", f"/v1/api/{path}")
        assert response.status_int == status
        assert "Content-Encoding" not in response.headers
        if status == 200:
            assert response.body == loaded.get(path).body


def test_each_form_has_its_own_tag_and_both_are_known_to_who_takes_both(loaded):
    plain, packed = loaded.get("records"), ask(loaded, "gzip")
    tags = [each.headers["ETag"] for each in (plain, packed)]
    assert len(set(tags)) == 2
    for tag in tags:
        response = ask(loaded, "gzip", **{"If-None-Match": tag})
        assert (response.status_int, response.headers["ETag"]) == (304, tag)
        assert "Content-Encoding" not in response.headers
    assert loaded.get("records", headers={"If-None-Match": tags[0]}).status_int == 304
    # A client that does not accept gzip cannot have got this tag here.
    assert loaded.get("records", headers={"If-None-Match": tags[1]}).status_int == 200
    assert loaded.get("accounts", headers={"If-None-Match": tags[1]}).status_int == 200
    loaded.load(record(1, amount=5))
    assert ask(loaded, "gzip", **{"If-None-Match": tags[1]}).status_int == 200


def test_the_compressed_form_is_cached(loaded, monkeypatch):
    service = loaded.service
    monkeypatch.setattr(service.app.registry, "services", service.services)
    service.replace(response_cache=ResponseCache(1 << 20))
    packed = ask(loaded, "gzip").body
    read_no_rows(service, monkeypatch)
    compressed = []
    monkeypatch.setattr(gzip, "compress", lambda *a, **k: compressed.append(a))
    assert ask(loaded, "gzip").body == packed
    assert not compressed


def test_the_internal_api_is_compressed_too(loaded):
    jwt = {"Authorization": f"Bearer {loaded.service.jwt(loaded.user)}"}
    response = ask(loaded, "gzip", "/internal/v1/get-records", **jwt)
    assert gzip.decompress(response.body) == loaded.internal("get-records").body


def test_usage_is_compressed_too(loaded):
    client = loaded.service.client()
    for _ in range(30):
        loaded.service.clock.advance(86_400)
        client.get("labels")
    loaded.service.services.usage.flush()
    path = "/v1/api/api-usage/stats?period=40days"
    plain, packed = (ask(client, encoding, path) for encoding in ("identity", "gzip"))
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.body) < len(plain.body) / 4
    assert gzip.decompress(packed.body) == plain.body
    assert (
        packed.headers["Vary"] == plain.headers["Vary"] == "Accept, Accept-Encoding, Authorization"
    )
