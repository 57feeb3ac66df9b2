"""Texts looked for in many records: the same are found, however they are looked for.

What is common, what is rare and what is too short for an index may be looked for in different
ways; so there are enough records for all of them.
"""

from typing import Any

import pytest

from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, Query
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import RECORDS
from finance_api.resources.wire import encoder_of
from finance_api.storage.errors import NotFound
from finance_api.storage.testing.units import OneUser, Unit, add_user, make_row
from finance_api.values import Row

_DAY = 86_400
_COUNT = 1_500

#: Each stands in a few records. Those that differ by case only, or not even by that once they are
#: folded, stand in different ones.
_RARE = (
    *("Grüße", "GRÜSSE", "Straße", "STRASSE", "strasse", "ǰ-word", "J\u030c-word", "İstanbul"),
    *("istanbul", "i\u0307stanbul", "ISTANBUL", "ﬁsh", "fish", "FISH", "Σίσυφος", "ΣΊΣΥΦΟΣ"),
    *(
        "café",
        "CAFÉ",
        "cafe",
        "x\u0301y",
        "😀😀😀",
        "👨‍👩‍👧",
        "日本語の",
        "日本",
        "a b",
        "a  b",
        "tab\there",
    ),
    *("100%", "100", "under_score", "underXscore", "back\\slash", 'double"quote', "o'quote"),
    *(
        '"',
        '""',
        "*",
        "AND",
        "a OR b",
        "NOT x",
        "NEAR(a b)",
        "payee_folded : x",
        "-minus",
        "^start",
    ),
    *(
        "payee_folded : x",
        "line\nend",
        "ÄÖÜ",
        "äöü",
        "a\u0308",
        "ß",
        "ẞ",
        "ſ",
        "K",
        "k",
        "\U00010400",
        "\U00010428",
    ),
)
#: In many records, and in nearly all of them.
_COMMON = ("monthly", "Card payment")


def _records() -> list[Row]:
    rows = []
    for number in range(1, _COUNT + 1):
        note = f"{_COMMON[1]} {number:05}" if number % 50 else None
        payee = f"Payee {number % 40} {_COMMON[0]}" if number % 3 else f"payee {number % 40}"
        rows.append(
            make_row(RECORDS, number, recordDate=number * 31 % 365 * _DAY, note=note, payee=payee)
        )
    apart = 20
    for place, text in enumerate(_RARE):
        rows[apart * place + 7]["note"] = f"before {text} after"
        rows[apart * place + 14]["payee"] = text
        rows[_COUNT - 10 - apart * place]["note"] = text
    return rows


def _searches() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for text in (
        *_RARE,
        *_COMMON,
        "absent",
        "ment 00",
        "ard",
        "ar",
        "a",
        "0",
        "%",
        "_",
        "\\",
        "😀",
    ):
        found += [{name: [f"{how}.{text}"]} for name in ("note", "payee") for how in _HOW]
    found += [
        {"note": ["contains-i.card", "contains-i.0007"]},
        {"note": ["contains.Card", "contains.100", "contains-i.PAYMENT"]},
        {"note": ["contains-i.00", "contains.1"]},
        {"note": ["contains-i.card"], "payee": ["contains-i.MONTHLY"]},
        {"note": ["contains.0100"], "payee": ["contains-i.payee 2"]},
        {"note": ["contains-i.strasse"], "payee": ["contains-i.payee"]},
        {"note": ["contains-i.0"], "payee": ["contains.Payee 39"]},
        {"note": ["contains-i.grüße", "contains-i.before", "contains-i.after"]},
    ]
    return found


_HOW = ("contains", "contains-i")
_BOUNDS: tuple[list[str], ...] = (
    [],
    ["gte.1970-06-01"],
    ["lt.1970-06-01"],
    ["gte.1970-03-01", "lt.1970-10-01"],
    ["eq.1970-05-05"],
    ["gte.1970-10-01", "lt.1970-03-01"],
)


def _conditions(search: dict[str, Any]) -> tuple[Condition, ...]:
    found: list[Condition] = []
    for name, texts in search.items():
        field = RECORDS[name]
        for text in texts:
            found += parse_conditions(field, text)
    return tuple(found)


#: By search, the ids of the `_records` that meet it, in the default order.
_found: dict[str, list[str]] = {}


