"""Metrics, in Prometheus' data model.

If ``PROMETHEUS_MULTIPROC_DIR`` is set when the processes start, all processes count together, in
files of that directory. See the documentation of Prometheus' Python client.
"""

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Summary,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

# The creation time of a counter is not needed: it is the start of the process.
disable_created_metrics()  # type: ignore[no-untyped-call]

#: The environment variable that the Prometheus client reads.
DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The metrics of one application, or of all its processes."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        if DIRECTORY in os.environ:
            _mark_of(os.getpid()).touch()
        metric = self._make
        self.requests = metric(
            Histogram,
            "request_seconds",
            "Time until a response began, by route and status.",
            *("route", "status"),
            buckets=_SECONDS,
        )
        self.database = metric(
            Summary,
            "database_seconds",
            "Time in the database, for a request's reads and for transactions that write.",
            "work",
        )
        self.cache_lookups = metric(
            Counter, "cache_lookups", "Responses looked up in the response cache.", "result"
        )
        rules = ("rule", "decision")
        self.ratelimit_decisions = metric(
            Counter, "ratelimit_decisions", "Decisions of the rate limiter, by rule.", *rules
        )
        self.ratelimit_fallbacks = metric(
            Counter,
            "ratelimit_fallbacks",
            "Decisions made in one process because the shared rate limiter was unavailable.",
        )
        self.authentication_failures = metric(
            Counter,
            "authentication_failures",
            "Requests and sign-ins without a valid credential.",
            *("credential", "reason"),
        )
        self.imports = metric(
            Counter, "imports", "Files sent on the page Import and confirmed.", "outcome"
        )
        self._connections = metric(
            Gauge,
            "database_connections",
            "Connections in the database pools.",
            *("pool", "state"),
            multiprocess_mode="livesum",
        )
        self._cache_bytes = metric(
            Gauge,
            "cache_bytes",
            "The approximate size of the response cache.",
            multiprocess_mode="livesum",
        )
        self._breaker = metric(
            Gauge,
            "breaker_open",
            "Whether the circuit breaker is open (the service is considered down).",
            "service",
            multiprocess_mode="livemax",
        )

    def _make(self, kind: type, name: str, meaning: str, *labels: str, **options: Any) -> Any:
        """Make a metric. If it has labels, return a cached function from their values to the
        labelled metric."""
        made = kind(f"finance_api_{name}", meaning, labels, registry=self._registry, **options)
        return cache(made.labels) if labels else made

    def set_state(
        self,
        connections: Mapping[str, tuple[int, int]],
        cache_bytes: int,
        breakers: Mapping[str, bool],
    ) -> None:
        """Set the gauges of this process. connections: used and free connections of each pool."""
        for pool, numbers in connections.items():
            for state, number in zip(("used", "free"), numbers, strict=True):
                self._connections(pool, state).set(number)
        self._cache_bytes.set(cache_bytes)
        for service, is_open in breakers.items():
            self._breaker(service).set(is_open)

    def text(self, totals: Mapping[str, int | None]) -> bytes:
        """Return Prometheus' text format, version 0.0.4. totals: by name, see `TOTALS`."""
        registry = self._registry
        if DIRECTORY in os.environ:
            _forget_dead()
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        of_database = CollectorRegistry()
        of_database.register(_Totals(totals))
        return generate_latest(registry) + generate_latest(of_database)

    def close(self) -> None:
        """Remove the gauges of this process: only live processes have gauges."""
        if DIRECTORY in os.environ:
            _forget(os.getpid())


def _mark_of(pid: int) -> Path:
    """Return the file that shows that a process keeps its metrics in the directory."""
    return Path(os.environ[DIRECTORY], f"{pid}.pid")


def _forget_dead() -> None:
    for mark in Path(os.environ[DIRECTORY]).glob("*.pid"):
        try:
            os.kill(int(mark.stem), 0)
        except ProcessLookupError:
            _forget(int(mark.stem))


def _forget(pid: int) -> None:
    mark_process_dead(pid)  # type: ignore[no-untyped-call]
    _mark_of(pid).unlink(missing_ok=True)


#: Totals read from the database, and their meaning.
TOTALS = {
    "database_up": "Whether the database can be read and has this program's version.",
    "users": "Users.",
    "revisions": "Revisions of all users' data together: imports, edits and undos.",
    "projection_version": "Version of the read model.",
}


class _Totals(Collector):
    """Reports totals when asked. If these were gauges, each process would keep them in a file."""

    def __init__(self, totals: Mapping[str, int | None]) -> None:
        self._totals = totals

    def collect(self) -> Iterator[Metric]:
        for name, meaning in TOTALS.items():
            value = self._totals.get(name)
            if value is not None:
                yield GaugeMetricFamily(f"finance_api_{name}", meaning, value)
