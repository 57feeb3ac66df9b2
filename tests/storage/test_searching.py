"""Searches for texts in many records: every way to search must find the same records."""

from collections.abc import Callable

import pytest

from finance_api.query.evaluate import matching
from finance_api.resources import RECORDS
from finance_api.serialization.rows import encoder_of
from finance_api.storage.sql.backend import SqlBackend
from finance_api.storage.testing.searching import RARE
from finance_api.storage.testing.units import DAY, OneUser, Unit, make_query, make_row
from finance_api.values import Row

_COUNT = 1_500

#: The first text is in many records, the second in nearly all.
_COMMON = ("monthly", "Card payment")
#: "absent" is in no record. The others are parts of many texts, or of a few.
_PARTS = ("absent", "ment 00", "ard", "ar", "a", "0", "%", "_", "\\", "😀")


def _records() -> list[Row]:
    rows = []
    for number in range(1, _COUNT + 1):
        note = f"{_COMMON[1]} {number:05}" if number % 50 else None
        payee = f"Payee {number % 40} {_COMMON[0]}" if number % 3 else f"payee {number % 40}"
        rows.append(
            make_row(RECORDS, number, recordDate=number * 31 % 365 * DAY, note=note, payee=payee)
        )
    apart = 20
    for place, text in enumerate(RARE):
        rows[apart * place + 7]["note"] = f"before {text} after"
        rows[apart * place + 14]["payee"] = text
        rows[_COUNT - 10 - apart * place]["note"] = text
    return rows


#: Filters by field, as arguments of `make_query`.
_Search = dict[str, str | list[str]]


def _searches() -> list[_Search]:
    single: list[_Search] = [
        {name: f"{how}.{text}"}
        for text in (*RARE, *_COMMON, *_PARTS)
        for name in ("note", "payee")
        for how in ("contains", "contains-i")
    ]
    return [
        *single,
        {"note": ["contains-i.card", "contains-i.0007"]},
        {"note": ["contains.Card", "contains.100", "contains-i.PAYMENT"]},
        {"note": ["contains-i.00", "contains.1"]},
        {"note": "contains-i.card", "payee": "contains-i.MONTHLY"},
        {"note": "contains.0100", "payee": "contains-i.payee 2"},
        {"note": "contains-i.strasse", "payee": "contains-i.payee"},
        {"note": "contains-i.0", "payee": "contains.Payee 39"},
        {"note": ["contains-i.grüße", "contains-i.before", "contains-i.after"]},
    ]


_BOUNDS: tuple[list[str], ...] = (
    [],
    ["gte.1970-06-01"],
    ["lt.1970-06-01"],
    ["gte.1970-03-01", "lt.1970-10-01"],
    ["eq.1970-05-05"],
    ["gte.1970-10-01", "lt.1970-03-01"],
)
#: For each search, the ids of the `_records` that match, in the default order.
_met: dict[str, list[str]] = {}


