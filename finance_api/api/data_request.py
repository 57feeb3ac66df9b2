"""What a GET of data asks for, and what it is answered with."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from finance_api.storage.interface import DataState, Storage


@dataclass(frozen=True, slots=True)
class Payload:
    """What is read for an data_request.

    state: of the data that it was read from. headers: what belongs to it alone.
    """

    state: DataState
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


class DataRequest(ABC):
    """Everything that decides about an answer, but for the user, the data and the day.

    text: equal for data requests that are answered alike. content_type: of the answer.
    key: what the client wrote. Inquiries of one key are the same.
    """

    text: str
    content_type: str
    key: tuple[str, ...]
    #: Whether the answer can differ from day to day while the data is unchanged.
    depends_on_today: bool = False

    @abstractmethod
    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        """today: its first second. Raises NotFound if there is no such user."""


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """What a request is about, as the client wrote it.

    path: decoded. query_string: encoded. accept: the header, or None.
    """

    path: str
    query_string: str
    accept: str | None = None
