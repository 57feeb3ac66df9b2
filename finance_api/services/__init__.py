"""The shared objects of one application, made once at its start."""

from contextlib import ExitStack
from dataclasses import dataclass

from finance_api.api.data_request import ResponseCache
from finance_api.auth.auditing import make_audit
from finance_api.auth.jwt_keys import KeyRing, open_key_ring
from finance_api.auth.jwts import JwtRules, jwt_rules
from finance_api.auth.personal_tokens import make_last_used
from finance_api.auth.sessions import make_seen_sessions
from finance_api.ratelimit.quotas import Quotas, open_limiter
from finance_api.runtime.background import Periodic, WriteBehind
from finance_api.runtime.bulkhead import Bulkhead, Downloads
from finance_api.runtime.clock import Clock
from finance_api.runtime.metrics import Metrics
from finance_api.runtime.settings import Settings
from finance_api.services.housekeeping import make_housekeeping
from finance_api.storage import open_backend
from finance_api.storage.interface import AuditEntry, StorageBackend
from finance_api.uploads.jobs import UploadJobs
from finance_api.usage.counting import TokenDay, make_usage

#: How old the gauges of other processes may be.
_SAMPLING_SECONDS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Services:
    """``request.services`` of every request of the application.

    sampling: tells the metrics how the process is.
    data_requests: through which user's data is read from the storage.
    """

    clock: Clock
    metrics: Metrics
    sampling: Periodic
    storage: StorageBackend
    last_used: WriteBehind[str]
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

        The last ones come first. Every part is closed, whatever another one raises; the last error
        is raised in the end.
        """
        with ExitStack() as stack:
            for part in (self.metrics, self.storage, self.quotas):
                stack.callback(part.close)
            for pending in (self.last_used, self.seen_sessions, self.usage, self.audit):
                stack.callback(pending.stop)
            for running in (self.sampling, self.housekeeping, self.upload_jobs):
                stack.callback(running.stop)


def make_services(settings: Settings, clock: Clock) -> Services:
    """Raises SettingError, StorageNotReady."""
    metrics = Metrics()
    storage = open_backend(settings)
    storage.on_work = lambda work, seconds: metrics.database(work).observe(seconds)
    rules = jwt_rules(settings)
    quotas = Quotas(open_limiter(settings), settings, metrics)
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
        last_used=make_last_used(storage, settings["finance_api.tokens.last_used_seconds"]),
        seen_sessions=make_seen_sessions(storage),
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
            turn_seconds=settings["sqlalchemy.statement_seconds"],
        ),
        downloads=Downloads(settings["finance_api.max_downloads"]),
        upload_jobs=UploadJobs(
            storage,
            clock,
            settings,
            on_import=lambda outcome: metrics.imports(outcome).inc(),
        ),
        statement_seconds=settings["sqlalchemy.statement_seconds"],
    )
