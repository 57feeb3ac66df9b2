"""The keys in use: which issuer each belongs to, and reading their file again if it changes."""

import json
import os
import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519

from finance_api.auth.jwt_keys import KeyFileError, KeyRing, read_key_file
from support.jwt_keys import OTHER_SECRET, SECRET, hs, key_set, public_jwk

# -- issuers and readers


@pytest.fixture
def public(key_file):
    """The path of a key file with an own key and a public key."""
    return key_file([hs(), public_jwk(ed25519.Ed25519PrivateKey.generate())])


def test_a_public_key_belongs_to_its_issuer(public):
    own, idp = KeyRing(public, ("a", "b"), {"idp": "b"}).keys()
    assert (own.issuer, idp.issuer) == (None, "b")
    # With only one issuer, its key needs no issuer in the settings.
    assert KeyRing(public, ("a",)).keys()[1].issuer is None


@pytest.mark.parametrize(
    ("key_issuers", "message"),
    [
        ({}, "key 'idp': has no issuer, but there are several"),
        ({"idp": "b", "one": "a"}, "key 'one': belongs to the first issuer"),
    ],
)
def test_a_key_without_its_one_issuer_stops_the_start(public, key_issuers, message):
    with pytest.raises(KeyFileError, match=re.escape(message)):
        KeyRing(public, ("a", "b"), key_issuers)


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640, 0o604, 0o660, 0o644])
@pytest.mark.parametrize("owner", [0, 1000])
def test_a_file_that_others_can_read_is_warned_of(key_file, caplog, mode, owner):
    if os.geteuid() != 0:
        owner = os.geteuid()
    path = key_file([hs()])
    os.chown(path, owner, -1)
    os.chmod(path, mode)
    KeyRing(path, ())
    warned = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert bool(warned) is bool(mode & (0o007 if owner == 0 else 0o077))
    assert all(f"chmod 600 {path}" in line for line in warned)


def test_a_file_of_public_keys_is_nobody_s_secret(public, caplog):
    path = Path(public)
    path.write_text(key_set(*json.loads(path.read_text())["keys"][1:]))
    path.chmod(0o644)
    KeyRing(str(path), ())
    assert not caplog.records


# -- read again when it changes


def kids(ring):
    return [key.kid for key in (*ring.keys(),)]


def test_no_path_is_no_keys():
    assert KeyRing("", ()).keys() == ()


def test_a_file_that_is_made_later_is_read_then(tmp_path, key_file):
    ring = KeyRing(str(tmp_path / "keys.json"), ())
    assert ring.keys() == ()
    key_file([hs()])
    assert kids(ring) == ["one"]


def test_a_change_of_the_same_size_is_seen(key_file):
    path = key_file([hs("one")])
    ring = KeyRing(path, ())
    before = os.stat(path)
    key_file([hs("two")])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert os.stat(path).st_size == before.st_size
    assert kids(ring) == ["two"]


def test_a_file_put_in_its_place_with_the_same_time_and_size_is_seen(key_file, tmp_path):
    path = key_file([hs("one")])
    ring = KeyRing(path, ())
    before = os.stat(path)
    other = tmp_path / "other.json"
    other.write_text(key_set(hs("two")))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(other, path)
    assert kids(ring) == ["two"]


def test_an_unchanged_file_is_not_read_again(key_file, monkeypatch):
    ring = KeyRing(key_file([hs()]), ())
    monkeypatch.setattr("finance_api.auth.jwt_keys.read_key_file", lambda path: 1 / 0)
    assert kids(ring) == kids(ring) == ["one"]


@pytest.mark.parametrize(
    "broken",
    [[{"kid": "x", "kty": "RSA", "alg": "RS256", "n": "\0", "e": "AQAB"}], b"\xff", "[" * 100_000],
    ids=lambda content: str(content)[:30],
)
def test_a_file_that_becomes_unreadable_changes_nothing_and_is_logged(key_file, caplog, broken):
    path = key_file([hs()])
    ring = KeyRing(path, ())
    key_file(broken)
    assert kids(ring) == kids(ring) == ["one"]
    (line,) = [r.getMessage() for r in caplog.records if r.levelname == "ERROR"]
    assert path in line
    assert SECRET not in caplog.text
    key_file([hs("two", OTHER_SECRET), hs("three")])
    assert kids(ring) == ["two", "three"]


def test_a_file_that_is_taken_away_holds_no_keys(key_file, tmp_path):
    path = key_file([hs()])
    ring = KeyRing(path, ())
    os.rename(path, tmp_path / "aside")
    assert ring.keys() == ()
    os.rename(tmp_path / "aside", path)
    assert kids(ring) == ["one"]


@pytest.mark.parametrize("at_start", [True, False])
def test_a_change_while_the_file_is_read_is_seen_the_next_time(key_file, monkeypatch, at_start):
    idp = public_jwk(ed25519.Ed25519PrivateKey.generate())

    def change_in_the_middle(path):
        found = read_key_file(path)
        monkeypatch.setattr("finance_api.auth.jwt_keys.read_key_file", read_key_file)
        key_file([idp, hs("two"), hs("three", OTHER_SECRET)])
        return found

    path = key_file([idp])
    ring = None if at_start else KeyRing(path, ())
    key_file([idp, hs("two")])
    monkeypatch.setattr("finance_api.auth.jwt_keys.read_key_file", change_in_the_middle)
    ring = ring or KeyRing(path, ())
    ring.keys()
    assert kids(ring) == ["idp", "two", "three"]
