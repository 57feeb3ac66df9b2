"""Data requests: GETs of the user's own data, apart from user, data and day; and exports."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from finance_api.http.downloads import Chunks
from finance_api.http.requests import Request
from finance_api.storage.interface import DataState, Storage
from finance_api.values.time import date_text, instant_text

#: How many are remembered, and the most characters of query string and Accept of one of them.
REMEMBERED = 1_024
MAX_REMEMBERED_CHARACTERS = 4_096


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """path: with the prefix of a proxy. query_string: encoded. accept: the header, or None.

    parameters: the validated values of the query string. They follow from it, so they have no part
    in comparisons.
    """

    path: str
    query_string: str
    accept: str | None
    parameters: Mapping[str, Any] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Payload:
    """state: of the data that the body was read from. headers: beside those of every response."""

    state: DataState
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


class TaggedRequest(ABC):
    """Made of a `RequestTarget`; raises a 406. The response has an entity tag.

    text: the canonical form: equal for requests with the same response.
    content_type: of the response.
    """

    text: str
    content_type: str
    #: Whether the response can differ from day to day while the data is unchanged.
    depends_on_today: bool = False
    #: Whether it can from minute to minute.
    depends_on_now: bool = False
    #: Whether it can with the user's base currency.
    depends_on_base: bool = False
    #: The currency that amounts are converted to: then it depends on the exchange rates, too.
    convert_to: str | None = None
    #: Whether there is a response whatever the data is.
    is_always_there: bool = True

    def on(self: "Tagged", today: int) -> "Tagged":
        """With the days that it means today, where it says them otherwise."""
        return self

    def in_base(self: "Tagged", currency: str | None) -> "Tagged":
        """With the user's base currency, if it `depends_on_base`; None: the user chose none."""
        return self

    def at(self: "Tagged", now: int) -> "Tagged":
        """With the moments that it means in this minute, if it `depends_on_now`."""
        return self

    def state_headers(self, state: DataState) -> tuple[tuple[str, str], ...]:
        """Those that tell the state of the data."""
        return (
            ("X-Last-Data-Change-At", instant_text(state.changed_at)),
            ("X-Last-Data-Change-Rev", str(state.revision)),
        )


Tagged = TypeVar("Tagged", bound=TaggedRequest)


class DataRequest(TaggedRequest):
    """For a body that is read at once.

    key: as the client wrote it: requests with one key are the same.
    is_cheap: whether it takes as long however many rows the user has.
    """

    key: tuple[str, ...]
    is_cheap: bool = False

    @abstractmethod
    def read(self, storage: Storage, user_id: int, today: int) -> Payload:
        """today: the user's, as its first second. Raises NotFound if there is no such user."""


@dataclass(frozen=True, slots=True)
class Export:
    """state: of the data that it is from. count: of its rows. chunks: of its body."""

    state: DataState
    count: int
    chunks: Chunks


class ExportRequest(TaggedRequest):
    """For a body that is made while it is sent.

    name: of the file, without day and ending. suffix: the ending.
    """

    name: str
    suffix: str

    @abstractmethod
    def open(self, storage: Storage, user_id: int, today: int) -> Export:
        """As `DataRequest.read`. The chunks read the storage as they are taken."""

    def file_name(self, today: int) -> str:
        return f"{self.name}-{date_text(today)}.{self.suffix}"


def data_request_of(request: Request, make: Callable[..., Tagged], *arguments: Hashable) -> Tagged:
    """``make(*arguments, target)``, remembered."""
    environ = request.environ
    query_string, accept = environ.get("QUERY_STRING", ""), environ.get("HTTP_ACCEPT")
    path = request.path if environ.get("SCRIPT_NAME") else environ["PATH_INFO"]
    target = RequestTarget(path, query_string, accept, request.validated)
    if len(query_string) + len(accept or "") > MAX_REMEMBERED_CHARACTERS:
        return make(*arguments, target)
    found: Tagged = _remembered(make, arguments, target)
    return found


@lru_cache(maxsize=REMEMBERED)
def _remembered(
    make: Callable[..., Any], arguments: tuple[Hashable, ...], target: RequestTarget
) -> Any:
    return make(*arguments, target)
