"""The audit log."""

from finance_api.storage.interface import AuditAction, AuditEntry, unit_of_work
from finance_api.storage.testing.units import OneUser, Unit, add_user


class AuditConformance(OneUser):
    """Who did what, when and from where."""

    def test_the_audit_log_is_listed_from_the_newest_on(self, unit: Unit) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "other@example.org")
        with unit_of_work(unit.backend, origin="192.0.2.1") as storage:
            storage.note(unit.user.id, AuditAction.SIGN_IN, 20)
            storage.note(None, AuditAction.SIGN_IN_FAILED, 30)
            storage.note(other.id, AuditAction.EXPORT, 20, "all")
        with unit.writing() as storage:
            storage.note(unit.user.id, AuditAction.IMPORT, 10, "1, Ünïcode 😀")
            storage.note(unit.user.id, AuditAction.EDIT, 20)
            storage.note(other.id + 1, AuditAction.EDIT, 20)
        with unit.reading() as storage:
            mine = [
                AuditEntry(20, AuditAction.EDIT, "command", unit.user.id),
                AuditEntry(20, AuditAction.SIGN_IN, "192.0.2.1", unit.user.id),
                AuditEntry(10, AuditAction.IMPORT, "command", unit.user.id, "1, Ünïcode 😀"),
            ]
            assert storage.audit.list_newest(unit.user.id) == mine
            assert storage.audit.list_newest(unit.user.id, since=20, limit=9) == mine[:2]
            assert storage.audit.list_newest(unit.user.id, limit=1) == mine[:1]
            assert storage.audit.list_newest(other.id + 1) == []
            everybody = [
                AuditEntry(30, AuditAction.SIGN_IN_FAILED, "192.0.2.1", None),
                mine[0],
                AuditEntry(20, AuditAction.EXPORT, "192.0.2.1", other.id, "all"),
                *mine[1:],
            ]
            assert storage.audit.list_newest() == everybody
        with unit.writing() as storage:
            storage.audit.prune(20)
            storage.users.delete(other.id)
            assert storage.audit.list_newest() == [everybody[0], *mine[:2]]
