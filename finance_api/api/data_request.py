"""Data requests: GETs of the user's own data, apart from user, data and day; and exports."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finance_api.api.parameters import Parameters
from finance_api.api.representation import BY_SUFFIX, JSON, HeaderItems, Representation, negotiate
from finance_api.http.downloads import Chunks
from finance_api.http.requests import Request
from finance_api.storage.interface import DataState, Storage, User
from finance_api.values.time import date_text, day_in, instant_text


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """The part of a request that says what to answer.

    path: with the prefix of a proxy. route_path: without it, and without the suffix.
    query_string: encoded. accept: the header. match: the variable parts of the path.
    parameters: the validated values of the query string.
    """

    path: str
    route_path: str
    query_string: str
    accept: str | None
    match: Mapping[str, str]
    parameters: Parameters


def target_of(request: Request) -> RequestTarget:
    environ, match, parameters = request.environ, request.matchdict, request.validated
    assert isinstance(parameters, Parameters)
    path = environ["PATH_INFO"]
    return RequestTarget(
        request.path if environ.get("SCRIPT_NAME") else path,
        path.removesuffix(match.get("suffix", "")),
        environ.get("QUERY_STRING", ""),
        environ.get("HTTP_ACCEPT"),
        match,
        parameters,
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """The storage, user and moment to answer a data request with. now: in seconds."""

    storage: Storage
    user: User
    now: int

    @property
    def user_id(self) -> int:
        return self.user.id

    @property
    def today(self) -> int:
        """The day in the user's time zone, as its first second."""
        return day_in(self.user.time_zone, self.now)


@dataclass(frozen=True, slots=True)
class Payload:
    """state: of the data that the body was read from. headers: beside those of every response."""

    state: DataState
    body: bytes
    headers: HeaderItems = ()


class TaggedRequest:
    """A request whose response has an entity tag. Raises a 406.

    Each flag in `depends_on_…` says what can change the response while the data is unchanged.
    own_text: what it depends on beside target and user.
    """

    #: The representations that it offers, the default first.
    forms: Sequence[Representation] = (JSON,)
    depends_on_today: bool = False
    depends_on_minute: bool = False
    depends_on_base_currency: bool = False
    #: The currency that amounts are converted to: the response depends on the exchange rates.
    convert_to: str | None = None
    #: Whether there is a response whatever the data is.
    is_always_there: bool = True
    own_text: str = ""

    def __init__(self, target: RequestTarget) -> None:
        self.target = target
        self.given = target.parameters
        form = BY_SUFFIX.get(target.match.get("suffix", ""))
        self.representation = form or negotiate(target.accept, self.forms)

    def state_headers(self, state: DataState) -> HeaderItems:
        """The headers that tell the state of the data."""
        return (
            ("X-Last-Data-Change-At", instant_text(state.changed_at)),
            ("X-Last-Data-Change-Rev", str(state.revision)),
        )


class DataRequest(TaggedRequest, ABC):
    """A request whose body is read at once.

    is_cheap: whether it takes as long however many rows the user has.
    """

    is_cheap: bool = False

    @abstractmethod
    def read(self, reading: Reading) -> Payload:
        """Read the response. Raises NotFound if there is no such user."""


@dataclass(frozen=True, slots=True)
class Export:
    """state: of the data that it is from. count: of its rows. chunks: of its body."""

    state: DataState
    count: int
    chunks: Chunks


class ExportRequest(TaggedRequest, ABC):
    """A request whose body is made while it is sent. name: of the file, without day and suffix."""

    name: str

    @abstractmethod
    def open(self, reading: Reading) -> Export:
        """As `DataRequest.read`. The chunks read the storage as they are taken."""

    def file_name(self, today: int) -> str:
        return f"{self.name}-{date_text(today)}.{self.representation.suffix}"
