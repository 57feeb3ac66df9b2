"""The shared objects that every part of an application may use."""

from typing import Protocol

from finance_api.runtime.background import Periodic
from finance_api.runtime.bulkhead import Bulkhead
from finance_api.runtime.clock import Clock
from finance_api.runtime.downloads import Downloads
from finance_api.runtime.metrics import Metrics
from finance_api.storage.interface import StorageBackend


class Services(Protocol):
    """``request.services``: what `finance_api.services` makes for every part.

    What belongs to one part above this package is read from ``request.registry.services``.
    data_requests: limits how many requests read a user's data at once.
    sampling: updates the metrics of the process.
    """

    @property
    def clock(self) -> Clock: ...
    @property
    def metrics(self) -> Metrics: ...
    @property
    def sampling(self) -> Periodic: ...
    @property
    def storage(self) -> StorageBackend: ...
    @property
    def housekeeping(self) -> Periodic: ...
    @property
    def data_requests(self) -> Bulkhead: ...
    @property
    def downloads(self) -> Downloads: ...
    @property
    def statement_seconds(self) -> int: ...
