"""The security headers of every response of the settings pages, errors included."""

import re
from pathlib import Path

import pytest

from finance_api.storage.errors import StorageUnavailable
from finance_api.web.views import usage
from support.browser import (
    INTERNALS,
    LOGIN,
    PASSWORD,
    Visitor,
    assert_error_page,
    jwts_of,
    new_jwt,
    new_token,
    new_user,
    signed_in,
    tokens_of,
)
from support.html import csrf_of, parsed, shown_text

STATIC = ("pages.css", "pages.js", "records.js", "favicon.svg")
PAGES = (
    *("/overview", "/accounts", "/settings/tokens", "/settings/tokens/new", "/settings/jwts"),
    *("/settings/jwts/revoke-all", "/settings/usage", "/settings/security"),
    *("/records", "/transfers", "/rules/apply", "/categories", "/budgets/new"),
    *("/import", "/imports"),
)
#: The viewer of the API references has inline styles and images.
DOCS_POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
URL_ATTRIBUTES = ("href", "src", "action", "formaction", "srcset", "data", "poster", "cite")


def every_page(service, **options):
    """Yield all pages of a user with data of every type, and the responses to forms."""
    user = new_user(service)
    visitor = Visitor(service, **options)
    yield visitor.get(LOGIN)
    yield visitor.sign_in(user, "wrong password", status=403)
    yield visitor.sign_in(user)
    new_token(service, user)
    new_jwt(service, user)
    token_id, jti = tokens_of(service, user)[0].id, jwts_of(service, user)[0].jti
    today = service.clock.now() // 86_400 * 86_400
    service.change(lambda storage: storage.usage.add({(user.id, today, ""): 5}))
    for path in (*PAGES, f"/settings/tokens/{token_id}/revoke", f"/settings/jwts/{jti}/revoke"):
        yield visitor.get(path)
    made = visitor.submit("/settings/tokens/new", status=303, name="x", scopes="records")
    yield made
    yield visitor.follow(made)
    yield visitor.submit("/settings/tokens/new", status=400, name="")
    made = visitor.submit("/settings/jwts", status=303)
    yield made
    yield visitor.follow(made)
    yield visitor.get("/accounts/export")
    yield visitor.get("/settings/nothing", 404)
    yield visitor.post("/settings/logout", status=403)
    for name in STATIC:
        yield visitor.get(f"/settings/static/{name}")
    yield visitor.submit("/overview", "/settings/logout", status=303)


# `Visitor` checks every response with `assert_protected`.


def test_every_answer_has_the_headers_that_protect_it(plain):
    assert len(list(every_page(plain))) > 20


@pytest.mark.parametrize(
    "path",
    ["/v1/api/records", "/v1/openapi.json", "/v1", "/internal/v1/get-records", "/q/x.csv", "/%ff"],
)
def test_what_is_no_page_has_a_policy_too(plain, path):
    headers = plain.web.get(path, status="*").headers
    (policy,) = headers.getall("Content-Security-Policy")
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_signing_out_clears_what_the_browser_keeps(plain):
    left = signed_in(plain).submit("/overview", "/settings/logout", status=303)
    assert left.headers["Clear-Site-Data"] == '"cache", "storage"'


def test_with_https_browsers_are_told_to_stay_with_it(plain):
    assert len(list(every_page(plain, https=True))) > 20


def test_no_other_site_may_read_anything_whatever_is_configured(configured):
    for origins in ("https://app.example.org", "*"):
        service = configured(cors__origins=origins)
        for origin in ("https://app.example.org", "null", "http://localhost"):
            headers = {"Origin": origin, "Sec-Fetch-Site": None}
            visitor = signed_in(service)
            for path in ("/overview", LOGIN, "/accounts/export", "/settings/static/pages.js"):
                visitor.get(path, None, headers=headers)
                asking = {**headers, "Access-Control-Request-Method": "POST"}
                response = visitor.request("OPTIONS", path, headers=asking)
                assert response.status_int < 500, path


