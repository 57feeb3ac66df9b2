"""GET /internal/v1/get-docs: documents of the ten types, their content and their pages."""

import io
from decimal import Decimal

import pytest

from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder
from finance_api.resources import BY_MODEL_TYPE
from finance_api.resources.field import snake_case
from support.native_rows import account, budget, category, goal, household, label, record, uid

PATH = "get-docs"
TYPES = [
    *("Account", "Category", "Budget", "StandingOrder", "Label"),
    *("Goal", "Contact", "RecordRule", "HashTag", "MagicRule"),
]
OPEN_ENDED = ["Contact", "HashTag", "MagicRule"]
TIMES = {"createdAt": "2026-01-01T10:00:00Z", "updatedAt": "2026-02-01T23:59:59Z"}


def an_id(number):
    return f"000000ff-0000-4000-8000-{number:012x}"


def doc(model_type, number=1, **fields):
    row = {"reserved_model_type": model_type, "id": an_id(number), "name": f"name {number}"}
    return {**row, **TIMES, **fields}


def everything():
    return [*household(), *(doc(t, n) for t in OPEN_ENDED for n in (1, 2))]


def answer(client, types, **query):
    response = client.internal(PATH, document_type=types, **query)
    assert response.status_int == 200, response.text
    return response.json


def data(client, types, **query):
    return [d["data"] for d in answer(client, types, **query)["documents"]]


def only(client, model_type):
    (found,) = data(client, model_type)
    return found


def names(client, types, **query):
    return [found["name"] for found in data(client, types, **query)]


def fault(client, name, **query):
    response = client.internal(PATH, **query)
    assert response.status_int == 400, response.text
    (found,) = response.json["errors"]
    assert found["name"] == name
    return found["message"]


# -- what a document is


def test_the_envelope_and_a_document_are_as_documented(client):
    client.load(account(name="Giro"))
    response = client.internal(PATH, document_type="Account")
    assert response.headers["Content-Type"] == "application/json"
    found = response.json
    assert list(found) == ["documents", "total", "limit", "offset"]
    assert (found["total"], found["limit"], found["offset"]) == (1, 30, 0)
    (document,) = found["documents"]
    assert list(document) == ["id", "reserved_model_type", "data"]
    assert document["id"] == uid("Account", 1)
    assert document["reserved_model_type"] == "Account"


def test_an_account_has_its_balance(client):
    client.load(
        account(name="Giro", initialBalance=Decimal("900719925474099.3001"), **TIMES),
        record(1, amount=Decimal("-0.3")),
        record(2, amount=-5, recordState="void"),
    )
    found = client.internal(PATH, document_type="Account")
    assert '"balance":900719925474099.0001,' in found.text
    shown = only(client, "Account")
    assert list(shown) == [
        *("name", "account_type", "currency_code", "initial_balance", "balance", "record_count"),
        *("last_record_date", "bank_balance", "bank_balance_date", "unexplained"),
        "unexplained_since",
        *("bank_account_number", "color", "archived", "exclude_from_stats"),
        *("created_at", "updated_at"),
    ]
    assert shown["name"] == "Giro"
    assert shown["record_count"] == 2
    assert shown["bank_account_number"] is None
    assert shown["archived"] is False
    assert shown["created_at"] == "2026-01-01T10:00:00Z"


def test_dates_are_days_and_computed_fields_are_left_out(client):
    client.load(
        account(),
        label(),
        budget(startDate="2026-01-01", limitAmount=Decimal("50.10"), labelIds=[uid("Label", 1)]),
        goal(desiredDate="2026-06-01", targetAmount=10),
    )
    shown = only(client, "Budget")
    assert shown["start_date"] == "2026-01-01"
    assert shown["end_date"] is None
    assert shown["limit_amount"] == 50.1
    assert shown["label_ids"] == [uid("Label", 1)]
    assert shown["account_ids"] == []
    assert not {"spent", "period_start", "progress", "record_count"} & set(shown)
    assert only(client, "Goal")["desired_date"] == "2026-06-01"
    assert "progress" not in only(client, "Goal")


@pytest.mark.parametrize("model_type", TYPES)
def test_data_holds_every_stored_field_in_snake_case(client, model_type):
    client.load(*everything())
    resource = BY_MODEL_TYPE[model_type]
    expected = [snake_case(f.name) for f in resource.listed_fields if f.name != "id"]
    found = data(client, model_type)
    assert len(found) >= 2
    for shown in found:
        assert list(shown) == expected
    if resource.path:
        rows = client.get(resource.path, sortBy="+name").json[resource.name]
        for shown, row in zip(found, rows, strict=True):
            for field in resource.listed_fields[1:]:
                assert shown[snake_case(field.name)] == row[field.name]


def test_where_a_row_came_from_is_not_shown(client):
    client.load(category(source="other", sourceId="s1"), doc("Contact", source="o", sourceId="s"))
    for shown in data(client, "all"):
        assert not {"source", "source_id", "sourceId", "extra", "id"} & set(shown)


# -- what else the import brought


