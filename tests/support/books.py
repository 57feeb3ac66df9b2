"""Books of other programs: importing them, and what is stored of them."""

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportReport, make_order
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS
from finance_api.resources.field import Resource
from finance_api.resources.records import VOID
from finance_api.values import Row
from finance_api.values.time import date_text
from support.ledger import IMPORT_SETTINGS, Person

BOOKS = Path(__file__).parents[1] / "samples" / "books"


def import_book(
    person: Person, data: bytes, format_name: str | None = None, **options: Any
) -> ImportReport:
    order = make_order(
        io.BytesIO(data),
        options,
        IMPORT_SETTINGS,
        format_name,
        email=person.user.email,
        now=person.clock.now(),
    )
    return import_file(person.backend, order)


def refusal(person: Person, data: bytes, format_name: str | None = None, **options: Any) -> str:
    """Return the sentence of a refusal, after which nothing is stored."""
    before = person.snapshot()
    with pytest.raises(ImportRefused) as refused:
        import_book(person, data, format_name, **options)
    assert person.snapshot() == before
    return str(refused.value)


def named(person: Person, resource: Resource, name: str) -> Row:
    (row,) = [row for row in person.rows(resource) if row["name"] == name]
    return row


def pairs(person: Person) -> list[list[tuple[str, int]]]:
    """Return account and amount of the halves of each transfer, in ten-thousandths."""
    halves: dict[str, list[tuple[str, int]]] = {}
    for row in person.rows(RECORDS):
        if row["transferId"]:
            halves.setdefault(row["transferId"], []).append((row["accountName"], row["amount"]))
    return sorted(map(sorted, halves.values()))


def category_sums(person: Person) -> dict[tuple[str, str], int]:
    """Return the sums by month and by the category's id in the program; each amount in the
    currency of the category, if the book has it.
    """
    source_ids = {row["id"]: row["sourceId"] for row in person.rows(CATEGORIES)}
    left_out = {row["id"] for row in person.rows(ACCOUNTS) if row["excludeFromStats"]}
    sums: Counter[tuple[str, str]] = Counter()
    for row in person.rows(RECORDS):
        is_left_out = row["accountId"] in left_out or row["recordState"] == VOID
        if is_left_out or row["transferId"] is not None or row["categoryId"] is None:
            continue
        original = row["originalAmount"]
        amount = row["amount"] if original is None else original
        sums[date_text(row["recordDate"])[:7], source_ids[row["categoryId"]]] += amount
    return {key: amount for key, amount in sums.items() if amount}
