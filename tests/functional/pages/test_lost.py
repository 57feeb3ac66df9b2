"""Pages for browsers that ask for something that is not there, or not allowed."""

import pytest

from finance_api.settings import PLUGINS
from support.browser import assert_error_page, assert_protected
from support.html import forms, shown_text
from support.service import Service, on_one_storage

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PROGRAMS = (
    {},
    {"Accept": "*/*"},
    {"Accept": "application/json, text/html;q=0.5"},
    {"Accept": ";;"},
)


@on_one_storage
@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/nope", None),
        ("/budget", "Budgets"),
        ("/account/", "Accounts"),
        ("/recordz/12", "Records"),
        ("/settings/profil", "Profile"),
        ("/login", "Sign in"),
        ("/accounts/00000000-0000-4000-8000-000000000000", "Accounts"),
        ("/%d0%b0/%e2%80%8f", None),
        ("/" + "a/" * 3_000, None),
    ],
)
def test_an_unknown_path_is_a_page_that_leads_on(service, user, visitor, path, title):
    page = visitor.get(path, 404, headers=BROWSER)
    assert_error_page(page, 404)
    assert_protected(page, https=visitor.https)
    text = shown_text(page.text)
    assert "Page not found" in text
    assert user.email in text
    assert any(form.action == "/records" and "q" in form.names for form in forms(page.text))
    if title:
        assert f"Did you mean {title} ?" in text
    else:
        assert "Did you mean" not in text


@on_one_storage
@pytest.mark.parametrize("path", ["/nope", "/budget", "/v1x", "/favicon.ico"])
def test_strangers_are_led_to_the_sign_in_page(service, path):
    page = service.web.get(path, headers=BROWSER, expect_errors=True)
    assert_error_page(page, 404)
    assert_protected(page, https=False)
    assert 'href="/settings/login"' in page.text
    assert "Search your records" not in page.text
    assert "Set-Cookie" not in page.headers


@on_one_storage
@pytest.mark.parametrize(
    ("path", "statuses"),
    [
        ("/v1/api/nope", {"GET": 401, "POST": 401}),
        ("/v1", {"POST": 405}),
        ("/wallet/v1/api/nope", {"GET": 401, "POST": 401}),
        ("/internal/v1/x", {"GET": 401, "POST": 401}),
    ],
)
def test_the_apis_answer_programs_and_browsers_alike(service, path, statuses):
    for method, status in statuses.items():
        for headers in (BROWSER, *PROGRAMS):
            answer = service.web.request(path, method=method, headers=headers, expect_errors=True)
            assert answer.status_int == status
            assert answer.content_type.endswith("json")


@on_one_storage
def test_programs_get_a_problem_document_elsewhere(service):
    for headers in PROGRAMS:
        answer = service.web.get("/nope", headers=headers, expect_errors=True)
        assert (answer.status_int, answer.content_type) == (404, "application/problem+json")


@pytest.mark.parametrize(("status", "title"), [(404, "not found"), (405, "cannot be done here")])
def test_an_error_of_a_plug_in_is_a_page_for_browsers(status, title):
    plugins = " ".join((*PLUGINS, "support.closed_doors"))
    service = Service("memory", {"finance_api.storage": "memory", "finance_api.plugins": plugins})
    path = f"/closed/{status}"
    page = service.web.get(path, headers=BROWSER, expect_errors=True)
    assert_error_page(page, status)
    assert title in shown_text(page.text)
    assert page.headers.getall("Allow") == ["POST"]
    problem = service.web.get(path, expect_errors=True)
    assert (problem.status_int, problem.content_type) == (status, "application/problem+json")
    service.stop()


@on_one_storage
def test_what_is_not_allowed_is_a_page(service, visitor):
    page = visitor.post("/settings/profile", {"csrf_token": "x"}, status=403, headers=BROWSER)
    assert_error_page(page, 403)


@on_one_storage
@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/records", "GET, HEAD, POST"),
        ("DELETE", "/overview", "GET, HEAD"),
        ("GET", "/records/1/category", "POST"),
        ("POST", "/overview", "GET, HEAD"),
        ("GET", "/settings/logout", "POST"),
        ("POST", "/settings", "GET, HEAD"),
    ],
)
def test_a_wrong_method_is_a_page_that_names_the_methods(service, visitor, method, path, allowed):
    for headers in (BROWSER, {}):
        page = service.web.request(path, method=method, headers=headers, expect_errors=True)
        assert_error_page(page, 405)
        assert page.headers["Allow"] == allowed
        assert "This cannot be done here" in shown_text(page.text)
