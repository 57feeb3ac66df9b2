"""Tables in `rules/`, one for each rule: rows before, a file, and rows after.

A case is a title, files with their rows, and the stored rows at the end or the answers offered. A
file is `FORMAT [OPTION=VALUE…]`. A row is a day of January with an optional time, an amount, a
payee (`payee | note`) and `id=…`, `batch=…` or `corrects=…`, with two spaces between them.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from finance_api.importers.interface import Correction, Entry, ImportRefused, StatementAccount
from finance_api.ledger.importing import RULES
from finance_api.resources import RECORDS
from finance_api.values.time import DAY_SECONDS
from support.csv_files import answers
from support.ledger import Person, units
from support.statements import Bank, day

_TABLES = sorted((Path(__file__).parent / "rules").glob("*.txt"))
_CASES = [
    pytest.param(case.split("\n")[1:], id=f"{table.stem}: {case.partition(chr(10))[0]}")
    for table in _TABLES
    for case in re.split(r"\n\n+", table.read_text().strip())
]
_GIRO = StatementAccount(key="Giro", name="Giro", currency="EUR")
_MOMENT = re.compile(r"(\d+)(?: (\d\d):(\d\d)(Z|[+-]\d\d:00)?)?")


def entry_of(line: int, row: str) -> Entry:
    moment, amount, *others = re.split(r"  +", row.strip())
    match = _MOMENT.fullmatch(moment)
    assert match is not None, row
    number, hour, minute, zone = match.groups()
    named: dict[str, Any] = dict(each.split("=") for each in others if "=" in each)
    text = next((each for each in others if "=" not in each), "")
    payee, _, note = (part.strip() for part in text.partition("|"))
    return Entry(
        line=line,
        date=day(number) + int(hour or 0) * 3600 + int(minute or 0) * 60,
        amount=units(amount),
        payee=payee or None,
        note=note or None,
        bank_id=named.get("id"),
        batch=named.get("batch"),
        correction=Correction(named["corrects"]) if "corrects" in named else None,
        offset=None if zone is None else int(zone.removesuffix(":00").replace("Z", "0")) * 3600,
    )


def stored_rows(person: Person) -> list[str]:
    rows = []
    for row in person.rows(RECORDS):
        time = f" {row['recordDate'] // 3600 % 24:02}:{row['recordDate'] // 60 % 60:02}"
        number = (row["recordDate"] - day("1")) // DAY_SECONDS + 1
        texts = " | ".join(text for text in (row["payee"], row["note"]) if text)
        shown = [f"{number}{time if row['recordDate'] % DAY_SECONDS else ''}"]
        rows.append("  ".join([*shown, f"{row['amount'] / 10_000:g}", *([texts] if texts else [])]))
    return sorted(rows)


@pytest.mark.parametrize("lines", _CASES)
def test_table(person, lines):
    kind, rows, parts = "", [], []
    for line in lines:
        if line.startswith("  "):
            rows.append(line.strip())
        else:
            kind, rows = line, []
            parts.append((kind, rows))
    *files, (result, expected) = parts
    for number, (heading, of_file) in enumerate(files):
        source, *words = heading.split()
        options: dict[str, Any] = dict(word.split("=") for word in words)
        days = options.pop("days", None)
        given: dict[str, Any] = {n: int(v) if v.isdigit() else v for n, v in options.items()}
        entries = [entry_of(n, row) for n, row in enumerate(of_file, 1)]
        given |= {"days": days and tuple(days.split("-")), "data": str(number)}
        bank = Bank(person, source, _GIRO)
        if result == "asks" and number == len(files) - 1:
            with pytest.raises(ImportRefused) as error:
                bank.file(*entries, **given)
            assert answers(error.value) == expected
            return
        bank.file(*entries, **given)
    assert result == "gives"
    assert stored_rows(person) == sorted(expected)
    person.audit()


def test_every_rule_has_a_table():
    modules = {rule.__module__.rpartition(".")[2] for rule in RULES}
    assert {table.stem for table in _TABLES} == modules
