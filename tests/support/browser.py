"""A browser without scripts, and checks that every response of the settings pages must pass."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from http.cookies import Morsel, SimpleCookie
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from argon2 import PasswordHasher
from sqlalchemy import URL, Engine, MetaData, NullPool, create_engine, select
from webtest import TestApp, TestResponse

from finance_api.auth.jwts import issue_jwt
from finance_api.auth.personal_tokens import issue_token
from finance_api.auth.user_accounts import make_user
from finance_api.http.surfaces import is_page
from finance_api.storage.interface import Jwt, Question, QuestionLink, Session, Token, User
from support.html import Form, csrf_of, forms
from support.service import Service, running_services

LOGIN = "/settings/login"
PASSWORD = "correct horse battery staple"

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: Internal details that no page may show.
INTERNALS = ("Traceback", 'File "', "sqlalchemy", "psycopg", "site-packages", "finance_api.web")

_REQUEST_ID = re.compile("[0-9a-f]{32}")
_numbers = itertools.count(1)

Fields = Mapping[str, Any] | Iterable[tuple[str, Any]]


@pytest.fixture(scope="module", name="services")
def few_users(new_settings: Callable[[str], dict[str, str]]) -> Iterator[Callable[[str], Service]]:
    """Services for one module only. Imported by tests that `dump` everything stored."""
    with running_services(new_settings) as of:
        yield of


@contextmanager
def hashes_counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield a list that collects the hashes that passwords are compared with."""
    seen: list[str] = []
    verify = PasswordHasher.verify

    def counted(hasher: PasswordHasher, expected: str, password: str) -> bool:
        seen.append(expected)
        return verify(hasher, expected, password)

    with monkeypatch.context() as patch:
        patch.setattr(PasswordHasher, "verify", counted)
        yield seen


# -- users ---------------------------------------------------------------------------------------


def new_user(
    service: Service,
    *,
    email: str | None = None,
    password: str | None = PASSWORD,
    premium: bool = True,
) -> User:
    address = email or f"visitor{next(_numbers)}@example.org"
    now = service.clock.now()
    made: User = service.change(
        lambda storage: make_user(storage, address, premium=premium, password=password, now=now)
    )
    return made


def user_now(service: Service, user: User) -> User:
    found: User = service.change(lambda storage: storage.users.get(user.email))
    return found


def new_token(service: Service, user: User, name: str = "test", **options: Any) -> str:
    now = service.clock.now()
    text: str = service.change(lambda s: issue_token(s, user, name=name, now=now, **options))
    return text


def new_jwt(service: Service, user: User, seconds: int = 3_600) -> str:
    services = service.services
    text: str
    text, _ = service.change(
        lambda storage: issue_jwt(
            storage,
            storage.users.get(user.email),
            keys=services.jwt_keys.keys(),
            rules=services.jwt_rules,
            now=service.clock.now(),
            ttl_seconds=seconds,
        )
    )
    return text


def tokens_of(service: Service, user: User) -> list[Token]:
    found: list[Token] = service.change(lambda storage: storage.users.list_owned(Token, user.id))
    return found


def jwts_of(service: Service, user: User) -> list[Jwt]:
    found: list[Jwt] = service.change(lambda storage: storage.users.list_owned(Jwt, user.id))
    return found


def sessions_of(service: Service, user: User) -> list[Session]:
    found: list[Session] = service.change(
        lambda storage: storage.users.list_owned(Session, user.id)
    )
    return found


def dump(service: Service) -> dict[str, list[str]]:
    """Return the rows of each table except the audit log.

    Flushes the values that are written in the background first.
    """
    for behind in ("seen_sessions", "last_used", "usage"):
        getattr(service.services, behind).flush()
    if service.kind == "memory":
        state = service.backend.database
        tables = {f.name: getattr(state, f.name) for f in fields(state) if f.name != "audit"}
        owned = tables.pop("owned").items()
        for kind in (Token, QuestionLink, Session, Jwt, Question):
            tables[f"{kind.noun}s"] = {key[1]: each for key, each in owned if key[0] is kind}
        return {name: _lines(table) for name, table in tables.items()}
    engine, metadata = _reflected(service.backend.engine.url)
    with engine.connect() as connection:
        return {
            table.name: sorted(repr(tuple(row)) for row in connection.execute(select(table)))
            for table in metadata.tables.values()
            if table.name != "audit"
        }


@cache
def _reflected(url: URL) -> tuple[Engine, MetaData]:
    """Return the tables that the database has."""
    # Without a pool: no connection to a test's database stays open.
    engine, metadata = create_engine(url, poolclass=NullPool), MetaData()
    metadata.reflect(engine)
    return engine, metadata


def _lines(value: Any) -> list[str]:
    return sorted(map(repr, value.items())) if isinstance(value, dict) else [repr(value)]


