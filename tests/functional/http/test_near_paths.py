"""A 404 names the path that was probably meant."""

import pytest

from support.native_rows import household, uid

ID = uid("Record", 1)


@pytest.fixture
def loaded(client):
    client.load(*household())
    return client


def detail(client, path, headers=None):
    return client.service.web.get(path, headers=headers or client.headers, status=404).json[
        "detail"
    ]


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/v1/api/records/?limit=1", "/v1/api/records"),
        ("/v1/api/Records", "/v1/api/records"),
        ("/V1/API/RECORDS/SUMMARY/", "/v1/api/records/summary"),
        ("/v1/api/record", "/v1/api/records"),
        ("/v1/api/lables", "/v1/api/labels"),
        ("/v1/api/records//summary", "/v1/api/records/summary"),
        ("/v1/api/records.cvs", "/v1/api/records.csv"),
        ("/v1/api/accounts/balance", "/v1/api/accounts/balances"),
        ("/v1/api/export/records.CSV", "/v1/api/export/records.csv"),
        (f"/v1/api/records/{ID}/", f"/v1/api/records/{ID}"),
        (f"/v1/api/record/{ID}", f"/v1/api/records/{ID}"),
        (f"/v1/api/Budgets/{ID}/period", f"/v1/api/budgets/{ID}/periods"),
        ("/wallet/v1/api/Records", "/wallet/v1/api/records"),
        ("/v1/openapi.jso", "/v1/openapi.json"),
        ("/v1/", "/v1"),
    ],
)
def test_a_path_that_differs_in_a_slash_in_case_or_in_a_letter_is_named(loaded, path, meant):
    told = detail(loaded, path)
    assert told == f"There is nothing at this path; did you mean {meant}?"
    assert loaded.service.web.get(meant, headers=loaded.headers, status="*").status_int < 404 or (
        ID in meant
    )


def test_no_path_for_operators_is_named(loaded):
    assert detail(loaded, "/__heartbeat__/") == "There is nothing at this path."


def test_the_internal_api_names_it_too(loaded):
    headers = {"Authorization": f"Bearer {loaded.service.jwt(loaded.user)}"}
    told = detail(loaded, "/internal/v1/get-record", headers)
    assert told.endswith("did you mean /internal/v1/get-records?")


def test_it_has_the_prefix_of_a_proxy(loaded):
    answer = loaded.service.web.get(
        "/v1/api/records/",
        headers=loaded.headers,
        extra_environ={"SCRIPT_NAME": "/money"},
        status=404,
    )
    assert answer.json["detail"].endswith("did you mean /money/v1/api/records?")


@pytest.mark.parametrize(
    "path",
    ["/v1/api/nothing", "/v1/api/records/a/b/c", "/nothing", "/" + "x" * 5_000, "/v1/api/%20"],
)
def test_a_path_like_no_other_is_not_guessed(loaded, path):
    assert detail(loaded, path) == "There is nothing at this path."


def test_an_object_that_does_not_exist_is_no_unknown_path(loaded):
    assert "did you mean" not in detail(loaded, f"/v1/api/records/{uid('Record', 4711)}")
