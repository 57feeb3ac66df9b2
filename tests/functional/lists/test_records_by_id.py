"""Records by id: their order, repeated and missing ids, and the maximum number of ids."""

import pytest

from support.native_rows import account, record, uid

IDS = [uid("Record", n) for n in range(1, 201)]


@pytest.fixture
def loaded(client):
    client.load(account(), *(record(n, amount=n) for n in range(1, 101)))
    return client


def ask(client, *values):
    response = client.get("records/by-id", id=list(values))
    assert response.status_int == 200, response.text
    body = response.json
    assert list(body) == ["records", "count", "missingIds"]
    assert body["count"] == len(body["records"])
    return [row["id"] for row in body["records"]], body["missingIds"]


def test_records_come_in_the_order_asked_for(loaded):
    wanted = [IDS[4], IDS[0], IDS[99], IDS[2]]
    assert ask(loaded, ",".join(wanted)) == (wanted, [])
    assert ask(loaded, *wanted) == (wanted, [])
    assert ask(loaded, ",".join(wanted[:2]), *wanted[2:]) == (wanted, [])


def test_a_record_looks_as_it_does_in_the_list(loaded):
    (row,) = loaded.get("records/by-id", id=IDS[0]).json["records"]
    assert [row] == loaded.get("records", id=IDS[0]).json["records"]


def test_repeated_ids_are_answered_once(loaded):
    assert ask(loaded, f"{IDS[1]},{IDS[0]},{IDS[1]}", IDS[1]) == ([IDS[1], IDS[0]], [])
    assert ask(loaded, IDS[150], IDS[150], IDS[0]) == ([IDS[0]], [IDS[150]])


def test_any_case_comes_in_and_lower_case_goes_out(client):
    letters = "abcdef00-0000-4000-8000-00000000abcd"
    client.load(account(), record(id=letters.upper()))
    assert ask(client, letters.upper()) == ([letters], [])
    assert ask(client, letters, letters.upper(), letters.title()) == ([letters], [])
    assert ask(client, uid("Record", 10).upper()) == ([], [uid("Record", 10)])


def test_unknown_ids_are_missing_in_the_order_asked_for(loaded):
    assert ask(loaded, IDS[150], IDS[0], IDS[120]) == ([IDS[0]], [IDS[150], IDS[120]])
    assert ask(loaded, uid("Account", 1)) == ([], [uid("Account", 1)])


def test_1_to_100_ids_are_taken_before_repetitions_are_dropped(loaded):
    assert ask(loaded, ",".join(IDS[:100])) == (IDS[:100], [])
    assert ask(loaded, *IDS[:100]) == (IDS[:100], [])
    assert ask(loaded, ",".join([IDS[0]] * 100)) == ([IDS[0]], [])
    for values in (
        [",".join(IDS[:101])],
        [",".join(IDS[:100]), IDS[0]],
        [",".join([IDS[0]] * 101)],
        [",".join(IDS[:51]), ",".join(IDS[:50])],
        IDS[:101],
    ):
        response = loaded.get("records/by-id", id=values)
        assert response.status_int == 400
        assert response.json["errors"]


def test_no_id_or_a_malformed_one_is_refused(loaded):
    assert loaded.get("records/by-id").json["errors"][0]["name"] == "id"
    for value in ("", ",", f"{IDS[0]},", f",{IDS[0]}", "1", IDS[0][:-1], f"{IDS[0]} {IDS[1]}", "*"):
        assert loaded.fault("records/by-id", id=value)["name"] == "id"
    assert loaded.get("records/by-id", id=[IDS[0], ""]).status_int == 400


def test_head_and_conditional_requests_work_as_on_lists(loaded):
    first = loaded.get("records/by-id", id=IDS[0])
    tag = first.headers["ETag"]
    assert loaded.get("records/by-id", id=IDS[0], headers={"If-None-Match": tag}).status_int == 304
    for other in (IDS[1], [IDS[0], IDS[1]], IDS[180]):
        answer = loaded.get("records/by-id", id=other, headers={"If-None-Match": tag})
        assert answer.status_int == 200
    head = loaded.service.web.head(f"/v1/api/records/by-id?id={IDS[0]}", headers=loaded.headers)
    assert head.headers["ETag"] == tag
    assert head.body == b""


def test_orders_that_differ_have_tags_that_differ(loaded):
    tags = {
        loaded.get("records/by-id", id=",".join(ids)).headers["ETag"]
        for ids in (IDS[:2], IDS[1::-1], IDS[:3])
    }
    assert len(tags) == 3
