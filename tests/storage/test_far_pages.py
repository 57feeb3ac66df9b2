"""A far page of a list that is sorted by many texts."""

from itertools import product

import orjson
import pytest

from finance_api.query.model import Query
from finance_api.query.parse import parse_sort
from finance_api.resources import RECORDS
from finance_api.storage.sql.reading import pages
from finance_api.storage.testing import Unit, make_row

#: One the beginning of another, the lowest characters that are stored, the highest, and none.
_TEXTS = (None, "a", "a\t", "a\n", "a b", "ab", "a\U0010ffff", "\U0010ffff", "\u00e9")


@pytest.mark.parametrize(
    "sort",
    ["payee,note,category,id", "-payee,-note,currencyCode", "payee,-note,amount,-category,-payee"],
)
def test_many_texts_sort_as_one_by_one(new_backend, monkeypatch, sort):
    monkeypatch.setattr(pages, "FAR_OFFSET", 1)
    rows = [
        make_row(RECORDS, n, payee=payee, note=note, category=("x", None)[n % 2])
        for n, (payee, note) in enumerate(product(_TEXTS, repeat=2))
    ]
    found = []
    for storage_name in ("memory", "sqlite", "postgresql"):
        unit = Unit(new_backend(storage_name))
        unit.put(RECORDS, *rows)
        query = Query(RECORDS, (), parse_sort(RECORDS, sort), len(rows), 1)
        with unit.reading() as storage:
            # Rows are sorted once more when they are chosen.
            page = storage.data.list_json(unit.user.id, query)
        found.append([orjson.loads(row)["id"] for row in page.rows])
    assert len(set(found[0])) == len(rows) - 1
    assert found[1] == found[2] == found[0]
