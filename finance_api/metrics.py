"""Metrics of the process, in Prometheus' data model."""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    disable_created_metrics,
    generate_latest,
)

# The creation time of a counter is the start of the process.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """Counters of one application; each process has its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "finance_api_requests_total",
            "Answers, by their status.",
            ["status"],
            registry=self._registry,
        )
        self._by_status: dict[int, Counter] = {}
        self.ratelimit_fallbacks = Counter(
            "finance_api_ratelimit_fallbacks_total",
            "Decisions made in this process because the shared rate limiter was away.",
            registry=self._registry,
        )

    def count_response(self, status: int) -> None:
        """Counts a response."""
        counter = self._by_status.get(status)
        if counter is None:
            counter = self._by_status[status] = self.requests.labels(status)
        counter.inc()

    def text(self) -> bytes:
        """Prometheus' text format, version 0.0.4."""
        return generate_latest(self._registry)
