"""A followed book after random edits: /changes tells exactly the difference, and the end equals a
fresh import.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Protocol

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.objects import remove_object, set_object
from finance_api.ledger.edits.records import change_records, remove_records, set_assigned
from finance_api.ledger.edits.splits import Part, join_parts, split_record
from finance_api.ledger.edits.transfers import unlink_records
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    LABELS,
    PUBLIC_RESOURCES,
    RECORDS,
    RESOURCES,
    SPLITS,
)
from finance_api.storage.memory import MemoryBackend
from finance_api.values.ids import derived_id
from support.books import import_book
from support.clock import HeldClock
from support.edited_books import TextBook, YnabPlan
from support.edited_databases import ActualBook, GnucashBook
from support.ledger import Person
from support.nightly import count
from support.service import native_line
from support.text_books import Entry, printed_by_beancount, printed_by_hledger

_BOOK = "book:home"
#: What differs between two imports of the same objects at different times.
_OF_IMPORT = {"createdAt", "updatedAt", "importId"}
_TOLD = {resource.name for resource in PUBLIC_RESOURCES if not resource.computed_fields}
Rows = dict[str, dict[str, Any]]
Public = dict[tuple[str, str], dict[str, Any]]


def uid(name: str) -> str:
    return derived_id("8f0c4a5e-6f0b-5d0e-9b0a-3b1f5c7d2e10", name)


class Book:
    """A book in which somebody works. rows: its objects, by their ids in the program."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._numbers = iter(range(1_000_000))
        self.rows: Rows = {}
        for name in ("Giro", "Cash"):
            self._add("Account", name=name, currencyCode="EUR")
        for _ in range(3):
            self.add_category()
            self.add_label()
        for _ in range(10):
            self.add_record()

    def _add(self, model_type: str, **values: Any) -> str:
        name = f"{model_type}-{next(self._numbers)}"
        own = {"reserved_model_type": model_type, "id": uid(name), "source": _BOOK}
        self.rows[name] = {**own, "sourceId": name, **values}
        return name

    def _names(self, model_type: str) -> list[str]:
        return [n for n, row in self.rows.items() if row["reserved_model_type"] == model_type]

    def _any(self, model_type: str) -> str:
        return self._random.choice(self._names(model_type))

    def _values(self) -> dict[str, Any]:
        draw = self._random
        return {
            "accountId": uid(self._any("Account")),
            "amount": Decimal(draw.randrange(-9_999, 9_999)).scaleb(-2),
            "recordDate": f"2026-0{draw.randrange(1, 4)}-1{draw.randrange(10)}",
            "payee": draw.choice(("Shop", "Rent", "Work", None)),
            "recordState": draw.choice(("cleared", "uncleared", "void", None)),
        }

    def _more(self) -> dict[str, Any]:
        labels = self._names("Label")
        return {
            "categoryId": uid(self._any("Category")),
            "labelIds": [uid(n) for n in self._random.sample(labels, min(2, len(labels)))],
        }

    # -- edits

    def add_record(self) -> None:
        self._add("Record", **self._values(), **self._more())

    def add_category(self) -> None:
        self._add("Category", name=f"Category {next(self._numbers)}", kind="expense")

    def add_label(self) -> None:
        self._add("Label", name=f"Label {next(self._numbers)}")

    def add_budget(self) -> None:
        chosen = [uid(self._any("Category"))]
        self._add("Budget", name="B", limitAmount=100, currencyCode="EUR", categoryIds=chosen)

    def add_transfer(self) -> None:
        out, into = (uid(n) for n in self._names("Account"))
        shared = {"recordDate": "2026-02-02", "transferId": uid(f"t{next(self._numbers)}")}
        self._add("Record", **shared, accountId=out, amount=-5)
        self._add("Record", **shared, accountId=into, amount=5)

    def add_split(self) -> None:
        values = {**self._values(), "recordState": "cleared", "amount": Decimal("-3.5")}
        self._split(self._add("SplitRecord", **values))

    def _split(self, name: str) -> None:
        whole = self.rows[name]
        first = Decimal(self._random.randrange(-500, 500)).scaleb(-2)
        for amount in (first, whole["amount"] - first):
            part = self._add("Record", **self._more(), splitId=whole["id"], amount=amount)
            shared = {key: whole[key] for key in ("accountId", "recordDate", "recordState")}
            self.rows[part] |= {**shared, "source": None, "sourceId": None}

    def _plain(self) -> list[str]:
        tied = {"splitId", "transferId"}
        return [name for name in self._names("Record") if not tied & self.rows[name].keys()]

    def change_record(self) -> None:
        if self._plain():
            self.rows[self._random.choice(self._plain())] |= {**self._values(), **self._more()}

    def categorise(self) -> None:
        self.rows[self._any("Record")] |= self._more()

    def delete_record(self) -> None:
        if len(self._plain()) > 1:
            del self.rows[self._random.choice(self._plain())]

    def split_record(self) -> None:
        name = self._random.choice(self._plain())
        row = self.rows[name]
        row["reserved_model_type"] = "SplitRecord"
        row["recordState"] = "cleared"
        del row["categoryId"], row["labelIds"]
        self._split(name)

    def join_split(self) -> None:
        for name in self._names("SplitRecord")[:1]:
            self._drop("splitId", self.rows[name]["id"])
            self.rows[name] |= {"reserved_model_type": "Record", **self._more()}

    def delete_split(self) -> None:
        for name in self._names("SplitRecord")[:1]:
            self._drop("splitId", self.rows.pop(name)["id"])

    def delete_transfer(self) -> None:
        for transfer in {row.get("transferId") for row in self.rows.values()} - {None}:
            self._drop("transferId", transfer)
            return

    def _drop(self, key: str, value: str) -> None:
        self.rows = {name: row for name, row in self.rows.items() if row.get(key) != value}

    def rename(self) -> None:
        name = self._any(self._random.choice(("Account", "Category", "Label")))
        self.rows[name]["name"] = f"Name {next(self._numbers)}"

    def merge_categories(self) -> None:
        """Put one category in place of another one, everywhere."""
        gone, kept = self._any("Category"), self._any("Category")
        if gone == kept:
            return
        del self.rows[gone]
        for row in self.rows.values():
            if row.get("categoryId") == uid(gone):
                row["categoryId"] = uid(kept)
            if uid(gone) in row.get("categoryIds", ()):
                row["categoryIds"] = [uid(kept)]

    def delete_label(self) -> None:
        for gone in self._names("Label")[1:2]:
            del self.rows[gone]
            for row in self.rows.values():
                if "labelIds" in row:
                    row["labelIds"] = [each for each in row["labelIds"] if each != uid(gone)]

    def edit(self) -> None:
        edits = [name for name in dir(self) if "_" in name.strip("_") or name == "rename"]
        chosen = self._random.choice([e for e in edits if not e.startswith("_")] + ["categorise"])
        getattr(self, chosen)()

    def file(self) -> bytes:
        return "".join(map(native_line, self.rows.values())).encode()


