"""Pages carry the revision of the data, and a page of other data can be refused."""

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from support.native_rows import household, label, record

#: Everything that is divided into pages.
PAGED = [
    *(str(resource.path) for resource in PUBLIC_RESOURCES),
    "records/summary",
    "records/duplicates",
    "standing-orders/upcoming",
]


def revision_of(answer):
    assert answer.status_int == 200, answer.text
    return int(answer.headers["X-Last-Data-Change-Rev"])


def refused(answer):
    assert answer.status_int == 409, answer.text
    assert answer.content_type == "application/problem+json"
    assert "Start over" in answer.json["detail"]
    assert answer.json["help"].endswith("409-conflict")
    return True


@pytest.fixture
def loaded(client):
    client.load(*household())
    return client


@pytest.mark.parametrize("path", PAGED)
def test_a_page_says_its_revision_and_is_refused_once_the_data_changes(loaded, path):
    first = loaded.get(path, limit=1)
    revision = first.json["revision"]
    assert revision == revision_of(first) == 1
    again = loaded.get(path, limit=1, revision=revision)
    assert again.json == first.json
    loaded.load(record(4711))
    assert refused(loaded.get(path, limit=1, revision=revision))
    assert loaded.get(path, limit=1, revision=2).json["revision"] == 2


def test_the_formats_without_an_envelope_refuse_it_too(loaded):
    for ending in (".csv", ".ndjson", ".xlsx"):
        assert revision_of(loaded.get(f"records{ending}?revision=1")) == 1
        assert refused(loaded.get(f"records{ending}?revision=2"))


def test_pages_with_computed_and_converted_values_have_it_too(loaded):
    for query in ("budgets?limit=1", "accounts?convertTo=EUR", "records?fields=payee"):
        assert loaded.get(query).json["revision"] == 1
        joined = query + "&revision=7"
        assert refused(loaded.get(joined))


def test_an_import_between_two_pages_repeats_a_row_unless_the_revision_is_sent(client):
    client.load(*(label(n, name=f"b{n}") for n in range(4)))
    first = client.get("labels", limit=2).json
    client.load(label(9, name="a new first one"))
    second = client.get("labels", limit=2, offset=2).json
    assert second["labels"][0] == first["labels"][1]
    assert second["revision"] != first["revision"]
    assert refused(client.get("labels", limit=2, offset=2, revision=first["revision"]))


def test_a_cached_page_and_a_304_are_of_the_revision(loaded):
    first = loaded.get("records", limit=1, revision=1)
    tag = {"If-None-Match": first.headers["ETag"]}
    assert loaded.get("records", limit=1, revision=1).json == first.json
    assert loaded.get("records", limit=1, revision=1, headers=tag).status_int == 304
    assert loaded.get("records", limit=1, revision=1, headers={"If-None-Match": "*"})
    loaded.load(record(4711))
    assert refused(loaded.get("records", limit=1, revision=1))
    assert refused(loaded.get("records", limit=1, revision=1, headers=tag))
    any_tag = {"If-None-Match": "*"}
    assert refused(loaded.get("records", limit=1, revision=1, headers=any_tag))
    current = loaded.get("records", limit=1).headers["ETag"]
    tag = {"If-None-Match": current}
    assert refused(loaded.get("records", limit=1, revision=1, headers=tag))


def test_the_link_to_the_next_page_keeps_the_revision(loaded):
    assert "revision=1" in loaded.get("records", limit=1, revision=1).headers["Link"]


@pytest.mark.parametrize("text", ["", "-1", "r1", "1.5", "latest"])
def test_a_revision_is_a_whole_number(loaded, text):
    assert loaded.fault("records", revision=text)["name"] == "revision"


def test_what_has_no_pages_takes_no_revision(loaded):
    for path in ("export/records", "accounts/balances", "questions"):
        assert loaded.fault(path, revision="1")["name"] == "revision"
