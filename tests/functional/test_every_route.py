"""Every route that is registered, asked by everybody for everybody's ids.

What another user has makes no difference to any answer: neither to its status, nor to a header,
nor to a byte of its body. The questions are derived from the routes and fields that there are, so
that one that joins is asked about too.
"""

import io
import json
import re
import zipfile
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from unittest.mock import patch
from urllib.parse import quote

import pytest
from pyramid.config import Configurator
from pyramid.exceptions import ConfigurationError
from pyramid.interfaces import IExceptionResponse
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api import includeme
from finance_api.api.response_cache import ResponseCache
from finance_api.auth.permissions import Permission
from finance_api.resources import DOCUMENTS, PUBLIC_RESOURCES, RESOURCES, Kind, Role
from finance_api.storage.interface import DataState, JsonPage, Jwt, Page
from finance_api.storage.memory import MemoryDataReader, MemoryUsageReader
from finance_api.storage.sql.driver import StatementCache
from finance_api.surfaces import is_page
from support.books import household, uid
from support.forgetting import forgetting
from support.service import STORAGES, Service

OPERATORS = {"/__lbheartbeat__", "/__heartbeat__", "/__version__", "/__metrics__"}
SURFACES = ("/v1/api/", "/wallet/v1/api/", "/internal/v1/")
#: What is shown to those who have not signed in.
OPEN_PAGES = {"/settings", "/settings/", "/settings/login", "/settings/static/*subpath"}
STATS = "/v1/api/api-usage/stats"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")

# -- what is registered ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def registry(services):
    return services("memory").app.registry


def introspected(registry, category):
    return [
        (item["introspectable"], item["related"])
        for item in registry.introspector.get_category(category)
    ]


def patterns(registry):
    return {route["name"]: route["pattern"] for route, _ in introspected(registry, "routes")}


def surface_paths(registry):
    """The paths of both surfaces: each takes a token, and nothing else does."""
    return sorted(path for path in patterns(registry).values() if path.startswith(SURFACES))


def surface_urls(registry):
    """The paths of both surfaces, ids filled in."""
    return [re.sub(r"{id:.*}$", uid("Record", 1), path) for path in surface_paths(registry)]


def page_paths(registry):
    """The paths of the settings pages, ids filled in."""
    paths = ("/" + path.lstrip("/") for path in patterns(registry).values())
    return sorted(path for path in paths if is_page(path))


def test_every_route_is_one_of_operators_or_on_a_surface_or_a_settings_page(registry):
    found = {"/" + pattern.lstrip("/") for pattern in patterns(registry).values()}
    assert found >= OPERATORS
    rest = found - OPERATORS - set(surface_paths(registry)) - set(page_paths(registry))
    assert rest == set()
    assert len(surface_paths(registry)) >= 12


def test_every_view_names_a_permission(registry):
    paths = patterns(registry)
    seen = set()
    for view, related in introspected(registry, "views"):
        named = {item.discriminator for item in related if item.category_name == "permissions"}
        path = paths.get(view["route_name"])
        if path is None:
            # What becomes of an exception; there is no traversal that could reach anything.
            context = view["context"]
            assert context is not None, view["callable"]
            assert context is IExceptionResponse or issubclass(context, Exception)
            continue
        assert named, (path, view["callable"])
        methods = view["request_methods"]
        if is_page("/" + path.lstrip("/")):
            assert (named == {NO_PERMISSION_REQUIRED}) is ("/" + path.lstrip("/") in OPEN_PAGES)
        elif path in OPERATORS or methods is None:
            # Without methods: Cornice's answer to all others, 405.
            assert named == {NO_PERMISSION_REQUIRED}
        else:
            assert named <= set(Permission)
            seen.add((path, methods))
    expected = surface_paths(registry)
    assert seen == {(path, method) for path in expected for method in ("GET", "HEAD")}


