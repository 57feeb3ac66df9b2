"""Cached dispatch answers exactly as Pyramid's router does, and goes past nothing unknown."""

import itertools
from dataclasses import replace
from decimal import Decimal
from urllib.parse import quote

import pytest
from cornice import Service as ServiceOfCornice
from pyramid.config import Configurator
from pyramid.events import BeforeTraversal, ContextFound, NewRequest, NewResponse

from finance_api.api import cached_dispatch
from finance_api.api.parameters import list_schema, validate_query
from finance_api.api.wallet import references
from finance_api.api.wallet.declarations import LISTS as WALLET_LISTS
from finance_api.auth.contexts import own_data
from finance_api.auth.issuing import issue_token
from finance_api.auth.permissions import Permission
from finance_api.http.surfaces import needs_token
from finance_api.ledger.exchange_rates import import_rates
from finance_api.resources import PUBLIC_RESOURCES, RECORDS
from finance_api.resources.field import Kind
from finance_api.values.rates import DayRates
from support.native_rows import household, uid
from support.service import Client, Service

ACCEPTS = [
    None,
    "",
    "*/*",
    "application/json",
    "text/csv",
    "application/x-ndjson",
    "text/*",
    "application/*;q=0.1, text/csv;q=0.2",
    "application/json;q=0, text/csv",
    "application/json; charset=utf-8",
    "text/html, */*;q=0.8",
    "image/png",
    "APPLICATION/JSON",
    "nonsense",
    "application/json;q=5",
    ", ,",
    "*/*;q=0",
    "x" * 2_000,
]


def queries(resource):
    """Valid ones and faulty ones."""
    yield from ("", "limit=1", "limit=2&offset=1", "offset=1000000", "withTotal=true", "limit=0")
    yield from ("limit=101", "limit=x", "offset=-1", "limit=1&limit=2", "unknown=1", "sortBy=x")
    yield from ("sortBy=-id", "sortBy=%2Bid&limit=1", "id=x", "withTotal=maybe", "access_token=x")
    yield from ("limit=%zz", "limit=%ff", "%", "&&limit=1&", "limit", "=1", "LIMIT=1", "limit=%31")
    yield "unknown=" + "x" * 2_000
    yield "&".join(["limit=1"] * 101)
    for field in resource.fields:
        if field.kind is Kind.TEXT:
            yield f"{field.name}=contains-i.o&limit=2"
            yield f"{field.name}=eq.{quote('Straße')}"
            yield f"{field.name}=nonsense.x"
        elif field.kind in (Kind.ID, Kind.SERIAL, Kind.ID_LIST):
            yield f"{field.name}={uid('Account', 1)}"
        elif field.kind in (Kind.DATE, Kind.NUMBER, Kind.DATETIME):
            yield f"{field.name}=gte.2026-01-01"
            yield f"{field.name}=gte.1&{field.name}=lt.5"


