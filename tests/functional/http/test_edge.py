"""The first checks of a request: sizes, host, HTTPS, CORS."""

import pytest
from pyramid.interfaces import IRoutesMapper
from webob import Request

from finance_api.api import listing
from support.native_rows import label
from support.service import Service


@pytest.fixture
def configured(new_settings):
    """Return a function that makes services with other settings."""
    made = []

    def make(**settings):
        names = {f"finance_api.{k.replace('__', '.')}": v for k, v in settings.items()}
        made.append(Service("memory", {**new_settings("memory"), **names}))
        return made[-1]

    yield make
    for service in made:
        service.stop()


@pytest.mark.parametrize("length", [8192, 8193, 20_000])
def test_a_url_has_at_most_8_kib(client, length):
    url = "/v1/api/records?" + "a" * (length - len("/v1/api/records?"))
    assert len(url) == length
    response = client.service.web.get(url, headers=client.headers, status="*")
    assert response.status_int == (400 if length == 8192 else 414)
    assert response.json["error"]
    assert response.headers["X-Request-Id"]


def headers_of(size):
    """Return headers of this size in bytes, as the application counts them."""
    names = {"Authorization": "Bearer x", "Host": "localhost:80"}
    used = sum(len("HTTP_") + len(name) + len(value) for name, value in names.items())
    filler = size - used - len("HTTP_X_FILLER")
    return {"Authorization": "Bearer x", "X-Filler": "a" * filler}


@pytest.mark.parametrize(("size", "status"), [(16_384, 401), (16_385, 431)])
def test_headers_are_counted_to_the_byte(client, size, status):
    response = client.service.web.get("/v1/api/labels", headers=headers_of(size), status="*")
    assert response.status_int == status


@pytest.mark.parametrize(("number", "status"), [(100, 200), (101, 431)])
def test_there_are_at_most_100_headers(client, number, status):
    # Authorization and Host count, too.
    more = {f"X-{n}": "y" for n in range(number - 2)}
    assert client.get("labels", headers=more).status_int == status


@pytest.mark.parametrize(("size", "status"), [(65_536, 405), (65_537, 413)])
def test_a_body_has_at_most_64_kib(client, size, status):
    response = client.service.web.post(
        "/v1/api/labels", "a" * size, headers=client.headers, status="*"
    )
    assert response.status_int == response.json["status"] == status
    assert response.headers["Content-Type"] == "application/problem+json"


def test_a_length_of_thousands_of_digits_is_413(client):
    request = Request.blank("/v1/api/labels", environ={"CONTENT_LENGTH": "9" * 5_000})
    status, _, _ = request.call_application(client.service.app)
    assert status.startswith("413 ")


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_body_that_the_server_has_not_counted_is_411(client, method):
    """granian passes chunks on as they come; waitress and proxies replace them by a length."""
    environ = {"HTTP_TRANSFER_ENCODING": "chunked", "REQUEST_METHOD": method}
    response = client.service.web.get(
        "/v1/api/labels", headers=client.headers, extra_environ=environ, status="*"
    )
    assert response.status_int == response.json["status"] == 411


def test_the_forms_of_localhost_are_answered(client):
    for host in ("localhost", "LOCALHOST:8000", "127.0.0.1:80", "[::1]:6543", "[::1]"):
        assert client.get("records", headers={"Host": host}).status_int == 200


def test_another_host_is_refused_and_not_repeated(client):
    for host in (
        *("evil.example", "localhost.evil.example", "localhost@evil.example", "evil.example:80"),
        *("localhost, evil.example", "xlocalhost", "127.0.0.1.evil.example"),
        "localhost:80:evil.example",
    ):
        response = client.get("records", headers={"Host": host})
        assert response.status_int == 400
        assert response.json["errors"]
        assert "evil" not in response.text + str(response.headers)


def test_a_forwarded_host_is_neither_believed_nor_repeated(client):
    client.load(label(1), label(2))
    for name in ("X-Forwarded-Host", "X-Host", "Forwarded", "X-Original-URL", "X-Rewrite-Url"):
        response = client.get("labels", limit=1, headers={name: "host=evil.example"})
        assert response.status_int == 200
        assert response.headers["Link"].startswith("</v1/api/labels?")
        assert "evil" not in response.text + str(response.headers)


