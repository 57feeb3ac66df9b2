"""Every sample in tests/samples gives the content in the JSON file beside it."""

import json
from pathlib import Path

import pytest

from finance_api.importers.interface import Entry, ImportRefused
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text
from support.any_file import any_importer
from support.csv_files import read
from support.whole import Whole, read_whole, readable

SAMPLES = Path(__file__).parents[2] / "samples"
CSV = SAMPLES / "csv"
NAMES = sorted(path.stem for path in CSV.glob("*.csv"))
OTHERS = [
    path
    for folder in ("ofx", "camt", "mt940")
    for path in sorted((SAMPLES / folder).iterdir())
    if path.suffix not in (".json", ".md")
]


def as_json(found: Whole) -> dict:
    statement = found.statement
    shown = {
        "account": statement.account.name,
        "currency": statement.account.currency,
        "entries": [entry_as_json(entry) for entry in found.entries],
    }
    return shown | ({"skipped": dict(statement.skipped)} if statement.skipped else {})


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
        "bank_id": entry.bank_id,
    }
    return {name: value for name, value in shown.items() if value is not None}


@pytest.mark.parametrize("name", NAMES)
def test_csv_sample_gives_what_stands_beside_it(name):
    expected = json.loads((CSV / f"{name}.json").read_text("utf-8"))
    data = (CSV / f"{name}.csv").read_bytes()
    if "statements" in expected:
        assert [as_json(s) for s in read(data, **expected["options"])] == expected["statements"]
        return
    with pytest.raises(ImportRefused) as refused:
        read(data, **expected["options"])
    assert refused.value.line == expected["refused"]["line"]
    for part in expected["refused"]["names"]:
        assert part in refused.value.reason


def test_account_key_is_its_name():
    statements = read((CSV / "own_headings.csv").read_bytes())
    assert [s.account.key for s in statements] == ["Daily", "Savings"]


def test_every_csv_sample_has_its_expectation():
    assert len(NAMES) > 20
    assert sorted(path.stem for path in CSV.glob("*.json")) == NAMES


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.name)
def test_sample_of_another_format_gives_what_stands_beside_it(path: Path) -> None:
    data = path.read_bytes()
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    if path.parent.name == "ofx":
        expected = {"source": "ofx", "statements": expected}
    importer, _ = any_importer(data)
    assert importer is not None and importer.source == expected["source"]
    assert [readable(whole) for whole in read_whole(importer, data)] == expected["statements"]
