"""The layers, each as a function to call again and again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle

from bench import data, loads
from bench.dialects import Ours
from bench.loads import FIRST, Kind
from bench.micro.application import Application, bare_application, call_bare
from bench.sizes import PAGE
from finance_api.api.parameters import ListSchema
from finance_api.api.validation import read_parameters
from finance_api.auth.authentication import authenticate
from finance_api.auth.personal_tokens import digest
from finance_api.query.model import Condition, Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import CATEGORIES, RECORDS
from finance_api.resources.field import Resource
from finance_api.runtime.clock import SystemClock
from finance_api.serialization.rows import RowEncoder
from finance_api.storage.interface import Storage, StorageBackend, Token, reading

_PAGE_PATH = Ours().path(loads.Query(None, Kind.RECORDS, PAGE, since=data.SINCE))  # type: ignore[arg-type]
_CATEGORIES_PATH = Ours().path(loads.Query(None, Kind.CATEGORIES, FIRST))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Layer:
    name: str
    call: Callable[[], object]


def layers(application: Application, people: list[data.Person]) -> Iterator[Layer]:
    """Yield the layers from the outermost inwards, then their parts."""
    yield from _whole_requests(application, people)
    yield from _before_the_storage(application)
    yield from _storage(application.registry.services.storage, people)
    yield from _writing(application.registry.services.storage, people[0])


def _whole_requests(application: Application, people: list[data.Person]) -> Iterator[Layer]:
    """Yield requests that end at different depths. Each costs as much as the layers it passes."""

    def expecting(status: str, make: Callable[[], dict[str, object]]) -> Callable[[], None]:
        def call() -> None:
            found, _, _ = application.respond(make())
            assert found.startswith(status), found

        return call

    bare = bare_application()
    environ = application.environ
    yield Layer("bare Pyramid, one route, empty view", lambda: call_bare(bare, environ(_PAGE_PATH)))
    beat = expecting("200", lambda: environ("/__lbheartbeat__", token=False))
    yield Layer("app: health, no storage", beat)
    wrong = expecting("400", lambda: environ("/v1/api/records?limit=0"))
    yield Layer("app: 400, token and quota and validation", wrong)
    tags = cycle([_tag(application, person) for person in people])

    def conditional() -> dict[str, object]:
        person, tag = next(tags)
        token = f"Bearer {person.token}"
        return environ(_PAGE_PATH, HTTP_AUTHORIZATION=token, HTTP_IF_NONE_MATCH=tag)

    yield Layer("app: 304", expecting("304", conditional))
    yield Layer("app: first page of 100", expecting("200", lambda: environ(_PAGE_PATH)))
    yield Layer("app: 30 categories", expecting("200", lambda: environ(_CATEGORIES_PATH)))
    ids = cycle([(person, ",".join(person.id_sets[0])) for person in people])

    def by_id() -> dict[str, object]:
        person, wanted = next(ids)
        path = f"/v1/api/records/by-id?id={wanted}"
        return environ(path, HTTP_AUTHORIZATION=f"Bearer {person.token}")

    yield Layer("app: 30 records by id", expecting("200", by_id))


def _tag(application: Application, person: data.Person) -> tuple[data.Person, str]:
    token = f"Bearer {person.token}"
    _, headers, _ = application.respond(application.environ(_PAGE_PATH, HTTP_AUTHORIZATION=token))
    return person, headers["ETag"]


def _before_the_storage(application: Application) -> Iterator[Layer]:
    def make_request() -> None:
        application.end(application.request(_PAGE_PATH))

    def take_identity() -> None:
        request = application.request(_PAGE_PATH)
        authenticate(request)
        application.end(request)

    yield Layer("request object", make_request)
    yield Layer("request object, token looked up", take_identity)
    request = application.request(_PAGE_PATH)
    identity = authenticate(request)
    application.end(request)
    quotas, clock = application.registry.services.quotas, SystemClock()
    yield Layer("quota: take", lambda: quotas.take(identity, clock.now_ms(), is_free=False))
    schema, query = ListSchema(RECORDS), f"{_PAGE_PATH.partition('?')[2]}&note=contains-i.theatre"
    yield Layer("validation: 3 parameters", lambda: read_parameters(schema, query))
    by_name = {field.name: field for field in RECORDS.fields}
    since = f"gte.{data.SINCE}"
    yield Layer("parse: a date filter", lambda: parse_conditions(by_name["recordDate"], since))
    text = "contains-i.theatre"
    yield Layer("parse: a text filter", lambda: parse_conditions(by_name["note"], text))
    yield Layer("parse: a sort", lambda: parse_sort(RECORDS, "-recordDate,+amount"))


def _page_query(resource: Resource, limit: int) -> Query:
    fields = {field.name: field for field in resource.fields}
    conditions: tuple[Condition, ...] = ()
    if resource is RECORDS:
        conditions = tuple(parse_conditions(fields["recordDate"], f"gte.{data.SINCE}"))
    return Query(resource, conditions, parse_sort(resource, resource.default_sort), limit, 0, False)


def _storage(backend: StorageBackend, people: list[data.Person]) -> Iterator[Layer]:
    """Yield calls of the storage. Each call is a separate unit of work, for the next user."""
    with reading(backend) as storage:
        users = cycle(
            (storage.users.get_owner(Token, digest(person.token))[1].id, list(person.id_sets[0]))
            for person in people
        )
        owners = [next(users) for _ in people]
    users = cycle(owners)
    digests = cycle([digest(person.token) for person in people])
    page, some = _page_query(RECORDS, PAGE), _page_query(CATEGORIES, FIRST)

    def unit(work: Callable[[Storage], object]) -> Callable[[], None]:
        def call() -> None:
            with reading(backend) as storage:
                work(storage)

        return call

    yield Layer("storage: empty unit of work", unit(lambda storage: None))
    yield Layer(
        "storage: token", unit(lambda storage: storage.users.get_owner(Token, next(digests)))
    )
    yield Layer("storage: data state", unit(lambda s: s.data.get_state(next(users)[0])))
    yield Layer(
        "storage: page of 100, rows", unit(lambda s: s.data.list_rows(next(users)[0], page))
    )
    yield Layer(
        "storage: page of 100, JSON", unit(lambda s: s.data.list_json(next(users)[0], page))
    )
    yield Layer(
        "storage: 30 categories, rows", unit(lambda s: s.data.list_rows(next(users)[0], some))
    )

    def by_id(storage: Storage) -> None:
        user_id, ids = next(users)
        storage.data.get_json(user_id, RECORDS, ids)

    yield Layer("storage: 30 records by id, JSON", unit(by_id))


def _writing(backend: StorageBackend, person: data.Person) -> Iterator[Layer]:
    with reading(backend) as storage:
        _, user = storage.users.get_owner(Token, digest(person.token))
        rows = storage.data.list_rows(user.id, _page_query(RECORDS, PAGE)).rows
    encode = RowEncoder(RECORDS.fields).encode
    yield Layer("JSON: 100 records", lambda: [encode(row) for row in rows])
