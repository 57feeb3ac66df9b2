"""Number filters and amounts: exact from the import to the answer."""

from decimal import Decimal

import pytest

from support.native_rows import account, record, uid

LARGE = Decimal("900719925474099.3001")
LARGEST = Decimal("922337203685477.5807")


def amounts(client, *conditions, path="records", field="amount", **query):
    found = client.exact(path, **{field: list(conditions)}, sortBy=field, limit=100, **query)
    (rows,) = (v for v in found.values() if type(v) is list)
    return [row[field] for row in rows]


def load(client, *values):
    """Load a record for each amount, each on its own account, so that no balance is out of
    range.
    """
    numbered = list(enumerate(values, 1))
    client.load(
        *(account(n) for n, _ in numbered),
        *(record(n, accountId=uid("Account", n), amount=Decimal(v)) for n, v in numbered),
    )


def test_an_amount_that_no_float_holds_stays_exact(client):
    load(client, LARGE, LARGE - Decimal("0.0001"), LARGE + Decimal("0.0001"), LARGEST, -LARGEST)
    answer = client.get("records", amount=f"eq.{LARGE}")
    assert '"amount":900719925474099.3001' in answer.text.replace(" ", "")
    assert len(answer.json["records"]) == 1
    everything = client.get("records", sortBy="amount").text.replace(" ", "")
    texts = [part.split(",")[0] for part in everything.split('"amount":')[1:]]
    assert texts == [
        "-922337203685477.5807",
        "900719925474099.3",
        "900719925474099.3001",
        "900719925474099.3002",
        "922337203685477.5807",
    ]
    assert amounts(client, f"gt.{LARGE}") == [LARGE + Decimal("0.0001"), LARGEST]
    assert amounts(client, f"lt.{LARGE}", "gt.0") == [LARGE - Decimal("0.0001")]
    assert amounts(client, f"gte.{LARGEST}") == [LARGEST]
    assert amounts(client, f"lte.-{LARGEST}") == [-LARGEST]
    csv = client.get("records", amount=f"eq.{LARGE}", headers={"Accept": "text/csv"})
    assert ",900719925474099.3001," in csv.text


def test_numbers_are_written_without_trailing_zeros_or_exponents(client):
    load(client, "-42.50", "100", "0.0001", "-0.1000", "0", "1000000", "-0.0", "12.3400")
    text = client.get("records", sortBy="amount").text.replace(" ", "")
    found = [part.split(",")[0] for part in text.split('"amount":')[1:]]
    assert found == ["-42.5", "-0.1", "0", "0", "0.0001", "12.34", "100", "1000000"]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("eq.-0.01", ["-0.01"]),
        ("lt.-0.01000001", ["-1", "-0.0101"]),
        ("gt.-0.01000001", ["-0.01", "-0.0001", "0", "0.0001", "0.01", "1", "5"]),
        ("gte.0.01000001", ["1", "5"]),
        ("eq.0.01" + "0" * 240, ["0.01"]),
        ("eq.0.01" + "0" * 240 + "1", []),
        ("gt.0.01" + "0" * 240 + "1", ["1", "5"]),
        ("eq.-0", ["0"]),
        ("eq.+1", ["1"]),
        ("eq.001.0", ["1"]),
        ("lt.1." + "0" * 200 + "1,gte.1", ["1"]),
        ("gte.-0.0001,lte.0.0001", ["-0.0001", "0", "0.0001"]),
        ("gt." + "9" * 256, []),
        ("lt." + "9" * 256 + ",eq.5", ["5"]),
        ("lt.18446744073709551616,gte.5", ["5"]),
        ("gt.-9223372036854775809,lte.-1", ["-1"]),
    ],
)
def test_comparisons_are_exact_with_any_number_of_digits(client, condition, expected):
    load(client, "-1", "-0.0101", "-0.01", "-0.0001", "0", "0.0001", "0.01", "1", "5")
    assert amounts(client, condition) == [Decimal(v) for v in expected]


def test_what_is_no_plain_decimal_is_refused(client):
    for operand in (
        "1e3 1E3 1e400 NaN nan Infinity -Infinity inf 0x10 1_000 1. .5 - + +-1 --1 1.2.3 "
        "١٢ ５ ² 1,5 1;5 1' 1\u00a0000 −5 1/2 $5 5€ null true"
    ).split(" ") + ["", " ", "1 ", "  1", "1 000", "\t1", "1\n"]:
        for prefix in ("eq", "gt", "lte"):
            assert client.fault("records", amount=f"{prefix}.{operand}")["name"] == "amount"


def test_conditions_in_one_value_and_in_several_are_combined(client):
    load(client, *range(0, 1000, 100))
    assert amounts(client, "gte.100,lte.500") == [100, 200, 300, 400, 500]
    assert amounts(client, "lte.500,gte.100") == [100, 200, 300, 400, 500]
    assert amounts(client, "gte.100", "lte.500") == [100, 200, 300, 400, 500]
    assert amounts(client, "gte.100,lt.500", "gt.200") == [300, 400]
    assert amounts(client, "eq.100,eq.200") == []
    for value in ("gte.100,", ",gte.100", "gte.100,,lte.500", "gte.100,500"):
        assert client.get("records", amount=value).status_int == 400


def test_counts_compare_with_fractions(client):
    client.load(account(), record(1), record(2))
    for condition, matches in (("eq.2", 1), ("eq.1.5", 0), ("gt.1.5", 1), ("lt.2.00001", 1)):
        answer = client.get("accounts", recordCount=condition)
        assert len(answer.json["accounts"]) == matches, condition
    assert '"recordCount":2,' in client.get("accounts").text.replace(" ", "")