def targets():
    """(path with query, Accept)"""
    for resource in PUBLIC_RESOURCES:
        for query in queries(resource):
            yield f"/v1/api/{resource.path}?{query}", None
    paths = ("/v1/api/records", "/v1/api/budgets?limit=1", "/internal/v1/get-records?limit=1")
    for path in (*paths, "/internal/v1/get-docs?document_type=all"):
        yield from ((path, accept) for accept in ACCEPTS)
    own = uid("Record", 1)
    for query in (f"id={own}", f"id={own},{own}&id={uid('Record', 9)}", "", "id=", "id=x", "x=1"):
        for accept in (None, "text/csv", "*/*"):
            yield f"/v1/api/records/by-id?{query}", accept
    worked_out = ("records/summary", "accounts/balances", "standing-orders/upcoming")
    for path in (*worked_out, f"budgets/{uid('Budget', 1)}/periods", "budgets/{id}/periods"):
        for query in ("", "limit=1", "groupBy=month,label&fill=true", "fill=true", "interval=day"):
            yield from ((f"/v1/api/{path}?{query}", accept) for accept in (None, "text/csv"))
    for query in ("limit=2", "sort_by=amount", "sort_by=x", "limit=301", "min_amount=-1&limit=1"):
        yield f"/internal/v1/get-records?{query}", None
        yield f"/internal/v1/get-docs?document_type=Account&{query}", None
        yield f"/v1/api/records/{own}?{query}", None
    for suffix in ("csv", "ndjson", "xlsx", "json", "pdf", "CSV"):
        yield f"/v1/api/records.{suffix}?limit=2&fields=payee", "application/json"
        yield f"/v1/api/budgets.{suffix}?limit=x", None
        yield f"/v1/api/records/summary.{suffix}?groupBy=month", "image/png"
        yield f"/v1/api/export/records.{suffix}?fields=payee", None
        yield f"/v1/api/export/goals.{suffix}?limit=1", None
        yield f"/v1/api/export/all.{suffix}", None
    for path in ("", "/", "//", "/nothing", "/record%73", "/records/", "//records", "/records;x"):
        yield f"/v1/api{path}", None
    for path in (
        "/v1/api/records%00",
        "/v1/api/%72ecords?limit=1",
        "/v1/api/records%2f",
        "/V1/api",
    ):
        yield path, None
    for path in ("records", "accounts", "records/summary", "accounts/balances"):
        for query in ("convertTo=USD", "convertTo=x", "convertTo=USD&convertTo=USD"):
            yield f"/v1/api/{path}?{query}", None
    yield "/internal/v1/get-records?convert_to=USD", None
    yield from (("/v1/api/api-usage/stats", None), ("/__heartbeat__", None), ("/", None))
    for each in WALLET_LISTS:
        for query in ("", "limit=1&agentHints=true", "limit=201", "x=1", "sortBy=-createdAt"):
            yield f"/wallet/v1/api/{each.path}?{query}", None
    for path in ("records/by-id", "labels/references", "api-usage/stats"):
        for query in ("", f"id={own}", "limit=1"):
            yield f"/wallet/v1/api/{path}?{query}", "text/csv" if query else None


class Ways:
    """The same service twice over one storage: with cached dispatch, and without it.

    taken: how many requests cached dispatch has answered.
    """

    def __init__(self, new_settings, monkeypatch):
        settings = {**new_settings("sqlite"), "finance_api.cache.max_bytes": "0"}
        self.taken = 0
        endpoints_of = cached_dispatch.endpoints_of
        with monkeypatch.context() as patch:
            patch.setattr(
                cached_dispatch,
                "endpoints_of",
                lambda registry: {k: self.noting(e) for k, e in endpoints_of(registry).items()},
            )
            self.short = Service("sqlite", settings)
        with monkeypatch.context() as patch:
            patch.setattr(
                cached_dispatch, "cached_dispatch_tween", lambda handler, registry: handler
            )
            keys = {"finance_api.jwt.keys": self.short.key_file}
            self.long = Service("sqlite", {**settings, **keys})
        self.noted = {id(each): [] for each in self.both}
        for each in self.both:
            notes = self.noted[id(each)]
            patched = lambda *arguments, notes=notes: notes.append(arguments)  # noqa: E731
            monkeypatch.setattr(each.services.usage, "note", patched)

    def noting(self, endpoint):
        def view(request):
            self.taken += 1
            return endpoint.view(request)

        return replace(endpoint, view=view)

    @property
    def both(self):
        return (self.short, self.long)

    def same(self, url, headers, method="GET", **environ):
        """What both say."""
        answers = []
        for service in self.both:
            answer = service.web.request(
                url, method=method, headers=headers, environ=environ, expect_errors=True
            )
            shown = sorted((k, v) for k, v in answer.headerlist if k != "X-Request-Id")
            body = answer.body
            assert answer.status_int != 500, url
            answers.append((answer.status_int, shown, body))
        assert answers[0] == answers[1], (method, url, headers)
        return answers[0]

    def stop(self):
        for service in self.both:
            service.stop()


@pytest.fixture(scope="module")
def ways(new_settings):
    with pytest.MonkeyPatch.context() as monkeypatch:
        ways = Ways(new_settings, monkeypatch)
        yield ways
        ways.stop()


@pytest.fixture(scope="module")
def client(ways):
    client = ways.short.client()
    client.load(*household())
    import_rates(ways.short.backend, [DayRates(0, "EUR", {"USD": Decimal(1)})], 1)
    return client


@pytest.fixture
def credentials(ways, client):
    """(name, how a surface is asked)"""
    service = ways.short
    now = service.clock.now()

    def token(user, **options):
        text = service.change(lambda s: issue_token(s, user, name="x", now=now, **options))
        return Client(service, user, text).headers

    poor = service.client(premium=False)
    narrow = token(client.user, scopes=("labels", "records"))
    jwt = {"Authorization": f"Bearer {service.jwt(client.user)}"}
    return {
        "all": client.headers,
        "narrow": narrow,
        "poor": poor.headers,
        "jwt": jwt,
        "none": {},
        "invalid": {"Authorization": f"Bearer {client.token[:-1]}x"},
    }


