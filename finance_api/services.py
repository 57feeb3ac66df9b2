"""The shared objects of one application, made once at its start; and its clean-up."""

from contextlib import ExitStack, suppress
from dataclasses import dataclass

from finance_api.auth.auditing import make_audit
from finance_api.auth.jwt_keys import KeyRing, open_key_ring
from finance_api.auth.jwts import JwtRules, jwt_rules
from finance_api.auth.personal_tokens import make_last_used
from finance_api.auth.sessions import FLUSH_SECONDS, prune_sessions
from finance_api.ratelimit.interface import open_limiter
from finance_api.ratelimit.quotas import Quotas
from finance_api.runtime.background import Periodic, WriteBehind
from finance_api.runtime.bulkhead import Bulkhead, Downloads
from finance_api.runtime.clock import Clock, SteadyTime
from finance_api.runtime.metrics import Metrics
from finance_api.runtime.response_cache import ResponseCache
from finance_api.runtime.settings import Settings
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import (
    AuditEntry,
    QuestionLink,
    Session,
    StorageBackend,
    Token,
    TokenDay,
    open_backend,
    reading,
    unit_of_work,
)
from finance_api.uploads.jobs import UploadJobs, prune_uploads
from finance_api.usage.counting import make_usage
from finance_api.values.time import DAY_SECONDS

#: The gauges of other processes may be this old.
_SAMPLING_SECONDS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Services:
    """``request.services`` of every request of the application.

    sampling: updates the metrics of the process.
    data_requests: limits how many requests read a user's data at once.
    """

    clock: Clock
    metrics: Metrics
    sampling: Periodic
    storage: StorageBackend
    last_used: WriteBehind[str]
    last_used_links: WriteBehind[str]
    seen_sessions: WriteBehind[str]
    jwt_keys: KeyRing
    jwt_rules: JwtRules
    quotas: Quotas
    usage: WriteBehind[TokenDay]
    audit: WriteBehind[AuditEntry]
    housekeeping: Periodic
    response_cache: ResponseCache
    data_requests: Bulkhead
    downloads: Downloads
    upload_jobs: UploadJobs
    statement_seconds: int

    def close(self) -> None:
        """Write what is pending and close connections, at the end of a process.

        Close the parts in reverse order of the lists below. If a part raises an error, close the
        others anyway, and raise the last error at the end.
        """
        with ExitStack() as stack:
            for part in (self.metrics, self.storage, self.quotas):
                stack.callback(part.close)
            for used in (self.last_used, self.last_used_links, self.seen_sessions):
                stack.callback(used.stop)
            for counted in (self.usage, self.audit):
                stack.callback(counted.stop)
            for running in (self.sampling, self.housekeeping, self.upload_jobs):
                stack.callback(running.stop)


def make_services(settings: Settings, clock: Clock) -> Services:
    """Make the services. Raises SettingError, StorageNotReady."""
    metrics = Metrics()
    storage = open_backend(settings)
    storage.on_work = lambda work, seconds: metrics.database(work).observe(seconds)
    rules = jwt_rules(settings)
    quotas = Quotas(open_limiter(settings), settings, metrics)
    last_used_seconds = settings["finance_api.tokens.last_used_seconds"]
    response_cache = ResponseCache(settings["finance_api.cache.max_bytes"])

    def sample() -> None:
        state = storage.state
        metrics.set_state(
            state.connections,
            response_cache.cached_bytes,
            {"database": state.is_away, "ratelimit": quotas.is_away},
        )

    return Services(
        clock=clock,
        metrics=metrics,
        sampling=Periodic("metrics", _SAMPLING_SECONDS, sample, last=False),
        storage=storage,
        last_used=make_last_used(storage, last_used_seconds, Token),
        last_used_links=make_last_used(storage, last_used_seconds, QuestionLink),
        seen_sessions=make_last_used(storage, FLUSH_SECONDS, Session),
        jwt_keys=open_key_ring(settings),
        jwt_rules=rules,
        quotas=quotas,
        usage=make_usage(storage),
        audit=make_audit(storage),
        housekeeping=make_housekeeping(
            storage,
            clock,
            jwt_leeway_seconds=rules.leeway_seconds,
            changes_days=settings["finance_api.changes.keep_days"],
            audit_days=settings["finance_api.audit.keep_days"],
        ),
        response_cache=response_cache,
        data_requests=Bulkhead(
            settings["finance_api.max_data_requests"],
            # A request that runs for longer is no small part of a burst. By default 0.8 s, so that
            # a health check that waits behind it is answered within a second.
            wait_seconds=settings["finance_api.queue_seconds"] * 0.4,
            queue_seconds=settings["finance_api.queue_seconds"],
            turn_seconds=settings["sqlalchemy.statement_seconds"],
        ),
        downloads=Downloads(settings["finance_api.max_downloads"]),
        upload_jobs=UploadJobs(storage, clock, settings, metrics),
        statement_seconds=settings["sqlalchemy.statement_seconds"],
    )


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
    """Make the work that deletes old data: sessions, JWTs, uploads, usage, changes, audit log.

    If the clock was ahead and is set back, a revoked JWT that has been deleted would be valid
    again. So JWTs are kept a day longer, and until the clock has been steady for an hour.
    changes_days, audit_days: how long changes and the audit log are kept.
    """
    steady = SteadyTime(clock)

    def tidy() -> None:
        now = clock.now()
        with unit_of_work(backend, lock_timeout_seconds=1) as storage:
            prune_sessions(storage, now)
            if steady.seconds() >= _STEADY_SECONDS:
                storage.users.prune_jwts(now - jwt_leeway_seconds - DAY_SECONDS)
            prune_uploads(storage, now)
            storage.usage.prune(now - now % DAY_SECONDS - USAGE_DAYS * DAY_SECONDS)
            storage.audit.prune(now - audit_days * DAY_SECONDS)
        forget_changes(now - changes_days * DAY_SECONDS)

    def forget_changes(before: int) -> None:
        with reading(backend) as reader:
            user_ids = reader.users.list_with_past_states(before)
        for user_id in user_ids:
            with suppress(NotFound), unit_of_work(backend, lock_timeout_seconds=1) as storage:
                storage.data.lock(user_id)
                storage.data.forget_states(user_id, before)

    return Periodic("housekeeping", _INTERVAL_SECONDS, tidy, last=False)
