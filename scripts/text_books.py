"""Prints the books in plain text of tests/samples/books, and asks their programs for answers.

    python scripts/text_books.py [FOLDER]

It writes into FOLDER (default: beside the books) what hledger or beancount prints of each book, as
``finance-api import`` lets them print it, and the program's own answers: the balance of each
account on five days, and what each category has in each month. Tests compare the import with these.
It needs hledger, and bean-query of beancount 3.
"""

import csv
import datetime
import gzip
import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from finance_api.cli.book_programs import Program, print_beancount, print_hledger

BOOKS = Path(__file__).parents[1] / "tests" / "samples" / "books"
DAYS = ("2026-01-01", "2026-01-15", "2026-02-03", "2026-02-28", "2026-03-31")
MONTHS = ("2026-01", "2026-02", "2026-03")


def hledger_answers(path: Path, program: Program) -> dict[str, Any]:
    balance = ("balance", "--real", "--flat", "-N", "-O", "json")

    def asked(*words: str) -> dict[str, dict[str, str]]:
        rows, _ = json.loads(program.text("hledger", "-f", f"journal:{path}", *balance, *words))
        return {
            row[0]: {a["acommodity"]: _shown(a) for a in _summed(row[3])} for row in rows if row[3]
        }

    return {
        "balances": {day: asked("-e", _after(day), "type:AL") for day in DAYS},
        "categories": {month: asked("-p", month, "-B", "type:RX") for month in MONTHS},
    }


def _summed(amounts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return amounts of one commodity at several costs as one."""
    found: dict[str, dict[str, Any]] = {}
    for amount in amounts:
        quantity = amount["aquantity"]
        before = found.setdefault(amount["acommodity"], {**amount, "exact": 0})
        before["exact"] += quantity["decimalMantissa"] * 10 ** (20 - quantity["decimalPlaces"])
    return list(found.values())


def _shown(amount: dict[str, Any]) -> str:
    """Return an amount with the decimals that hledger shows, halves to the even digit."""
    places = amount["astyle"]["asprecision"]
    units = round(amount["exact"] / 10 ** (20 - places)) if places < 20 else amount["exact"]
    return f"{units / 10**places:.{places}f}"


def _after(day: str) -> str:
    return str(datetime.date.fromisoformat(day) + datetime.timedelta(days=1))


def beancount_answers(path: Path, program: Program) -> dict[str, Any]:
    def asked(currency: str, number: str, where: str) -> dict[str, dict[str, str]]:
        query = (
            f"SELECT account, {currency} AS code, sum({number}) AS total WHERE {where} "
            "GROUP BY account, code"
        )
        printed = program.text("bean-query", "-f", "csv", str(path), query)
        found: dict[str, dict[str, str]] = {}
        for row in csv.DictReader(io.StringIO(printed)):
            found.setdefault(row["account"], {})[row["code"]] = row["total"].strip()
        return found

    own = "account ~ '^(Assets|Liabilities|Vermoegen|Schulden)'"
    categories = "account ~ '^(Income|Expenses|Ertrag|Aufwand)'"
    return {
        "balances": {day: asked("currency", "number", f"{own} AND date <= {day}") for day in DAYS},
        "categories": {
            month: asked(
                "currency(weight)",
                "number(weight)",
                f"{categories} AND year = {month[:4]} AND month = {int(month[5:])}",
            )
            for month in MONTHS
        },
    }


def main(folder: Path) -> None:
    for path in sorted([*BOOKS.glob("*.journal"), *BOOKS.glob("*.beancount")]):
        with tempfile.TemporaryFile() as printed, tempfile.TemporaryDirectory() as empty:
            program = Program(printed, empty)
            is_hledger = path.suffix == ".journal"
            (print_hledger if is_hledger else print_beancount)(path, program)
            answers = (hledger_answers if is_hledger else beancount_answers)(path, program)
            printed.seek(0)
            data = printed.read().replace(str(path).encode(), path.name.encode())
        (folder / f"{path.stem}.txt.gz").write_bytes(gzip.compress(data, mtime=0))
        (folder / f"{path.stem}.json").write_text(
            json.dumps(answers, indent=1, sort_keys=True) + "\n"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BOOKS)