def of(path, credentials):
    return credentials["jwt" if path.startswith("/internal") else "all"]


def test_every_request_is_answered_alike(ways, client, credentials):
    taken, statuses, left = ways.taken, [], 0
    for url, accept in targets():
        headers = dict(of(url, credentials))
        if accept is not None:
            headers["Accept"] = accept
        for _ in range(2):
            statuses.append(ways.same(url, headers)[0])
            # Paths with an id are the router's.
            left += "/periods" in url and statuses[-1] in (200, 406)
    assert len(statuses) > 400
    assert set(statuses) == {200, 400, 404, 406}
    # What else has no faults is answered by cached dispatch, but for the heartbeat and two indexes.
    plain = sum(status in (200, 406) for status in statuses) - 6 - left
    assert left
    assert ways.taken - taken == plain > 150


def test_whoever_may_not_is_told_alike(ways, client, credentials):
    statuses = set()
    for name in ("narrow", "poor", "jwt", "none", "invalid", "all"):
        for resource in PUBLIC_RESOURCES:
            for query in ("", "?limit=0", "?sortBy=-id&limit=1", "?access_token=x"):
                url = f"/v1/api/{resource.path}{query}"
                statuses.add(ways.same(url, credentials[name])[0])
        for url in ("/internal/v1/get-records", "/internal/v1/get-docs?document_type=all"):
            statuses.add(ways.same(url, credentials[name])[0])
    assert statuses == {200, 400, 401, 403}


def test_every_method_is_answered_alike(ways, client, credentials):
    for method, url in itertools.product(
        ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"),
        ("/v1/api/records", "/v1/api/records?limit=0", "/internal/v1/get-records", "/v1/api/x"),
    ):
        ways.same(url, of(url, credentials), method)


def test_what_is_unchanged_is_told_alike(ways, client, credentials):
    taken = ways.taken
    statuses = []
    for url in (
        "/v1/api/records?limit=2",
        "/v1/api/budgets",
        f"/v1/api/records/by-id?id={uid('Record', 1)}",
        "/internal/v1/get-records",
        "/internal/v1/get-docs?document_type=all",
    ):
        headers = of(url, credentials)
        tag = dict(ways.same(url, headers)[1])["ETag"]
        for known in (tag, f"W/{tag}", "*", f'"x", {tag}', '"x"', "", tag.strip('"'), " * "):
            for method in ("GET", "HEAD"):
                statuses.append(ways.same(url, {**headers, "If-None-Match": known}, method)[0])
        faulty = f"{url}{'&' if '?' in url else '?'}limit=0"
        statuses.append(ways.same(faulty, {**headers, "If-None-Match": "*"})[0])
    assert set(statuses) == {200, 304, 400}
    assert ways.taken > taken


def test_after_an_import_both_tell_the_new_data(ways, client, credentials):
    url = "/v1/api/records?note=contains-i.newly"
    before = ways.same(url, credentials["all"])
    client.load({**household()[9], "note": "newly imported"})
    after = ways.same(url, credentials["all"])
    assert before[0] == after[0] == 200
    assert b"newly" in after[2]
    assert b"newly" not in before[2]


def test_below_a_prefix_both_answer_alike(ways, client, credentials):
    url = "/v1/api/records?limit=1"
    taken = ways.taken
    assert ways.same(url, credentials["all"], SCRIPT_NAME="/money")[0] == 200
    assert ways.taken == taken


def test_the_same_is_counted_as_use(ways, client, credentials):
    for notes in ways.noted.values():
        notes.clear()
    for url, accept in [("/v1/api/records", None), ("/v1/api/labels?limit=0", None)] * 2 + [
        ("/v1/api/records", "image/png"),
        ("/internal/v1/get-records", None),
    ]:
        ways.same(url, {**of(url, credentials), **({"Accept": accept} if accept else {})})
    short, long = (ways.noted[id(each)] for each in ways.both)
    assert short == long
    assert len(short) == 2


# -- what cached dispatch goes past ------------------------------------------------------------

