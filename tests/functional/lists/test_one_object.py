"""GET /v1/api/<resource>/<id>: one object."""

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from support.native_rows import account, household, record, uid

EACH = pytest.mark.parametrize("resource", PUBLIC_RESOURCES, ids=lambda r: str(r.path))


@EACH
def test_an_object_is_as_in_the_list(client, resource):
    client.load(*household())
    path = str(resource.path)
    rows = client.get(path).json[resource.name]
    assert rows
    for row in rows:
        for form in (row["id"], row["id"].upper()):
            response = client.get(f"{path}/{form}")
            assert response.status_int == 200
            assert response.json == row
            assert list(response.json) == list(row)


@EACH
def test_a_foreign_id_answers_like_a_missing_one(service, client, resource):
    other = service.client()
    other.load(*household())
    row_id = other.get(str(resource.path)).json[resource.name][0]["id"]
    missing = "ffffffff-0000-4000-8000-000000000000"
    answers = [client.get(f"{resource.path}/{each}") for each in (row_id, missing)]
    assert [answer.status_int for answer in answers] == [404, 404]
    assert answers[0].body == answers[1].body
    assert answers[0].json["detail"] == f"There is no {resource.word} with this id."
    assert "ETag" not in answers[0].headers
    for text in ("x", row_id[:-1], row_id + "0", row_id.replace("-", ""), f"{{{row_id}}}"):
        assert client.get(f"{resource.path}/{text}").status_int == 404


def test_it_costs_as_much_as_a_list_and_has_the_headers(client):
    client.load(account(), record())
    whole = client.get("records", limit=1)
    one = client.get(f"records/{uid('Record', 1)}")
    left = [int(each.headers["X-RateLimit-Remaining"]) for each in (whole, one)]
    assert left[0] - left[1] == 1
    for name in ("X-Last-Data-Change-Rev", "X-Last-Data-Change-At", "Cache-Control", "Vary"):
        assert one.headers[name] == whole.headers[name]
    assert one.headers["ETag"] != whole.headers["ETag"]


def test_an_unchanged_object_is_304_and_a_missing_one_never(client):
    client.load(account(), record(1))
    path = f"records/{uid('Record', 1)}"
    tag = client.get(path).headers["ETag"]
    for value in (tag, "*"):
        for _ in range(2):
            response = client.get(path, headers={"If-None-Match": value})
            assert (response.status_int, response.headers["ETag"]) == (304, tag)
            assert response.body == b"" and "Content-Type" not in response.headers
    response = client.get(f"records/{uid('Record', 2)}", headers={"If-None-Match": "*"})
    assert response.status_int == 404
    client.load(record(1, amount=7))
    changed = client.get(path, headers={"If-None-Match": tag})
    assert (changed.status_int, changed.json["amount"]) == (200, 7)


def test_fields_are_chosen_and_nothing_else(client):
    client.load(account(), record(1, payee="Shop"))
    path = f"records/{uid('Record', 1)}"
    assert client.get(path, fields="payee").json == {"id": uid("Record", 1), "payee": "Shop"}
    for query in ({"fields": "x"}, {"limit": 1}, {"payee": "eq.Shop"}):
        assert client.get(path, **query).status_int == 400
    assert client.get(path, headers={"Accept": "text/csv"}).status_int == 406