class _Book:
    """The user's records, and which of them match each search."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.rows = {row["id"]: row for row in _records()}
        self._met = _met
        unit.put(RECORDS, *self.rows.values())

    def change(self, *rows: Row) -> None:
        self.unit.change(RECORDS, *rows)
        self.rows |= {row["id"]: row for row in rows}
        self._met = {}

    def check(self, search: _Search, limit: int = 30, offset: int = 0) -> int:
        """Compare a page with the records that `matching` selects; return the number of matches."""
        query = make_query(
            RECORDS, None, limit=limit, offset=offset, with_total=offset == 1, **search
        )
        met = self._met.get(str(search))
        if met is None:
            rows = list(matching(self.rows.values(), query.conditions))
            rows.sort(key=lambda row: (-row["recordDate"], row["id"]))
            met = self._met[str(search)] = [row["id"] for row in rows]
        found = self.unit.list_json(query)
        encode = encoder_of(RECORDS).encode
        page = met[offset : offset + limit]
        assert found.rows == [encode(self.rows[row_id]) for row_id in page], (search, offset)
        assert found.has_more == (offset + limit < len(met))
        assert found.total == (len(met) if offset == 1 else None)
        return len(met)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
class TestSearching(OneUser):
    """Tests `list_json` for records in the default order, with filters that search for texts."""

    @pytest.fixture
    def backend(self, emptied: Callable[[str], SqlBackend], database: str) -> SqlBackend:
        return emptied(database)

    @pytest.fixture
    def book(self, unit: Unit) -> _Book:
        return _Book(unit)

    def test_texts_are_found_wherever_they_stand(self, book: _Book) -> None:
        counts = [book.check(search) for search in _searches()]
        assert {0, 2, 3} < set(counts)
        assert max(counts) > _COUNT * 2 / 3

    def test_texts_are_found_within_dates(self, book: _Book) -> None:
        for search in _searches()[::5]:
            for bounds in _BOUNDS[1:]:
                book.check({"recordDate": bounds, **search})

    def test_pages_of_matches(self, book: _Book) -> None:
        searches: tuple[_Search, ...] = (
            {"note": "contains-i.CARD"},
            {"note": "contains-i.card payment 00"},
            {"note": "contains-i.0012"},
            {"payee": "contains.Payee 11"},
            {"payee": ["contains-i.payee 1", "contains.monthly"]},
            {"note": "contains-i.strasse"},
            {"note": "contains.a"},
        )
        for search in searches:
            count = book.check(search)
            for bounds in _BOUNDS[:3]:
                for offset in (1, 2, 29, 30, 100, count - 1, count, count + 1, 10_000):
                    book.check({"recordDate": bounds, **search}, 30, max(0, offset))
            book.check(search, limit=200, offset=3)

    def test_texts_are_found_as_they_are_after_changes(self, book: _Book) -> None:
        first, second, third = (dict(row) for row in list(book.rows.values())[100:103])
        of_note: _Search = {"note": "contains-i.newly"}
        of_payee: _Search = {"payee": "contains.Newly"}
        changes: tuple[tuple[Row, ...], ...] = (
            ({**first, "note": "a NEWLY written", "payee": "Newly"},),
            ({**first, "note": "a newly written", "recordDate": 400 * DAY}, second),
            ({**first, "note": None, "payee": None}, {**second, "note": "newly"}),
            (first, second, {**third, "note": "x" * 5_000 + "newly"}),
        )
        counts = [(book.check(of_note), book.check(of_payee))]
        for rows in changes:
            book.change(*rows)
            counts.append((book.check(of_note), book.check(of_payee)))
        assert counts == [(0, 0), (1, 1), (1, 0), (1, 0), (1, 0)]
        book.check({"note": "contains-i.card payment"})
        book.check({"note": "contains-i.payment 00102"})

    def test_a_change_that_was_given_up_is_not_found(self, book: _Book) -> None:
        row = next(iter(book.rows.values()))
        with pytest.raises(RuntimeError), book.unit.writing() as storage:
            changed = [{**row, "note": "given up"}]
            storage.data.put_rows(book.unit.user.id, RECORDS, new=(), changed=changed)
            raise RuntimeError
        assert book.check({"note": "contains-i.given up"}) == 0
        book.check({"note": f"contains-i.{row['note']}"})

    def test_new_texts_are_found_in_the_same_unit_of_work(self, book: _Book) -> None:
        new = [make_row(RECORDS, 10_000 + n, note=f"seen at once {n}") for n in range(3)]
        with book.unit.writing() as storage:
            storage.data.put_rows(book.unit.user.id, RECORDS, new=new, changed=())
            query = make_query(RECORDS, note="contains-i.seen AT")
            assert len(storage.data.list_json(book.unit.user.id, query).rows) == 3

    def test_texts_of_other_users_are_never_found(self, book: _Book, other: Unit) -> None:
        third = Unit(other.backend, "z")
        for each in (other, third):
            rows = [{**row, "note": f"{row['note']} alien"} for row in book.rows.values()]
            each.put(RECORDS, *rows)
        assert book.check({"note": "contains-i.alien"}) == 0
        assert book.check({"note": "contains.alien"}) == 0
        for search in _searches()[::7]:
            book.check(search)
        third.delete()
        for search in _searches()[::7]:
            book.check(search)