#: Where a refused form is kept.
KEPT_FORMS = {"uploads", "upload_pieces"}


def changed_tables(before: dict[str, list[str]], after: dict[str, list[str]]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


# -- the browser ---------------------------------------------------------------------------------


class Visitor:
    """A person with a browser, which keeps cookies and sends forms as browsers do.

    https: whether the server itself speaks HTTPS with the browser. address: the browser's.
    lint: whether to check each exchange against WSGI (PEP 3333), which allows few methods.
    """

    def __init__(
        self,
        service: Service,
        *,
        https: bool = False,
        address: str = "192.0.2.1",
        agent: str = "Visitor/1.0",
        host: str = "localhost",
        headers: Mapping[str, str] | None = None,
        lint: bool = True,
    ) -> None:
        self.service = service
        self.https = https
        self.host = host
        self.agent = agent
        self.headers = dict(headers or {})
        self.cookies: dict[str, str] = {}
        self._web = TestApp(service.app, extra_environ={"REMOTE_ADDR": address}, lint=lint)

    # -- requests

    def request(
        self,
        method: str,
        path: str,
        *,
        body: bytes = b"",
        headers: Mapping[str, str | None] | None = None,
        status: int | None = None,
        expect_https: bool | None = None,
    ) -> TestResponse:
        """Send any request, and check the response with `assert_protected` and for its status.

        headers: None omits a header that would otherwise be sent.
        """
        merged = {"Host": self.host, "User-Agent": self.agent, **self.headers, **(headers or {})}
        sent = {name: value for name, value in merged.items() if value is not None}
        if self.cookies and "Cookie" not in sent:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        self._web.reset()
        response = self._web.request(
            ("https" if self.https else "http") + "://localhost" + path,
            method=method,
            body=body,
            headers=sent,
            expect_errors=True,
        )
        self._keep_cookies(response)
        https = self.https if expect_https is None else expect_https
        if is_page(urlsplit(path).path):
            assert_protected(response, https=https, static=path.startswith("/settings/static/"))
        if status is not None:
            assert response.status_int == status, (response.status, response.text[:3_000])
        return response

    def get(self, path: str, status: int | None = 200, **options: Any) -> TestResponse:
        return self.request("GET", path, status=status, **options)

    def post(
        self,
        path: str,
        sent: Fields = (),
        *,
        status: int | None = None,
        headers: Mapping[str, str | None] | None = None,
        **options: Any,
    ) -> TestResponse:
        """Send only these fields, with the headers in which a browser says where a form is from.

        status: 400 also accepts a form that is kept, and returns its page with the errors.
        """
        pairs = list(sent.items()) if isinstance(sent, Mapping) else list(sent)
        own = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": f"{'https' if self.https else 'http'}://{self.host}",
            "Sec-Fetch-Site": "same-origin",
        }
        body = urlencode(pairs, errors="surrogatepass").encode()
        merged = {**own, **(headers or {})}
        response = self.request("POST", path, body=body, headers=merged, **options)
        is_kept = "kept=" in response.headers.get("Location", "")
        if status == 400 and response.status_int == 303 and is_kept:
            return self.follow(response)
        if status is not None:
            assert response.status_int == status, (response.status, response.text[:3_000])
        return response

    def form(self, page: str, action: str | None = None) -> Form:
        """Return the form on a page that posts to ``action``, by default to the page itself.

        The address of a form may lead back to a list.
        """
        wanted = action or urlsplit(page).path
        there = {wanted, f"{wanted}?{urlsplit(page).query}"}
        (found,) = [form for form in forms(self.get(page).text) if form.action in there]
        assert found.method == "post"
        return found

    def submit(
        self, page: str, action: str | None = None, *, status: int | None = None, **given: Any
    ) -> TestResponse:
        """Load a page, fill in one of its forms, and send the form."""
        form = self.form(page, action)
        return self.post(form.action, form.filled(given), status=status)

    def follow(self, response: TestResponse, **options: Any) -> TestResponse:
        """Return the page that a redirect leads to."""
        assert response.status_int == 303, (response.status, response.text[:3_000])
        return self.get(location(response), **options)

    # -- what users do

    def undo(self, page: TestResponse) -> TestResponse:
        """Undo the change that the notice of a page names."""
        (form,) = [form for form in forms(page.text) if "/undo" in form.action]
        return self.post(form.action, form.fields, status=303)

    def change_password(
        self,
        current: str = PASSWORD,
        new: str = "a new long password",
        repeated: str | None = None,
        *,
        status: int | None = None,
        **given: str,
    ) -> TestResponse:
        """Send the form for a new password. repeated: by default the same."""
        page = "/settings/security"
        fields = {
            "current_password": current,
            "new_password": new,
            "repeated_password": new if repeated is None else repeated,
        }
        return self.submit(page, f"{page}/password", status=status, **fields, **given)

    def sign_in(
        self, user: User, password: str = PASSWORD, *, status: int = 303, **given: Any
    ) -> TestResponse:
        return self.submit(
            LOGIN, status=status, **{"email": user.email, "password": password, **given}
        )

    def csrf(self, page: str = "/settings/jwts/revoke-all") -> str:
        """Return the session's CSRF token, by default from a small page."""
        return csrf_of(self.get(page).text)

    @property
    def secret(self) -> str | None:
        """Return the value of the session cookie."""
        return self.cookies.get(("__Host-" if self.https else "") + "finance_session")

    def is_signed_in(self) -> bool:
        response = self.get("/overview", status=None)
        if response.status_int == 200:
            return True
        assert response.status_int == 303, response.text
        assert location(response) == LOGIN + "?next=%2Foverview"
        return False

    def copy(self, service: Service | None = None) -> "Visitor":
        """Return another browser with the same cookies, for this process or another one."""
        other = Visitor(service or self.service, https=self.https, host=self.host, agent=self.agent)
        other.cookies = dict(self.cookies)
        return other

    def _keep_cookies(self, response: TestResponse) -> None:
        for morsel in sent_cookies(response):
            assert_safe_cookie(morsel)
            if morsel["max-age"] == "0" or not morsel.value:
                self.cookies.pop(morsel.key, None)
            else:
                self.cookies[morsel.key] = morsel.value