def test_every_permission_is_of_some_view(registry):
    named = {
        item.discriminator
        for _, related in introspected(registry, "views")
        for item in related
        if item.category_name == "permissions"
    }
    assert set(Permission) <= named


def test_a_view_without_a_permission_stops_the_start():
    config = Configurator()
    config.include("finance_api.auth.permissions")
    config.add_route("careless", "/v1/api/careless")
    config.add_view(lambda request: None, route_name="careless")
    with pytest.raises(ConfigurationError, match="names no permission"):
        config.make_wsgi_app()


def test_a_route_whose_context_is_forgotten_lets_nobody_in():
    """Even one that names a permission: without a factory, nothing is allowed."""

    def careless(config):
        includeme(config)
        config.add_route("careless", "/v1/api/careless")
        config.add_view(
            lambda request: "secret",
            route_name="careless",
            renderer="string",
            permission=Permission.RECORDS_READ,
        )

    with patch("finance_api.api.includeme", careless):
        service = Service("memory", {"finance_api.storage": "memory"})
    answer = service.client().get("careless")
    service.stop()
    assert answer.status_int == 403
    assert "secret" not in answer.text
    assert service.web.get("/v1/api/careless", status="*").status_int == 401


def test_every_route_of_a_surface_is_401_without_a_token(registry, services):
    web = services("memory").web
    for path in surface_urls(registry):
        for method in METHODS:
            answer = web.request(path, method=method, expect_errors=True)
            assert (path, method, answer.status_int) == (path, method, 401)
            assert answer.headers["WWW-Authenticate"].startswith("Bearer realm=")


def test_a_settings_page_shows_nothing_to_a_token(world):
    world.let_in()
    for path in page_paths(world.service.app.registry):
        if path in OPEN_PAGES:
            continue
        for row_id in (uid("Record", 1), foreign(uid("Record", 1))):
            url = re.sub(r"{[a-z]+}", row_id, path)
            for headers in ({}, world.mine.headers, world.internal):
                for method in ("GET", "HEAD", "POST"):
                    answer = world.service.web.request(
                        url, method=method, headers=headers, expect_errors=True
                    )
                    assert answer.status_int in (303, 400, 403, 404, 405, 415), (url, method)
                    assert_nothing_of_the_other(answer, row_id)


def test_only_get_and_head_do_anything(registry, services):
    client = services("memory").client()
    jwt = {"Authorization": f"Bearer {client.service.jwt(client.user)}"}
    for path in (*surface_urls(registry), *sorted(OPERATORS - {"/__metrics__"})):
        headers = jwt if path.startswith("/internal") else client.headers
        for method in METHODS[2:]:
            answer = client.service.web.request(
                path, method=method, headers=headers, expect_errors=True
            )
            assert (path, method, answer.status_int) == (path, method, 405)
            assert set(answer.headers["Allow"].split(", ")) >= {"GET", "HEAD"}
            assert answer.headers["Content-Type"] == "application/problem+json"


# -- two users ---------------------------------------------------------------------------------

