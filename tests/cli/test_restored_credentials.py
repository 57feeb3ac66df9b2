"""finance-api restore: whatever was revoked, disabled or changed since the backup stays so."""

import stat
from pathlib import Path

import pytest

from finance_api.auth.sessions import start_session
from finance_api.storage.interface import Jwt, QuestionLink, Session, Token, reading, unit_of_work
from finance_api.storage.sql.backend import SqlBackend
from support.installation import ANNA, BERT
from support.nightly import by_day_on

#: For tests that do not depend on the database.
alike = by_day_on("house")


def ids(house, email=ANNA):
    def of(storage):
        user = storage.users.get(email)
        return {t.name: t.id for t in storage.users.list_owned(Token, user.id)}

    return house.read(of)


def test_what_was_revoked_since_stays_revoked(house, backup):
    for name in ("revoked before", "revoked since", "alive"):
        house.done("token", "create", ANNA, "--name", name)
    house.done("token", "revoke", ids(house)["revoked before"])
    house.done("backup", backup)
    house.done("token", "revoke", ids(house)["revoked since"])
    house.done("token", "create", ANNA, "--name", "of after")
    house.done("restore", backup, "--yes")
    assert ids(house).keys() == {"revoked before", "revoked since", "alive"}
    assert house.revoked_tokens() == {"revoked before", "revoked since"}


@alike
def test_a_restore_says_whose_premium_comes_back(house, backup, empty):
    house.done("backup", backup)
    house.done("user", "set", ANNA, "--no-premium")
    out = house.done("restore", backup, "--yes").decode()
    assert f"{ANNA} has premium again, as in the backup" in out
    assert BERT not in out
    assert b"premium" not in empty.done("restore", backup, "--yes")


def ended_links(house):
    def of(storage):
        links = storage.users.list_owned(QuestionLink, storage.users.get(ANNA).id)
        return {link.name: link.revoked_at is not None for link in links}

    return house.read(of)


def test_links_that_were_revoked_since_stay_revoked(house, backup, empty):
    house.done("question", "add", ANNA, "Newest", "/v1/api/records")
    for name in ("revoked before", "revoked since", "alive"):
        assert not house.command.run("question", "link", "add", ANNA, "Newest", "--name", name).code
    house.done("question", "link", "revoke", ANNA, "revoked before")
    house.done("backup", backup)
    house.done("question", "link", "revoke", ANNA, "revoked since")
    assert not house.command.run(
        "question", "link", "add", ANNA, "Newest", "--name", "of after"
    ).code
    house.done("restore", backup, "--yes")
    assert ended_links(house) == {"revoked before": True, "revoked since": True, "alive": False}
    empty.done("restore", backup, "--yes")
    assert ended_links(empty) == {"revoked before": True, "revoked since": False, "alive": False}
    empty.done("restore", backup, "--yes", "--revoke-tokens")
    assert all(ended_links(empty).values())


@alike
def test_who_was_disabled_or_deleted_since_stays_out(house, backup):
    for email in (ANNA, BERT):
        house.done("token", "create", email, "--name", "x")
    house.done("user", "add", "carl@example.org")
    house.done("backup", backup)
    house.done("user", "set", ANNA, "--disable")
    house.done("user", "delete", BERT, "--yes")
    house.done("restore", backup, "--yes")
    enabled = {u.email: u.enabled for u in house.read(lambda s: s.users.list_all())}
    assert enabled == {ANNA: False, BERT: False, "carl@example.org": True}
    assert house.revoked_tokens(BERT) == {"x"}


@alike
def test_a_password_that_was_changed_stays_changed(house, backup):
    def hashes():
        return {u.email: u.password_hash for u in house.read(lambda s: s.users.list_all())}

    set_password = ("user", "set-password", ANNA, "--password-stdin")
    house.done(*set_password, stdin=b"the leaked one\n")
    house.done("backup", backup)
    house.done(*set_password, stdin=b"the one of after\n")
    now = hashes()
    house.done("restore", backup, "--yes")
    assert hashes() == now


@alike
def test_sessions_and_jwts_end(house, backup):
    backend = SqlBackend(house.url)
    with unit_of_work(backend) as storage:
        anna = storage.users.get(ANNA)
        start_session(storage, anna, now=1_000, user_agent="x")
        storage.users.add_owned(Jwt("issued", anna.id, 1_000, 2**40))
    house.done("backup", backup)
    with unit_of_work(backend) as storage:
        storage.users.add_owned(Jwt("elsewhere", None, None, 2**40, 5))
        storage.users.add_owned(Jwt("since", anna.id, 1_000, 2**40, 5))
    house.done("restore", backup, "--yes")
    with reading(backend) as storage:
        assert storage.users.list_owned(Session, anna.id) == []
        restored = storage.users.get(ANNA)
        assert restored.jwts_revoked_at > 1_000_000
        for jti in ("issued", "elsewhere", "since"):
            assert storage.users.get_jwt_owner(jti, uuid=restored.uuid)[1]
        assert not storage.users.get_jwt_owner("another", uuid=restored.uuid)[1]
    backend.close()


@alike
def test_all_tokens_can_be_revoked(house, backup, empty):
    """If the database is lost, nothing shows which tokens were revoked after the backup."""
    house.done("token", "create", ANNA, "--name", "x")
    house.done("backup", backup)
    empty.done("restore", backup, "--yes", "--revoke-tokens")
    assert empty.revoked_tokens() == {"x"}


def test_a_database_that_cannot_be_read_is_not_replaced_in_silence(house, backup):
    """Otherwise nobody would know which tokens were revoked in it."""
    if not house.url.startswith("sqlite"):
        pytest.skip("PostgreSQL's is not a file of ours")
    house.done("backup", backup)
    path = Path(house.url.removeprefix("sqlite:///"))
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        name.unlink(missing_ok=True)
    path.write_bytes(b"no database at all" * 1_000)
    assert "move it away" in house.refused("restore", backup, "--yes")
    path.unlink()
    house.done("restore", backup, "--yes")
    assert house.dump()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