def signed_in(service: Service, user: User | None = None, **options: Any) -> Visitor:
    """Return a new browser in which the user (by default a new user) is signed in."""
    visitor = Visitor(service, **options)
    visitor.sign_in(user or new_user(service))
    return visitor


def sent_cookies(response: TestResponse) -> list[Morsel[str]]:
    return [
        morsel
        for line in response.headers.getall("Set-Cookie")
        for morsel in SimpleCookie(line).values()
    ]


def location(response: TestResponse) -> str:
    """Return the path and query of a redirect, which must stay on this host."""
    url = urlsplit(response.headers["Location"])
    assert url.netloc in ("", response.request.host), response.headers["Location"]
    return url.path + (f"?{url.query}" if url.query else "")


def assert_safe_cookie(morsel: Morsel[str]) -> None:
    https = morsel.key.startswith("__Host-")
    names = ("finance_session", "finance_visitor", "finance_browser", "finance_made")
    assert morsel.key.removeprefix("__Host-") in names
    assert bool(morsel["secure"]) == https
    assert morsel["httponly"]
    assert morsel["samesite"] == "Lax"
    assert morsel["path"] == "/"
    assert not morsel["domain"]


def errors(response: TestResponse) -> set[str]:
    """Return the form fields that have an error beside them."""
    return set(re.findall('id="([a-z_]+)-error"', response.text))


def status_of(service: Service, path: str, credential: str) -> int:
    """Return the status of an API's response."""
    headers = {"Authorization": f"Bearer {credential}"}
    status: int = service.web.get(path, headers=headers, expect_errors=True).status_int
    return status


def assert_protected(response: TestResponse, *, https: bool, static: bool = False) -> None:
    """Check the headers that every response below /settings has."""
    headers = response.headers
    assert headers.getall("Content-Security-Policy") == [POLICY]
    assert headers.getall("X-Frame-Options") == ["DENY"]
    assert headers.getall("X-Content-Type-Options") == ["nosniff"]
    assert headers.getall("Referrer-Policy") == ["same-origin"]
    assert _REQUEST_ID.fullmatch(headers["X-Request-Id"])
    assert ("Strict-Transport-Security" in headers) == https
    if https:
        assert re.fullmatch("max-age=[0-9]{8,}", headers["Strict-Transport-Security"])
    names = {name.lower() for name in headers}
    assert not [name for name in names if name.startswith("access-control-")]
    assert not names & {"server", "x-powered-by", "x-version"}
    if not (static and response.status_int in (200, 304)):
        assert headers.getall("Cache-Control") == ["no-store"]


def assert_error_page(response: TestResponse, status: int) -> None:
    """Check that an error page has a request id to report, and shows nothing internal."""
    assert response.status_int == status, response.text
    assert response.content_type == "text/html"
    assert response.headers["X-Request-Id"] in response.text
    for word in INTERNALS:
        assert word not in response.text


def comparable(response: TestResponse) -> tuple[str, list[tuple[str, str]], str]:
    """Return a response without the parts that differ each time."""
    own = response.headers["X-Request-Id"]
    left_out = ("X-Request-Id", "Set-Cookie", "Date")
    headers = sorted((k, v) for k, v in response.headers.items() if k not in left_out)
    text = response.text.replace(own, "(request id)")
    random = {v for form in forms(text) for k, v in form.fields if k in ("csrf_token", "form-id")}
    for value in random:
        text = text.replace(value, "(random)")
    return response.status, headers, text