@pytest.mark.parametrize("model_type", OPEN_ENDED)
def test_what_the_import_brought_follows_the_declared_fields(client, model_type):
    client.load(
        doc(
            model_type,
            phoneNumber="+49 1",
            homeURL="https://example.org",
            tags=["a", {"innerKey": 1}],
            address={"zipCode": "10115", "geoPoint": {"latDeg": 52.5}},
            active=True,
            nothing=None,
            Notes="x",
            **{"with space": 1, "snake_key": 2, "ünïKey": 3, "kebab-Key": 4, "": 5},
        )
    )
    shown = only(client, model_type)
    assert list(shown) == [
        *("name", "created_at", "updated_at"),
        *("phone_number", "home_url", "tags", "address", "active", "nothing", "Notes"),
        *("with space", "snake_key", "ünïKey", "kebab-Key", ""),
    ]
    assert shown["tags"] == ["a", {"innerKey": 1}]
    assert shown["address"] == {"zipCode": "10115", "geoPoint": {"latDeg": 52.5}}
    assert shown["nothing"] is None


def test_numbers_that_the_import_brought_are_exact(client):
    numbers = '"a":0.1000000000000000000000001,"b":[{"inB":[12345678901234567890.125]}],"c":-0.50'
    start = f'{{"reserved_model_type":"Contact","id":"{an_id(1)}","name":"n",'
    line = start + numbers + ',"d":1e20}'
    import_file(
        client.service.backend, ImportOrder(client.user.email, io.BytesIO(line.encode()), now=0)
    )
    text = client.internal(PATH, document_type="Contact").text
    assert numbers + ',"d":100000000000000000000}' in text


def test_a_key_that_is_taken_is_neither_changed_nor_overwritten(client):
    client.load(
        doc(
            "Contact",
            phoneNumber="camel",
            phone_number="snake",
            faxURL="first",
            faxUrl="second",
            created_at="not when it was made",
            source_id="shown",
        )
    )
    shown = only(client, "Contact")
    assert shown["phoneNumber"] == "camel"
    assert shown["phone_number"] == "snake"
    assert shown["fax_url"] == "first"
    assert shown["faxUrl"] == "second"
    assert shown["created_at"] == "2026-01-01T10:00:00Z"
    assert shown["source_id"] == "shown"


def test_hostile_names_and_texts_come_back_as_they_are(client):
    texts = (
        *("'; DROP TABLE contacts; --", "%_\\", "</script>", "\u2028", "😀", "__class__", "a\tb\n"),
    )
    client.load(doc("HashTag", **{text: text for text in texts}))
    shown = only(client, "HashTag")
    assert [shown[text] for text in texts] == list(texts)


# -- which types


def test_all_means_the_ten_types_in_the_documented_order(client):
    client.load(*everything())
    found = answer(client, "all", limit=200)
    seen = list(dict.fromkeys(d["reserved_model_type"] for d in found["documents"]))
    assert seen == TYPES
    assert found["total"] == len(found["documents"])
    assert found == answer(client, ",".join(TYPES), limit=200)
    ids = {d["id"] for d in found["documents"]}
    native = {row["id"] for row in everything() if row["reserved_model_type"] != "Record"}
    assert ids == native


def test_types_come_in_the_order_asked_for_and_once_each(client):
    client.load(*everything())

    def seen(types):
        return list(
            dict.fromkeys(d["reserved_model_type"] for d in answer(client, types)["documents"])
        )

    assert seen("Label") == ["Label"]
    assert seen("MagicRule,Account,Label") == ["MagicRule", "Account", "Label"]
    assert seen(",".join(TYPES[::-1])) == TYPES[::-1]
    assert answer(client, "Label,Goal,Label,Goal") == answer(client, "Label,Goal")


def test_the_total_sums_what_matched_over_the_types(client):
    client.load(*everything())
    totals = {t: answer(client, t)["total"] for t in TYPES}
    assert all(total >= 2 for total in totals.values())
    for query in ({}, {"limit": 1}, {"limit": 1, "offset": 1}, {"offset": 2147483647}):
        assert answer(client, "all", **query)["total"] == sum(totals.values())
    assert answer(client, "Goal,Label")["total"] == totals["Goal"] + totals["Label"]


def test_no_data_is_an_empty_list(client):
    expected = {"documents": [], "total": 0, "limit": 30, "offset": 0}
    assert answer(client, "all") == expected
    assert answer(client, "HashTag") == expected


def test_types_that_are_unknown_are_refused_with_the_known_ones(client):
    for text in (
        *("Record", "account", "Accounts", "Account,", ",Account", ",", "Account,Nope", " Account"),
        *("Account, Label", "ALL", "All", "*", "all ", "Account;Label", "Transaction"),
    ):
        message = fault(client, "document_type", document_type=text)
        assert message.endswith("it takes all, or one or more of " + ", ".join(TYPES)), text
    assert '"Nope", "x" are not' in fault(client, "document_type", document_type="Nope,Goal,x")
    for text in ("all,Account", "Account,all", "all,all"):
        message = fault(client, "document_type", document_type=text)
        assert message.startswith('"all" cannot be combined'), text
    assert "Account" in fault(client, "document_type", document_type="")


