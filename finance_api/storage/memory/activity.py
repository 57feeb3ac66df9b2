"""Numbers of requests, and the audit log."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from finance_api.storage.interface import AuditEntry, AuditWriter, UsageWriter
from finance_api.storage.memory.database import Part


class MemoryUsage(Part, UsageWriter):
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        return sorted(
            (day, count)
            for (owner_id, day), count in self._unit.database.usage.items()
            if owner_id == user_id and start <= day < end
        )

    def sum_by_token(self, user_id: int, start: int, end: int) -> dict[str, int]:
        sums: Counter[str] = Counter()
        for (owner_id, day, token_id), count in self._unit.database.token_usage.items():
            if owner_id == user_id and start <= day < end:
                sums[token_id] += count
        return dict(sums)

    def add(self, requests: Mapping[tuple[int, int], int]) -> None:
        self._unit.change(usage=self._added(self._unit.database.usage, requests))

    def add_by_token(self, requests: Mapping[tuple[int, int, str], int]) -> None:
        self._unit.change(token_usage=self._added(self._unit.database.token_usage, requests))

    def _added(self, usage: Mapping[Any, int], requests: Mapping[Any, int]) -> dict[Any, int]:
        known = {k: n for k, n in requests.items() if k[0] in self._unit.database.users}
        sums = Counter(usage)
        sums.update(known)
        return dict(sums)

    def prune(self, before: int) -> None:
        usage, by_token = self._unit.database.usage, self._unit.database.token_usage
        self._unit.change(
            usage={key: n for key, n in usage.items() if key[1] >= before},
            token_usage={key: n for key, n in by_token.items() if key[1] >= before},
        )


class MemoryAudit(Part, AuditWriter):
    def list_newest(
        self, user_id: int | None = None, *, since: int = 0, limit: int | None = None
    ) -> list[AuditEntry]:
        found = [
            entry
            for entry in reversed(self._unit.database.audit)
            if user_id in (None, entry.user_id) and entry.at >= since
        ]
        return sorted(found, key=lambda entry: entry.at, reverse=True)[:limit]

    def add(self, entry: AuditEntry) -> None:
        database = self._unit.database
        if entry.user_id is None or entry.user_id in database.users:
            self._unit.change(audit=(*database.audit, entry))

    def prune(self, before: int) -> None:
        kept = tuple(entry for entry in self._unit.database.audit if entry.at >= before)
        self._unit.change(audit=kept)
