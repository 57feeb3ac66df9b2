"""Requests that another site makes a browser send are refused, and a GET changes nothing."""

from itertools import cycle, product
from urllib.parse import quote, urlencode

import pytest

from finance_api.web.object_pages import OBJECT_PAGES
from finance_api.web.routes import ROUTES
from support.browser import (
    LOGIN,
    PASSWORD,
    Visitor,
    assert_error_page,
    dump,
    location,
    new_user,
    signed_in,
)
from support.html import csrf_of
from support.nightly import count
from support.service import BY_DAY, on_one_storage
from support.world import World

#: The routes that change data.
POSTS = (
    *("settings.login", "settings.logout", "settings.token_new", "settings.token"),
    *("settings.token_regenerate", "settings.token_revoke", "settings.jwts", "settings.jwt_revoke"),
    *("settings.jwt_revoke_all", "settings.password", "settings.profile", "settings.session_end"),
    *("settings.sign_out_everywhere", "question.new", "question.link_revoke"),
    *("question.links_revoke", "goals.new", "goals.remove", "records", "record.unlink"),
    *("import.discard", "imports.undo"),
)
#: Routes that share a view with one of these, or are tested with their pages.
LIKE_THESE = {f"{name}{action}" for name in OBJECT_PAGES for action in (".new", ".edit", ".remove")}
LIKE_THESE |= {"record", "record.new", "record.remove", "record.link", "record.split"}
LIKE_THESE |= {"question.edit", "question.remove", "record.join", "rules.apply", "transfers"}
LIKE_THESE |= {
    "payee",
    "payees",
    "payees.categories",
    "duplicates",
    "standing-orders",
    "categories",
}
LIKE_THESE |= {
    "records.category",
    "records.rule",
    "import",
    "import.options",
    "import.confirm",
    "import.again",
}
ONLY_POSTS = (
    *("settings.logout", "settings.password", "settings.token_regenerate", "record.unlink"),
    *("import.confirm", "import.again", "import.discard", "records.category", "record.join"),
)
GETS = tuple(name for name in ROUTES if name not in ONLY_POSTS)