def test_allowed_hosts_are_a_setting_and_health_is_exempt(configured):
    service = configured(allowed_hosts="api.example.org")
    client = service.client()
    assert client.get("records", headers={"Host": "api.example.org:443"}).status_int == 200
    assert client.get("records").status_int == 400
    for path, status in HEALTH_AND_OTHERS:
        answer = service.web.get(path, headers={"Host": "10.0.0.7"}, status="*")
        assert (path, answer.status_int) == (path, status or 400)


def test_plain_http_is_refused_where_https_is_required(configured):
    client = configured(require_https="true").client()
    response = client.get("records")
    assert response.status_int == 403
    assert response.headers["Content-Type"] == "application/problem+json"
    assert "HTTPS" in response.json["detail"]
    # No proxy is trusted, so the header does not count.
    spoofed = client.get("records", headers={"X-Forwarded-Proto": "https"})
    assert spoofed.status_int == 403
    secure = client.service.web.get("/v1/api/records", headers=client.headers, extra_environ=HTTPS)
    assert secure.status_int == 200
    for path, status in HEALTH_AND_OTHERS:
        answer = client.service.web.get(path, status="*")
        assert (path, answer.status_int) == (path, status or 403)


def test_browsers_are_led_from_plain_http_to_the_same_page(configured):
    web = configured(require_https="true", trusted_proxies="10.0.0.0/8").web
    for method, path in (
        *(("GET", "/records?q=a%20b&q=%C3%A4"), ("HEAD", "/settings/login"), ("GET", "/")),
    ):
        answer = web.request(path, method=method, headers={"Host": "localhost:8080"}, status=301)
        assert answer.headers["Location"] == f"https://localhost{path}"
    # A trusted proxy says that the browser uses plain HTTP.
    proxied = {"X-Forwarded-Proto": "http", "X-Forwarded-For": "192.0.2.1"}
    web.get("/records", headers=proxied, extra_environ={"REMOTE_ADDR": "10.0.0.1"}, status=301)
    # Behind a proxy that is not trusted, a redirect would never end.
    proxied["X-Forwarded-Proto"] = "https"
    web.get("/records", headers=proxied, extra_environ={"REMOTE_ADDR": "192.0.2.9"}, status=403)
    for path in (
        "/v1/api/records",
        "/internal/v1/get-records",
        "/wallet/v1/api/records",
        "/q/x.csv",
    ):
        web.get(path, status=403)
    assert web.post("/settings/login", status="*").status_int == 403
    # The address is only that of a name of this service.
    web.get("/records", headers={"Host": "evil.example"}, status=400)


HTTPS = {"wsgi.url_scheme": "https"}
#: Path, and its status with any host and over plain HTTP; None if that is refused.
HEALTH_AND_OTHERS = (
    ("/__lbheartbeat__", 200),
    ("/__heartbeat__", 200),
    # Both were once answered.
    ("/__version__", None),
    ("/__metrics__", None),
)


def test_every_answer_over_https_has_hsts_and_none_over_http(client, monkeypatch):
    monkeypatch.setattr(listing, "list_computed", lambda *arguments: 1 / 0)
    for path, headers, status in (
        ("/v1/api/goals", {"If-None-Match": "*"}, 304),
        ("/v1/api/api-usage/stats", {}, 200),
        ("/v1/api/goals?limit=0", {}, 400),
        ("/v1/api/goals", {"Host": "evil.example"}, 400),
        ("/v1/api/%ff", {}, 400),
        ("/v1/api/goals", {"Authorization": "Bearer x"}, 401),
        ("/v1/api/nothing", {}, 404),
        ("/v1/api/goals", {"Accept": "image/png"}, 406),
        ("/" + "a" * 8192, {}, 414),
        ("/v1/api/goals", {"X-Padding": "p" * 16_384}, 431),
        ("/v1/api/budgets?limit=7", {}, 500),
        ("/internal/v1/get-docs", {}, 401),
        ("/settings/login", {}, 200),
        ("/overview", {}, 303),
        ("/settings/nothing", {}, 404),
        ("/settings/static/pages.css", {}, 200),
        ("/__lbheartbeat__", {}, 200),
        ("/__heartbeat__", {}, 200),
        ("/__version__", {}, 200),
        ("/__metrics__", {}, 404),
        ("/", {}, 200),
        ("/nothing", {}, 404),
    ):
        sent = {**client.headers, **headers}
        for environ, hsts in ((HTTPS, ["max-age=31536000"]), ({}, [])):
            answer = client.service.web.get(
                path, headers=sent, extra_environ=environ, status="*", expect_errors=True
            )
            assert (path, answer.status_int) == (path, status)
            assert (path, answer.headers.getall("Strict-Transport-Security")) == (path, hsts)
    # No proxy is trusted, so the header does not count.
    spoofed = client.get("labels", headers={"X-Forwarded-Proto": "https"})
    assert "Strict-Transport-Security" not in spoofed.headers


