"""Sessions and usage of users."""

import pytest

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Jwt, Session
from finance_api.storage.testing.units import OneUser, Unit, add_user


class SessionsConformance(OneUser):
    """Sessions of the settings pages, and usage."""

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

    def test_a_session_is_seen_later_and_later(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.sessions.add(Session("a" * 64, unit.user.id, 10, 10))
            storage.sessions.set_seen({"a" * 64: 70, "b" * 64: 70})
            storage.sessions.set_seen({"a" * 64: 60})
            storage.sessions.set_seen({})
        with unit.reading() as storage:
            assert storage.sessions.list_by_user(unit.user.id)[0].seen_at == 70

    def test_sessions_end_one_by_one_all_at_once_by_age_and_with_their_user(
        self, unit: Unit
    ) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            for n, (user, at) in enumerate(
                ((unit.user, 1), (unit.user, 2), (other, 3), (other, 4))
            ):
                storage.sessions.add(Session(str(n) * 64, user.id, at, at + 10))

            def left() -> str:
                found = storage.sessions.list_by_user(unit.user.id) + storage.sessions.list_by_user(
                    other.id
                )
                return "".join(s.sha256[0] for s in found)

            assert left() == "1032"
            storage.sessions.delete("0" * 64)
            storage.sessions.delete("0" * 64)
            assert left() == "132"
            storage.sessions.prune(created_before=4, seen_before=0)
            assert left() == "3"
            storage.sessions.prune(created_before=0, seen_before=14)
            assert left() == "3"
            storage.sessions.prune(created_before=0, seen_before=15)
            assert left() == ""
            storage.sessions.add(Session("5" * 64, unit.user.id, 1, 1))
            storage.sessions.add(Session("6" * 64, other.id, 1, 1))
            storage.sessions.delete_all(unit.user.id)
            assert left() == "6"
            storage.users.delete(other.id)
            assert left() == ""

    # -- usage

    def test_usage_is_added_up_for_each_user_and_day(self, unit: Unit) -> None:
        day = 86_400
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            storage.usage.add({(unit.user.id, 2 * day): 5, (unit.user.id, day): 1})
            storage.usage.add(
                {(unit.user.id, 2 * day): 3, (other.id, day): 7, (other.id + 1, 0): 1}
            )
            storage.usage.add({})
        with unit.reading() as storage:
            user_id = unit.user.id
            assert storage.usage.list_days(user_id, 0, 9 * day) == [(day, 1), (2 * day, 8)]
            assert storage.usage.list_days(user_id, day, 2 * day) == [(day, 1)]
            assert storage.usage.list_days(user_id, 2 * day, 3 * day) == [(2 * day, 8)]
            assert storage.usage.list_days(other.id, 0, 9 * day) == [(day, 7)]
        with unit.writing() as storage:
            storage.usage.prune(2 * day)
        with unit.reading() as storage:
            assert storage.usage.list_days(user_id, 0, 9 * day) == [(2 * day, 8)]

    def test_usage_by_token_is_added_up_over_days(self, unit: Unit) -> None:
        day, mine = 86_400, unit.user.id
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org").id
            storage.usage.add_by_token({(mine, day, "a"): 1, (mine, 2 * day, "a"): 2})
            storage.usage.add_by_token(
                {(mine, day, "a"): 4, (mine, day, "b"): 8, (other, day, "c"): 16, (99, day, "d"): 1}
            )
            storage.usage.add_by_token({})
        with unit.reading() as storage:
            assert storage.usage.sum_by_token(mine, 0, 9 * day) == {"a": 7, "b": 8}
            assert storage.usage.sum_by_token(mine, 2 * day, 3 * day) == {"a": 2}
            assert storage.usage.sum_by_token(other, 0, 9 * day) == {"c": 16}
        with unit.writing() as storage:
            storage.usage.prune(2 * day)
            storage.users.delete(other)
            assert storage.usage.sum_by_token(mine, 0, 9 * day) == {"a": 2}
            assert storage.usage.sum_by_token(other, 0, 9 * day) == {}

    def test_jwts_and_usage_go_with_their_user(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.jwts.add(Jwt("one", unit.user.id, 10, 100))
            storage.usage.add({(unit.user.id, 0): 5})
            storage.users.delete(unit.user.id)
            assert storage.jwts.list_by_user(unit.user.id) == []
            assert storage.usage.list_days(unit.user.id, 0, 1) == []
