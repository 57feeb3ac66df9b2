"""Numbers of requests, by user and day, and by token."""

from abc import ABC, abstractmethod
from collections.abc import Mapping


class UsageReader(ABC):
    @abstractmethod
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        """Return the days from ``start`` to before ``end``: (first second, requests), in order.

        Days without requests are left out.
        """

    @abstractmethod
    def sum_by_token(self, user_id: int, start: int, end: int) -> dict[str, int]:
        """Return the requests of these days by token id, where they were counted by token."""


class UsageWriter(UsageReader):
    @abstractmethod
    def add(self, requests: Mapping[tuple[int, int], int]) -> None:
        """Add to the numbers of requests; ignore deleted users.

        requests: numbers by user id and day (its first second).
        """

    @abstractmethod
    def add_by_token(self, requests: Mapping[tuple[int, int, str], int]) -> None:
        """Add to the numbers of each token; ignore deleted users.

        requests: numbers by user id, day (its first second) and token id.
        """

    @abstractmethod
    def prune(self, before: int) -> None:
        """Delete earlier days."""
