"""Access: personal tokens, premium, scopes; 401 and 403."""

import re
import zlib

from finance_api.storage.interface import Token

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def with_checksum(body):
    number, digits = zlib.crc32(body.encode()), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits = BASE62[digit] + digits
    return body + digits


def ask(client, header, path="records"):
    return client.get(path, headers={"Authorization": header})


def assert_401(response, *, sent=True):
    assert response.status_int == 401
    assert response.headers["Content-Type"] == "application/problem+json"
    challenge = response.headers["WWW-Authenticate"]
    assert re.match(r'Bearer realm="[^"]+"', challenge)
    assert ('error="invalid_token"' in challenge) is sent
    assert response.json["error"] == response.json["detail"]
    return response.json["detail"]


def stored_token(client):
    token = client.service.change(lambda storage: storage.users.list_owned(Token, client.user.id))
    return token[0]


def test_an_expired_token_gets_a_401_that_says_so(service):
    client = service.client(expires_in_days=1)
    service.clock.set("2026-03-19T11:59:59Z")
    assert client.get("records").status_int == 200
    service.clock.set("2026-03-19T12:00:00Z")
    assert "expired" in assert_401(client.get("records"))


def test_the_body_never_says_why_unless_it_is_expiry(service):
    revoked, disabled, expired_and_revoked = (service.client(expires_in_days=1) for _ in range(3))
    for client in (revoked, expired_and_revoked):
        token = stored_token(client)
        service.change(lambda s, t=token: s.users.revoke(Token, t.id, service.clock.now()))
    service.change(lambda s: s.users.update(disabled.user.id, enabled=False))
    bodies = {
        ask(revoked, header).text
        for header in (
            "Bearer x",
            "Bearer a b",
            f"Bearer {revoked.token}",
            f"Bearer {disabled.token}",
            f"Bearer {with_checksum('fin_' + 'a' * 43)}",
        )
    }
    service.clock.set("2026-04-01T00:00:00Z")
    bodies.add(expired_and_revoked.get("records").text)
    assert len(bodies) == 1
    body = bodies.pop().lower()
    assert not any(word in body for word in ("revoked", "unknown", "disabled", "checksum"))


def test_premium_is_lost_and_won_at_the_next_request(client):
    change = client.service.change
    change(lambda s: s.users.update(client.user.id, premium=False))
    for headers in ({}, {"If-None-Match": "*"}):
        refused = client.get("records", headers=headers)
        assert refused.status_int == 403
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert "premium" in refused.json["detail"]
    change(lambda s: s.users.update(client.user.id, premium=True))
    assert client.get("records").status_int == 200


def test_a_token_with_several_scopes_reads_all_of_them(service):
    client = service.client(scopes=["records", "labels"])
    assert client.get("records").status_int == client.get("labels").status_int == 200
    refused = client.get("accounts")
    assert refused.status_int == 403
    challenge = refused.headers["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in challenge and 'scope="accounts"' in challenge
    assert refused.json["error"] == refused.json["detail"]


def test_the_token_comes_before_every_other_fault(client):
    for path in ("nope", "records?limit=0", "records/by-id"):
        assert_401(ask(client, "Bearer x", path))
    post = client.service.web.post("/v1/api/records", status="*")
    assert_401(post, sent=False)


def test_a_token_elsewhere_than_in_the_header_does_not_count(client):
    web = client.service.web
    for headers in ({"Cookie": f"token={client.token}"}, {"X-Api-Key": client.token}):
        assert web.get("/v1/api/records", headers=headers, status="*").status_int == 401


def test_no_refusal_repeats_the_token(client):
    for header in (f"Bearer {client.token}x", f"Bearer {client.token[:-1]}"):
        response = ask(client, header)
        assert client.token[:-1] not in response.text + str(response.headers)