NO_ORIGIN = {"Origin": None, "Sec-Fetch-Site": None}
OWN = {"Origin": "http://localhost", "Sec-Fetch-Site": None}
#: Headers which show that a request comes from another site.
FOREIGN = (
    {"Origin": "http://evil.example", "Sec-Fetch-Site": None},
    {"Origin": "https://localhost.evil.example", "Sec-Fetch-Site": None},
    {"Origin": "http://evil.example:80/localhost", "Sec-Fetch-Site": None},
    {"Origin": "http://localhost:81", "Sec-Fetch-Site": None},
    {"Origin": "http://localhost@evil.example", "Sec-Fetch-Site": None},
    {"Origin": "http://evil@localhost", "Sec-Fetch-Site": None},
    {"Origin": "http://xlocalhost", "Sec-Fetch-Site": None},
    {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": None},
    {"Origin": "ftp://localhost", "Sec-Fetch-Site": None},
    {"Origin": "file://", "Sec-Fetch-Site": None},
    {"Origin": "//localhost", "Sec-Fetch-Site": None},
    {"Origin": "localhost", "Sec-Fetch-Site": None},
    {"Origin": "http://[", "Sec-Fetch-Site": None},
    {"Origin": "http://localhost, http://evil.example", "Sec-Fetch-Site": None},
    {"Origin": "null", "Sec-Fetch-Site": None},
    {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "null", "Sec-Fetch-Site": "same-site"},
    {"Origin": None, "Sec-Fetch-Site": "cross-site"},
    {"Origin": None, "Sec-Fetch-Site": "same-site"},
    {"Origin": None, "Sec-Fetch-Site": "nonsense"},
    {"Origin": None, "Sec-Fetch-Site": ""},
    {"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "http://localhost", "Sec-Fetch-Site": "same-site"},
    {**NO_ORIGIN, "Referer": "http://evil.example/settings"},
    {**NO_ORIGIN, "Referer": "http://evil.example/http://localhost/settings"},
    {**NO_ORIGIN, "Referer": "http://localhost.evil.example/"},
    {**NO_ORIGIN, "Referer": "nonsense"},
)


def test_the_routes_that_are_sent_forms_are_all_known_here(plain):
    found = set()
    for view in plain.app.registry.introspector.get_category("views"):
        view = view["introspectable"]
        methods = view["request_methods"] or ("GET", "POST")
        methods = (methods,) if isinstance(methods, str) else methods
        if view["route_name"] in ROUTES and set(methods) - {"GET", "HEAD"}:
            found.add(view["route_name"])
    assert found == set(POSTS) | LIKE_THESE


def some(world, cases):
    """Return all cases for one storage, and a few for the others: refusals do not read the
    storage.
    """
    cases = list(cases)
    return cases if world.service.kind == BY_DAY else cases[::5]


def test_a_proxy_that_drops_the_port_is_named_in_the_page_and_in_the_log(plain, caplog):
    """Without HTTPS, browsers do not send Sec-Fetch-Site."""
    visitor = Visitor(plain)
    page = visitor.get(LOGIN)
    form = {"email": "x@example.org", "password": "x", "csrf_token": csrf_of(page.text)}
    told = visitor.post(
        LOGIN, form, headers={"Origin": "http://localhost:8443", "Sec-Fetch-Site": None}
    )
    assert told.status_int == 403
    assert "has to pass on the header Host with its port" in told.text
    (line,) = [r.getMessage() for r in caplog.records if "drops the port" in r.getMessage()]
    assert "the proxy at 192.0.2.1" in line and "$http_host" in line
    caplog.clear()
    foreign = {"Origin": "http://evil.example:8443", "Sec-Fetch-Site": None}
    assert "sent from another site" in visitor.post(LOGIN, form, headers=foreign).text
    assert not [r for r in caplog.records if "drops the port" in r.getMessage()]


# -- without the token ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", POSTS)
def test_without_the_right_token_nothing_is_done(world, name):
    visitor, right = world.sender(name)
    wrong = {
        "none": None,
        "empty": "",
        "another user's": world.stranger.csrf(),
        "another session's": world.elsewhere.csrf(),
        "nobody's": csrf_of(world.anonymous.get(LOGIN).text),
        "cut short": right[:-1],
        "longer": right + "A",
        "in another case": right.swapcase(),
        "the cookie": (visitor.secret or visitor.cookies["finance_visitor"]),
        "not ASCII": "ü" * 43,
        "NUL": "\x00",
        "long": "A" * 10_000,
    }
    path, form = world.path(name), world.form(name)
    before = dump(world.service)
    for kind, token in some(world, wrong.items()):
        sent = form if token is None else {**form, "csrf_token": token}
        response = visitor.post(path, sent)
        assert response.status_int == 403, kind
        assert_error_page(response, 403)
    # The right token in a place that the server does not read is refused, too.
    for elsewhere in (f"{path}?csrf_token={right}", path):
        headers = {"X-CSRF-Token": "A" * 43, "Csrf-Token": right}
        assert visitor.post(elsewhere, form, headers=headers).status_int == 403
    cookie = {"csrf_token": right, "XSRF-TOKEN": right, **visitor.cookies}
    line = "; ".join(f"{k}={v}" for k, v in cookie.items())
    assert visitor.post(path, form, headers={"Cookie": line}).status_int == 403
    assert dump(world.service) == before
    if not name.startswith("settings.login"):
        assert visitor.is_signed_in()


@pytest.mark.parametrize("name", POSTS)
def test_from_elsewhere_nothing_is_done(world, name):
    visitor, right = world.sender(name)
    sent = {**world.form(name), "csrf_token": right}
    before = dump(world.service)
    for headers in some(world, FOREIGN):
        response = visitor.post(world.path(name), sent, headers=headers)
        assert response.status_int == 403, headers
        assert_error_page(response, 403)
        assert not response.headers.getall("Set-Cookie")
    assert dump(world.service) == before


def assert_done(world, visitor, name, sent, headers):
    before = dump(world.service)
    response = visitor.post(world.path(name), sent, headers=headers)
    assert response.status_int == 303, (headers, response.text)
    assert dump(world.service) != before, headers


#: Headers which show that a request comes from one of our pages.
OURS = (
    OWN,
    NO_ORIGIN,
    {"Origin": "null", "Sec-Fetch-Site": "same-origin"},
    {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},
    {"Origin": "HTTP://LOCALHOST", "Sec-Fetch-Site": None},
    {**NO_ORIGIN, "Referer": "http://localhost/settings?a=b"},
)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "headers"),
    count(list(zip(POSTS, cycle(OURS), strict=False)), list(product(POSTS, OURS))),
    ids=str,
)
def test_from_one_s_own_page_it_is_done(plain, name, headers):
    world = World(plain)
    visitor, right = world.sender(name)
    assert_done(world, visitor, name, {**world.form(name), "csrf_token": right}, headers)


