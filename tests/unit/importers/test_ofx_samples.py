"""The samples, each beside what it holds."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from finance_api.importers.interface import Entry
from finance_api.importers.ofx import looks_like_ofx
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text, instant_text
from support.ofx import Whole, read_ofx

SAMPLES = Path(__file__).parents[2] / "samples" / "ofx"
FILES = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".ofx", ".qfx", ".qbo"))


def readable(whole: Whole) -> dict[str, Any]:
    """The statement in the shape of the expected files: dates and amounts as text."""
    statement = whole.statement
    days = (statement.first_day, statement.last_day)
    closing = statement.closing
    return {
        "account": asdict(statement.account),
        "days": [day and date_text(day) for day in days],
        "as_of": statement.as_of and instant_text(statement.as_of),
        "closing": closing
        and {"amount": decimal_text(closing.amount), "date": date_text(closing.date)},
        "skipped": statement.skipped,
        "remarks": statement.remarks,
        "entries": [readable_entry(entry) for entry in whole.entries],
    }


def readable_entry(entry: Entry) -> dict[str, Any]:
    """Without what the entry does not have."""
    values = {
        **entry._asdict(),
        "date": date_text(entry.date),
        "amount": decimal_text(entry.amount),
        "value_date": entry.value_date and date_text(entry.value_date),
    }
    return {name: value for name, value in values.items() if value}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sample_reads_as_the_file_beside_it_says(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert [readable(whole) for whole in read_ofx(path.read_bytes())] == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sample_is_recognised_by_its_beginning(path: Path) -> None:
    assert looks_like_ofx(path.read_bytes()[:4096])
