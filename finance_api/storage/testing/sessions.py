"""What is noted of users: their sessions, and how much they ask."""

import pytest

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import (
    Jwt,
    Session,
)
from finance_api.storage.testing.units import OneUser, Unit, add_user


class SessionsConformance(OneUser):
    """Sessions of the settings pages, and usage."""

    # -- sessions of the settings pages

    def test_a_session_is_found_by_its_digest_with_its_owner(self, unit: Unit) -> None:
        session = Session("a" * 64, unit.user.id, 10, 20, "Mozilla/5.0")
        with unit.writing() as storage:
            storage.add_session(session)
            storage.add_session(Session("b" * 64, unit.user.id, 11, 11))
        with unit.reading() as storage:
            assert storage.get_session_owner("a" * 64) == (session, unit.user)
            with pytest.raises(NotFound):
                storage.get_session_owner("c" * 64)
            found = storage.list_sessions(unit.user.id)
            assert [s.sha256[0] for s in found] == ["b", "a"]
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.add_session(Session("d" * 64, unit.user.id + 1, 10, 10))

    def test_a_session_is_seen_later_and_later(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.add_session(Session("a" * 64, unit.user.id, 10, 10))
            storage.set_sessions_seen({"a" * 64: 70, "b" * 64: 70})
            storage.set_sessions_seen({"a" * 64: 60})
            storage.set_sessions_seen({})
        with unit.reading() as storage:
            assert storage.list_sessions(unit.user.id)[0].seen_at == 70

    def test_sessions_end_one_by_one_all_at_once_by_age_and_with_their_user(
        self, unit: Unit
    ) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            for n, (user, at) in enumerate(
                ((unit.user, 1), (unit.user, 2), (other, 3), (other, 4))
            ):
                storage.add_session(Session(str(n) * 64, user.id, at, at + 10))

            def left() -> str:
                found = storage.list_sessions(unit.user.id) + storage.list_sessions(other.id)
                return "".join(s.sha256[0] for s in found)

            assert left() == "1032"
            storage.delete_session("0" * 64)
            storage.delete_session("0" * 64)
            assert left() == "132"
            storage.prune_sessions(created_before=4, seen_before=0)
            assert left() == "3"
            storage.prune_sessions(created_before=0, seen_before=14)
            assert left() == "3"
            storage.prune_sessions(created_before=0, seen_before=15)
            assert left() == ""
            storage.add_session(Session("5" * 64, unit.user.id, 1, 1))
            storage.add_session(Session("6" * 64, other.id, 1, 1))
            storage.delete_sessions(unit.user.id)
            assert left() == "6"
            storage.delete_user(other.id)
            assert left() == ""

    # -- usage

    def test_usage_is_added_up_for_each_user_and_day(self, unit: Unit) -> None:
        day = 86_400
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            storage.add_usage({(unit.user.id, 2 * day): 5, (unit.user.id, day): 1})
            storage.add_usage(
                {(unit.user.id, 2 * day): 3, (other.id, day): 7, (other.id + 1, 0): 1}
            )
            storage.add_usage({})
        with unit.reading() as storage:
            user_id = unit.user.id
            assert storage.list_usage(user_id, 0, 9 * day) == [(day, 1), (2 * day, 8)]
            assert storage.list_usage(user_id, day, 2 * day) == [(day, 1)]
            assert storage.list_usage(user_id, 2 * day, 3 * day) == [(2 * day, 8)]
            assert storage.list_usage(other.id, 0, 9 * day) == [(day, 7)]
        with unit.writing() as storage:
            storage.prune_usage(2 * day)
        with unit.reading() as storage:
            assert storage.list_usage(user_id, 0, 9 * day) == [(2 * day, 8)]

    def test_jwts_and_usage_go_with_their_user(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.add_jwt(Jwt("one", unit.user.id, 10, 100))
            storage.add_usage({(unit.user.id, 0): 5})
            storage.delete_user(unit.user.id)
            assert storage.list_jwts(unit.user.id) == []
            assert storage.list_usage(unit.user.id, 0, 1) == []
