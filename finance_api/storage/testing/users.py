"""Users, the usage of the API, and the audit log."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from finance_api.resources import ACCOUNTS
from finance_api.storage.errors import Conflict, NotFound, StorageLocked
from finance_api.storage.interface import AuditAction, AuditEntry, Jwt, Session, Token, unit_of_work
from finance_api.storage.testing.units import DAY, OneUser, Unit, add_user, make_row, make_token


class UsersConformance(OneUser):
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
            storage.users.add_owned(make_token(unit.user, 1))
            with pytest.raises(NotFound):
                storage.users.update(unit.user.id + 1, premium=False)
        with unit.reading() as storage:
            assert storage.users.get("one@example.org") == changed
            assert storage.users.get_owner(Token, f"{1:064x}")[1] == changed
        assert (changed.premium, changed.enabled) == (False, False)
        assert {name: getattr(changed, name) for name in settings} == values

    def test_a_locked_user_is_read_as_now(self, unit: Unit) -> None:
        with unit.writing() as storage:
            assert storage.users.lock(unit.user.id) == unit.user
            changed = storage.users.update(unit.user.id, enabled=False)
            assert storage.users.lock(unit.user.id) == changed
            with pytest.raises(NotFound):
                storage.users.lock(unit.user.id + 1)

    def test_a_writer_that_waits_in_vain_is_told_that_another_one_runs(self, unit: Unit) -> None:
        def write() -> None:
            with unit_of_work(unit.backend, lock_timeout_seconds=1) as storage:
                storage.users.lock(unit.user.id)

        # In another thread, as a thread may lock the memory storage twice.
        with ThreadPoolExecutor(1) as threads, unit.writing() as storage:
            storage.users.lock(unit.user.id)
            with pytest.raises(StorageLocked):
                threads.submit(write).result()

    def test_a_deleted_user_leaves_nothing_behind(self, unit: Unit, other: Unit) -> None:
        gone = unit.user.id
        for each in (unit, other):
            each.put(ACCOUNTS, make_row(ACCOUNTS, 1))
        with unit.writing() as storage:
            storage.users.add_owned(make_token(unit.user, 1))
            storage.users.add_owned(Jwt("one", gone, 10, 100))
            storage.users.add_owned(Session("a" * 64, gone, 1, 1))
            storage.usage.add({(gone, 0, "a"): 5})
        with unit.writing() as storage:
            storage.users.delete(gone)
            with pytest.raises(NotFound):
                storage.users.delete(gone)
            assert storage.users.list_owned(Jwt, gone) == []
            assert storage.users.list_owned(Session, gone) == []
            assert storage.usage.list_days(gone, 0, 1) == []
            assert storage.usage.sum_by_token(gone, 0, 1) == {}
        with unit.writing() as storage:
            with pytest.raises(NotFound):
                storage.users.get_owner(Token, make_token(unit.user, 1).sha256)
            again = add_user(storage, "one@example.org")
            assert again.id != gone
            for user_id in (again.id, gone):
                assert storage.data.scan_rows(user_id, ACCOUNTS) == []
            assert len(storage.data.scan_rows(other.user.id, ACCOUNTS)) == 1

    # -- usage

    def test_usage_is_added_up_by_day_and_token(self, unit: Unit, other: Unit) -> None:
        mine, theirs = unit.user.id, other.user.id
        with unit.writing() as storage:
            add = storage.usage.add
            add({(mine, DAY, "a"): 1, (mine, 2 * DAY, "a"): 2, (mine, 2 * DAY, ""): 64})
            add({(mine, DAY, "a"): 4, (mine, DAY, "b"): 8})
            add({(theirs, DAY, "c"): 16, (theirs + 1, DAY, "d"): 1})
            add({})
        with unit.reading() as storage:
            list_days, sums = storage.usage.list_days, storage.usage.sum_by_token
            assert list_days(mine, 0, 9 * DAY) == [(DAY, 13), (2 * DAY, 66)]
            assert list_days(mine, DAY, 2 * DAY) == [(DAY, 13)]
            assert list_days(mine, 2 * DAY, 3 * DAY) == [(2 * DAY, 66)]
            assert list_days(theirs, 0, 9 * DAY) == [(DAY, 16)]
            assert sums(mine, 0, 9 * DAY) == {"a": 7, "b": 8}
            assert sums(mine, 2 * DAY, 3 * DAY) == {"a": 2}
            assert sums(theirs, 0, 9 * DAY) == {"c": 16}
        with unit.writing() as storage:
            storage.usage.prune(2 * DAY)
            assert storage.usage.list_days(mine, 0, 9 * DAY) == [(2 * DAY, 66)]
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
