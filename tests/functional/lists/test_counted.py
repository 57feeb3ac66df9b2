"""``counted=true`` lists the records that a summary with the same filters counts."""

import pytest

from support.native_rows import account, record, uid


@pytest.fixture
def loaded(client):
    client.load(
        account(1),
        account(2, name="Of others", excludeFromStats=True),
        record(1),
        record(2, recordState="cleared"),
        record(3, recordState="void"),
        record(4, transferId=uid("Record", 99)),
        record(5, accountId=uid("Account", 2)),
        record(6, accountId=uid("Account", 2), recordState="void"),
    )
    return client


@pytest.mark.parametrize(
    ("filters", "every", "counted"),
    [
        ({}, [1, 2, 3, 4, 5, 6], [1, 2]),
        ({"recordState": "void"}, [3, 6], []),
        ({"accountId": uid("Account", 1)}, [1, 2, 3, 4], [1, 2]),
        # An excluded account counts if the filter names it.
        ({"accountId": uid("Account", 2)}, [5, 6], [5]),
        ({"accountName": "eq.Of others"}, [5, 6], []),
    ],
)
def test_a_list_has_what_a_summary_counts(loaded, filters, every, counted):
    for flag, numbers in (("false", every), ("true", counted)):
        expected = [uid("Record", n) for n in numbers]
        assert loaded.names("records", "id", **filters, counted=flag, sortBy="id") == expected
        exported = loaded.get(
            "export/records.csv", **filters, counted=flag, sortBy="id", fields="id"
        ).text
        assert exported.splitlines()[1:] == expected
    groups = loaded.get("records/summary", **filters).json["groups"]
    assert sum(group["count"] for group in groups) == len(counted)


def test_it_has_an_etag_and_pages_of_its_own(loaded):
    every, counted = (loaded.get("records", limit=1, counted=flag) for flag in ("false", "true"))
    assert every.headers["ETag"] != counted.headers["ETag"]
    assert "counted=true" in counted.headers["Link"]
    assert loaded.get("records", limit=1, counted="true", withTotal="true").json["total"] == 2


def test_only_records_have_it(loaded):
    assert loaded.get("accounts", counted="true").status_int == 400
    assert loaded.get("records", counted="yes").status_int == 400
