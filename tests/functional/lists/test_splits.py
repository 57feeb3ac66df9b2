"""Split records: their parts are records. The whole is no longer a record, but is still stored."""

import json

import pytest

from support.native_rows import account, budget, category, household, record, split_record, uid

WHOLE, PARTS = uid("Record", 1), [uid("Record", 11), uid("Record", 12)]
FOOD, HOME = uid("Category", 1), uid("Category", 2)
BASE = [account(), category(), category(2, name="Home"), record(2, amount=5)]


def load(client):
    """Load a record, then the same record split into parts; return the cursor in between."""
    client.load(*BASE, record(1, amount=-30, payee="Shop", categoryId=FOOD))
    before = client.get("changes", since=0).json["next"]
    client.load(
        split_record(1, id=WHOLE, amount=-30, payee="Shop"),
        record(11, amount=-20, splitId=WHOLE, payee="Shop", categoryId=FOOD),
        record(12, amount=-10, splitId=WHOLE, payee="Shop", categoryId=HOME),
    )
    return before


def test_parts_are_records_with_the_id_of_the_whole(client):
    load(client)
    assert client.names("records", "id", splitId=WHOLE) == PARTS
    assert client.names("records", "id", splitId="is.null") == [uid("Record", 2)]
    assert client.names("records", "splitId", splitId="is.not_null") == [WHOLE] * 2
    assert client.get(f"records/{PARTS[0]}").json["splitId"] == WHOLE
    for path in ("records.csv", "records.ndjson", "export/records.csv"):
        assert client.get(path).text.count(WHOLE) == 2
    assert client.get("export/all.ndjson").text.count(WHOLE) == 3


def test_sums_balances_budgets_and_counts_count_the_parts_alone(client):
    load(client)
    client.load(budget(categoryIds=[HOME]))
    sums = client.get("records/summary", groupBy="category").json["groups"]
    assert {g["category"]: g["expense"] for g in sums} == {"Food": -20, "Home": -10, None: 0}
    (row,) = client.get("accounts").json["accounts"]
    assert (row["balance"], row["recordCount"]) == (-25, 3)
    assert client.get("budgets").json["budgets"][0]["spent"] == 10
    assert client.get("records", withTotal="true").json["total"] == 3
    assert client.get("records", q="shop", withTotal="true").json["total"] == 2


def test_the_whole_is_gone_and_its_parts_are_named(service, client):
    load(client)
    answer = client.get(f"records/{WHOLE}")
    assert (answer.status_int, answer.content_type) == (410, "application/problem+json")
    assert answer.json["partIds"] == PARTS
    assert "split into parts" in answer.json["detail"]
    assert client.get("records/by-id", id=f"{WHOLE},{PARTS[1]}").json["missingIds"] == [WHOLE]
    other = service.client()
    other.load(*household())
    assert other.get(f"records/{uid('SplitRecord', 1)}").status_int == 404
    assert other.get(f"records/{PARTS[0]}").status_int == 404


def test_changes_have_the_removal_and_the_parts(client):
    changes = client.get("changes", since=load(client), types="records").json["changes"]
    assert {change["id"]: change["op"] for change in changes} == {
        WHOLE: "delete",
        PARTS[0]: "put",
        PARTS[1]: "put",
    }


def test_a_dump_has_the_whole_once(client):
    load(client)
    lines = [json.loads(line) for line in client.get("export/all.ndjson").text.splitlines()]
    (whole,) = (line for line in lines if line["reserved_model_type"] == "SplitRecord")
    assert (whole["id"], whole["amount"]) == (WHOLE, -30)


@pytest.mark.parametrize("convert", [{}, {"convertTo": "EUR"}])
def test_a_whole_is_gone_in_every_form_of_the_request(client, convert):
    load(client)
    assert client.get(f"records/{WHOLE.upper()}", **convert).status_int == 410
