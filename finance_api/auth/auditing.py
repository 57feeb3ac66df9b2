"""Audit entries of requests that write nothing else to the storage."""

import operator
from collections.abc import Mapping

from finance_api.http.identity import credential_id
from finance_api.http.requests import Request, origin_of
from finance_api.runtime.background import WriteBehind
from finance_api.storage.interface import AuditAction, AuditEntry, StorageBackend, unit_of_work

_FLUSH_SECONDS = 1.0
#: An import may hold the lock when the service stops; each attempt waits a second for the lock.
_LAST_ATTEMPTS = 20


def make_audit(backend: StorageBackend) -> WriteBehind[AuditEntry]:
    """Return a collector of audit entries, which writes them periodically."""

    def write(entries: Mapping[AuditEntry, int]) -> None:
        with unit_of_work(backend, lock_timeout_seconds=1) as storage:
            for entry, times in entries.items():
                for _ in range(times):
                    storage.audit.add(entry)

    return WriteBehind(
        "writing the audit log",
        _FLUSH_SECONDS,
        merge=operator.add,
        write=write,
        last_attempts=_LAST_ATTEMPTS,
    )


def note_request(
    request: Request, user_id: int | None, action: AuditAction, detail: str = ""
) -> None:
    """Note an action that has no transaction of its own; it is written about a second later."""
    now = request.services.clock.now()
    audit: WriteBehind[AuditEntry] = request.registry.services.audit
    audit.note(AuditEntry(now, action, origin_of(request), user_id, detail), 1)


def note_export(request: Request, user_id: int) -> None:
    """Note that an export begins. Ignores HEAD, which exports nothing."""
    if request.method != "HEAD":
        credential = credential_id(request.known_identity)
        detail = f"{request.path} ({credential})" if credential else request.path
        note_request(request, user_id, AuditAction.EXPORT, detail)