@pytest.mark.parametrize("name", POSTS)
def test_a_form_that_a_browser_sends_is_done_on_every_storage(service, name):
    world = World(service)
    visitor, right = world.sender(name)
    assert_done(world, visitor, name, {**world.form(name), "csrf_token": right}, {})


def test_with_https_a_page_of_plain_http_is_elsewhere(plain):
    user = new_user(plain)
    for origin, status in (("http://localhost", 403), ("https://localhost", 303)):
        visitor = Visitor(plain, https=True)
        form = visitor.form(LOGIN).filled({"email": user.email, "password": PASSWORD})
        for headers in ({"Origin": origin}, {"Origin": None, "Referer": f"{origin}/settings"}):
            headers = {**headers, "Sec-Fetch-Site": None}
            response = visitor.copy().post(LOGIN, form, headers=headers)
            assert response.status_int == status


def test_the_address_with_its_port_is_one_s_own(plain):
    user = new_user(plain)
    for host in ("127.0.0.1:6543", "[::1]:6543", "LOCALHOST:8000"):
        visitor = Visitor(plain, host=host)
        form = visitor.form(LOGIN).filled({"email": user.email, "password": PASSWORD})
        for port in ("1", "6543"):
            other = host.rpartition(":")[0] + ":" + port
            headers = {"Origin": f"http://{other}", "Sec-Fetch-Site": None}
            response = visitor.copy().post(LOGIN, form, headers=headers)
            assert response.status_int == (303 if other == host else 403), (host, other)


def test_the_token_is_another_one_in_every_session_and_lasts_as_long(plain):
    user = new_user(plain)
    visitors = [signed_in(plain, user) for _ in range(3)]
    assert len({v.csrf() for v in visitors}) == 3
    pages = ("/overview", "/settings/jwts", "/settings/security", "/settings/tokens/new")
    assert len({visitors[0].csrf(page) for page in pages}) == 1
    assert visitors[0].secret not in visitors[0].get("/overview").text


def test_a_sign_in_form_of_before_works_after_another_tab_has_signed_in(service):
    user, visitor = new_user(service), Visitor(service)
    form = visitor.form(LOGIN).filled({"email": user.email, "password": PASSWORD})
    for _ in range(2):
        visitor.post(LOGIN, form, status=303)
        assert visitor.is_signed_in()
    # The token is only for that form; other forms need the token of a session.
    visitor.post("/settings/logout", {"csrf_token": dict(form)["csrf_token"]}, status=403)


# -- other bodies --------------------------------------------------------------------------------

URLENCODED = "application/x-www-form-urlencoded"
OTHER_TYPES = (
    "multipart/form-data; boundary=xyz",
    "multipart/form-data; boundary=xyz; charset=nonsense",
    "multipart/form-data; charset=nonsense",
    "application/json",
    "text/plain",
    "text/plain; charset=nonsense",
    None,
    "",
    "nonsense",
    f"{URLENCODED}; charset=nonsense",
    f"{URLENCODED}; charset=latin-1",
    f"{URLENCODED}, {URLENCODED}",
)


