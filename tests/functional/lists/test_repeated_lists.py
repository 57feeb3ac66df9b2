"""A parameter that takes a list takes it between commas, repeated, and mixed."""

import pytest

from finance_api.api.openapi.document import INTERNAL, PUBLIC, described
from finance_api.api.validation import read_parameters
from support.native_rows import household, uid
from support.service import on_one_storage

#: Three values of each parameter with a list.
VALUES = {
    "sortBy": ("-createdAt", "id", "-updatedAt"),
    "fields": ("updatedAt", "id", "createdAt"),
    "groupBy": ("month", "category", "account"),
    "columns": ("spent", "count", "received"),
    "include": ("void", "transfers", "excluded"),
    "types": ("records", "accounts", "labels"),
    "status": ("active", "overdue", "ended"),
    "id": (uid("Record", 1), uid("Record", 2), uid("Record", 3)),
    "sort_by": ("-amount", "payee", "+record_date"),
    "document_type": ("Label", "Account", "Goal"),
}
#: Columns of a summary's groups.
SUMS = ("-net", "currencyCode", "count")


def lists(service):
    """Return the path, schema and name of each parameter with a list."""
    registry = service.app.registry
    found = [each for surface in (PUBLIC, INTERNAL) for each in described(registry, surface)]
    return [
        (each.path, each.schema, node.name)
        for each in found
        for node in each.schema.children
        if node.typ.schema["type"] == "array" and not node.typ.is_repeated
    ]


def forms(name, one, two, three):
    return [
        f"{name}={one},{two},{three}",
        f"{name}={one}&{name}={two}&{name}={three}",
        f"{name}={one},{two}&{name}={three}",
        f"{name}={one}&{name}={two},{three}",
    ]


@pytest.fixture
def loaded(client):
    client.load(*household())
    return client


@on_one_storage
def test_every_list_means_the_same_in_each_form(client):
    found = lists(client.service)
    assert {name for _, _, name in found} == VALUES.keys()
    for path, schema, name in found:
        values = SUMS if (name, path) == ("sortBy", "/v1/api/records/summary") else VALUES[name]
        needed = f"&id={uid('Record', 1)}" if "by-id" in path and name != "id" else ""
        read = [read_parameters(schema, query + needed) for query in forms(name, *values)]
        assert all(faults == [] for _, faults in read), (path, name)
        assert len({parameters.canonical for parameters, _ in read}) == 1, (path, name)
        assert len({str(parameters[name]) for parameters, _ in read}) == 1, (path, name)


def test_every_form_gets_the_same_answer_and_entity_tag(loaded):
    for path, name, values in (
        ("records", "fields", ("amount", "payee", "recordDate")),
        ("records", "sortBy", ("-amount", "payee", "recordDate")),
        ("records/summary", "groupBy", ("month", "category", "account")),
        ("records/summary", "columns", ("spent", "count", "received")),
        ("records/summary", "include", ("void", "transfers", "excluded")),
    ):
        answers = [loaded.get(f"{path}.csv?{query}") for query in forms(name, *values)]
        assert answers[0].status_int == 200, answers[0].text
        assert len({answer.text for answer in answers}) == 1
        assert len({answer.headers["ETag"] for answer in answers}) == 1


def test_the_order_of_repeated_values_is_kept(loaded):
    given = loaded.get("records.csv?fields=payee&fields=amount&fields=id&limit=1")
    assert given.text.startswith("payee,amount,id\r\n")
    ascending = loaded.names("records", "amount", sortBy=["recordType", "amount"])
    descending = loaded.names("records", "amount", sortBy=["recordType", "-amount"])
    assert ascending != descending
    by = loaded.get("records/summary.csv?groupBy=month&groupBy=category&columns=net").text
    assert by.startswith("currencyCode,month,")


def test_the_largest_number_of_values_counts_over_all_repetitions(loaded):
    four = "groupBy=month,category&groupBy=account&groupBy=payee"
    assert "at most 3" in loaded.get(f"records/summary?{four}").json["detail"]
    assert "twice" in loaded.get("records/summary?groupBy=month&groupBy=month").json["detail"]
    assert loaded.get("records?fields=&fields=amount").status_int == 400


def test_the_internal_api_takes_repeated_lists(loaded):
    headers = {"Authorization": f"Bearer {loaded.service.jwt(loaded.user)}"}

    def get(query):
        return loaded.service.web.get(f"/internal/v1/{query}", headers=headers)

    repeated = get("get-docs?document_type=Label&document_type=Account")
    joined = get("get-docs?document_type=Label,Account")
    assert repeated.body == joined.body
    assert repeated.headers["ETag"] == joined.headers["ETag"]
    repeated = get("get-records?sort_by=payee&sort_by=-amount")
    assert repeated.body == get("get-records?sort_by=payee,-amount").body
