"""Query parameters: unknown, repeated, malformed or out of range ones are refused by name."""

from itertools import product

import pytest

from finance_api.query.operators import Operator
from finance_api.query.suggestions import _SYNONYMS
from finance_api.resources import PUBLIC_RESOURCES
from support.native_rows import account, payees, record, uid
from support.service import on_one_storage

LISTS = [str(r.path) for r in PUBLIC_RESOURCES]


def faults(response):
    assert response.status_int == 400, response.text
    return {fault["name"]: fault["message"] for fault in response.json["errors"]}


@on_one_storage
@pytest.mark.parametrize("path", LISTS)
def test_an_unknown_parameter_is_named_with_the_nearest_known_one(client, path):
    for name, nearest in {
        "limmit": "limit",
        "offst": "offset",
        "sortby": "sortBy",
        "withtotal": "withTotal",
        "createdat": "createdAt",
        "Id": "id",
    }.items():
        found = faults(client.get(path, **{name: "1"}))
        assert nearest in found[name]


def test_a_mistyped_filter_is_refused_and_not_ignored(client):
    for name in ("recorddate", "record_date", "amount[gte]", "labels[]", "amount ", "", "payee."):
        assert name in faults(client.get("records", **{name: "eq.1"}))


def test_by_id_knows_only_its_parameter(client):
    found = faults(client.get("records/by-id", id=uid("Record", 1), limit=1, ids="x"))
    assert set(found) == {"limit", "ids"}


@on_one_storage
@pytest.mark.parametrize("path", LISTS)
def test_a_repeated_scalar_is_refused(client, path):
    for name, values in {
        "limit": ["1", "2"],
        "offset": ["0", "0"],
        "withTotal": ["true", "true"],
    }.items():
        assert list(faults(client.get(path, **{name: values}))) == [name]


def test_malformed_percent_encoding_is_refused(client):
    for value in ("%", "%z", "%zz", "%a", "%ff", "%C3%28", "%ED%A0%80", "%F8%88%80%80%80", "a%0"):
        assert "payee" in faults(client.get(f"records?payee=eq.{value}"))
        assert "limit" in faults(client.get(f"records?limit={value}"))
        assert client.get(f"records?{value}=1").status_int == 400


def test_nul_is_refused_in_operands(client):
    assert "payee" in faults(client.get("records?payee=contains.a%00b"))
    assert "payee" in faults(client.get("records?payee=contains.%00"))
    assert client.get("records?lim%00it=1").status_int == 400


def test_an_operand_has_at_most_256_characters(client):
    long = "é😀" * 128
    client.load(*payees(long, long + "x"))
    for prefix in ("eq.", "contains.", "contains-i."):
        answer = client.get("records", payee=prefix + long, withTotal="true")
        assert answer.json["total"] == (1 if prefix == "eq." else 2)
        assert "payee" in faults(client.get("records", payee=prefix + long + "x"))
        assert client.get("records", labels=prefix + long).status_int == 200
        assert "labels" in faults(client.get("records", labels=prefix + long + "x"))
    assert client.get("records", amount="gt." + "9" * 256).status_int == 200
    assert "amount" in faults(client.get("records", amount="gt." + "9" * 257))
    assert client.get("records", amount="lt.0." + "9" * 254).status_int == 200
    assert "amount" in faults(client.get("records", amount="lt.0." + "9" * 255))


def test_a_request_has_at_most_100_parameters(client):
    ten = [f"{name}=is.not_null" for name in ("payee", "note", "category", "labels") * 10]
    filters = ten + [f"amount=gt.{n}" for n in range(10)] + ["recordDate=gt.2026-01-01"] * 10
    filters += ["createdAt=gt.2026-01-01"] * 10 + ["updatedAt=gt.2026-01-01"] * 10
    filters += ["currencyCode=EUR"] * 10 + ["recordType=income"] * 10
    assert len(filters) == 100
    assert client.get("records?" + "&".join(filters)).status_int == 200
    assert client.get("records?" + "&".join([*filters, "limit=1"])).status_int == 400
    assert client.get("records?" + "&".join(f"p{n}=1" for n in range(900))).status_int == 400