def test_no_path_may_end_with_a_newline(client):
    web, registry = client.service.web, client.service.app.registry
    mapper = registry.queryUtility(IRoutesMapper)
    paths = [route.path for route in mapper.get_routes() if "*" not in route.path]
    assert len(paths) > 20
    for path in paths:
        answer = web.get(f"{path}%0A", headers=client.headers, status="*")
        assert (path, answer.status_int) == (path, 404)
        assert answer.json["detail"].startswith("There is nothing at this path")


def test_a_trusted_proxy_says_that_the_connection_is_encrypted(configured):
    client = configured(require_https="true", trusted_proxies="10.0.0.0/8").client()

    def status(address, proto):
        return client.service.web.get(
            "/v1/api/records",
            headers={**client.headers, "X-Forwarded-Proto": proto},
            extra_environ={"REMOTE_ADDR": address},
            status="*",
        ).status_int

    assert status("10.1.2.3", "https") == 200
    assert status("10.1.2.3", "http") == 403
    assert status("10.1.2.3", "https, http") == 403
    assert status("192.0.2.1", "https") == 403
    for address, hsts in (("10.1.2.3", True), ("192.0.2.1", False)):
        answer = client.service.web.get(
            "/__lbheartbeat__",
            headers={"X-Forwarded-Proto": "https"},
            extra_environ={"REMOTE_ADDR": address},
        )
        assert ("Strict-Transport-Security" in answer.headers) is hsts


CORS = ("Access-Control-Allow-Origin", "Access-Control-Allow-Credentials")


def test_without_configuration_there_is_no_cors(client):
    for origin in ("https://app.example.org", "null", "http://localhost"):
        response = client.get("records", headers={"Origin": origin})
        assert not any(name in response.headers for name in CORS)
    preflight = client.service.web.options("/v1/api/records", status="*")
    assert preflight.status_int == 401


def test_only_the_configured_origins_may_read(configured):
    client = configured(cors__origins="https://app.example.org").client()
    for path, status in (("records", 200), ("records?limit=0", 400), ("nope", 404)):
        response = client.get(path, headers={"Origin": "https://app.example.org"})
        assert response.status_int == status
        assert response.headers["Access-Control-Allow-Origin"] == "https://app.example.org"
        assert "Access-Control-Allow-Credentials" not in response.headers
        assert "Origin" in response.headers["Vary"]
    for origin in (
        "null",
        "http://app.example.org",
        "https://app.example.org.evil.example",
        "https://evil-app.example.org",
        "https://app.example.org:8443",
        "https://app.example.org/",
        "HTTPS://APP.EXAMPLE.ORG.",
        "*",
    ):
        response = client.get("records", headers={"Origin": origin})
        assert response.status_int == 200
        assert not any(name in response.headers for name in CORS)


def test_a_preflight_needs_no_token(configured):
    web = configured(cors__origins="https://app.example.org").web
    asked = {
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization",
    }
    response = web.options(
        "/v1/api/records", headers={"Origin": "https://app.example.org", **asked}
    )
    assert response.status_int == 204
    assert response.headers["X-Request-Id"]
    assert response.headers["Access-Control-Allow-Origin"] == "https://app.example.org"
    assert "authorization" in response.headers["Access-Control-Allow-Headers"].lower()
    assert "GET" in response.headers["Access-Control-Allow-Methods"]
    assert "Access-Control-Allow-Credentials" not in response.headers
    other = web.options("/v1/api/records", headers={"Origin": "null", **asked}, status="*")
    assert not any(name in other.headers for name in CORS)


def test_cors_is_for_the_public_api_only(configured):
    web = configured(cors__origins="*").web
    for path in ("/__lbheartbeat__", "/internal/v1/get-records", "/overview", "/"):
        response = web.get(path, headers={"Origin": "https://app.example.org"}, status="*")
        assert not any(name in response.headers for name in CORS)