#: Everything that Pyramid and Cornice put around a view, and why a GET of data needs none of it.
#: Whoever adds something has to decide: it is of no use for such a GET (then it belongs here), or
#: `finance_api.api.cached_dispatch` has to do it too.
VIEW_DERIVERS = {
    "secured_view": "asks for the permission, as cached dispatch does",
    "csrf_view": "is for unsafe methods",
    "require_form": "is for unsafe methods",
    "require_own_origin": "is for unsafe methods",
    "owrapped_view": "is for views with the option wrapper, which are left to the router",
    "http_cached_view": "is for views with the option http_cache, which are left to the router",
    "decorated_view": "is for views with the option decorator, which are left to the router",
    "require_permission": "does something when a view is registered only",
    "in_place": "is for pages",
    "rendered_view": "is for views that return no response",
    "mapped_view": "calls the view with the request, as cached dispatch does",
}
SUBSCRIBERS = {
    "cornice.pyramidhook.wrap_request": "makes room for the validators' results, which are set; "
    "X-Content-Type-Options, which views set; filters: services with some are left to the router",
    "finance_api.web.headers.protect": "is called after the tweens, so for every response",
    "finance_api.web.rendering.add_globals": "is for templates",
}


def unknown_parts(registry):
    """What is registered that cached dispatch does not know."""
    introspector = registry.introspector
    derivers = {
        each["introspectable"]["name"] for each in introspector.get_category("view derivers")
    }
    subscribers = [
        each["introspectable"]["subscriber"] for each in introspector.get_category("subscribers")
    ]
    assert len(subscribers) == len(list(registry.registeredHandlers()))
    names = {f"{subscriber.__module__}.{subscriber.__qualname__}" for subscriber in subscribers}
    # Patterns of paths are left to the router.
    on_surfaces = {
        path for path in registry.cornice_services if needs_token(path) and "{" not in path
    }
    return [
        *(derivers - VIEW_DERIVERS.keys()),
        *(names - SUBSCRIBERS.keys()),
        *(on_surfaces - cached_dispatch.endpoints_of(registry).keys()),
    ]


def test_nothing_is_registered_that_cached_dispatch_does_not_know(services):
    registry = services("memory").app.registry
    assert unknown_parts(registry) == []
    # Lists, exports and what is worked out, with and without each ending.
    in_every_form = 2 * len(PUBLIC_RESOURCES) + 3
    below_wallet = len(WALLET_LISTS) + len(references.SERVICES) + 3
    expected = 4 * in_every_form + 6 + below_wallet
    assert len(cached_dispatch.endpoints_of(registry)) == expected


def added_deriver(view, info):
    return view


def added_subscriber(event): ...


def added_validator(request, **options): ...


def added_filter(response, request):
    return response


#: The path of a service that is added.
ADDED = "/v1/api/added"


def add_service(config, **options):
    service = ServiceOfCornice(
        f"added {options}",
        ADDED,
        schema=list_schema(RECORDS),
        permission=Permission.RECORDS_READ,
        factory=own_data("records", Permission.RECORDS_READ),
        **{"validators": (validate_query,), **options},
    )
    service.add_view("GET", lambda request: None)
    config.add_cornice_service(service)


@pytest.mark.parametrize(
    ("add", "name"),
    [
        (lambda c: c.add_view_deriver(added_deriver, "added_deriver"), "added_deriver"),
        *(
            (lambda c, event=event: c.add_subscriber(added_subscriber, event), "added_subscriber")
            for event in (NewRequest, BeforeTraversal, ContextFound, NewResponse)
        ),
        (lambda c: add_service(c, validators=(validate_query, added_validator)), ADDED),
        (lambda c: add_service(c, validators=(added_validator,)), ADDED),
        (lambda c: add_service(c, filters=(added_filter,)), ADDED),
        (lambda c: add_service(c, accept=("text/csv",)), ADDED),
        (lambda c: add_service(c, http_cache=60), ADDED),
        (lambda c: add_service(c, cors_origins=("*",)), ADDED),
        (add_service, None),
    ],
)
def test_whatever_is_added_is_noticed(new_settings, add, name):
    service = Service("memory", new_settings("memory"))
    config = Configurator(registry=service.app.registry)
    add(config)
    config.commit()
    found = unknown_parts(service.app.registry)
    assert len(found) == (name is not None)
    assert all(each.endswith(name) for each in found)
    service.stop()