def test_a_field_has_at_most_10_conditions(client):
    client.load(account(), record(amount=5))
    ten = [f"gt.-{n}" for n in range(1, 11)]
    assert client.names("records", "amount", amount=ten) == [5]
    assert client.names("records", "amount", amount=",".join(ten)) == [5]
    assert client.names("records", "amount", amount=[",".join(ten[:5]), ",".join(ten[5:])]) == [5]
    assert "amount" in faults(client.get("records", amount=[*ten, "gt.0"]))
    assert "amount" in faults(client.get("records", amount=",".join([*ten, "gt.0"])))
    assert "amount" in faults(client.get("records", amount=[",".join(ten), "gt.0"]))
    assert "payee" in faults(client.get("records", payee=["contains.a"] * 11))
    assert "id" in faults(client.get("records", id=[uid("Record", 1)] * 11))


def test_a_token_in_the_query_is_refused_with_a_hint_to_the_header(client):
    for name in ("access_token", "token", "api_key", "apikey", "api_token"):
        for path in ("records", "records/by-id", "budgets"):
            response = client.get(path, **{name: client.token})
            assert name in faults(response)
            assert "header" in response.json["detail"]
            assert client.token not in response.text


def test_a_token_in_the_query_hides_no_other_fault(client):
    found = faults(client.get("records", token="x", api_key="y", limit=0, nope="1"))
    assert set(found) == {"token", "api_key", "limit", "nope"}


def test_a_plus_that_became_a_space_is_read_as_a_plus(client):
    client.load(account(), record(1, amount=5), record(2, amount=-5))
    assert [r["amount"] for r in client.get("records?sortBy=+amount").json["records"]] == [-5, 5]
    assert [r["amount"] for r in client.get("records?sortBy=-id,+amount").json["records"]] == [
        -5,
        5,
    ]
    assert [r["amount"] for r in client.get("records?amount=eq.+5").json["records"]] == [5]
    for offset, count in (("+02:00", 2), ("%2B02:00", 2), ("%2002:00", 2), ("-02:00", 0)):
        answer = client.get(f"records?recordDate=lte.2026-03-18T02:00:00{offset},gte.2026-03-18")
        assert answer.status_int == 200, answer.text
        assert len(answer.json["records"]) == (2 if offset == "-02:00" else count)
    answer = client.get("records?recordDate=lt.2026-03-18T02:00:00+02:00")
    assert answer.json["records"] == []


def test_a_body_and_its_headers_change_nothing(client):
    client.load(account())
    expected = client.get("accounts")
    for body, content_type in (
        (b"{", "application/json"),
        (b'{"limit": 0}', "application/json"),
        (b"limit=0", "application/x-www-form-urlencoded"),
        (b"\xff", "text/plain; charset=nonsense"),
        (b"", "multipart/form-data"),
    ):
        response = client.service.web.request(
            "/v1/api/accounts",
            method="GET",
            body=body,
            headers={**client.headers, "Content-Type": content_type},
            status="*",
        )
        assert response.status_int == 200, (body, content_type, response.text)
        assert response.json == expected.json


def test_of_many_faults_the_first_are_listed_and_the_others_counted(client):
    some = client.get("records?" + "&".join(f"x{n}=1" for n in range(20)))
    assert len(some.json["errors"]) == 20
    assert "moreErrors" not in some.json
    many = client.get("records?" + "&".join(f"x{n}=1" for n in range(23)))
    assert [fault["name"] for fault in many.json["errors"]] == [f"x{n}" for n in range(20)]
    assert many.json["moreErrors"] == 3
    assert many.json["detail"].endswith("(and 22 more)")
    # Unknown parameters and invalid ones count together.
    both = client.get("records?limit=0&" + "&".join(f"x{n}=1" for n in range(20)))
    assert (len(both.json["errors"]), both.json["moreErrors"]) == (20, 1)
    tokens = "&".join("".join(c) + "=1" for c in product(*zip("token", "TOKEN", strict=True)))
    for headers in ({}, {"Authorization": "Bearer x"}):
        answer = client.service.web.get(f"/v1/api/records?{tokens}", headers=headers, status=400)
        assert (len(answer.json["errors"]), answer.json["moreErrors"]) == (20, 12)


