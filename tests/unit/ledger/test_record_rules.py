"""Record rules give new records of statements a category and labels."""

import pytest

from finance_api.resources import CATEGORIES, LABELS, RECORDS
from support.ledger import account, an_id, document, ofx_file, ofx_statement, record

BASE = [
    account(name="Giro"),
    account(2, name="Other"),
    *(document("Category", n, name=f"category {n}") for n in (11, 12, 13)),
    *(document("Label", n, name=f"label {n}") for n in (21, 22, 23)),
]


def rule(number, *keywords, created="2026-01-01T00:00:00Z", **values):
    return document("RecordRule", number, keywords=list(keywords), createdAt=created, **values)


def imported(person, *rules, payee="Corner Shop", note="bread", **options):
    person.native(*BASE, *rules)
    file = ofx_file(ofx_statement([("20260101", "-5", "F1", payee, note)]))
    person.ofx(file, account_name=options.get("account_name", "Giro"))
    (row,) = person.rows(RECORDS)
    person.audit()
    return row["categoryId"], row["labelIds"]


@pytest.mark.parametrize(
    ("rules", "category", "labels"),
    [
        # The first one by time and id gives the category.
        (
            [
                rule(1, "shop", created="2026-01-02T00:00:00Z", categoryId=an_id(11)),
                rule(3, "shop", categoryId=an_id(12)),
                rule(2, "shop", categoryId=an_id(13)),
            ],
            13,
            [],
        ),
        # All that match give their labels.
        (
            [
                rule(1, "shop", categoryId=an_id(11), labelIds=[an_id(22)]),
                rule(2, "bread", categoryId=an_id(12), labelIds=[an_id(21), an_id(22)]),
                rule(3, "nowhere", labelIds=[an_id(23)]),
            ],
            11,
            [22, 21],
        ),
        ([rule(1, "x", "BREAD", categoryId=an_id(11))], 11, []),
        # No keyword is in payee and note together.
        ([rule(1, "shopbread", categoryId=an_id(11))], None, []),
        ([rule(1, "shop", accountId=an_id(1), labelIds=[an_id(21)])], None, [21]),
        ([rule(1, "shop", accountId=an_id(2), labelIds=[an_id(21)])], None, []),
        ([rule(1, categoryId=an_id(11)), rule(2, " ", categoryId=an_id(12))], None, []),
    ],
)
def test_what_rules_give(person, rules, category, labels):
    expected = category and an_id(category), tuple(map(an_id, labels))
    assert imported(person, *rules) == expected


@pytest.mark.parametrize(
    ("keyword", "payee", "matches"),
    [
        ("SHOP", "corner shop", True),
        ("straße", "STRASSE 5", True),
        ("STRASSE", "Große Straße", True),
        ("e\u0301cole", "ÉCOLE", True),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", True),
        ("orner sh", "Corner Shop", True),
        ("shop%", "shop", False),
        ("s_op", "shop", False),
        (".*", "shop", False),
        ("ecole", "école", False),
    ],
)
def test_keywords_are_found_without_regard_to_case(person, keyword, payee, matches):
    category, _ = imported(person, rule(1, keyword, categoryId=an_id(11)), payee=payee)
    assert (category == an_id(11)) == matches


def test_rules_are_for_new_records_only(person):
    imported(person)
    person.native(rule(1, "shop", categoryId=an_id(11), labelIds=[an_id(21)]))
    person.ofx(ofx_file(ofx_statement([("20260101", "-6", "F1", "Corner Shop", "bread")])))
    row = person.only(RECORDS)
    assert (row["categoryId"], row["labelIds"]) == (None, ())


def test_rules_are_not_for_native_records(person):
    person.native(*BASE, rule(1, "shop", categoryId=an_id(11)), record(9, payee="shop"))
    assert person.row(RECORDS, 9)["categoryId"] is None


def test_rule_comes_before_the_files_category_which_is_else_made(person):
    person.native(*BASE, rule(1, "shop", categoryId=an_id(11), labelIds=[an_id(21)]))
    person.csv(
        "date,amount,payee,category,labels\n2026-01-01,-5,Shop,Food,a;label 22\n"
        "2026-01-02,-6,Kiosk,Food,a\n2026-01-03,-7,Else,,\n",
        account="Giro",
    )
    by_payee = {row["payee"]: row for row in person.rows(RECORDS)}
    assert by_payee["Shop"]["category"] == "category 11"
    assert set(by_payee["Shop"]["labels"]) == {"label 21", "a", "label 22"}
    assert by_payee["Kiosk"]["category"] == "Food"
    assert (by_payee["Else"]["category"], by_payee["Else"]["labels"]) == (None, ())
    assert len(person.rows(CATEGORIES)) == 4
    assert len(person.rows(LABELS)) == 4
    person.audit()


def test_files_category_is_not_made_where_a_rule_decides(person):
    person.native(*BASE, rule(1, "shop", categoryId=an_id(11)))
    person.csv("date,amount,payee,category\n2026-01-01,-5,Shop,Food\n", account="Giro")
    assert len(person.rows(CATEGORIES)) == 3
