"""The samples, each beside what it holds."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from finance_api.importers.interface import Statement
from finance_api.importers.ofx import OfxImporter, looks_like_ofx
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text

SAMPLES = Path(__file__).parents[2] / "samples" / "ofx"
FILES = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".ofx", ".qfx", ".qbo"))


def readable(statement: Statement) -> dict[str, Any]:
    """The statement in the shape of the expected files: dates and amounts as text."""
    balance = statement.balance
    return {
        "account": asdict(statement.account),
        "balance": balance
        and {"amount": decimal_text(balance.amount), "date": date_text(balance.date)},
        "skipped": statement.skipped,
        "entries": [
            {
                "line": entry.line,
                "date": date_text(entry.date),
                "amount": decimal_text(entry.amount),
                "source_id": entry.source_id,
                "payee": entry.payee,
                "note": entry.note,
                "payment_type": entry.payment_type,
            }
            for entry in statement.entries
        ],
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sample_reads_as_the_file_beside_it_says(path: Path) -> None:
    with path.open("rb") as stream:
        statements = OfxImporter().read(stream)
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert [readable(statement) for statement in statements] == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sample_is_recognised_by_its_beginning(path: Path) -> None:
    assert looks_like_ofx(path.read_bytes()[:4096])
