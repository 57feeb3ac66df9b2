"""``amounts=string``: amounts as strings, exactly as the numbers would be written."""

import json
from decimal import Decimal

import pytest

from finance_api.resources import PUBLIC_RESOURCES
from support.native_rows import account, household, record, uid

LARGE = "900719925474099.3001"
PATHS = [
    *(str(resource.path) for resource in PUBLIC_RESOURCES),
    *(f"{path}.ndjson" for path in ("records", "budgets", "records/summary", "accounts/balances")),
    "export/records?sortBy=id",
    "export/budgets",
    "records?convertTo=EUR",
    "records?fields=amount",
    "records/summary?groupBy=category&columns=net,spent",
    "records/summary?fill=true&groupBy=month",
    f"records/{uid('Record', 1)}",
    f"records/by-id?id={uid('Record', 1)}",
    "accounts/balances?interval=year",
    f"budgets/{uid('Budget', 1)}/periods",
    "standing-orders/upcoming?days=60",
    "changes?since=0",
]
#: Numbers that are no amounts.
SHARES = {"progress"}


@pytest.fixture
def loaded(client):
    trap = '"amount":5,\\"amount":6'
    client.load(*household(), account(9, name="Main"))
    client.load(record(90, accountId=uid("Account", 9), amount=1.5, payee="amount", note=trap))
    return client


class Number(str):
    """The text of a number."""


def parsed(response, form):
    texts = response.text.splitlines() if form == "ndjson" else [response.text]
    return [json.loads(text, parse_float=Number, parse_int=Number) for text in texts]


def compared(plain, texts, name=""):
    """Yield the names of members that are numbers in one response and strings in the other."""
    if isinstance(plain, dict):
        assert list(plain) == list(texts)
        for key in plain:
            # The limit of a page is no amount, but that of a budget's period is.
            own = "own limit" if (name, key) == ("limitOverrides", "limit") else key
            yield from compared(plain[key], texts[key], own)
    elif isinstance(plain, list):
        for one, other in zip(plain, texts, strict=True):
            yield from compared(one, other, name)
    else:
        assert plain == texts
        if isinstance(plain, Number) and not isinstance(texts, Number):
            yield name


def test_amounts_are_strings_and_nothing_else_changes(loaded):
    for path in PATHS:
        sign = "&" if "?" in path else "?"
        plain, texts = loaded.get(path), loaded.get(f"{path}{sign}amounts=string")
        assert (plain.status_int, texts.status_int) == (200, 200), path
        form = "ndjson" if "ndjson" in plain.content_type else "json"
        found = set(compared(parsed(plain, form), parsed(texts, form)))
        assert found.isdisjoint({"count", "recordCount", "limit", "revision", *SHARES}), path
        has_amounts = not path.startswith(("categories", "labels", "record-rules"))
        assert bool(found) is has_amounts, path
        assert texts.headers["ETag"] != plain.headers["ETag"]


def test_every_decimal_is_a_string_but_shares(loaded):
    for path in ("records", "accounts", "budgets", "goals", "standing-orders", "records/summary"):
        texts = parsed(loaded.get(f"{path}?amounts=string"), "json")
        rows = next(value for value in texts[0].values() if isinstance(value, list))
        decimals = {
            key
            for row in rows
            for key, value in row.items()
            if isinstance(value, Number) and "." in value
        }
        assert decimals <= SHARES


@pytest.mark.parametrize("path", ["standing-orders/upcoming?days=366", "records/recurring"])
def test_sums_of_all_rows_are_strings_too(loaded, path):
    for month in range(1, 7):
        day = f"2026-{month:02}-05T10:00:00Z"
        loaded.load(record(90 + month, payee="Gym", amount=-9.99, recordDate=day))
    totals = loaded.get(path + ("&" if "?" in path else "?") + "amounts=string").json["totals"]
    numbers = {
        key for row in totals for key, value in row.items() if isinstance(value, int | float)
    }
    assert totals
    assert numbers == {"count"}


def test_no_digit_is_lost(client):
    client.load(account(), record(1, amount=Decimal(LARGE)))
    (row,) = client.get("records?amounts=string").json["records"]
    assert row["amount"] == LARGE


def test_tables_have_texts_anyway_and_other_values_are_refused(loaded):
    tables = [loaded.get(f"records.csv?{given}").body for given in ("amounts=string", "limit=30")]
    assert tables[0] == tables[1]
    (fault,) = loaded.get("records?amounts=String").json["errors"]
    assert fault["message"].endswith('one of number, string; did you mean "string"?')
