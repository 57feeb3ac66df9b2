"""Errors: problem documents (RFC 9457), the same for every cause."""

import pytest

from finance_api.resources import PUBLIC_RESOURCES

PATHS = [str(r.path) for r in PUBLIC_RESOURCES] + ["records/by-id"]
METHODS = ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")


def assert_problem(response, status):
    assert response.status_int == status, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    assert len(response.headers.getall("X-Request-Id")) == 1
    body = response.json
    assert body["status"] == status
    assert isinstance(body["type"], str)
    assert body["title"]
    assert body["detail"] and body["error"] == body["detail"]
    if status == 400:
        assert body["errors"]
        for fault in body["errors"]:
            assert set(fault) == {"in", "name", "message"}
    return body


def ask(client, method, path, **headers):
    return client.service.web.request(
        path, method=method, headers={**client.headers, **headers}, status="*", expect_errors=True
    )


def test_an_unknown_path_is_404(client):
    for path in (
        *("/nope", "/v1/api/nope", "/v1/api/", "/v2/api/records", "/v1/api/records/"),
        *("/v1/api/records/00000004-0000-4000-8000-000000000001", "/v1/api/Records"),
        *("/v1/api/standingOrders", "/v1//api/records"),
    ):
        assert_problem(ask(client, "GET", path), 404)


def test_nothing_acceptable_is_406(client):
    for accept in ("application/xml", "text/html", "image/*", "application/json;q=0"):
        assert_problem(client.get("records", headers={"Accept": accept}), 406)
    for accept in ("text/csv", "application/x-ndjson"):
        body = client.get(
            f"records/by-id?id={'0' * 8}-0000-4000-8000-000000000000", headers={"Accept": accept}
        )
        assert_problem(body, 406)


def test_an_error_is_a_problem_document_whatever_is_accepted(client):
    for accept in ("text/csv", "application/x-ndjson", "*/*", "application/json"):
        assert_problem(client.get("records", limit=0, headers={"Accept": accept}), 400)
        assert_problem(client.get("nope", headers={"Accept": accept}), 404)


def test_every_fault_of_a_request_is_listed(client):
    wrong = {
        "limit": 0,
        "offset": "x",
        "sortBy": "nope",
        "withTotal": "yes",
        "nope": "1",
        "amount": "eq.1e3",
        "recordDate": "2026-01-01",
        "payee": "gt.a",
        "paymentType": "gold",
        "accountId": "7",
    }
    body = assert_problem(client.get("records", **wrong), 400)
    assert {fault["name"] for fault in body["errors"]} == wrong.keys()
    assert {fault["in"] for fault in body["errors"]} == {"query"}


@pytest.mark.parametrize(
    ("path", "query", "bad"),
    [
        ("records", {"amount": ["eq.first", "eq.second"]}, ("first", "second")),
        ("records", {"amount": "gte.first,lte.second"}, ("first", "second")),
        ("records", {"recordDate": "gte.2026-02-30,lt.2026-02-31"}, ("02-30", "02-31")),
        ("records", {"sortBy": "first,-second"}, ("first", "second")),
        ("records", {"paymentType": "first,second"}, ("first", "second")),
        ("records", {"accountId": "first,second"}, ("first", "second")),
        ("records/by-id", {"id": ["first", "second"]}, ("first", "second")),
    ],
)
def test_two_faults_of_one_parameter_are_both_listed(client, path, query, bad):
    body = assert_problem(client.get(path, **query), 400)
    messages = " ".join(fault["message"] for fault in body["errors"])
    for part in bad:
        assert part in messages


def test_an_undecodable_path_is_400(client):
    for path in ("/v1/api/records%ff", "/v1/api/%C3%28", "/%ff"):
        assert_problem(ask(client, "GET", path), 400)


def test_each_response_has_a_request_id_of_its_own(client):
    answers = [
        client.get("records"),
        client.get("records"),
        client.get("nope"),
        client.get("records", limit=0),
        client.get("records", headers={"If-None-Match": "*"}),
        client.get("records", headers={"Authorization": "Bearer x"}),
        client.get("records", headers={"Host": "elsewhere.example"}),
        ask(client, "POST", "/v1/api/records"),
    ]
    ids = [answer.headers["X-Request-Id"] for answer in answers]
    assert all(ids) and len(set(ids)) == len(ids)


def test_an_error_shows_nothing_of_the_inside(client):
    for response in (
        client.get("records", limit="'", amount="eq.'\""),
        client.get("nope"),
        ask(client, "POST", "/v1/api/records"),
        client.get("records?a=%00"),
    ):
        for word in ("Traceback", "finance_api/", ".py", "SELECT", "sqlalchemy", "waitress"):
            assert word not in response.text
        assert "Server" not in response.headers
