"""sortBy: code points, numbers, ties, invalid orders; test_every_field.py sorts by each field."""

import itertools

import pytest

from support.native_rows import account, household, record


def test_later_fields_order_what_the_earlier_ones_leave_equal(client):
    triples = list(itertools.product((1, 2), ("a", "b", None), ("2026-01-01", "2026-01-02")))
    client.load(
        account(),
        *(
            record(n, amount=a, payee=p, recordDate=d)
            for n, (a, p, d) in enumerate(triples[::5] + triples[1::5] + triples[2::5], 1)
        ),
        *(
            record(n, amount=a, payee=p, recordDate=d)
            for n, (a, p, d) in enumerate(triples[3::5] + triples[4::5], 20)
        ),
    )

    def listed(sort):
        rows = client.get("records", sortBy=sort, limit=100).json["records"]
        return [(r["amount"], r["payee"], r["recordDate"]) for r in rows]

    def payee(row):
        return (row[1] is None, row[1] or "")

    assert listed("amount,payee,recordDate") == sorted(
        triples, key=lambda r: (r[0], payee(r), r[2])
    )
    expected = sorted(triples, key=lambda r: r[0])
    expected.sort(key=payee)
    expected.sort(key=lambda r: r[2], reverse=True)
    assert listed("-recordDate,+payee,amount") == expected


def test_what_is_no_scalar_field_is_refused(client):
    for sort in (
        *("", ",", "payee,", ",payee", "payee,,amount", "-", "+", "nope", "-nope", "Payee"),
        *("payee desc", "payee.desc", "--payee", "+-payee", "payee-", " ", "  payee", "payee "),
        *("1", "labels", "-labelIds", "source", "sourceId", "userId", "user_id", "record_date"),
        *("payee;amount", "payee)--", "*"),
    ):
        assert client.fault("records", sortBy=sort)["name"] == "sortBy"


@pytest.mark.parametrize(
    ("path", "name"),
    [("records", "id"), ("records", "amount"), ("accounts", "name"), ("budgets", "spent")],
)
def test_a_very_long_order_is_answered(client, path, name):
    client.load(*household())
    text = ",".join([name] * (8000 // (len(name) + 1)))
    # Leave the commas unencoded: otherwise they would not fit into a URL.
    response = client.get(f"{path}?sortBy={text}")
    assert response.status_int == 200, response.text