def test_pages_are_small_and_hold_nothing_that_leads_elsewhere_or_that_the_policy_forbids(plain):
    host = "127.0.0.1:6543"
    responses = list(every_page(plain, host=host))
    assert len(responses) > len(PAGES)
    for response in responses:
        assert len(response.body) < 60_000
        if response.content_type != "text/html":
            continue
        assert not [word for word in INTERNALS if word in response.text]
        assert host not in re.sub("curl -H [^<]*", "", response.text)
        for event in parsed(response.text):
            for name, value in event.attributes:
                assert not name.startswith("on") and name != "style", event
                if name in URL_ATTRIBUTES:
                    assert value.startswith(("/", "#")) and not value.startswith("//"), value
            if event.text == "script" and event.kind == "start":
                assert "src" in dict(event.attributes)
            assert (event.kind, event.text) != ("start", "style")
            assert event.text not in ("iframe", "object", "embed", "base") or event.kind == "text"
            assert event.kind != "comment"


def test_another_host_s_name_is_not_repeated(configured):
    service = configured(allowed_hosts="*")
    forwarded = dict.fromkeys(
        ("X-Forwarded-Host", "X-Host", "X-Original-Host", "X-Forwarded-Server"), "evil.example"
    )
    forwarded["Forwarded"] = "host=evil.example"
    for host, headers in (("evil.example", {}), ("localhost", forwarded)):
        for response in every_page(service, host=host, headers=headers):
            text = response.text if response.content_type.startswith("text/") else ""
            text = re.sub("curl -H [^<]*", "", text)
            assert "evil" not in text
            kept = {k: v for k, v in response.headers.items() if k != "Location"}
            assert "evil" not in str(kept)
            # A redirect stays on the host that the browser used.
            place = response.headers.get("Location", "/")
            assert place.startswith(("/", f"http://{host}/")), place


def test_an_unknown_host_is_refused(plain):
    response = Visitor(plain, host="evil.example").get(LOGIN, 400)
    assert "evil" not in response.text + str(response.headers)


# -- static files --------------------------------------------------------------------------------


def test_static_files_are_kept_for_long_under_the_address_that_pages_name(plain):
    page = Visitor(plain).get(LOGIN).text
    # Only the page of records has the script for records.
    for name in sorted({*STATIC} - {"records.js"}):
        (url,) = set(re.findall(rf'"(/settings/static/{re.escape(name)}[^"]*)"', page))
        response = Visitor(plain).get(url)
        assert "max-age=31536000" in response.headers["Cache-Control"]
        assert not response.headers.getall("Set-Cookie")
    types = [Visitor(plain).get(f"/settings/static/{n}").content_type for n in STATIC]
    assert types[0] == "text/css"
    assert types[1] in ("text/javascript", "application/javascript")
    assert types[-1] == "image/svg+xml"


def test_a_static_file_that_was_not_changed_is_not_sent_again(plain):
    visitor = Visitor(plain)
    first = visitor.get("/settings/static/pages.css")
    headers = {"If-Modified-Since": first.headers["Last-Modified"]}
    again = visitor.get("/settings/static/pages.css", 304, headers=headers)
    assert again.headers.get("Cache-Control") != "no-store"


@pytest.mark.parametrize(
    "path",
    ["", "/", "/nothing.css", "/../views/login.py", "/%2e%2e/views/login.py", "/..%2fcsrf.py"]
    + ["/..\\csrf.py", "/%00", "//etc/passwd", "/pages.css%00.txt"],
)
def test_there_is_nothing_else_among_the_static_files(plain, path):
    response = Visitor(plain).get(f"/settings/static{path}", None)
    assert_error_page(response, 404)
    assert "def " not in response.text


