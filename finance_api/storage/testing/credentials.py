"""Credentials: personal tokens, links of saved questions, sessions, and JSON Web Tokens."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import Jwt, QuestionLink, Session, User, WritableStorage
from finance_api.storage.testing.units import OneUser, Unit, add_user, make_id, make_token
from finance_api.values.ids import new_id


def make_link(user: User, number: int, question: int = 1) -> QuestionLink:
    """Return a link; its digest is ``number``."""
    return QuestionLink(
        id=make_id(number),
        user_id=user.id,
        question_id=make_id(question),
        name=f"link {number}",
        sha256=f"{number:064x}",
        created_at=number,
    )


def _make_session(user: User, number: int) -> Session:
    return Session(f"{number:064x}", user.id, number, number, "Mozilla/5.0")


#: By role, a function that makes a user's credential. The number is its digest and creation time.
_MAKE: dict[str, Callable[[User, int], Any]] = {
    "tokens": lambda user, n: make_token(user, n, scopes=("records", "goals"), expires_at=99),
    "links": make_link,
    "sessions": _make_session,
}
EACH_ROLE = pytest.mark.parametrize("role", _MAKE)


class CredentialsConformance(OneUser):
    @EACH_ROLE
    def test_credentials_are_found_by_digest_and_listed_by_age(
        self, unit: Unit, other: Unit, role: str
    ) -> None:
        make = _MAKE[role]
        first, second, third = (make(unit.user, number) for number in (1, 2, 3))
        with unit.writing() as storage:
            for each in (third, first, second, make(other.user, 4)):
                getattr(storage, role).add(each)
        with unit.reading() as storage:
            stored = getattr(storage, role)
            assert stored.get_owner(first.sha256) == (first, unit.user)
            own = stored.list_by_user(unit.user.id)
            assert own == ([third, second, first] if role == "sessions" else [first, second, third])
            with pytest.raises(NotFound):
                stored.get_owner("0" * 64)
        nobody = replace(other.user, id=other.user.id + 1)
        with pytest.raises(NotFound), unit.writing() as storage:
            getattr(storage, role).add(make(nobody, 5))
        unit.delete()
        with unit.writing() as storage:
            # The id of a deleted user is not used again.
            add_user(storage, unit.user.email)
        with unit.reading() as storage:
            assert getattr(storage, role).list_by_user(unit.user.id) == []
            with pytest.raises(NotFound):
                getattr(storage, role).get_owner(first.sha256)

    @EACH_ROLE
    def test_the_last_use_only_moves_forward(self, unit: Unit, role: str) -> None:
        made = _MAKE[role](unit.user, 1)
        key, unknown = (made.sha256, "b") if role == "sessions" else (made.id, make_id(9))
        with unit.writing() as storage:
            getattr(storage, role).add(made)
            for used_at in ({key: 70, unknown: 70}, {key: 60}, {}):
                getattr(storage, role).set_used(used_at)
        with unit.reading() as storage:
            (found,) = getattr(storage, role).list_by_user(unit.user.id)
            assert (found.seen_at if role == "sessions" else found.last_used_at) == 70

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

    def test_a_user_revokes_only_own_links_and_each_once(self, unit: Unit, other: Unit) -> None:
        with unit.writing() as storage:
            for number in (1, 2, 3):
                storage.links.add(make_link(unit.user, number))
            storage.links.add(make_link(other.user, 4))
            storage.links.revoke(unit.user.id, 50, [make_id(1)])
            storage.links.revoke(unit.user.id, 60, [make_id(n) for n in (1, 2, 4, 9)])
            storage.links.revoke(unit.user.id, 70, [])
        with unit.reading() as storage:
            found = [link.revoked_at for link in storage.links.list_by_user(unit.user.id)]
            assert found == [50, 60, None]
            assert storage.links.get_owner(f"{4:064x}")[0].revoked_at is None

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

    def test_an_id_of_a_token_or_link_is_used_once(self, unit: Unit, other: Unit) -> None:
        with unit.writing() as storage:
            storage.tokens.add(make_token(unit.user, 1))
        for user in (unit.user, other.user):
            again = replace(make_token(user, 2), id=make_token(unit.user, 1).id)
            with pytest.raises(Conflict), unit.writing() as storage:
                storage.tokens.add(again)

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
