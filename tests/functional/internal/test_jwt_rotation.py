"""The rotation of keys of JSON Web Tokens."""

import hashlib
from pathlib import Path

import pytest

from finance_api.auth.jwt_keys import add_signing_key
from support.jwt_attacks import LEEWAY, MAX_TTL, Attacker, assert_401
from support.service import STORAGES, Service


@pytest.fixture(params=STORAGES)
def rotating(request, new_settings):
    service = Service(request.param, new_settings(request.param))
    service.clock.set("2026-03-18T12:00:00Z")
    yield service
    service.stop()


def test_the_old_key_counts_until_the_cut_over(rotating):
    old = Attacker(rotating.client())
    overlap = MAX_TTL + LEEWAY
    early = old.token(old.payload | {"exp": old.now + MAX_TTL})
    old.accepted(early)
    kid = add_signing_key(rotating.key_file, now=old.now, overlap_seconds=overlap)
    new = Attacker(old.client)
    assert new.kid == kid
    assert new.secret != old.secret
    new.accepted(early)
    new.accepted(old.token())
    new.refused(new.token(secret=old.secret))
    new.refused(old.token(secret=new.secret))
    assert old.client.internal("get-records").status_int == 200
    rotating.clock.advance(overlap - 1)
    new.accepted(early)
    new.accepted(old.token())
    rotating.clock.advance(1)
    new.refused(old.token())
    new.refused(early)
    assert old.client.internal("get-records").status_int == 200


def test_without_keys_everybody_is_refused(rotating):
    attacker = Attacker(rotating.client())
    attacker.accepted()
    Path(rotating.key_file).unlink()
    assert_401(attacker.ask(attacker.token()))
    assert attacker.client.get("records").status_int == 200
    empty = hashlib.sha256(b"").digest()
    for secret in (b"", b"\0", empty, attacker.secret):
        assert_401(attacker.ask(attacker.token(secret=secret)))
