"""Users, the credentials of their programs and browsers, their usage, and the audit log."""

import pytest

from finance_api.resources import ACCOUNTS
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    AuditAction,
    AuditEntry,
    Jwt,
    Session,
    WritableStorage,
    unit_of_work,
)
from finance_api.storage.testing.units import (
    DAY,
    OneUser,
    Unit,
    add_user,
    make_id,
    make_row,
    make_token,
)
from finance_api.values.ids import new_id


class UsersConformance(OneUser):
    """Tests users, personal tokens, JSON Web Tokens, sessions, usage and the audit log."""

    # -- users

    def test_users_are_found_by_email_and_listed_in_its_order(self, unit: Unit) -> None:
        with unit.writing() as storage:
            add_user(storage, "a@example.org")
        with unit.reading() as storage:
            assert storage.users.get("one@example.org") == unit.user
            emails = [user.email for user in storage.users.list_all()]
            assert emails == ["a@example.org", "one@example.org"]
            with pytest.raises(NotFound):
                storage.users.get("two@example.org")
        with pytest.raises(Conflict), unit.writing() as storage:
            add_user(storage, "one@example.org")

    def test_users_are_changed(self, unit: Unit) -> None:
        settings = ("time_zone", "base_currency", "region")
        assert [getattr(unit.user, name) for name in settings] == ["UTC", None, None]
        values = {"time_zone": "Europe/Berlin", "base_currency": "CHF", "region": "de-CH"}
        with unit.writing() as storage:
            changed = storage.users.update(unit.user.id, premium=False, enabled=False, **values)
            storage.tokens.add(make_token(unit.user, 1))
            with pytest.raises(NotFound):
                storage.users.update(unit.user.id + 1, premium=False)
        with unit.reading() as storage:
            assert storage.users.get("one@example.org") == changed
            assert storage.tokens.get_owner(f"{1:064x}")[1] == changed
        assert (changed.premium, changed.enabled) == (False, False)
        assert {name: getattr(changed, name) for name in settings} == values

    def test_a_locked_user_is_read_as_now(self, unit: Unit) -> None:
        with unit.writing() as storage:
            assert storage.users.lock(unit.user.id) == unit.user
            changed = storage.users.update(unit.user.id, enabled=False)
            assert storage.users.lock(unit.user.id) == changed
            with pytest.raises(NotFound):
                storage.users.lock(unit.user.id + 1)

    def test_a_deleted_user_leaves_nothing_behind(self, unit: Unit, other: Unit) -> None:
        gone = unit.user.id
        for each in (unit, other):
            each.put(ACCOUNTS, make_row(ACCOUNTS, 1))
        with unit.writing() as storage:
            storage.tokens.add(make_token(unit.user, 1))
            storage.jwts.add(Jwt("one", gone, 10, 100))
            storage.sessions.add(Session("a" * 64, gone, 1, 1))
            storage.usage.add({(gone, 0): 5})
            storage.usage.add_by_token({(gone, 0, "a"): 5})
        with unit.writing() as storage:
            storage.users.delete(gone)
            with pytest.raises(NotFound):
                storage.users.delete(gone)
            assert storage.jwts.list_by_user(gone) == []
            assert storage.sessions.list_by_user(gone) == []
            assert storage.usage.list_days(gone, 0, 1) == []
            assert storage.usage.sum_by_token(gone, 0, 1) == {}
        with unit.writing() as storage:
            with pytest.raises(NotFound):
                storage.tokens.get_owner(make_token(unit.user, 1).sha256)
            again = add_user(storage, "one@example.org")
            assert again.id != gone
            for user_id in (again.id, gone):
                assert storage.data.scan_rows(user_id, ACCOUNTS) == []
            assert len(storage.data.scan_rows(other.user.id, ACCOUNTS)) == 1

    # -- personal tokens

    def test_tokens_are_found_by_their_digest_with_their_owner(self, unit: Unit) -> None:
        token = make_token(unit.user, 1, scopes=("records", "goals"), expires_at=99)
        with unit.writing() as storage:
            storage.tokens.add(token)
        with unit.reading() as storage:
            assert storage.tokens.get_owner(token.sha256) == (token, unit.user)
            with pytest.raises(NotFound):
                storage.tokens.get_owner("0" * 64)
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.tokens.add(make_token(unit.user, 2, user_id=unit.user.id + 1))

    def test_a_user_sees_only_own_tokens_oldest_first(self, unit: Unit, other: Unit) -> None:
        with unit.writing() as storage:
            for number in (3, 1, 2):
                storage.tokens.add(make_token(unit.user, number))
            storage.tokens.add(make_token(other.user, 4))
        with unit.reading() as storage:
            names = [token.name for token in storage.tokens.list_by_user(unit.user.id)]
        assert names == ["token 1", "token 2", "token 3"]

    def test_tokens_are_revoked_once_one_by_one_or_all_of_a_user(
        self, unit: Unit, other: Unit
    ) -> None:
        with unit.writing() as storage:
            for number, user in ((1, unit.user), (2, unit.user), (3, other.user)):
                storage.tokens.add(make_token(user, number))
            assert storage.tokens.revoke(make_id(1), 50).revoked_at == 50
            assert storage.tokens.revoke(make_id(1), 60).revoked_at == 50
            with pytest.raises(NotFound):
                storage.tokens.revoke(make_id(9), 60)
            storage.tokens.revoke_all(unit.user.id, 60)
            found = [token.revoked_at for token in storage.tokens.list_by_user(unit.user.id)]
            assert found == [50, 60]
            assert storage.tokens.list_by_user(other.user.id)[0].revoked_at is None

    def test_last_use_only_moves_forward(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.tokens.add(make_token(unit.user, 1))
            storage.sessions.add(Session("a" * 64, unit.user.id, 10, 10))
            for used_at in ({make_id(1): 70, make_id(9): 70}, {make_id(1): 60}, {}):
                storage.tokens.set_used(used_at)
            for seen_at in ({"a" * 64: 70, "b" * 64: 70}, {"a" * 64: 60}, {}):
                storage.sessions.set_used(seen_at)
        with unit.reading() as storage:
            assert storage.tokens.list_by_user(unit.user.id)[0].last_used_at == 70
            assert storage.sessions.list_by_user(unit.user.id)[0].seen_at == 70

    def test_a_user_revokes_only_own_tokens(self, unit: Unit, other: Unit) -> None:
        with unit.writing() as storage:
            storage.tokens.add(make_token(unit.user, 1))
            storage.jwts.add(Jwt("one", unit.user.id, 10, 100))
            with pytest.raises(NotFound):
                storage.tokens.revoke(make_id(1), 50, user_id=other.user.id)
            with pytest.raises(NotFound):
                storage.jwts.revoke("one", 50, user_id=other.user.id)
            assert storage.tokens.list_by_user(unit.user.id)[0].revoked_at is None
            assert storage.jwts.list_by_user(unit.user.id)[0].revoked_at is None
            assert storage.tokens.revoke(make_id(1), 50, user_id=unit.user.id).revoked_at == 50
            assert storage.jwts.revoke("one", 50, user_id=unit.user.id).revoked_at == 50

    # -- JSON Web Tokens

    def test_a_jwt_s_owner_is_found_by_uuid_or_email_and_its_revocation_by_jti(
        self, unit: Unit, other: Unit
    ) -> None:
        with unit.writing() as storage:
            storage.jwts.add(Jwt("known", unit.user.id, 10, 100))
            storage.jwts.add(Jwt("elsewhere", None, None, 100, revoked_at=50))
        with unit.reading() as storage:
            for key in ({"uuid": unit.user.uuid}, {"email": unit.user.email}):
                for jti, revoked in (("known", False), ("never seen", False), ("elsewhere", True)):
                    assert storage.jwts.get_owner(jti, **key) == (unit.user, revoked)
            for key in ({"uuid": new_id()}, {"email": "three@example.org"}):
                with pytest.raises(NotFound):
                    storage.jwts.get_owner("known", **key)

    def test_a_jti_is_used_once_and_for_a_user_who_is_there(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.jwts.add(Jwt("one", unit.user.id, 10, 100))
            with pytest.raises(Conflict):
                storage.jwts.add(Jwt("one", unit.user.id, 11, 100))
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.jwts.add(Jwt("two", unit.user.id + 1, 10, 100))

    def test_a_revoked_jwt_keeps_the_date_of_its_first_revocation(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.jwts.add(Jwt("one", unit.user.id, 10, 100))
            assert storage.jwts.revoke("one", 50) == Jwt("one", unit.user.id, 10, 100, 50)
            assert storage.jwts.revoke("one", 60).revoked_at == 50
            with pytest.raises(NotFound):
                storage.jwts.revoke("two", 60)
        with unit.reading() as storage:
            assert storage.jwts.get_owner("one", uuid=unit.user.uuid)[1]

    def test_all_jwts_of_one_user_are_revoked_up_to_a_second(self, unit: Unit, other: Unit) -> None:
        with unit.writing() as storage:
            for jti, issued_at in (("before", 49), ("then", 50), ("after", 51)):
                storage.jwts.add(Jwt(jti, unit.user.id, issued_at, 100))
            storage.jwts.add(Jwt("other", other.user.id, 50, 100))
            storage.jwts.revoke_all(unit.user.id, 50)
            storage.jwts.revoke_all(unit.user.id, 40)
            with pytest.raises(NotFound):
                storage.jwts.revoke_all(other.user.id + 1, 50)
        with unit.reading() as storage:
            found = [(jwt.jti, jwt.revoked_at) for jwt in storage.jwts.list_by_user(unit.user.id)]
            assert found == [("before", 50), ("then", 50), ("after", None)]
            assert storage.users.get(unit.user.email).jwts_revoked_at == 50
            assert storage.users.get(other.user.email).jwts_revoked_at is None
            assert [jwt.revoked_at for jwt in storage.jwts.list_by_user(other.user.id)] == [None]

    def test_expired_jwts_are_forgotten(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.jwts.add(Jwt("old", unit.user.id, 10, 99, revoked_at=20))
            storage.jwts.add(Jwt("new", unit.user.id, 10, 100, revoked_at=20))
            storage.jwts.prune(100)
        with unit.reading() as storage:
            assert [jwt.jti for jwt in storage.jwts.list_by_user(unit.user.id)] == ["new"]
            assert not storage.jwts.get_owner("old", uuid=unit.user.uuid)[1]
            assert storage.jwts.get_owner("new", uuid=unit.user.uuid)[1]

    # -- sessions of the settings pages

    def test_a_session_is_found_by_its_digest_with_its_owner(self, unit: Unit) -> None:
        session = Session("a" * 64, unit.user.id, 10, 20, "Mozilla/5.0")
        with unit.writing() as storage:
            storage.sessions.add(session)
            storage.sessions.add(Session("b" * 64, unit.user.id, 11, 11))
        with unit.reading() as storage:
            assert storage.sessions.get_owner("a" * 64) == (session, unit.user)
            with pytest.raises(NotFound):
                storage.sessions.get_owner("c" * 64)
            found = storage.sessions.list_by_user(unit.user.id)
            assert [s.sha256[0] for s in found] == ["b", "a"]
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.sessions.add(Session("d" * 64, unit.user.id + 1, 10, 10))

    def test_sessions_end_one_by_one_all_at_once_and_by_age(self, unit: Unit, other: Unit) -> None:
        mine, theirs = unit.user.id, other.user.id

        def names(storage: WritableStorage) -> str:
            found = storage.sessions.list_by_user(mine) + storage.sessions.list_by_user(theirs)
            return "".join(session.sha256[0] for session in found)

        with unit.writing() as storage:
            for number, at, user_id in ((0, 1, mine), (1, 2, mine), (2, 3, theirs), (3, 4, theirs)):
                storage.sessions.add(Session(str(number) * 64, user_id, at, at + 10))
            assert names(storage) == "1032"
            for _ in range(2):
                storage.sessions.delete("0" * 64)
            assert names(storage) == "132"
            for created_before, seen_before, left in ((4, 0, "3"), (0, 14, "3"), (0, 15, "")):
                storage.sessions.prune(created_before=created_before, seen_before=seen_before)
                assert names(storage) == left
            storage.sessions.add(Session("5" * 64, mine, 1, 1))
            storage.sessions.add(Session("6" * 64, theirs, 1, 1))
            storage.sessions.delete_all(mine)
            assert names(storage) == "6"

    # -- usage

    def test_usage_is_added_up_for_each_user_and_day(self, unit: Unit, other: Unit) -> None:
        mine, theirs = unit.user.id, other.user.id
        with unit.writing() as storage:
            storage.usage.add({(mine, 2 * DAY): 5, (mine, DAY): 1})
            storage.usage.add({(mine, 2 * DAY): 3, (theirs, DAY): 7, (theirs + 1, 0): 1})
            storage.usage.add({})
        with unit.reading() as storage:
            list_days = storage.usage.list_days
            assert list_days(mine, 0, 9 * DAY) == [(DAY, 1), (2 * DAY, 8)]
            assert list_days(mine, DAY, 2 * DAY) == [(DAY, 1)]
            assert list_days(mine, 2 * DAY, 3 * DAY) == [(2 * DAY, 8)]
            assert list_days(theirs, 0, 9 * DAY) == [(DAY, 7)]
        with unit.writing() as storage:
            storage.usage.prune(2 * DAY)
        with unit.reading() as storage:
            assert storage.usage.list_days(mine, 0, 9 * DAY) == [(2 * DAY, 8)]

    def test_usage_by_token_is_added_up_over_days(self, unit: Unit, other: Unit) -> None:
        mine, theirs = unit.user.id, other.user.id
        with unit.writing() as storage:
            add = storage.usage.add_by_token
            add({(mine, DAY, "a"): 1, (mine, 2 * DAY, "a"): 2})
            add({(mine, DAY, "a"): 4, (mine, DAY, "b"): 8})
            add({(theirs, DAY, "c"): 16, (99, DAY, "d"): 1})
            add({})
        with unit.reading() as storage:
            sums = storage.usage.sum_by_token
            assert sums(mine, 0, 9 * DAY) == {"a": 7, "b": 8}
            assert sums(mine, 2 * DAY, 3 * DAY) == {"a": 2}
            assert sums(theirs, 0, 9 * DAY) == {"c": 16}
        with unit.writing() as storage:
            storage.usage.prune(2 * DAY)
            assert storage.usage.sum_by_token(mine, 0, 9 * DAY) == {"a": 2}

    # -- the audit log

    def test_the_audit_log_is_listed_from_the_newest_on(self, unit: Unit, other: Unit) -> None:
        user_id, other_id = unit.user.id, other.user.id
        with unit_of_work(unit.backend, origin="192.0.2.1") as storage:
            storage.note(user_id, AuditAction.SIGN_IN, 20)
            storage.note(None, AuditAction.SIGN_IN_FAILED, 30)
            storage.note(other_id, AuditAction.EXPORT, 20, "all")
        with unit.writing() as storage:
            storage.note(user_id, AuditAction.IMPORT, 10, "1, Ünïcode 😀")
            storage.note(user_id, AuditAction.EDIT, 20)
            storage.note(other_id + 1, AuditAction.EDIT, 20)
        mine = [
            AuditEntry(20, AuditAction.EDIT, "command", user_id),
            AuditEntry(20, AuditAction.SIGN_IN, "192.0.2.1", user_id),
            AuditEntry(10, AuditAction.IMPORT, "command", user_id, "1, Ünïcode 😀"),
        ]
        failed = AuditEntry(30, AuditAction.SIGN_IN_FAILED, "192.0.2.1", None)
        theirs = AuditEntry(20, AuditAction.EXPORT, "192.0.2.1", other_id, "all")
        with unit.reading() as reader:
            list_newest = reader.audit.list_newest
            assert list_newest(user_id) == mine
            assert list_newest(user_id, since=20, limit=9) == mine[:2]
            assert list_newest(user_id, limit=1) == mine[:1]
            assert list_newest(other_id + 1) == []
            assert list_newest() == [failed, mine[0], theirs, *mine[1:]]
        with unit.writing() as storage:
            storage.audit.prune(20)
            storage.users.delete(other_id)
            assert storage.audit.list_newest() == [failed, *mine[:2]]