# -- error pages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("signed", [False, True])
def test_what_is_not_there_is_a_404_for_people(plain, signed):
    visitor = signed_in(plain) if signed else Visitor(plain)
    paths = ("/settings/nothing", "/settings/login/", "/settings/%3Cb%3E", "/settings/static/x")
    for path in (*paths, "/settings/tokens/x/revoke") if signed else paths:
        response = visitor.get(path, None)
        assert_error_page(response, 404)
        assert "Page not found" in shown_text(response.text)
        assert "<b>" not in response.text
    assert ("Sign out" in response.text) == signed


def test_an_error_of_ours_is_a_500_without_internals(plain, monkeypatch):
    def broken(*arguments, **options):
        raise RuntimeError("the secret reason: SELECT * FROM users")

    visitor = signed_in(plain)
    monkeypatch.setattr(usage, "column_plot", broken)
    response = visitor.get("/settings/usage", None)
    assert_error_page(response, 500)
    assert "secret reason" not in response.text
    assert "SELECT" not in response.text
    assert str(Path(usage.__file__).parent) not in response.text


def test_a_storage_that_is_away_is_a_503_for_people(plain, monkeypatch):
    visitor, stranger = signed_in(plain), Visitor(plain)
    token = visitor.csrf()
    form = stranger.form(LOGIN).filled({"email": "a@b.org", "password": PASSWORD})

    def away(*arguments, **options):
        raise StorageUnavailable("postgresql://user:secret@10.0.0.1:5432 does not answer")

    monkeypatch.setattr(plain.backend, "read", away)
    monkeypatch.setattr(plain.backend, "write", away)
    answers = [
        *(visitor.get(path, None) for path in PAGES),
        visitor.get("/accounts/export", None),
        visitor.get(LOGIN, None),
        visitor.get("/settings/tokens/x/revoke", None),
        visitor.post("/settings/logout", {"csrf_token": token}),
        visitor.post("/settings/security/sign-out-everywhere", {"csrf_token": token}),
        stranger.post(LOGIN, form),
    ]
    for response in answers:
        assert_error_page(response, 503)
        assert int(response.headers["Retry-After"]) >= 1
        assert "10.0.0.1" not in response.text
        assert not response.headers.getall("Set-Cookie")
    # Pages that need no storage still work.
    stranger.get(LOGIN)
    stranger.get("/settings/static/pages.css")
    monkeypatch.undo()
    assert visitor.is_signed_in()


def test_what_is_not_let_in_at_all_has_the_headers_too(configured):
    service = configured(require_https="true")
    assert Visitor(service).get("/overview", 301)
    assert Visitor(service).get("/overview", 403, headers={"X-Forwarded-For": "192.0.2.1"})
    assert Visitor(service, https=True).get("/overview", 303)
    for path, status in (("/settings/%ff", 400), ("/settings/" + "a" * 9_000, 414)):
        assert Visitor(service, https=True).get(path, status)


def test_a_form_s_token_is_only_in_forms(plain):
    visitor = signed_in(plain)
    page = visitor.get("/settings/security").text
    token = csrf_of(page)
    assert page.count(token) == page.count(f'name="csrf_token" value="{token}"')


@pytest.mark.parametrize("path", ["/docsnope", "/docs.html", "/docs/guides", "/docs/guides/nope"])
def test_what_is_not_below_the_references_has_the_usual_policy(plain, path):
    answer = plain.web.get(path, headers={"Accept": "text/html"}, status="*")
    assert answer.headers.getall("Content-Security-Policy") != [DOCS_POLICY]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *(("/docs", 200), ("/docs/wallet", 200), ("/docs/internal", 200)),
        *(("/docs/", 404), ("/docs/nothing", 404), ("/docs/wallet/nothing.js", 404)),
        *(("/docs/%FF", 400), (f"/docs/{'a' * 9_000}", 414)),
    ],
)
def test_the_references_and_everything_below_them_have_their_policy(plain, path, status):
    answer = plain.web.get(path, status=status)
    assert answer.headers.getall("Content-Security-Policy") == [DOCS_POLICY]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