def test_the_types_are_required(client):
    for query in ({}, {"limit": 5}):
        message = fault(client, "document_type", **query)
        assert message == "is required: all, or one or more of " + ", ".join(TYPES)


# -- order and pages


def test_documents_are_ordered_by_name_then_id_with_missing_names_last(client):
    client.load(
        *(label(n, name=name) for n, name in enumerate(("b", "É", "a", "b", "B"), 1)),
        *(goal(n, name=name) for n, name in enumerate((None, "z", None, "a"), 1)),
    )
    assert names(client, "Label") == ["B", "a", "b", "b", "É"]
    ids = [d["id"] for d in answer(client, "Label")["documents"]]
    assert ids[2:4] == [uid("Label", 1), uid("Label", 4)]
    assert names(client, "Goal") == ["a", "z", None, None]
    ids = [d["id"] for d in answer(client, "Goal")["documents"]]
    assert ids[2:] == [uid("Goal", 1), uid("Goal", 3)]


def test_limit_and_offset_count_within_each_type(client):
    client.load(
        *(label(n, name=f"l{n}") for n in range(1, 6)),
        *(doc("Contact", n) for n in range(1, 4)),
        *(goal(n, name=f"g{n}") for n in range(1, 3)),
    )
    types = "Label,Contact,Goal"
    assert names(client, types, limit=1) == ["l1", "name 1", "g1"]
    assert names(client, types, limit=2) == ["l1", "l2", "name 1", "name 2", "g1", "g2"]
    assert names(client, types, limit=2, offset=2) == ["l3", "l4", "name 3"]
    assert names(client, types, limit=2, offset=4) == ["l5"]
    assert names(client, types, limit=2, offset=6) == []
    found = answer(client, types, limit=2, offset=4)
    assert (found["limit"], found["offset"], found["total"]) == (2, 4, 10)


def test_links_lead_on_while_any_type_has_more(client):
    client.load(
        *(label(n, name=f"l{n}") for n in range(1, 6)), *(doc("Contact", n) for n in (1, 2))
    )
    path, seen = f"{PATH}?document_type=Contact,Label&limit=2", []
    while path:
        response = client.internal(path)
        seen += [d["data"]["name"] for d in response.json["documents"]]
        link = response.headers.get("Link", "")
        path = link.partition(">")[0].removeprefix("</internal/v1/")
    assert seen == ["name 1", "name 2", "l1", "l2", "l3", "l4", "l5"]


def test_limit_is_30_unless_given_and_200_at_most(client):
    client.load(*(label(n, name=f"{n:03d}") for n in range(1, 211)))
    assert len(names(client, "Label")) == 30
    for limit in (1, 199, 200):
        found = names(client, "Label,Goal", limit=limit)
        assert found == [f"{n:03d}" for n in range(1, limit + 1)]
    for limit in ("0", "201", "300", "-1", "", "abc", "1.0"):
        message = fault(client, "limit", document_type="Label", limit=limit)
        assert "whole number from 1 to 200" in message
    for offset in ("-1", "2147483648", "", "x"):
        message = fault(client, "offset", document_type="Label", offset=offset)
        assert "whole number from 0 to 2147483647" in message


# -- what is refused


def test_every_fault_of_a_request_is_reported(client):
    response = client.internal(PATH, limit=201, offset=-1, sort_by="name", documentType="Label")
    assert response.status_int == 400
    assert {f["name"]: f["message"] for f in response.json["errors"]}.keys() == {
        *("document_type", "limit", "offset", "sort_by", "documentType")
    }


def test_other_methods_and_types_are_refused(client):
    path = f"{PATH}?document_type=all"
    sent = {"Authorization": client.internal(path).request.headers["Authorization"]}
    head = client.service.web.head(f"/internal/v1/{path}", headers=sent)
    assert (head.status_int, head.body) == (200, b"")
    for accept in ("text/csv", "application/x-ndjson", "image/*"):
        assert client.internal(path, headers={"Accept": accept}).status_int == 406
    assert client.internal("get-documents").status_int == 404


# -- whose data, and when it changed


def test_the_tag_is_of_what_is_asked_and_not_of_how(client):
    def tag(types, **query):
        return client.internal(PATH, document_type=types, **query).headers["ETag"]

    assert tag("all") == tag(",".join(TYPES)) == tag("all", limit=30) == tag("all", offset="00")
    assert tag("Label,Goal") == tag("Label,Goal,Label")
    tags = [tag("all"), tag("Label"), tag("Goal"), tag("Label,Goal"), tag("Goal,Label")]
    tags += [tag("Label", limit=1), tag("Label", offset=1), tag(",".join(TYPES[::-1]))]
    tags += [client.get("labels").headers["ETag"], client.internal("get-records").headers["ETag"]]
    assert len(set(tags)) == len(tags)


# -- hostile parameters
