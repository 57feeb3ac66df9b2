"""Rows without a value, which ``ne.`` leaves out: a hint counts them, and says how to have them."""

import re

import pytest

from finance_api.query.operators import Operator, operators_of
from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Kind
from support.native_rows import account, budget, category, household, label, record, uid

HINT = re.compile(r"([0-9,]+) (.*) without (.*) (was|were) left out, because ne\. matches only .*")
FOLLOWED = re.compile("ask again with ([^ ]*) instead")

#: The fields that can be missing and take ``ne.``, with an operand that some rows have.
NEGATIVE = [
    (resource.path, field.name)
    for resource in PUBLIC_RESOURCES
    for field in resource.listed_fields
    if field.filterable and field.can_be_missing and Operator.NE in operators_of(field)
]


def hints(found):
    return [hint for hint in found.get("hints", []) if "left out" in hint]


def operand_of(kind):
    return {
        Kind.ID: uid("Category", 77),
        Kind.ID_LIST: uid("Label", 77),
        Kind.SERIAL: "77",
        Kind.NUMBER: "77",
        Kind.DATE: "2001-01-01",
        Kind.DATETIME: "2001-01-01",
    }.get(kind, "nothing")


@pytest.fixture
def loaded(client):
    client.load(*household())
    return client


@pytest.fixture
def holidays(client):
    """Five records: labelled, categorised, both or neither. Sums leave two more out."""
    fun, tax = uid("Category", 1), uid("Label", 1)
    client.load(
        account(1),
        category(1, name="Fun"),
        label(1, name="holiday"),
        record(1, amount=-1, categoryId=fun, labelIds=[tax]),
        record(2, amount=-2, categoryId=fun, payee="Bar"),
        record(3, amount=-4),
        record(4, amount=-8, recordState="void"),
        record(5, amount=-16, recordDate="2026-03-19"),
        record(6, amount=-32, labelIds=[tax]),
        record(7, amount=-64, recordState="cleared", transferId=uid("Record", 9)),
    )
    return client


@pytest.mark.parametrize(("path", "name"), NEGATIVE)
def test_each_field_that_can_be_missing_is_hinted_at(loaded, path, name):
    (resource,) = (each for each in PUBLIC_RESOURCES if each.path == path)
    field = resource[name]
    operand = field.choices[-1] if field.kind is Kind.CHOICE else operand_of(field.kind)
    found = loaded.get(path, withTotal="true", **{name: f"ne.{operand}"}).json
    missing = loaded.get(path, withTotal="true", **{name: "is.null"}).json["total"]
    (hint,) = hints(found) or [None]
    assert (hint is None) == (missing == 0)
    if hint is not None:
        assert int(HINT.match(hint)[1]) == missing
        assert FOLLOWED.search(hint)[1] == f"{name}=is.null"


def test_the_sentence_of_a_list(holidays):
    assert hints(holidays.get("records", category="ne.Rent").json) == [
        "5 records without category were left out, because ne. matches only values that are "
        "present. To get them, ask again with category=is.null instead; to get them as well, write "
        "ne-or-null. in place of ne."
    ]
    (hint,) = hints(holidays.get("records", category="ne.Rent", amount="eq.-4").json)
    assert hint.startswith("1 record without category was left out")
    assert "To get it, ask again with category=is.null instead; to get it as well" in hint
    assert hints(holidays.get("records", category="ne.Rent", amount="eq.-2").json) == []
    holidays.load(budget(1, name=None))
    (hint,) = hints(holidays.get("budgets", name="ne.Home").json)
    assert hint.startswith("1 budget without name was left out")


def number_in(found):
    groups = found.get("groups")
    return len(found["records"]) if groups is None else sum(g["count"] for g in groups)


def is_left_out(row, negative):
    """Return whether the row lacks a value, and has none of the values that ``ne.`` excludes."""
    values = [row[name] for name, _ in negative]
    has_one = any(
        operand in value if isinstance(value, list) else operand == value
        for value, (_, operand) in zip(values, negative, strict=True)
    )
    return not has_one and any(value in (None, []) for value in values)


