"""Two users, the requests to make for one, and checks that no response shows the other's data."""

import io
import json
import re
import zipfile
from urllib.parse import quote

from webtest import TestApp

from finance_api.http.surfaces import WALLET_SURFACE
from finance_api.resources import DOCUMENTS, PUBLIC_RESOURCES, RECORDS, RESOURCES
from finance_api.resources.field import Kind, Role
from finance_api.runtime.response_cache import ResponseCache
from support.native_rows import household, uid
from support.nightly import NIGHTLY, count
from support.service import BY_DAY

STATS = "/v1/api/api-usage/stats"
MARK = "planted-where-nobody-else-may-look"
NUMBER = 777_001.25
#: Part of all ids of the other user.
FOREIGN = "abc0000"
#: Headers that differ from request to request, or from URL to URL.
VARYING = ("X-Request-Id", "X-RateLimit-Remaining", "X-RateLimit-Remaining-Hour")
VARYING += ("X-RateLimit-Reset", "RateLimit")
#: Headers with random values.
RANDOM = ("X-Request-Id", "ETag")
UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
#: Text fields with a syntax, which cannot contain a mark.
UNMARKED = {"recurrenceRule"}


def marked_household(ids):
    """Make a household with a mark in every text and number. ids: converts ids."""
    rows = [*household(), *_unlisted(name="x", extraText=MARK, extraList=[{"deep": MARK, MARK: 1}])]
    by_type = {resource.model_type: resource for resource in RESOURCES}
    return [_marked(by_type[row["reserved_model_type"]], row, ids) for row in rows]


def _unlisted(**values):
    """Make a row of each type that no list shows."""
    return [
        {"reserved_model_type": name, "id": f"0000010{n}-0000-4000-8000-000000000001", **values}
        for n, name in enumerate(("Contact", "HashTag", "MagicRule"), 1)
    ]


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
    """Convert ids to those of the other user."""
    if isinstance(value, list):
        return [foreign(element) for element in value]
    if isinstance(value, str) and len(value) == 36 and value[:5] == "00000":
        return FOREIGN + value[7:]
    return value


#: Return an id like the other user's, which nobody has.
def missing_like(row_id):
    return row_id[:-4] + "eeee"


class World:
    """Two users, ``mine`` and ``other``. The other user has no data before `let_in`."""

    def __init__(self, service):
        self.service = service
        # Without WebTest's checks of WSGI, because there are thousands of requests.
        self.web = TestApp(service.app, lint=False)
        self.mine, self.other = service.client(), service.client()
        self.mine.load(*household(), *_unlisted(name="mine"))
        self.internal = {"Authorization": f"Bearer {service.jwt(self.mine.user)}"}
        self.other_internal = {"Authorization": f"Bearer {service.jwt(self.other.user)}"}

    def let_in(self, *, same_ids=False):
        """Load the other user's data. same_ids: load rows with the ids of my rows, too."""
        self.service.clock.advance(60)
        self.other.load(*marked_household(foreign))
        if same_ids:
            self.other.load(*marked_household(lambda value: value))
        now = self.service.clock.now()
        numbers = {(self.other.user.id, now - now % 86_400, ""): 777_001}
        self.service.change(lambda s: s.usage.add(numbers))

    def ask(self, url, headers=None, **more):
        if headers is None:
            headers = self.internal if url.startswith("/internal") else self.mine.headers
        return self.web.get(url, headers={**headers, **more}, status="*")


def be_quiet(service, monkeypatch):
    """Stop counting usage, so that the tests' requests do not change the usage shown."""
    monkeypatch.setattr(service.services.usage, "note", lambda *arguments: None)


def quiet_world(service, monkeypatch):
    be_quiet(service, monkeypatch)
    service.clock.set("2026-03-18T12:00:00Z")
    return World(service)


def whole(answer, *, without=()):
    """Return status, headers and body without the values that always vary."""
    headers = {k: v for k, v in answer.headers.items() if k not in (*VARYING, *without)}
    body = answer.body
    if answer.request.environ["PATH_INFO"] == STATS and answer.status_int == 200:
        document = answer.json
        document.pop("rateLimit")
        body = json.dumps(document).encode()
        headers.pop("Content-Length")
    return answer.status_int, headers, body


def readable(answer):
    """Return the text of the body, or of all parts of a workbook."""
    if not answer.body.startswith(b"PK"):
        return answer.text
    with zipfile.ZipFile(io.BytesIO(answer.body)) as parts:
        return "".join(parts.read(name).decode() for name in parts.namelist())


def assert_nothing_of_the_other(answer, asked=""):
    """Check a response. asked: what the response may repeat."""
    body = readable(answer)
    everything = f"{body} {answer.headers}"
    # Random values may contain the same digits as a mark.
    for random in (answer.headers.get(name, "") for name in RANDOM):
        body, everything = (text.replace(random or "-", "-") for text in (body, everything))
    for text in (asked, asked.upper(), quote(asked)):
        everything = everything.replace(text, "") if text else everything
    assert MARK not in everything.lower()
    assert FOREIGN not in everything.lower()
    assert "777001" not in UUID.sub("", body).replace(" ", "")
    assert "@example.org" not in everything


# -- questions ---------------------------------------------------------------------------------