class _Book:
    """The user's records, and what of them meets conditions."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.rows = {row["id"]: row for row in _records()}
        self._met = _found
        unit.put(RECORDS, *self.rows.values())

    def change(self, *rows: Row) -> None:
        with self.unit.writing() as storage:
            storage.data.put_rows(self.unit.user.id, RECORDS, new=(), changed=rows)
        self.rows |= {row["id"]: row for row in rows}
        self._met = {}

    def check(self, search: dict[str, Any], limit: int = 30, offset: int = 0) -> int:
        """Their number."""
        conditions = _conditions(search)
        met = self._met.get(str(search))
        if met is None:
            rows = [row for row in self.rows.values() if matches(row, conditions)]
            rows.sort(key=lambda row: (-row["recordDate"], row["id"]))
            met = self._met[str(search)] = [row["id"] for row in rows]
        keys = parse_sort(RECORDS, RECORDS.default_sort)
        query = Query(RECORDS, conditions, keys, limit, offset, with_total=offset == 1)
        with self.unit.reading() as storage:
            found = storage.data.list_json(self.unit.user.id, query)
        encode = encoder_of(RECORDS).encode
        page = met[offset : offset + limit]
        assert found.rows == [encode(self.rows[row_id]) for row_id in page], (search, offset)
        assert found.has_more == (offset + limit < len(met))
        assert found.total == (len(met) if offset == 1 else None)
        return len(met)


class SearchingConformance(OneUser):
    """`list_json` of records in the default order, with texts to look for."""

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

    def test_pages_of_what_is_found(self, book: _Book) -> None:
        searches = (
            {"note": ["contains-i.CARD"]},
            {"note": ["contains-i.card payment 00"]},
            {"note": ["contains-i.0012"]},
            {"payee": ["contains.Payee 11"]},
            {"payee": ["contains-i.payee 1", "contains.monthly"]},
            {"note": ["contains-i.strasse"]},
            {"note": ["contains.a"]},
        )
        for search in searches:
            count = book.check(search)
            for bounds in _BOUNDS[:3]:
                for offset in (1, 2, 29, 30, 100, count - 1, count, count + 1, 10_000):
                    book.check({"recordDate": bounds, **search}, 30, max(0, offset))
            book.check(search, limit=200, offset=3)

    def test_texts_are_found_as_they_are_after_changes(self, book: _Book) -> None:
        first, second, third = (dict(row) for row in list(book.rows.values())[100:103])
        searches = (
            {"note": ["contains-i.newly"]},
            {"payee": ["contains.Newly"]},
            {"note": ["contains-i.card payment"]},
            {"note": ["contains-i.payment 00102"]},
        )
        assert [book.check(each) for each in searches[:2]] == [0, 0]
        book.change({**first, "note": "a NEWLY written", "payee": "Newly"})
        assert [book.check(each) for each in searches[:2]] == [1, 1]
        book.change({**first, "note": "a newly written", "recordDate": 400 * _DAY}, second)
        assert [book.check(each) for each in searches[:2]] == [1, 0]
        book.change({**first, "note": None, "payee": None}, {**second, "note": "newly"})
        assert [book.check(each) for each in searches[:2]] == [1, 0]
        book.change(first, second, {**third, "note": "x" * 5_000 + "newly"})
        assert [book.check(each) for each in searches[:2]] == [1, 0]
        for each in searches:
            book.check(each)

    def test_a_change_that_was_given_up_is_not_found(self, book: _Book) -> None:
        row = next(iter(book.rows.values()))
        with pytest.raises(RuntimeError), book.unit.writing() as storage:
            changed = [{**row, "note": "given up"}]
            storage.data.put_rows(book.unit.user.id, RECORDS, new=(), changed=changed)
            raise RuntimeError
        assert book.check({"note": ["contains-i.given up"]}) == 0
        book.check({"note": [f"contains-i.{row['note']}"]})

    def test_what_is_written_is_found_in_the_same_unit_of_work(self, book: _Book) -> None:
        new = [make_row(RECORDS, 10_000 + n, note=f"seen at once {n}") for n in range(3)]
        with book.unit.writing() as storage:
            storage.data.put_rows(book.unit.user.id, RECORDS, new=new, changed=())
            keys = parse_sort(RECORDS, RECORDS.default_sort)
            conditions = _conditions({"note": ["contains-i.seen AT"]})
            found = storage.data.list_json(book.unit.user.id, Query(RECORDS, conditions, keys))
            assert len(found.rows) == 3

    def test_texts_of_other_users_are_never_found(self, book: _Book) -> None:
        with book.unit.writing() as storage:
            others = [add_user(storage, f"{name}@example.org") for name in ("a", "z")]
            for other in others:
                theirs = [{**row, "note": f"{row['note']} alien"} for row in book.rows.values()]
                storage.data.put_rows(other.id, RECORDS, new=theirs, changed=())
        for search in ({"note": ["contains-i.alien"]}, {"note": ["contains.alien"]}):
            assert book.check(search) == 0
        for search in _searches()[::7]:
            book.check(search)
        with book.unit.writing() as storage:
            storage.users.delete(others[0].id)
        for search in _searches()[::7]:
            book.check(search)

    def test_of_a_deleted_user_nothing_is_found(self, book: _Book) -> None:
        """Nor does it come in the way of somebody else's."""
        unit = book.unit
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            rows = [{**row, "note": "their own"} for row in book.rows.values()]
            storage.data.put_rows(other.id, RECORDS, new=rows[:1_400], changed=())
            storage.users.delete(unit.user.id)
        keys = parse_sort(RECORDS, RECORDS.default_sort)
        for text, count in (("contains-i.straße", 0), ("contains-i.their own", 30)):
            query = Query(RECORDS, _conditions({"note": [text]}), keys, 30)
            with unit.reading() as storage, pytest.raises(NotFound):
                storage.data.list_json(unit.user.id, query)
            with unit.reading() as storage:
                assert len(storage.data.list_json(other.id, query).rows) == count
