"""The audit log."""

from finance_api.storage.interface import AuditEntry, AuditReader, AuditWriter
from finance_api.storage.memory.database import Part


class MemoryAuditReader(Part, AuditReader):
    def list_newest(
        self, user_id: int | None = None, *, since: int = 0, limit: int | None = None
    ) -> list[AuditEntry]:
        found = [
            entry
            for entry in reversed(self._unit.database.audit)
            if user_id in (None, entry.user_id) and entry.at >= since
        ]
        return sorted(found, key=lambda entry: entry.at, reverse=True)[:limit]


class MemoryAuditWriter(MemoryAuditReader, AuditWriter):
    def add(self, entry: AuditEntry) -> None:
        database = self._unit.database
        if entry.user_id is None or entry.user_id in database.users:
            self._unit.change(audit=(*database.audit, entry))

    def prune(self, before: int) -> None:
        kept = tuple(entry for entry in self._unit.database.audit if entry.at >= before)
        self._unit.change(audit=kept)
