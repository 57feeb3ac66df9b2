"""What belongs to users: tokens, links of questions, sessions, JSON Web Tokens, saved questions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    Jwt,
    Question,
    QuestionLink,
    Session,
    Token,
    User,
    WritableStorage,
)
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


def make_question(user: User, number: int, **values: Any) -> Question:
    question = Question(
        make_id(number), user.id, f"question {number}", "/v1/api/records?limit=5", 10, 10
    )
    return replace(question, **values)


#: By class, a function that makes what belongs to a user. The number is its id,
#: its digest and its time, except for a question's.
_MAKE: dict[type[Any], Callable[[User, int], Any]] = {
    Token: lambda user, n: make_token(user, n, scopes=("records", "goals"), expires_at=99),
    QuestionLink: make_link,
    Session: lambda user, n: Session(f"{n:064x}", user.id, n, n, "Mozilla/5.0"),
    Jwt: lambda user, n: Jwt(make_id(n), user.id, n, 100),
    Question: make_question,
}


def check_has_no_question(storage: WritableStorage, user_id: int, question_id: str) -> None:
    users = storage.users
    for use in (users.get_question, users.delete_question):
        with pytest.raises(NotFound):
            use(user_id, question_id)
    with pytest.raises(NotFound):
        users.update_owned(Question, question_id, user_id=user_id, name="stolen")


def _each(*kinds: type[Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: kind.noun)


WITH_SECRET = _each(Token, QuestionLink, Session)
REVOCABLE = _each(Token, QuestionLink, Jwt)


class OwnedConformance(OneUser):
    @WITH_SECRET
    def test_credentials_are_found_by_digest_and_listed_by_age(
        self, unit: Unit, other: Unit, kind: type[Any]
    ) -> None:
        make = _MAKE[kind]
        first, second, third = (make(unit.user, number) for number in (1, 2, 3))
        with unit.writing() as storage:
            for each in (third, first, second, make(other.user, 4)):
                storage.users.add_owned(each)
        with unit.reading() as storage:
            stored = storage.users
            assert stored.get_owner(kind, first.sha256) == (first, unit.user)
            own = stored.list_owned(kind, unit.user.id)
            assert own == ([third, second, first] if kind is Session else [first, second, third])
            with pytest.raises(NotFound):
                stored.get_owner(kind, "0" * 64)
        unit.delete()
        with unit.writing() as storage:
            # The id of a deleted user is not used again.
            add_user(storage, unit.user.email)
        with unit.reading() as storage:
            assert storage.users.list_owned(kind, unit.user.id) == []
            with pytest.raises(NotFound):
                storage.users.get_owner(kind, first.sha256)

    @_each(*_MAKE)
    def test_each_is_added_once_and_for_a_user_who_is_there(
        self, unit: Unit, other: Unit, kind: type[Any]
    ) -> None:
        mine, nobody = unit.user, replace(other.user, id=other.user.id + 1)
        with unit.writing() as storage:
            storage.users.add_owned(_MAKE[kind](mine, 1))
        for user, number, error in (
            (mine, 1, Conflict),
            (other.user, 1, Conflict),
            (nobody, 2, NotFound),
        ):
            with pytest.raises(error), unit.writing() as storage:
                storage.users.add_owned(_MAKE[kind](user, number))

    @_each(Token, QuestionLink)
    def test_a_digest_belongs_to_one_credential(self, unit: Unit, kind: type[Any]) -> None:
        first = _MAKE[kind](unit.user, 1)
        with unit.writing() as storage:
            storage.users.add_owned(first)
        with pytest.raises(Conflict), unit.writing() as storage:
            storage.users.add_owned(replace(first, id=make_id(2)))

    @WITH_SECRET
    def test_the_last_use_only_moves_forward(self, unit: Unit, kind: type[Any]) -> None:
        made = _MAKE[kind](unit.user, 1)
        key, unknown = (made.sha256, "b") if kind is Session else (made.id, make_id(9))
        with unit.writing() as storage:
            storage.users.add_owned(made)
            for used_at in ({key: 70, unknown: 70}, {key: 60}, {}):
                storage.users.set_used(kind, used_at)
        with unit.reading() as storage:
            (found,) = storage.users.list_owned(kind, unit.user.id)
            assert (found.seen_at if kind is Session else found.last_used_at) == 70

    @REVOCABLE
    def test_credentials_are_revoked_once_one_by_one_or_all_of_a_user(
        self, unit: Unit, other: Unit, kind: type[Any]
    ) -> None:
        mine, theirs = unit.user.id, other.user.id
        with unit.writing() as storage:
            stored = storage.users
            for number, user in ((1, unit.user), (2, unit.user), (3, other.user)):
                stored.add_owned(_MAKE[kind](user, number))
            for key, user_id in ((9, None), (9, mine), (1, theirs)):
                with pytest.raises(NotFound):
                    stored.revoke(kind, make_id(key), 40, user_id=user_id)
            revoked = replace(_MAKE[kind](unit.user, 1), revoked_at=50)
            assert stored.revoke(kind, make_id(1), 50, user_id=mine) == revoked
            assert stored.revoke(kind, make_id(1), 60) == revoked
            stored.revoke_all(kind, mine, 60)
            assert [each.revoked_at for each in stored.list_owned(kind, mine)] == [50, 60]
            assert [each.revoked_at for each in stored.list_owned(kind, theirs)] == [None]

    def test_sessions_end_one_by_one_all_at_once_and_by_age(self, unit: Unit, other: Unit) -> None:
        mine, theirs = unit.user.id, other.user.id

        def names(storage: WritableStorage) -> str:
            stored = storage.users
            found = stored.list_owned(Session, mine) + stored.list_owned(Session, theirs)
            return "".join(session.sha256[0] for session in found)

        with unit.writing() as storage:
            stored = storage.users
            for number, at, user_id in ((0, 1, mine), (1, 2, mine), (2, 3, theirs), (3, 4, theirs)):
                stored.add_owned(Session(str(number) * 64, user_id, at, at + 10))
            assert names(storage) == "1032"
            for _ in range(2):
                stored.delete_session("0" * 64)
            assert names(storage) == "132"
            for created_before, seen_before, left in ((4, 0, "3"), (0, 14, "3"), (0, 15, "")):
                stored.prune_sessions(created_before=created_before, seen_before=seen_before)
                assert names(storage) == left
            stored.add_owned(Session("5" * 64, mine, 1, 1))
            stored.add_owned(Session("6" * 64, theirs, 1, 1))
            stored.delete_sessions(mine)
            assert names(storage) == "6"

    # -- JSON Web Tokens

    def test_a_jwt_s_owner_is_found_by_uuid_or_email_and_its_revocation_by_jti(
        self, unit: Unit, other: Unit
    ) -> None:
        with unit.writing() as storage:
            storage.users.add_owned(Jwt("known", unit.user.id, 10, 100))
            storage.users.add_owned(Jwt("elsewhere", None, None, 100, revoked_at=50))
        with unit.reading() as storage:
            find = storage.users.get_jwt_owner
            for key in ({"uuid": unit.user.uuid}, {"email": unit.user.email}):
                for jti, revoked in (("known", False), ("never seen", False), ("elsewhere", True)):
                    assert find(jti, **key) == (unit.user, revoked)
            for key in ({"uuid": new_id()}, {"email": "three@example.org"}):
                with pytest.raises(NotFound):
                    find("known", **key)

    def test_expired_jwts_are_forgotten(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.users.add_owned(Jwt("old", unit.user.id, 10, 99, revoked_at=20))
            storage.users.add_owned(Jwt("new", unit.user.id, 10, 100, revoked_at=20))
            storage.users.prune_jwts(100)
        with unit.reading() as storage:
            left = storage.users.list_owned(Jwt, unit.user.id)
            assert [jwt.jti for jwt in left] == ["new"]
            find = storage.users.get_jwt_owner
            assert not find("old", uuid=unit.user.uuid)[1]
            assert find("new", uuid=unit.user.uuid)[1]

    # -- saved questions

    def test_questions_are_found_by_id_and_listed_by_name(self, unit: Unit) -> None:
        asked = [make_question(unit.user, n, name=name) for n, name in ((1, "ß"), (2, "B"))]
        with unit.writing() as storage:
            for question in asked:
                storage.users.add_owned(question)
        with unit.reading() as storage:
            assert storage.users.get_question(unit.user.id, make_id(1)) == asked[0]
            assert storage.users.list_owned(Question, unit.user.id) == asked[::-1]

    def test_a_question_is_changed_and_deleted(self, unit: Unit) -> None:
        question, user_id = make_question(unit.user, 1), unit.user.id
        with unit.writing() as storage:
            storage.users.add_owned(question)
            changes: dict[str, Any] = {
                "name": "new",
                "address": "/v1/api/budgets",
                "updated_at": 20,
            }
            changed = storage.users.update_owned(Question, question.id, user_id=user_id, **changes)
            assert changed == replace(question, **changes)
        with unit.writing() as storage:
            assert storage.users.get_question(user_id, question.id) == changed
            storage.users.delete_question(user_id, question.id)
            check_has_no_question(storage, user_id, question.id)

    def test_a_question_is_its_user_s_alone(self, unit: Unit, other: Unit) -> None:
        mine, theirs = make_question(unit.user, 1), make_question(other.user, 2)
        with unit.writing() as storage:
            storage.users.add_owned(mine)
            storage.users.add_owned(replace(theirs, name=mine.name))
            check_has_no_question(storage, unit.user.id, theirs.id)
            storage.users.delete(unit.user.id)
            assert storage.users.list_owned(Question, unit.user.id) == []
            left = storage.users.list_owned(Question, other.user.id)
            assert left == [replace(theirs, name=mine.name)]

    def test_a_name_is_used_once(self, unit: Unit) -> None:
        one, two = (make_question(unit.user, n) for n in (1, 2))
        with unit.writing() as storage:
            storage.users.add_owned(one)
            storage.users.add_owned(two)
            storage.users.update_owned(Question, two.id, user_id=unit.user.id, name=two.name)
        with pytest.raises(Conflict), unit.writing() as storage:
            storage.users.add_owned(make_question(unit.user, 3, name=one.name))
        with pytest.raises(Conflict), unit.writing() as storage:
            storage.users.update_owned(Question, two.id, user_id=unit.user.id, name=one.name)
        with unit.reading() as storage:
            assert storage.users.list_owned(Question, unit.user.id) == [one, two]
