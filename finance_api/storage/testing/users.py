"""Users, and what lets their programs in."""

import pytest

from finance_api.resources import ACCOUNTS
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import Jwt
from finance_api.storage.testing.units import OneUser, Unit, add_user, make_id, make_row, make_token
from finance_api.values.ids import new_id


class UsersConformance(OneUser):
    """Users, personal tokens and JSON Web Tokens."""

    # -- users and tokens

    def test_users_are_found_by_email_and_listed_in_its_order(self, unit: Unit) -> None:
        with unit.writing() as storage:
            add_user(storage, "a@example.org")
        with unit.reading() as storage:
            assert storage.users.get("one@example.org") == unit.user
            emails = [user.email for user in storage.users.list_all()]
            assert emails == ["a@example.org", "one@example.org"]
            with pytest.raises(NotFound):
                storage.users.get("two@example.org")

    def test_an_email_belongs_to_one_user(self, unit: Unit) -> None:
        with pytest.raises(Conflict), unit.writing() as storage:
            add_user(storage, "one@example.org")

    def test_users_are_changed(self, unit: Unit) -> None:
        with unit.writing() as storage:
            changed = storage.users.update(unit.user.id, premium=False, enabled=False)
            with pytest.raises(NotFound):
                storage.users.update(unit.user.id + 1, premium=False)
        with unit.reading() as storage:
            assert storage.users.get("one@example.org") == changed
        assert (changed.premium, changed.enabled) == (False, False)

    def test_the_time_zone_is_utc_until_it_is_changed(self, unit: Unit) -> None:
        assert (unit.user.time_zone, unit.user.base_currency) == ("UTC", None)
        with unit.writing() as storage:
            storage.users.update(unit.user.id, time_zone="Europe/Berlin", base_currency="CHF")
            storage.tokens.add(make_token(unit.user, 1))
        with unit.reading() as storage:
            found = storage.users.get(unit.user.email)
            assert (found.time_zone, found.base_currency) == ("Europe/Berlin", "CHF")
            assert storage.tokens.get_owner(f"{1:064x}")[1].time_zone == "Europe/Berlin"

    def test_a_locked_user_is_read_as_now(self, unit: Unit) -> None:
        with unit.writing() as storage:
            assert storage.users.lock(unit.user.id) == unit.user
            changed = storage.users.update(unit.user.id, enabled=False)
            assert storage.users.lock(unit.user.id) == changed
            with pytest.raises(NotFound):
                storage.users.lock(unit.user.id + 1)

    def test_a_deleted_user_leaves_nothing_behind(self, unit: Unit) -> None:
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 1))
        with unit.writing() as storage:
            storage.tokens.add(make_token(unit.user, 1))
            other = add_user(storage, "two@example.org")
            storage.data.put_rows(other.id, ACCOUNTS, new=[make_row(ACCOUNTS, 1)], changed=())
        with unit.writing() as storage:
            storage.users.delete(unit.user.id)
            with pytest.raises(NotFound):
                storage.users.delete(unit.user.id)
        with unit.writing() as storage:
            with pytest.raises(NotFound):
                storage.tokens.get_owner(make_token(unit.user, 1).sha256)
            again = add_user(storage, "one@example.org")
            assert again.id != unit.user.id
            for user_id in (again.id, unit.user.id):
                assert storage.data.scan_rows(user_id, ACCOUNTS) == []
            assert len(storage.data.scan_rows(other.id, ACCOUNTS)) == 1

    def test_tokens_are_found_by_their_digest_with_their_owner(self, unit: Unit) -> None:
        token = make_token(unit.user, 1, scopes=("records", "goals"), expires_at=99)
        with unit.writing() as storage:
            storage.tokens.add(token)
        with unit.reading() as storage:
            assert storage.tokens.get_owner(token.sha256) == (token, unit.user)
            with pytest.raises(NotFound):
                storage.tokens.get_owner("0" * 64)

    def test_tokens_need_a_user(self, unit: Unit) -> None:
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.tokens.add(make_token(unit.user, 1, user_id=unit.user.id + 1))

    def test_a_user_sees_only_own_tokens_oldest_first(self, unit: Unit) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            for number in (3, 1, 2):
                storage.tokens.add(make_token(unit.user, number))
            storage.tokens.add(make_token(other, 4))
        with unit.reading() as storage:
            names = [token.name for token in storage.tokens.list_by_user(unit.user.id)]
        assert names == ["token 1", "token 2", "token 3"]

    def test_a_revoked_token_keeps_the_date_of_its_first_revocation(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.tokens.add(make_token(unit.user, 1))
            storage.tokens.revoke(make_id(1), 50)
            assert storage.tokens.revoke(make_id(1), 60).revoked_at == 50
            with pytest.raises(NotFound):
                storage.tokens.revoke(make_id(2), 60)

    def test_all_tokens_of_one_user_are_revoked(self, unit: Unit) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            for number, user in ((1, unit.user), (2, unit.user), (3, other)):
                storage.tokens.add(make_token(user, number))
            storage.tokens.revoke(make_id(1), 50)
            storage.tokens.revoke_all(unit.user.id, 60)
            found = [token.revoked_at for token in storage.tokens.list_by_user(unit.user.id)]
            assert found == [50, 60]
            assert storage.tokens.list_by_user(other.id)[0].revoked_at is None

    def test_last_use_only_moves_forward(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.tokens.add(make_token(unit.user, 1))
            storage.tokens.set_used({make_id(1): 70, make_id(9): 70})
            storage.tokens.set_used({make_id(1): 60})
            storage.tokens.set_used({})
        with unit.reading() as storage:
            assert storage.tokens.list_by_user(unit.user.id)[0].last_used_at == 70

    def test_a_user_revokes_only_own_tokens(self, unit: Unit) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            storage.tokens.add(make_token(unit.user, 1))
            storage.jwts.add(Jwt("one", unit.user.id, 10, 100))
            with pytest.raises(NotFound):
                storage.tokens.revoke(make_id(1), 50, user_id=other.id)
            with pytest.raises(NotFound):
                storage.jwts.revoke("one", 50, user_id=other.id)
            assert storage.tokens.list_by_user(unit.user.id)[0].revoked_at is None
            assert storage.jwts.list_by_user(unit.user.id)[0].revoked_at is None
            assert storage.tokens.revoke(make_id(1), 50, user_id=unit.user.id).revoked_at == 50
            assert storage.jwts.revoke("one", 50, user_id=unit.user.id).revoked_at == 50

    # -- JSON Web Tokens

    def test_a_jwt_s_owner_is_found_by_uuid_or_email_and_its_revocation_by_jti(
        self, unit: Unit
    ) -> None:
        with unit.writing() as storage:
            add_user(storage, "two@example.org")
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

    def test_all_jwts_of_one_user_are_revoked_up_to_a_second(self, unit: Unit) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            storage.jwts.add(Jwt("before", unit.user.id, 49, 100))
            storage.jwts.add(Jwt("then", unit.user.id, 50, 100))
            storage.jwts.add(Jwt("after", unit.user.id, 51, 100))
            storage.jwts.add(Jwt("other", other.id, 50, 100))
            storage.jwts.revoke_all(unit.user.id, 50)
            storage.jwts.revoke_all(unit.user.id, 40)
            with pytest.raises(NotFound):
                storage.jwts.revoke_all(other.id + 1, 50)
        with unit.reading() as storage:
            found = [(jwt.jti, jwt.revoked_at) for jwt in storage.jwts.list_by_user(unit.user.id)]
            assert found == [("before", 50), ("then", 50), ("after", None)]
            assert storage.users.get(unit.user.email).jwts_revoked_at == 50
            assert storage.users.get(other.email).jwts_revoked_at is None
            assert [jwt.revoked_at for jwt in storage.jwts.list_by_user(other.id)] == [None]

    def test_expired_jwts_are_forgotten(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.jwts.add(Jwt("old", unit.user.id, 10, 99, revoked_at=20))
            storage.jwts.add(Jwt("new", unit.user.id, 10, 100, revoked_at=20))
            storage.jwts.prune(100)
        with unit.reading() as storage:
            assert [jwt.jti for jwt in storage.jwts.list_by_user(unit.user.id)] == ["new"]
            assert not storage.jwts.get_owner("old", uuid=unit.user.uuid)[1]
            assert storage.jwts.get_owner("new", uuid=unit.user.uuid)[1]
