"""Every file of tests/samples/csv gives what stands beside it."""

import json
from pathlib import Path

import pytest

from finance_api.importers.csv import CsvImporter, CsvOptions
from finance_api.importers.interface import Entry, ImportRefused, Statement
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text

SAMPLES = Path(__file__).parents[2] / "samples" / "csv"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.csv"))


def as_json(statement: Statement) -> dict:
    shown = {
        "account": statement.account.name,
        "currency": statement.account.currency,
        "entries": [entry_as_json(entry) for entry in statement.entries],
    }
    return shown | ({"skipped": statement.skipped} if statement.skipped else {})


def entry_as_json(entry: Entry) -> dict:
    shown = {
        "line": entry.line,
        "date": date_text(entry.date),
        "amount": decimal_text(entry.amount),
        "payee": entry.payee,
        "note": entry.note,
        "category": entry.category,
        "labels": list(entry.labels) or None,
        "payment_type": entry.payment_type,
        # A hash says nothing to a reader; other tests hold what it depends on.
        "source_id": None if entry.source_id.startswith("hash:") else entry.source_id,
    }
    return {name: value for name, value in shown.items() if value is not None}


@pytest.mark.parametrize("name", NAMES)
def test_sample_gives_what_stands_beside_it(name):
    expected = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))
    importer = CsvImporter(CsvOptions(**expected["options"]))
    with open(SAMPLES / f"{name}.csv", "rb") as stream:
        if "statements" in expected:
            assert [as_json(s) for s in importer.read(stream)] == expected["statements"]
            return
        with pytest.raises(ImportRefused) as refused:
            importer.read(stream)
    assert refused.value.line == expected["refused"]["line"]
    for part in expected["refused"]["names"]:
        assert part in refused.value.reason


def test_account_key_is_its_name():
    with open(SAMPLES / "own_headings.csv", "rb") as stream:
        statements = CsvImporter(CsvOptions()).read(stream)
    assert [s.account.key for s in statements] == ["Daily", "Savings"]


def test_every_sample_has_its_expectation():
    assert len(NAMES) > 20
    assert sorted(path.stem for path in SAMPLES.glob("*.json")) == NAMES
