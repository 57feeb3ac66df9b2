"""Searches for texts and for words."""

from dataclasses import replace
from itertools import product
from typing import Any

from finance_api.query.evaluate import matching
from finance_api.query.words import parse_words
from finance_api.resources import RECORDS
from finance_api.storage.testing.units import (
    DAY,
    OneUser,
    Unit,
    make_query,
    make_row,
    make_rows,
    number_of,
    numbers_in,
)

#: Some texts differ only by case, or are equal after folding.
RARE = (
    *("Grüße", "GRÜSSE", "Straße", "STRASSE", "strasse", "ǰ-word", "J\u030c-word", "İstanbul"),
    *("istanbul", "i\u0307stanbul", "ISTANBUL", "ﬁsh", "fish", "FISH", "Σίσυφος", "ΣΊΣΥΦΟΣ"),
    *("café", "CAFÉ", "cafe", "x\u0301y", "😀😀😀", "👨‍👩‍👧", "日本語の", "日本", "a b", "a  b"),
    *("100%", "100", "under_score", "underXscore", "back\\slash", 'double"quote', "o'quote"),
    *("tab\there", '"', '""', "*", "AND", "a OR b", "NOT x", "NEAR(a b)", "payee_folded : x"),
    *("-minus", "^start", "line\nend", "ÄÖÜ", "äöü", "a\u0308", "ß", "ẞ", "ſ", "K", "k"),
    *("\U00010400", "\U00010428"),
)


class SearchingConformance(OneUser):
    def test_texts_are_found_wherever_they_stand(self, unit: Unit) -> None:
        texts = [*RARE, *(f"before {text} after" for text in RARE), None]
        dates = [-DAY * number for number in range(len(texts))]
        rows = make_rows(RECORDS, note=texts, payee=texts[::-1], recordDate=dates)
        unit.put(RECORDS, *rows)
        for text, name, how in product(
            (*RARE, "absent", "ore"), ("note", "payee"), ("contains", "contains-i")
        ):
            filters: dict[str, Any] = {name: f"{how}.{text}"}
            query = make_query(RECORDS, limit=200, with_total=True, **filters)
            expected = [number_of(row["id"]) for row in matching(rows, query.conditions)]
            page = unit.list_json(query)
            assert (numbers_in(page), page.total) == (expected, len(expected)), filters

    def test_words_are_looked_for_in_all_texts(self, unit: Unit) -> None:
        texts: list[dict[str, Any]] = [
            {"payee": "Corner Shop"},
            {"note": "SHOPPING"},
            {"category": "shops"},
            {"labels": ("x", "Shop")},
            {"accountName": "Shop"},
            {"payee": "sh", "note": "op", "labels": ("sh", "op")},
            {"payee": "Zöldséges", "note": "a  Corner shoe 17.07", "amount": 5_000},
            {"payee": "ZOLD", "labels": ("Łódź",), "amount": -170_700},
            {"note": "Straße", "category": "ＡＢ é", "amount": 170_700},
            {"payee": "Amazon", "originalPayee": "ÄMZN Mktp"},
            {"originalPayee": "amzn mktp"},
        ]
        unit.put(RECORDS, *(make_row(RECORDS, n, **values) for n, values in enumerate(texts)))
        for order in ("+id", "-recordDate", "-amount"):
            for words, expected in (
                ("shop", [0, 1, 2, 3, 4]),
                ("shop corner", [0]),
                ("sh op", [0, 1, 2, 3, 4, 5]),
                ("text", [0, 1, 2, 3, 5, 6, 7, 8, 9, 10]),
                ("nothing", []),
                ('"corner shop"', [0]),
                ('"corner sho"', [0, 6]),
                ('"a corner"', []),
                ("zold", [6, 7]),
                ("zöld", [6, 7]),
                ("LODZ", [7]),
                ("strasse", [8]),
                ("É", [0, 1, 2, 3, 5, 6, 7, 8, 9, 10]),
                ("17.07", [6, 7, 8]),
                ("17,07 zold", [7]),
                ("17.07 shoe", [6]),
                ('"17.07"', [6]),
                (">1 <=17.07", [7, 8]),
                (">=0.5 zold", [6, 7]),
                (">17.07", []),
                ("amzn", [9, 10]),
                ("mktp amazon", [9]),
                ('"amazon amzn"', []),
                ("lodz OR corner shop", [0, 7]),
                ('17.07 zold OR strasse OR "a corner" OR absent', [6, 7, 8]),
            ):
                query = replace(make_query(RECORDS, order), conditions=parse_words(words))
                assert sorted(unit.ids(RECORDS, *query.conditions, sort=order)) == expected
                assert len(unit.list_json(query).rows) == len(expected)
                with unit.reading() as storage:
                    found = storage.data.scan_rows(
                        unit.user.id, RECORDS, conditions=query.conditions
                    )
                assert len(found) == len(expected)