def public(person: Person) -> Public:
    """Return the public JSON of all rows, without what two imports never share."""
    return {
        (resource.name, row["id"]): {
            field.name: row[field.name]
            for field in resource.listed_fields
            if field.name not in _OF_IMPORT
        }
        for resource in PUBLIC_RESOURCES
        for row in person.rows(resource)
    }


def hidden(person: Person) -> dict[str, list[dict[str, Any]]]:
    return {
        resource.name: [
            {name: value for name, value in row.items() if name not in _OF_IMPORT}
            for row in person.rows(resource)
        ]
        for resource in RESOURCES
    }


class EditedBook(Protocol):
    """A book in which somebody works. file: as its program writes it."""

    def edit(self) -> None: ...

    def file(self) -> bytes: ...


def follow(person: Person, book: EditedBook) -> None:
    import_book(person, book.file(), follow=True, confirm_smaller=True)


def check_edits(person: Person, book: EditedBook) -> Iterator[tuple[Public, Public]]:
    """Follow a book, edit and follow it many times; yield what is here before and after each edit.
    Check that /changes tells exactly that, and that the end is a fresh import.
    """
    follow(person, book)
    start = person.dump()
    for number in range(count(40, 300)):
        before, revision = public(person), person.revision
        book.edit()
        person.clock.advance(60)
        follow(person, book)
        after = public(person)
        gone = before.keys() - after.keys()
        # Of types with computed fields, only deletions are told.
        rows = {key for key in after if key[0] in _TOLD and before.get(key) != after[key]}
        told = person.changes(revision)
        assert {(each.resource.name, each.row_id) for each in told} == rows | gone, number
        assert {(e.resource.name, e.row_id) for e in told if e.is_deletion} == gone
        yield before, after
    person.audit()
    fresh = Person(MemoryBackend(), HeldClock())
    follow(fresh, book)
    assert hidden(person) == hidden(fresh)
    while len([e for e in person.history() if e.undone_at is None]) > 1:
        person.undo()
    assert person.dump() == start