@on_one_storage
@pytest.mark.parametrize("path", ["records", "accounts", "budgets"])
def test_an_answer_to_faults_is_not_much_longer_than_they_are(client, path):
    long = 7_000
    for query in (
        "&".join(f"currencyCode={n}" for n in range(95)),
        "currencyCode=" + ",".join(map(str, range(1_400))),
        "sortBy=" + ",".join(map(str, range(1_400))),
        "createdAt=" + ",".join(f"x{n}" for n in range(1_400)),
        "id=" + ",".join(map(str, range(100))),
        "x" * long + "=1",
        "%ff" * (long // 3) + "=1",
        "id=" + "x" * long,
        "createdAt=gte." + "x" * long,
        "createdAt=" + "x" * long + ".5",
        "limit=" + "9" * long,
        "name=contains-i." + "x" * long,
    ):
        answer = client.get(f"{path}?{query}")
        assert answer.status_int == 400
        assert len(answer.body) < 30_000, query[:40]
        for fault in answer.json["errors"]:
            assert len(fault["name"]) <= 80
            assert len(fault["message"]) <= 1_500


@on_one_storage
@pytest.mark.parametrize(
    ("path", "name", "meant"),
    [
        ("records", "amont", "amount"),
        ("records", "page", "offset"),
        ("records", "per_page", "limit"),
        ("records", "from", "recordDate"),
        ("records", "to", "recordDate"),
        ("records", "date_from", "recordDate"),
        ("records", "minAmount", "amount=gte.1"),
        ("records", "labelId", "labelIds"),
        ("records", "counterParty", "payee"),
        ("records", "sort", "sortBy"),
        ("records", "query", "q"),
        ("accounts", "q", "name"),
        ("budgets", "from", "startDate"),
        ("../../internal/v1/get-records", "from", "date_from"),
    ],
)
def test_a_near_name_or_a_synonym_is_suggested(client, path, name, meant):
    ask = client.internal if "internal" in path else client.get
    response = ask(path.rpartition("/")[2], **{name: "1"})
    assert faults(response)[name].endswith(f'did you mean "{meant}"?')


@pytest.mark.parametrize(
    ("query", "name", "meant"),
    [
        ("since_date=2026-01-01", "since_date", "recordDate=gte.2026-01-01"),
        ("from=2026-01", "from", "recordDate=gte.2026-01"),
        ("until=2026-01-31", "until", "recordDate=lte.2026-01-31"),
        ("min_amount=-20.5", "min_amount", "amount=gte.-20.5"),
        ("amountTo=7", "amountTo", "amount=lte.7"),
        ("page=x", "page", "offset"),
        ("sortBy=recordDate:desc", "sortBy", "-recordDate"),
        ("sortBy=recordDate:asc", "sortBy", "recordDate"),
        ("sortBy=recordDate%20desc", "sortBy", "-recordDate"),
        ("sortBy=recordDate,desc", "sortBy", "-recordDate"),
        ("sortBy=recordDate&sortBy=DESC", "sortBy", "-recordDate"),
        ("sortBy=recordDate.descending", "sortBy", "-recordDate"),
        ("sortBy=desc(recordDate)", "sortBy", "-recordDate"),
        ("sortBy=recordDate-", "sortBy", "-recordDate"),
        ("sortBy=-recorddate", "sortBy", "-recordDate"),
        ("sortBy=-date", "sortBy", "-recordDate"),
        ("sortBy=%2Brecorddate", "sortBy", "recordDate"),
        ("amount=eq.-5,00", "amount", "eq.-5.00"),
        ("amount=-5,00", "amount", "eq.-5.00"),
        ("amount=gte.1,5,lt.2,25", "amount", "gte.1.5,lt.2.25"),
        ("amount=abs.eq.1.234,56", "amount", "abs.eq.1234.56"),
        ("amount=eq.1,234.56", "amount", "eq.1234.56"),
    ],
)
def test_a_suggestion_does_what_was_meant(client, query, name, meant):
    found = faults(client.get(f"records?{query}"))
    assert found[name].endswith(f'did you mean "{meant}"?')
    follow = meant if "=" in meant else f"{name}={meant}"
    assert name == meant or client.get(f"records?{follow}").status_int == 200 or meant == "offset"


def test_a_page_number_where_there_are_no_pages_is_refused_like_any_other_name(client):
    assert "page" in faults(client.get("export/records?page=2"))
    assert "page" in faults(client.get("records/by-id?page=2"))
    assert "page" in faults(client.get("accounts/balances?page=2"))


def test_a_number_with_a_comma_that_can_be_read_in_two_ways_gets_both(client):
    found = faults(client.get("records?amount=eq.1,234"))["amount"]
    assert found.endswith('did you mean "eq.1.234" or "eq.1234"?')
    found = faults(client.get("records/summary?groupBy=month&having=net.lt.-5,00"))["having"]
    assert found.endswith('did you mean "lt.-5.00"?')


def test_where_nothing_is_near_the_parameters_that_exist_are_named(client):
    found = faults(client.get("labels", zzz="1"))["zzz"]
    assert found.startswith("there is no such parameter; it takes limit, offset, revision, sort")
    assert found.endswith("createdAt, updatedAt, amounts")
    assert "did you mean" not in found


def test_every_synonym_means_a_parameter_of_some_list(client):
    known = {f.name for r in PUBLIC_RESOURCES for f in r.fields}
    known |= {"limit", "offset", "sortBy", "withTotal", "fields", "q", "withSubcategories"}
    known |= {"counted", "date_from", "date_to", "min_amount", "max_amount"}
    known |= {"sort_by", "document_type"}
    known |= {f"{o.prefix}." for o in Operator} | {Operator.IS_NULL.prefix}
    assert {ours.partition("=")[0] for meant in _SYNONYMS.values() for ours in meant} <= known


@on_one_storage
@pytest.mark.parametrize(
    ("path", "query", "end"),
    [
        ("records", "category=Groceries", "; write category=eq.Groceries"),
        ("records", "amount=12.50", "; write amount=eq.12.50"),
        ("records", "amount=abs.5", "; write amount=abs.eq.5"),
        ("records", "payee=amazon.com", "; write payee=eq.amazon.com"),
        ("records", "recordDate=2026-03", "; write recordDate=eq.2026-03"),
        ("records", "amount=many", "lte. abs."),
        ("records", "amount=ge.5", '; did you mean "gte."?'),
        ("records", "payee=ilike.shop", '; did you mean "contains-i."?'),
        ("records", "currencyCode=eur", '"eur" is not known; did you mean "EUR"?'),
        ("records", "recordType=Expense", 'of income, expense; did you mean "expense"?'),
        ("records", "convertTo=Euro", '; did you mean "EUR"?'),
        ("records", "sortBy=date", '"date" is not a field to sort by; did you mean "recordDate"?'),
        ("records", "sortBy=-Amount", '; did you mean "-amount"?'),
        ("records", "fields=description", '"description" is not a field; did you mean "note"?'),
        ("records/summary", "groupBy=Category", '; did you mean "category"?'),
        ("accounts/balances", "interval=Month", '; did you mean "month"?'),
        ("records", "format=csv", "; a table's path can end in its format: .csv, .ndjson or .xlsx"),
        ("accounts/balances", "format=excel", "in its format: .csv, .ndjson or .xlsx"),
        ("export/labels", "format=pdf", "in its format: .csv, .ndjson or .xlsx"),
    ],
)
def test_a_refusal_says_what_was_meant(client, path, query, end):
    (fault,) = client.get(f"{path}?{query}").json["errors"]
    assert fault["message"].endswith(end)