def id_forms(row_id, own):
    """Yield raw operands with the id, or with something like it."""
    encoded = "".join(f"%{ord(c):02x}" for c in row_id)
    yield from (row_id, f"eq.{row_id}", row_id.upper(), encoded, f"%20{row_id}", f"{row_id}%00")
    yield from (f"{row_id},{own}", f"{own},{row_id}", f"{row_id},{row_id}", f"{own},{encoded}")
    yield from (encoded.replace("%", "%25"), f"%7B{row_id}%7D", row_id.replace("-", ""))
    yield from (row_id[:-1], row_id + "0", f"-{row_id}", f"{row_id}'", f"{row_id}%27%20OR%201=1--")
    yield from (f"gt.{row_id}", f"contains.{row_id}", f"urn:uuid:{row_id}", f"not.{row_id}")
    yield from (",".join([row_id] * 100), ",".join([row_id] * 101), row_id * 100)


#: Operands without an id.
ODD = ("", "1", "-1", "0", "*", "null", "is.null", "is.not_null", "9" * 300, "%25", "%ff", "[]")


def templates():
    """Yield URLs with ``{}`` in place of an id or of an operand from `id_forms`."""
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
    yield from (f"{WALLET_SURFACE}{path}={{}}" for path in ("records?id", "records/by-id?id"))
    yield f"{WALLET_SURFACE}records?categoryId={{}}&recordDate=gte.1900-01-01"
    yield from (f"{WALLET_SURFACE}{p}={{}}" for p in ("labels?recordId", "record/references?id"))
    yield from ("/internal/v1/get-records/{}", "/internal/v1/get-docs/{}")
    yield from ("/internal/v1/get-records?id={}", "/internal/v1/get-docs?document_type={}")
    yield f"{STATS}?period={{}}"


def plain_questions():
    """Yield URLs without an id: lists, counts, searches for the other user's data."""
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
    for path in (*(resource.path for resource in PUBLIC_RESOURCES), "standing-orders/items"):
        # Without dates, the window of records would depend on the time.
        dates = "&recordDate=gte.1900-01-01" if path == RECORDS.path else ""
        yield f"{WALLET_SURFACE}{path}?limit=200&withTotal=true&agentHints=true{dates}"
    yield f"{WALLET_SURFACE}records?recordDate=gte.1900-01-01&convertTo=base"
    yield f"{WALLET_SURFACE}budgets?spending=current%2B25"
    yield from (f"/v1/api/records?q={word}&withTotal=true" for word in ("PLANTED", "giro"))
    for query in ("", "?limit=300", "?min_amount=777001", "?sort_by=%2Bpayee", "?offset=1&limit=1"):
        yield f"/internal/v1/get-records{query}"
    for model_type in ("all", *(resource.model_type for resource in DOCUMENTS)):
        for page in ("", "&limit=1", "&offset=1", "&limit=200"):
            yield f"/internal/v1/get-docs?document_type={model_type}{page}"
    for period in ("1days", "2weeks", "13months"):
        yield f"{STATS}?period={period}"


def questions(kind):
    """Yield all requests to make before and after the other user has data: the URL, and the text
    in it that the response may repeat.
    """
    for url in plain_questions():
        yield url, MARK if MARK in url else ""
    for template in templates():
        # Most of these never reach the storage, so all of them are for nights on one storage.
        for operand in ODD if kind == BY_DAY and NIGHTLY else ODD[:8:3]:
            yield template.format(operand), ""
        yield template.format(foreign_id(template)), foreign_id(template)


def foreign_id(url):
    """Return an id of the right type that the other user has."""
    name = url.partition("?")[2].partition("=")[0]
    types = {"accountId": "Account", "accountIds": "Account", "parentId": "Category"}
    types |= {"categoryId": "Category", "categoryIds": "Category"}
    types |= {"labelIds": "Label", "transferId": "Record"}
    paths = {str(r.path): r.model_type for r in PUBLIC_RESOURCES}
    of_path = paths.get(url.removeprefix("/v1/api/").partition("?")[0].partition("/")[0], "Record")
    return foreign(uid(types.get(name, of_path), 1))


def answers(world):
    """Return the responses by (URL, id), before the other user has data."""
    asked = questions(world.service.kind)
    before = {(url, row_id): whole(world.ask(url)) for url, row_id in asked}
    assert sum(status == 200 for status, _, _ in before.values()) > 200
    return before


def check_after(world, before, rounds=1):
    """Check that all responses are the same once the other user has data.

    Round 1 reads the storage, round 2 the cache. In round 3 the other user's are cached, too.
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
    """Check that the response to another user's id equals that to an unknown id, to the byte."""
    compared = 0
    for number, template in enumerate(templates()):
        there = foreign_id(template)
        own = uid("Record", 1)
        missing = missing_like(there)
        pairs = list(zip(id_forms(there, own), id_forms(missing, own), strict=True))
        # Malformed ids never reach the storage, so one storage is enough for them, and by day
        # every third field.
        takes_all = world.service.kind == BY_DAY and number % count(3, 1) == 0
        for operand, other_operand in pairs if takes_all else pairs[:10]:
            url = template.format(operand)
            found, absent = (world.ask(each) for each in (url, template.format(other_operand)))
            says = [with_id_replaced(found, there), with_id_replaced(absent, missing)]
            assert says[0] == says[1], url
            compared += 1
    assert compared > 400


def with_id_replaced(answer, row_id):
    # The entity tag depends on the query; `check_after` compares it.
    status, headers, body = whole(answer, without=("ETag",))
    text = f"{status} {sorted(headers.items())} {body.decode('utf-8', 'replace')}"
    for form in (row_id, row_id.upper(), row_id.replace("-", ""), row_id[:-1]):
        text = text.replace(form, "<id>")
    return text