@pytest.mark.parametrize("make", [Book, YnabPlan, ActualBook, GnucashBook])
@pytest.mark.parametrize("seed", range(3))
def test_changes_tell_exactly_what_was_edited_and_the_end_is_a_fresh_import(
    make: Callable[[int], EditedBook], seed: int
) -> None:
    person = Person(MemoryBackend(), HeldClock())
    steps = list(check_edits(person, make(seed)))
    assert any(before != after for before, after in steps)


@pytest.mark.parametrize("seed", range(count(3, 200)))
def test_a_restore_makes_no_difference_to_what_the_book_changes_later(seed: int) -> None:
    draw, book, person = random.Random(seed), Book(seed), Person(MemoryBackend(), HeldClock())
    book.add_budget()
    follow(person, book)
    assert _edit(person, remove_object, BUDGETS, person.rows(BUDGETS)[0]["id"])
    for _ in range(6):
        book.edit()
        follow(person, book)
        resource = draw.choice((ACCOUNTS, CATEGORIES, LABELS, BUDGETS))
        for row in person.rows(resource)[:1]:
            _edit(person, remove_object, resource, row["id"], with_records=True)
    restored = Person(MemoryBackend(), HeldClock())
    restored.file(person.dump())
    for _ in range(6):
        book.edit()
        for each in (person, restored):
            follow(each, book)
        assert public(restored) == public(person)


@pytest.mark.parametrize("printed", [printed_by_hledger, printed_by_beancount])
@pytest.mark.parametrize("seed", range(3))
def test_in_a_text_book_only_transactions_that_were_edited_get_other_ids(
    printed: Callable[..., bytes], seed: int
) -> None:
    person, book = Person(MemoryBackend(), HeldClock()), TextBook(seed, printed)
    entries, ids, compared = Counter(book.entries), set[str](), 0
    for before, after in check_edits(person, book):
        earlier, entries = entries, Counter(book.entries)
        earlier_ids, ids = ids, transactions(person)
        if earlier_ids:
            assert len(earlier_ids - ids) == (earlier - entries).total()
            assert len(ids - earlier_ids) == (entries - earlier).total()
            compared += 1
        assert all(
            before[key] == after[key] for key in before.keys() & after.keys() if key[0] == "records"
        )
    assert compared > 1