@pytest.mark.parametrize("path", ["records", "records/summary"])
@pytest.mark.parametrize(
    ("negative", "others"),
    [
        ([("labels", "holiday")], {}),
        ([("labels", "holiday"), ("labels", "tax")], {}),
        ([("labelIds", uid("Label", 1))], {"amount": "lt.-1"}),
        ([("category", "Fun"), ("labels", "tax")], {}),
        ([("category", "Rent"), ("payee", "Shop")], {"amount": "lt.-1"}),
        ([("category", "Fun")], {"withSubcategories": "true", "flow": "spent"}),
        ([("recordState", "void")], {}),
        ([("payee", "Bar")], {"recordDate": "eq.today", "counted": "true"}),
        ([("payee", "Bar")], {"q": "holiday"}),
    ],
)
def test_following_the_hints_gives_exactly_the_rows_that_were_left_out(
    holidays, path, negative, others
):
    if path == "records/summary":
        others = {name: text for name, text in others.items() if name != "counted"}
    given = {name: [f"ne.{text}" for n, text in negative if n == name] for name, _ in negative}
    total = 0
    present = number_in(holidays.get(path, **given, **others).json)
    for hint in hints(holidays.get(path, **given, **others).json):
        changed = dict(pair.split("=") for pair in FOLLOWED.search(hint)[1].split("&"))
        found = holidays.get(path, **given | changed, **others).json
        number = number_in(found)
        assert int(HINT.match(hint)[1]) == number > 0
        total += number
    counted = {"counted": "true"} if path == "records/summary" else {}
    rows = holidays.get("records", **others | counted).json["records"]
    assert total == sum(is_left_out(row, negative) for row in rows)
    both = {name: [text.replace("ne.", "ne-or-null.") for text in given[name]] for name in given}
    found = holidays.get(path, **both, **others).json
    assert (number_in(found), hints(found)) == (present + total, [])


def test_a_summary_counts_only_what_it_adds_up(holidays):
    found = holidays.get("records/summary", labels="ne.holiday", groupBy="label").json
    assert found["groups"] == []
    (hint,) = hints(found)
    assert hint.startswith("3 records without labels were left out")
    whole = holidays.get("records/summary", labels="ne.holiday", include="void,transfers").json
    assert hints(whole)[0].startswith("5 records without labels")
    # A comparison without an end ends today.
    days = {"recordDate": "gte.2026-03", "compare": "previous"}
    found = holidays.get("records/summary", labels="ne.holiday", **days).json
    assert hints(found)[0].startswith("2 records without labels")


def test_groups_without_a_value_are_hinted_at_and_found_by_the_hint(holidays):
    # Of four groups, those of February have no earlier value, so that they have no percentage.
    given = {"groupBy": "payee", "compare": "previous", "columns": "net"}
    given |= {"recordDate": "gte.2026-03-01,lt.2026-04-01", "include": "void,transfers"}
    whole = holidays.get("records/summary", **given).json["groups"]
    missing = sum(group["changeNetPercent"] is None for group in whole)
    found = holidays.get("records/summary", having="changeNetPercent.ne.7", **given).json
    assert len(found["groups"]) == len(whole) - missing
    (hint,) = hints(found)
    assert int(HINT.match(hint)[1]) == missing > 0
    name, text = FOLLOWED.search(hint)[1].split("=")
    assert len(holidays.get("records/summary", **given | {name: text}).json["groups"]) == missing
    more = ["changeNetPercent.ne.7", "net.gt.1000000"]
    assert hints(holidays.get("records/summary", having=more, **given).json) == []


def test_only_the_first_page_and_only_json_has_the_hint(holidays):
    assert hints(holidays.get("records", payee="ne.Bar", offset=1).json) == []
    for form in ("csv", "ndjson"):
        assert "left out" not in holidays.get(f"records.{form}", payee="ne.Bar").text