@pytest.mark.parametrize("name", POSTS)
def test_a_body_of_another_type_is_415_and_nothing_is_done(world, name, caplog):
    visitor, right = world.sender(name)
    sent = {**world.form(name), "csrf_token": right}
    before = dump(world.service)
    for content_type in OTHER_TYPES:
        parts = "".join(
            f'--xyz\r\nContent-Disposition: form-data; name="{field}"\r\n'
            f"Content-Type: text/plain; charset=nonsense\r\n\r\n{value}\r\n"
            for field, value in sent.items()
        )
        for body in (urlencode(sent).encode(), f"{parts}--xyz--\r\n".encode(), b""):
            for who in (visitor, world.anonymous):
                headers = {"Content-Type": content_type, "Sec-Fetch-Site": "same-origin"}
                response = who.request("POST", world.path(name), body=body, headers=headers)
                assert response.status_int == 415, content_type
                assert_error_page(response, 415)
    assert dump(world.service) == before
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("ending", ["; charset=utf-8", ";charset=UTF-8", '; charset="utf-8"', ";"])
def test_a_form_that_says_that_it_is_utf_8_is_one(plain, ending):
    world = World(plain)
    visitor, right = world.sender("settings.token_new")
    sent = {**world.form("settings.token_new"), "csrf_token": right}
    headers = {"Content-Type": URLENCODED + ending}
    assert_done(world, visitor, "settings.token_new", sent, headers)


# -- not signed in -------------------------------------------------------------------------------


@on_one_storage
@pytest.mark.parametrize("name", [name for name in GETS if not name.startswith("settings.login")])
def test_who_is_not_signed_in_is_led_to_the_form(world, name):
    path = world.path(name) + "?period=12weeks&x=%C3%BC"
    for method in ("GET", "HEAD"):
        response = Visitor(world.service).request(method, path, status=303)
        assert location(response) == f"{LOGIN}?next={quote(path, safe='')}"


@on_one_storage
@pytest.mark.parametrize("name", [name for name in POSTS if not name.startswith("settings.login")])
def test_who_is_not_signed_in_can_send_nothing(world, name):
    visitor = Visitor(world.service)
    before = dump(world.service)
    for token in (csrf_of(visitor.get(LOGIN).text), world.visitor.csrf(), ""):
        response = visitor.post(world.path(name), {**world.form(name), "csrf_token": token})
        assert_error_page(response, 403)
        assert "Sign in" in response.text
    assert dump(world.service) == before


# -- reading changes nothing ---------------------------------------------------------------------


#: What pages answer that a signed-in user does not get with 200.
NOT_SHOWN = {
    # A secret is shown once.
    **dict.fromkeys(("settings.token_made", "settings.jwt_made", "question.link_made"), 303),
    "settings.login": 303,
    # Their address says what to download or to show.
    **dict.fromkeys(("records.download", "question.download", "payee"), 404),
}


def test_reading_every_page_changes_nothing(world):
    visitor, service = world.visitor, world.service
    before = dump(service)
    overrides = {"X-HTTP-Method-Override": "POST", "X-HTTP-Method": "DELETE"}
    for name in ROUTES:
        form = {**world.form(name), "csrf_token": visitor.csrf(), "_method": "POST"}
        query = "&".join(f"{k}={quote(v)}" for k, v in form.items())
        expected = {visitor: NOT_SHOWN.get(name, 200)}
        expected[world.anonymous.copy()] = 200 if name == "settings.login" else 303
        for who, status in expected.items():
            status = status if name in GETS else 405
            found = who.get(f"{world.path(name)}?{query}", status, headers=overrides)
            head = who.request("HEAD", f"{world.path(name)}?{query}", headers=overrides)
            assert head.status_int == found.status_int
            assert head.body == b""
            assert head.content_type == found.content_type
    service.services.seen_sessions.flush()
    assert dump(service) == before
    assert visitor.is_signed_in()
    assert world.elsewhere.is_signed_in()


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "X"])
def test_other_methods_do_nothing(plain, worlds, method):
    world = worlds(plain)
    visitor = Visitor(plain, lint=False)
    visitor.sign_in(world.user)
    before, token = dump(plain), visitor.csrf()
    for name in ROUTES:
        for who in (visitor, Visitor(plain, lint=False)):
            headers = {"X-CSRF-Token": token, "Origin": "http://localhost"}
            body = f"csrf_token={token}&name=x&scopes=records&expiry=30".encode()
            response = who.request(method, world.path(name), headers=headers, body=body)
            assert 400 <= response.status_int < 500, (name, response.status)
            assert_error_page(response, response.status_int)
    assert dump(plain) == before
    assert visitor.is_signed_in()


def test_a_static_file_cannot_be_sent_anything(plain):
    visitor = signed_in(plain)
    response = visitor.post("/settings/static/pages.css", {"csrf_token": "x"})
    assert response.status_int == 403