@pytest.mark.parametrize("printed", [printed_by_hledger, printed_by_beancount])
def test_if_a_text_book_renames_an_account_the_records_of_others_stay_as_they_are(
    printed: Callable[..., bytes],
) -> None:
    def book(name: str) -> bytes:
        legs = [(f"Assets:{name} -{n} EUR", f"Expenses:Food {n} EUR") for n in (1, 2, 3)]
        legs += [(f"Assets:Cash -{n} EUR", f"Expenses:Food {n} EUR") for n in (4, 5)]
        return printed(*map(Entry, legs))

    person = Person(MemoryBackend(), HeldClock())
    import_book(person, book("Giro"), follow=True)
    for row in person.rows(RECORDS):
        assert _edit(person, change_records, [row["id"]], {"note": "mine"})
    before = person.dump()
    in_cash = [row for row in person.rows(RECORDS) if row["accountName"] == "Cash"]
    report = import_book(person, book("Bank"), follow=True)
    assert "records that were changed here, and are gone because the book has lost them: 3" in map(
        str, report.remarks
    )
    assert [row for row in person.rows(RECORDS) if row["accountName"] == "Cash"] == in_cash
    notes = {row["accountName"]: row["note"] for row in person.rows(RECORDS)}
    assert notes == {"Bank": None, "Cash": "mine"}
    fresh = Person(MemoryBackend(), HeldClock())
    import_book(fresh, book("Bank"), follow=True)
    assert public(person).keys() == public(fresh).keys()
    person.undo()
    assert person.dump() == before


def transactions(person: Person) -> set[str]:
    """Return the ids of the transactions of a text book that have records."""
    ids = (row["sourceId"] for resource in (RECORDS, SPLITS) for row in person.rows(resource))
    return {source_id.partition("/")[0] for source_id in ids if source_id is not None}


def _edit(person: Person, function: Callable[..., Any], *arguments: Any, **options: Any) -> bool:
    """Edit what is here; return whether that is allowed."""
    now = person.clock.now()
    try:
        with changing(person.backend, person.user.email, now, action="edit") as session:
            function(session, *arguments, **options)
    except ChangeRefused:
        return False
    return True


def edit_here(person: Person, draw: random.Random) -> bool:
    """Make a random edit as a person would on the pages; return whether it is allowed."""
    row = draw.choice(person.rows(RECORDS))
    category, other = (draw.choice(person.rows(CATEGORIES))["id"] for _ in range(2))
    edits: list[Callable[[], bool]] = [
        lambda: _edit(person, change_records, [row["id"]], {"note": f"mine {draw.random()}"}),
        lambda: _edit(person, remove_records, [row["id"]]),
        lambda: _edit(
            person, split_record, row["id"], [Part(row["amount"] - 10_000), Part(10_000)]
        ),
        lambda: _edit(person, join_parts, row["splitId"] or row["id"]),
        lambda: _edit(person, set_object, CATEGORIES, category, {"name": f"N {draw.random()}"}),
        lambda: _edit(person, remove_object, CATEGORIES, category, into=other),
        lambda: _edit(person, set_assigned, row["id"], {"account": draw.choice(accounts)}),
        lambda: _edit(person, unlink_records, [row["id"]]),
    ]
    accounts = [account["id"] for account in person.rows(ACCOUNTS)]
    return draw.choice(edits)()


@pytest.mark.parametrize("seed", range(4))
def test_with_edits_on_both_sides_a_second_time_changes_nothing(seed: int) -> None:
    person, book, draw = Person(MemoryBackend(), HeldClock()), Book(seed), random.Random(seed)
    person.file(book.file(), follow=True, confirm_smaller=True)
    allowed = 0
    for _ in range(count(15, 100)):
        book.edit()
        book.add_record()
        person.clock.advance(60)
        allowed += edit_here(person, draw)
        before = person.dump()
        person.file(book.file(), follow=True, confirm_smaller=True)
        person.audit()
        after, entries = person.snapshot(), len(person.history())
        person.file(book.file(), follow=True, confirm_smaller=True)
        assert (person.snapshot(), len(person.history())) == (after, entries)
        person.undo()
        assert person.dump() == before
        book.add_record()
        person.file(book.file(), follow=True, confirm_smaller=True)
    assert allowed
