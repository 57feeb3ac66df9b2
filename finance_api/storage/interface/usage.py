"""Numbers of requests, by user and day, and by token."""

from abc import ABC, abstractmethod
from collections.abc import Mapping


class UsageReader(ABC):
    @abstractmethod
    def list_days(self, user_id: int, start: int, end: int) -> list[tuple[int, int]]:
        """The days from ``start`` up to, but without, ``end``: (first second, requests), in order.

        Days without requests are left out.
        """

    @abstractmethod
    def sum_by_token(self, user_id: int, start: int, end: int) -> dict[str, int]:
        """The requests of these days by the id of their token, as far as they were counted so."""


class UsageWriter(UsageReader):
    @abstractmethod
    def add(self, requests: Mapping[tuple[int, int], int]) -> None:
        """Adds to the numbers of requests; users who are gone are left out.

        requests: by user id and day (its first second).
        """

    @abstractmethod
    def add_by_token(self, requests: Mapping[tuple[int, int, str], int]) -> None:
        """Adds to the numbers of each token; users who are gone are left out.

        requests: by user id, day (its first second) and token id.
        """

    @abstractmethod
    def prune(self, before: int) -> None:
        """Deletes the days before then."""
