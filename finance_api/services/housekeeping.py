"""Deletes expired sessions and JWTs, uploads, old usage, changes and audit log, every ten minutes.

A revoked JWT that is forgotten would be accepted again if the clock was ahead and has been set
back. So JWTs stay for a day longer, and until the clock has been steady for an hour.
"""

from contextlib import suppress

from finance_api.auth.sessions import prune_sessions
from finance_api.runtime.background import Periodic
from finance_api.runtime.clock import Clock, SteadyTime
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import StorageBackend, reading, unit_of_work
from finance_api.uploads.stored_uploads import prune_uploads
from finance_api.values.time import DAY_SECONDS

_INTERVAL_SECONDS = 600
_STEADY_SECONDS = 3_600
USAGE_DAYS = 400


def make_housekeeping(
    backend: StorageBackend,
    clock: Clock,
    *,
    jwt_leeway_seconds: int,
    changes_days: int,
    audit_days: int,
) -> Periodic:
    """changes_days, audit_days: for how long changes, and the audit log, are remembered."""
    steady = SteadyTime(clock)

    def tidy() -> None:
        now = clock.now()
        with unit_of_work(backend, lock_timeout_seconds=1) as storage:
            prune_sessions(storage, now)
            if steady.seconds() >= _STEADY_SECONDS:
                storage.jwts.prune(now - jwt_leeway_seconds - DAY_SECONDS)
            prune_uploads(storage, now)
            storage.usage.prune(now - now % DAY_SECONDS - USAGE_DAYS * DAY_SECONDS)
            storage.audit.prune(now - audit_days * DAY_SECONDS)
        forget_changes(now - changes_days * DAY_SECONDS)

    def forget_changes(before: int) -> None:
        with reading(backend) as reader:
            user_ids = reader.users.list_with_past_states(before)
        for user_id in user_ids:
            with (
                suppress(NotFound),
                unit_of_work(backend, lock_timeout_seconds=1) as storage,
            ):
                storage.data.lock(user_id)
                storage.data.forget_states(user_id, before)

    return Periodic("housekeeping", _INTERVAL_SECONDS, tidy, last=False)
