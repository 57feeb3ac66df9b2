"""A new signing key replaces the old one, and nobody is logged out."""

import errno
import json
import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519

from finance_api.auth import jwt_keys
from finance_api.auth.jwt_keys import KeyFileError, add_signing_key, read_key_file, signing_key
from finance_api.auth.jwts import JwtRules
from finance_api.values.time import parse_time
from support.jwt_keys import hs, key_set, public_jwk

NOW = parse_time("2026-03-18T12:00:00Z")
RULES = JwtRules(("finance_api",), "finance_api", max_ttl_seconds=86_400, leeway_seconds=5)
OVERLAP = RULES.max_ttl_seconds + RULES.leeway_seconds


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "keys.json")


def rotate(path, now=NOW, overlap=OVERLAP):
    return add_signing_key(path, now=now, overlap_seconds=overlap)


def entries(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)["keys"]


def write(path, content):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(key_set(*content))


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def refused(path):
    """Return the message of the refusal; check that the folder is unchanged."""
    folder = Path(path).parent
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(KeyFileError) as error:
        rotate(path)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    return str(error.value)


def test_the_first_key_makes_a_file_that_is_its_owner_s_alone(path):
    old = os.umask(0)
    try:
        kid = rotate(path)
    finally:
        os.umask(old)
    assert mode(path) == 0o600
    assert os.listdir(os.path.dirname(path)) == ["keys.json"]
    (key,) = read_key_file(path)
    assert (key.kid, key.algorithm, key.use_from, key.use_until) == (kid, "HS256", NOW, None)
    assert len(key.material) == 32
    assert kid.startswith("2026-03-18-")


def test_a_new_key_signs_from_its_second_on(path):
    first = rotate(path, NOW - 100)
    second = rotate(path)
    keys = read_key_file(path)
    assert signing_key(keys, NOW - 1).kid == first
    assert signing_key(keys, NOW).kid == second
    assert signing_key(keys, NOW - 101) is None


def test_an_older_key_gets_an_end_once(path):
    rotate(path, NOW - 100)
    rotate(path, NOW)
    rotate(path, NOW + 100)
    ends = [key.use_until for key in read_key_file(path)]
    assert ends == [NOW + OVERLAP, NOW + 100 + OVERLAP, None]


def test_other_keys_stay_as_they_are_and_ended_ones_go(path):
    private = ed25519.Ed25519PrivateKey.generate()
    rotate(path, NOW - 100)
    ended = entries(path)[0] | {"kid": "ended", "exp": NOW - 50}
    idp = public_jwk(private, kid="idp é")
    write(path, [idp, *entries(path), ended])
    rotate(path)
    found = entries(path)
    assert found[0] == idp
    assert len(found) == 3
    assert read_key_file(path)[0].material == private.public_key()


def test_a_key_that_is_planned_for_later_leaves_the_file_readable(path):
    rotate(path, NOW - 100)
    rotate(path, NOW + OVERLAP + 10)
    planned = entries(path)[1]
    rotate(path)
    assert entries(path)[1]["nbf"] == planned["nbf"]
    assert len(read_key_file(path)) == 3


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o604])
def test_the_mode_is_kept(path, kept):
    rotate(path)
    os.chmod(path, kept)
    rotate(path)
    assert mode(path) == kept
    assert len(read_key_file(path)) == 2


def test_whoever_is_not_root_needs_no_right_to_the_folder_s_group(path, monkeypatch):
    folder = Path(path).parent.stat()
    monkeypatch.setattr(os, "getegid", lambda: folder.st_gid + 1)
    monkeypatch.setattr(os, "geteuid", lambda: 10_001)

    def refused(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refused)
    rotate(path)
    assert mode(path) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept(path):
    rotate(path)
    os.chown(path, 12_345, 23_456)
    os.chmod(path, 0o640)
    rotate(path)
    found = os.stat(path)
    assert (found.st_uid, found.st_gid, mode(path)) == (12_345, 23_456, 0o640)


def test_the_new_key_is_never_readable_by_others_on_its_way(path, monkeypatch):
    rotate(path)
    seen = []
    real = os.fsync

    def look(descriptor):
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        real(descriptor)

    monkeypatch.setattr(jwt_keys.os, "fsync", look)
    rotate(path)
    assert seen == [0o600]


@pytest.mark.parametrize("content", [b"", b"\xff", key_set(hs(key="changeme")).encode()])
def test_a_file_with_a_fault_is_refused_and_stays(path, content):
    with open(path, "wb") as stream:
        stream.write(content)
    assert path in refused(path)


def test_no_key_is_lost_when_another_run_ends_in_the_middle_of_this_one(path, monkeypatch):
    made = [rotate(path, NOW - 100)]
    real = jwt_keys.secrets.token_bytes

    def while_another_runs(size):
        monkeypatch.setattr(jwt_keys.secrets, "token_bytes", real)
        with suppress(KeyFileError):
            made.append(rotate(path))
        return real(size)

    monkeypatch.setattr(jwt_keys.secrets, "token_bytes", while_another_runs)
    with suppress(KeyFileError):
        made.append(rotate(path))
    assert len(made) >= 2
    assert set(made) <= {key.kid for key in read_key_file(path)}


@pytest.mark.parametrize("call", ["fsync", "replace", "fchmod"])
def test_the_file_is_written_whole_or_not_at_all(path, monkeypatch, call):
    rotate(path)

    def fail(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(jwt_keys.os, call, fail)
        assert "No space left" in refused(path)
    rotate(path)
    assert len(read_key_file(path)) == 2


def test_a_key_that_ends_in_this_second_goes_and_one_that_ends_in_the_next_stays(path):
    rotate(path, NOW - 100)
    (entry,) = entries(path)
    ends = {"now": NOW, "next": NOW + 1}
    write(path, [entry | {"kid": k, "exp": at} for k, at in ends.items()])
    kid = rotate(path)
    assert [key.kid for key in read_key_file(path)] == ["next", kid]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_new_file_belongs_to_its_folder_s_owner(tmp_path):
    folder = tmp_path / "etc"
    folder.mkdir()
    os.chown(folder, 12_345, 23_456)
    rotate(str(folder / "keys.json"))
    found = os.stat(folder / "keys.json")
    assert (found.st_uid, found.st_gid) == (12_345, 23_456)
    assert stat.S_IMODE(found.st_mode) == 0o600


def test_a_directory_in_the_place_of_the_file_is_refused(tmp_path):
    with pytest.raises(KeyFileError):
        rotate(str(tmp_path))
    assert os.listdir(tmp_path) == []


def test_a_link_still_leads_to_the_file(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    rotate(str(target))
    link.symlink_to(target)
    kid = rotate(str(link))
    assert link.is_symlink()
    assert kid in [key.kid for key in read_key_file(str(target))]