MARK = "planted-where-nobody-else-may-look"
NUMBER = 777_001.25
#: Stands in the ids of all that the other user has.
FOREIGN = "abc0000"
#: Differs from request to request, or from URL to URL.
VARYING = ("X-Request-Id", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit")
#: A text that means something is no place for a mark.
UNMARKED = {"recurrenceRule"}


def marked_household(ids):
    """A household with a mark in every text and number. ids: what becomes of ids."""
    rows = household()
    for n, model_type in enumerate(("Contact", "HashTag", "MagicRule"), 1):
        rows.append(
            {
                "reserved_model_type": model_type,
                "id": f"0000010{n}-0000-4000-8000-000000000001",
                "name": "x",
                "extraText": MARK,
                "extraList": [{"deep": MARK, MARK: 1}],
            }
        )
    by_type = {resource.model_type: resource for resource in RESOURCES}
    return [_marked(by_type[row["reserved_model_type"]], row, ids) for row in rows]


def _marked(resource, row, ids):
    marked = {key: ids(value) for key, value in row.items()}
    for field in resource.native_fields:
        if field.role is not Role.STORED or field.name in UNMARKED:
            continue
        if field.kind is Kind.TEXT:
            marked[field.name] = f"{MARK} {marked['id']}"
        elif field.kind is Kind.TEXT_LIST:
            marked[field.name] = [MARK]
        elif field.kind is Kind.NUMBER:
            marked[field.name] = NUMBER
    return marked


def foreign(value):
    """Ids as the other user has them."""
    if isinstance(value, list):
        return [foreign(element) for element in value]
    if isinstance(value, str) and len(value) == 36 and value[:5] == "00000":
        return FOREIGN + value[7:]
    return value


#: An id as the other user has them, which nobody has.
def missing_like(row_id):
    return row_id[:-4] + "eeee"


class World:
    """Two users. The other one's data comes only when it is let in."""

    def __init__(self, service):
        self.service = service
        self.mine, self.other = service.client(), service.client()
        self.mine.load(*household())
        contacts = [
            {
                "reserved_model_type": model_type,
                "id": f"0000010{n}-0000-4000-8000-000000000001",
                "name": "mine",
            }
            for n, model_type in enumerate(("Contact", "HashTag", "MagicRule"), 1)
        ]
        self.mine.load(*contacts)
        self.internal = {"Authorization": f"Bearer {service.jwt(self.mine.user)}"}
        self.other_internal = {"Authorization": f"Bearer {service.jwt(self.other.user)}"}

    def let_in(self, *, same_ids=False):
        """same_ids: the other user has also what has the ids of mine."""
        self.service.clock.advance(60)
        self.other.load(*marked_household(foreign))
        if same_ids:
            self.other.load(*marked_household(lambda value: value))
        now = self.service.clock.now()
        numbers = {(self.other.user.id, now - now % 86_400): 777_001}
        self.service.change(lambda s: s.usage.add(numbers))

    def ask(self, url, headers=None, **more):
        if headers is None:
            headers = self.internal if url.startswith("/internal") else self.mine.headers
        return self.service.web.get(url, headers={**headers, **more}, status="*")


@pytest.fixture
def world(service, monkeypatch):
    return quiet_world(service, monkeypatch)


@pytest.fixture
def world_in_memory(services, monkeypatch):
    return quiet_world(services("memory"), monkeypatch)


def be_quiet(service, monkeypatch):
    """What is asked here must not change what is told of the usage."""
    monkeypatch.setattr(service.services.usage, "note", lambda *arguments: None)


def quiet_world(service, monkeypatch):
    be_quiet(service, monkeypatch)
    service.clock.set("2026-03-18T12:00:00Z")
    return World(service)


def whole(answer, *, without=()):
    """Everything that an answer says."""
    headers = {k: v for k, v in answer.headers.items() if k not in (*VARYING, *without)}
    body = answer.body
    if answer.request.environ["PATH_INFO"] == STATS and answer.status_int == 200:
        document = answer.json
        document.pop("rateLimit")
        body = json.dumps(document).encode()
        headers.pop("Content-Length")
    return answer.status_int, headers, body


def readable(answer):
    """The text of the body, of a workbook that of its parts."""
    if not answer.body.startswith(b"PK"):
        return answer.text
    with zipfile.ZipFile(io.BytesIO(answer.body)) as parts:
        return "".join(parts.read(name).decode() for name in parts.namelist())


def assert_nothing_of_the_other(answer, asked=""):
    """asked: an id that the answer may repeat."""
    body = readable(answer)
    everything = f"{body} {answer.headers}"
    for text in (asked, asked.upper(), quote(asked)):
        everything = everything.replace(text, "") if text else everything
    assert MARK not in everything.lower()
    assert FOREIGN not in everything.lower()
    assert "777001" not in body.replace(" ", "")
    assert "@example.org" not in everything


# -- questions ---------------------------------------------------------------------------------


def id_forms(row_id, own):
    """Raw operands that hold the id, or nearly do."""
    encoded = "".join(f"%{ord(c):02x}" for c in row_id)
    yield from (row_id, f"eq.{row_id}", row_id.upper(), encoded, f"%20{row_id}", f"{row_id}%00")
    yield from (f"{row_id},{own}", f"{own},{row_id}", f"{row_id},{row_id}", f"{own},{encoded}")
    yield from (encoded.replace("%", "%25"), f"%7B{row_id}%7D", row_id.replace("-", ""))
    yield from (row_id[:-1], row_id + "0", f"-{row_id}", f"{row_id}'", f"{row_id}%27%20OR%201=1--")
    yield from (f"gt.{row_id}", f"contains.{row_id}", f"urn:uuid:{row_id}", f"not.{row_id}")
    yield from (",".join([row_id] * 100), ",".join([row_id] * 101), row_id * 100)


#: Operands without an id, and queries without one.
ODD = ("", "1", "-1", "0", "*", "null", "is.null", "is.not_null", "9" * 300, "%25", "%ff", "[]")


def templates():
    """URLs with ``{}`` where an id goes, raw operands as made by `id_forms`."""
    for resource in PUBLIC_RESOURCES:
        path = f"/v1/api/{resource.path}"
        for field in resource.fields:
            if field.kind in (Kind.ID, Kind.SERIAL, Kind.ID_LIST):
                yield f"{path}?{field.name}={{}}&withTotal=true"
        yield f"{path}?sortBy=-id&id=eq.{{}}&limit=1"
        yield f"{path}/{{}}"
        yield f"{path}?userId={{}}"
    yield from ("/v1/api/records/by-id?id={}", "/v1/api/records/by-id/{}")
    yield f"/v1/api/records/by-id?id={uid('Record', 1)}&id={{}}&id={uid('Record', 3)}"
    yield from ("/internal/v1/get-records/{}", "/internal/v1/get-docs/{}")
    yield from ("/internal/v1/get-records?id={}", "/internal/v1/get-docs?document_type={}")
    yield f"{STATS}?period={{}}"


def plain_questions():
    """URLs that name no id: lists, counts, searches for what the other one has."""
    for resource in PUBLIC_RESOURCES:
        path = f"/v1/api/{resource.path}"
        yield path
        yield from (f"{path}.{suffix}" for suffix in ("csv", "ndjson", "xlsx"))
        for query in ("withTotal=true&limit=1", "offset=1&limit=1", "limit=100", "offset=100"):
            yield f"{path}?{query}"
        for field in resource.fields:
            if field.sortable:
                yield f"{path}?sortBy=-{field.name}&limit=2&withTotal=true"
            if field.role is Role.COMPUTED:
                continue
            if field.kind.is_text:
                yield f"{path}?{field.name}=contains.{MARK}&withTotal=true"
                yield f"{path}?{field.name}=contains-i.PLANTED"
            elif field.kind is Kind.NUMBER:
                yield f"{path}?{field.name}=gte.{NUMBER}&withTotal=true"
            if field.can_be_missing:
                yield f"{path}?{field.name}=is.null&withTotal=true"
                yield f"{path}?{field.name}=is.not_null&withTotal=true"
    yield from (f"/v1/api/records?q={word}&withTotal=true" for word in ("PLANTED", "giro"))
    for query in ("", "?limit=300", "?min_amount=777001", "?sort_by=%2Bpayee", "?offset=1&limit=1"):
        yield f"/internal/v1/get-records{query}"
    for model_type in ("all", *(resource.model_type for resource in DOCUMENTS)):
        for page in ("", "&limit=1", "&offset=1", "&limit=200"):
            yield f"/internal/v1/get-docs?document_type={model_type}{page}"
    for period in ("1days", "2weeks", "13months"):
        yield f"{STATS}?period={period}"


def questions():
    """Every (URL, id in it) that is asked about before the other user has data, and after."""
    for url in plain_questions():
        yield url, ""
    for template in templates():
        for operand in ODD:
            yield template.format(operand), ""
        yield template.format(foreign_id(template)), foreign_id(template)


def foreign_id(url):
    """An id of the right type that the other user has."""
    name = url.partition("?")[2].partition("=")[0]
    types = {"accountId": "Account", "accountIds": "Account", "parentId": "Category"}
    types |= {"categoryId": "Category", "categoryIds": "Category"}
    types |= {"labelIds": "Label", "transferId": "Record"}
    paths = {str(r.path): r.model_type for r in PUBLIC_RESOURCES}
    of_path = paths.get(url.removeprefix("/v1/api/").partition("?")[0].partition("/")[0], "Record")
    return foreign(uid(types.get(name, of_path), 1))


def answers(world):
    """By question, before the other user has data."""
    before = {(url, row_id): whole(world.ask(url)) for url, row_id in questions()}
    assert sum(status == 200 for status, _, _ in before.values()) > 200
    return before


def check_after(world, before, rounds=1):
    """No answer is another one once the other user has data.

    It is asked anew, then with that answer cache, and then with all of the other user's cache, too.
    """
    cache = ResponseCache(32 << 20)
    world.service.replace(response_cache=cache)
    for round_ in range(rounds):
        if round_ == 2:
            for url, _ in before:
                internal = url.startswith("/internal")
                world.ask(url, world.other_internal if internal else world.other.headers)
        for (url, row_id), expected in before.items():
            answer = world.ask(url)
            assert whole(answer) == expected, url
            assert_nothing_of_the_other(answer, row_id)
        assert cache.cached_bytes > 0


def check_ids(world):
    """An id of another user answers byte for byte like one that nobody has."""
    compared = 0
    for template in templates():
        there = foreign_id(template)
        own = uid("Record", 1)
        missing = missing_like(there)
        pairs = list(zip(id_forms(there, own), id_forms(missing, own), strict=True))
        # No storage is asked about what is not an id: once is enough for that.
        for operand, other_operand in pairs if world.service.kind == "memory" else pairs[:10]:
            url = template.format(operand)
            found, absent = (world.ask(each) for each in (url, template.format(other_operand)))
            says = [_with_id_replaced(found, there), _with_id_replaced(absent, missing)]
            assert says[0] == says[1], url
            compared += 1
    assert compared > 400


def _with_id_replaced(answer, row_id):
    # The tag is made of the query: `check_before_and_after` compares it.
    status, headers, body = whole(answer, without=("ETag",))
    text = f"{status} {sorted(headers.items())} {body.decode('utf-8', 'replace')}"
    for form in (row_id, row_id.upper(), row_id.replace("-", ""), row_id[:-1]):
        text = text.replace(form, "<id>")
    return text


# -- the matrix --------------------------------------------------------------------------------


def test_what_another_user_has_makes_no_difference_to_any_answer(world):
    before = answers(world)
    world.let_in(same_ids=True)
    check_after(world, before, rounds=3)


def test_a_foreign_id_in_any_form_answers_like_a_missing_one(world):
    world.let_in()
    check_ids(world)
    # The marks are where they should be: their owner sees them.
    for resource in PUBLIC_RESOURCES:
        assert MARK in world.other.get(str(resource.path)).text
        assert FOREIGN in world.other.get(str(resource.path)).text
    assert MARK in world.other.internal("get-records").text
    for resource in DOCUMENTS:
        answer = world.other.internal("get-docs", document_type=resource.model_type)
        assert MARK in answer.text


def test_the_other_user_s_token_finds_none_of_mine(world):
    world.let_in()

    def own_id(url):
        return foreign_id(url).replace(FOREIGN, "0000000")

    for template in templates():
        if uid("Record", 1) in template:
            continue
        headers = world.other_internal if template.startswith("/internal") else world.other.headers
        there = own_id(template)
        says = [
            _with_id_replaced(world.ask(template.format(row_id), headers), row_id)
            for row_id in (there, missing_like(there))
        ]
        assert says[0] == says[1], template


def test_a_tag_of_another_user_is_never_a_match(world):
    world.let_in()
    urls = [f"/v1/api/{resource.path}" for resource in PUBLIC_RESOURCES]
    urls += [f"/v1/api/records/by-id?id={uid('Record', 1)}", "/internal/v1/get-records"]
    urls += ["/internal/v1/get-docs?document_type=all"]
    for url in urls:
        own = world.ask(url)
        theirs = world.ask(
            url, world.other_internal if url.startswith("/internal") else world.other.headers
        )
        assert theirs.headers["ETag"] != own.headers["ETag"]
        answer = world.ask(url, **{"If-None-Match": theirs.headers["ETag"]})
        assert whole(answer) == whole(own)
        assert world.ask(url, **{"If-None-Match": own.headers["ETag"]}).status_int == 304


def test_a_tag_is_another_one_for_two_users_with_the_same_data(service):
    clients = [service.client(), service.client()]
    for client in clients:
        client.load(*household())
    for path in ("records", "accounts", "records/by-id?id=" + uid("Record", 1)):
        tags = {client.get(path).headers["ETag"] for client in clients}
        assert len(tags) == 2


def test_a_link_of_another_user_leads_to_one_s_own_data(world):
    world.let_in()
    for resource in PUBLIC_RESOURCES:
        theirs = world.other.get(str(resource.path), limit=1)
        link = theirs.headers["Link"].partition(">")[0].removeprefix("<")
        answer = world.ask(link)
        assert answer.status_int == 200
        assert_nothing_of_the_other(answer)
    for path in ("get-records?limit=1", "get-docs?document_type=all&limit=1"):
        theirs = world.ask(f"/internal/v1/{path}", world.other_internal)
        link = theirs.headers["Link"].partition(">")[0].removeprefix("<")
        answer = world.ask(link)
        assert answer.status_int == 200
        assert_nothing_of_the_other(answer)


# -- every kind of credential ------------------------------------------------------------------


def credentials(world):
    """(name, Authorization, status on the public surface, status on the internal one)"""
    service, mine = world.service, world.mine
    at = service.clock.now()
    service.clock.set("2026-03-01T00:00:00Z")
    expired = service.client(expires_in_days=1)
    service.clock.seconds = at
    revoked, disabled = service.client(), service.client()
    (token,) = service.change(lambda s: s.tokens.list_by_user(revoked.user.id))
    service.change(lambda s: s.tokens.revoke(token.id, at))
    service.change(lambda s: s.users.update(disabled.user.id, enabled=False))
    stolen = f"stolen-{mine.user.id}"
    service.change(lambda s: s.jwts.add(Jwt(stolen, mine.user.id, at, at + 3_600)))
    service.change(lambda s: s.jwts.revoke(stolen, at))
    deleted = service.client()
    deleted_jwt = service.jwt(deleted.user)
    service.change(lambda s: s.users.delete(deleted.user.id))
    poor = service.client(premium=False)
    stranger = SimpleNamespace(uuid="00000000-0000-4000-8000-000000000000")
    return [
        ("none", None, 401, 401),
        ("garbage", "Bearer x", 401, 401),
        ("malformed", f"Bearer {mine.token} {mine.token}", 401, 401),
        ("another scheme", f"Basic {mine.token}", 401, 401),
        ("empty", "", 401, 401),
        ("a typo", f"Bearer {mine.token[:-1]}", 401, 401),
        ("revoked", f"Bearer {revoked.token}", 401, 401),
        ("expired", f"Bearer {expired.token}", 401, 401),
        ("disabled", f"Bearer {disabled.token}", 401, 401),
        ("disabled JWT", f"Bearer {service.jwt(disabled.user)}", 401, 401),
        ("deleted", f"Bearer {deleted.token}", 401, 401),
        ("deleted JWT", f"Bearer {deleted_jwt}", 401, 401),
        ("revoked JWT", f"Bearer {service.jwt(mine.user, jti=stolen)}", 401, 401),
        (
            "expired JWT",
            f"Bearer {service.jwt(mine.user, issued_at=at - 7_200, expires_at=at - 3_600)}",
            401,
            401,
        ),
        ("nobody's JWT", f"Bearer {service.jwt(stranger)}", 401, 401),
        ("token", f"Bearer {mine.token}", 200, 401),
        ("JWT", f"Bearer {service.jwt(mine.user)}", 401, 200),
        ("without premium", f"Bearer {poor.token}", 403, 401),
        ("JWT without premium", f"Bearer {service.jwt(poor.user)}", 401, 200),
    ]


def test_what_a_credential_may_not_read_depends_on_nothing_else(world):
    world.let_in()
    paths = surface_urls(world.service.app.registry)
    # What each path needs besides a credential.
    needed = {
        "/v1/api/records/by-id": "id=",
        "/internal/v1/get-docs": "document_type=all&x=",
    }
    for name, header, *expected in credentials(world):
        headers = {} if header is None else {"Authorization": header}
        for path in paths:
            wanted = expected[path.startswith("/internal")]
            query = needed.get(path, "id=")
            ids = (uid("Record", 1), foreign(uid("Record", 1)), missing_like(uid("Record", 1)))
            answers = [world.ask(f"{path}?{query}{each}", headers) for each in ids]
            if wanted == 200:
                # The parameter may be unknown there; nobody is refused for who they are.
                assert {a.status_int for a in answers} <= {200, 400}, (name, path)
            else:
                says = [whole(answer) for answer in answers]
                assert says[0] == says[1] == says[2], (name, path)
                assert says[0][0] == wanted, (name, path)
            for answer, row_id in zip(answers, ids, strict=True):
                assert_nothing_of_the_other(answer, row_id)


def test_a_scope_opens_its_own_resource_and_nothing_of_another_user(world):
    world.let_in()
    paths = [f"/v1/api/{resource.path}" for resource in PUBLIC_RESOURCES]
    for resource in PUBLIC_RESOURCES:
        narrow = world.service.client(scopes=[str(resource.path)])
        for path in (*paths, "/v1/api/records/by-id"):
            ids = (uid("Record", 1), foreign(uid("Record", 1)), missing_like(uid("Record", 1)))
            answers = [world.ask(f"{path}?id={each}", narrow.headers) for each in ids]
            needed = path.removeprefix("/v1/api/").partition("/")[0]
            statuses = {answer.status_int for answer in answers}
            assert statuses == ({200} if needed == resource.path else {403})
            if needed != resource.path:
                assert whole(answers[0]) == whole(answers[1]) == whole(answers[2])
            for answer, row_id in zip(answers, ids, strict=True):
                assert_nothing_of_the_other(answer, row_id)


def test_a_credential_that_is_refused_learns_no_tag(world):
    world.let_in()
    url = "/v1/api/records"
    tags = [world.ask(url).headers["ETag"], world.other.get("records").headers["ETag"], "*"]
    for name, header, expected, _ in credentials(world):
        if expected == 200:
            continue
        headers = {} if header is None else {"Authorization": header}
        says = [whole(world.ask(url, headers, **{"If-None-Match": tag})) for tag in tags]
        assert says[0] == says[1] == says[2], name
        assert says[0][0] == expected
        assert "ETag" not in says[0][1]


# -- would it be noticed? ----------------------------------------------------------------------

#: How a storage answers that forgets whom it is asked for: (mine, the other's) -> both.
MUTATIONS = {
    "list_rows": lambda a, b: Page(
        [*a.rows, *b.rows],
        a.has_more or b.has_more,
        None if a.total is None else a.total + b.total,
    ),
    "list_json": lambda a, b: JsonPage(
        a.state,
        b"\n".join([*a.rows, *b.rows]),
        a.has_more or b.has_more,
        None if a.total is None else a.total + b.total,
    ),
    "get_rows": lambda a, b: {**b, **a},
    "get_json": lambda a, b: (
        a[0],
        [mine or other for mine, other in zip(a[1], b[1], strict=True)],
    ),
    "scan_rows": lambda a, b: [*a, *b],
    "sum_by": lambda a, b: {
        key: a[key].joined(b[key]) if key in a and key in b else {**a, **b}[key]
        for key in {**a, **b}
    },
    "get_state": lambda a, b: DataState(a.revision + b.revision, b.changed_at),
    "list_days": lambda a, b: [*a, *b],
}


@pytest.fixture(scope="module")
def answered(services):
    """A world that tests share, into which the other user is let, and the answers before."""

    @cache
    def of(kind):
        with pytest.MonkeyPatch.context() as monkeypatch:
            world = quiet_world(services(kind), monkeypatch)
            before = answers(world)
            world.let_in(same_ids=True)
            return world, before, world.service.clock.now()

    return of


@pytest.fixture
def again(answered, monkeypatch):
    """That world of a kind of storage, as it was left; and the answers before."""

    def of(kind):
        world, before, seconds = answered(kind)
        be_quiet(world.service, monkeypatch)
        world.service.clock.seconds = seconds
        return world, before

    return of


@pytest.mark.parametrize("kind", STORAGES)
def test_where_nobody_forgets_nothing_is_noticed(again, kind):
    check_after(*again(kind))


@pytest.mark.parametrize("method", MUTATIONS)
def test_a_read_that_forgets_the_user_would_be_noticed(again, monkeypatch, method):
    world, before = again("memory")
    reader = MemoryUsageReader if method == "list_days" else MemoryDataReader
    original = getattr(reader, method)

    def both(self, user_id, *arguments, **options):
        asked = (user_id, world.other.user.id)
        found = (original(self, each, *arguments, **options) for each in asked)
        return MUTATIONS[method](*found)

    monkeypatch.setattr(reader, method, both)
    with pytest.raises(AssertionError):
        check_after(world, before)


@pytest.mark.parametrize("method", ["get_rows", "get_json"])
def test_a_look_up_of_ids_that_forgets_the_user_would_be_noticed(
    world_in_memory, monkeypatch, method
):
    world_in_memory.let_in()
    original = getattr(MemoryDataReader, method)

    def both(self, user_id, *arguments):
        mine, other = (
            original(self, each, *arguments) for each in (user_id, world_in_memory.other.user.id)
        )
        return MUTATIONS[method](mine, other)

    monkeypatch.setattr(MemoryDataReader, method, both)
    with pytest.raises(AssertionError):
        check_ids(world_in_memory)


def test_an_answer_kept_without_the_user_would_be_noticed(world_in_memory, monkeypatch):
    class Careless(ResponseCache):
        def get(self, user_id, tag, key):
            return super().get(0, 0, key)

        def put(self, user_id, tag, *arguments):
            super().put(0, 0, *arguments)

    world_in_memory.let_in()
    service = world_in_memory.service
    careless = replace(service.services, response_cache=Careless(1 << 20))
    monkeypatch.setattr(service.app.registry, "services", careless)
    assert MARK in world_in_memory.other.get("records").text
    assert MARK in world_in_memory.mine.get("records").text


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("module", ["", "reading", "usage"])
def test_statements_without_the_user_would_be_noticed(again, monkeypatch, kind, module):
    """Those of one module, or all. Which of them is noticed when it alone forgets:
    see `storage.test_forgotten_users`."""

    def is_forgetful(build):
        return not module or build.__module__ == f"finance_api.storage.sql.{module}"

    world, before = again(kind)
    monkeypatch.setattr(StatementCache, "get", forgetting(StatementCache.get, is_forgetful))
    with pytest.raises(AssertionError):
        check_after(world, before)
