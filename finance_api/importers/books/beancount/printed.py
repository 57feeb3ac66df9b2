"""Parses what several queries of bean-query print as CSV, one after the other in one file.

Columns of amounts are rounded when they are printed; ``number(…)`` of them is not.
"""

import codecs
import csv
from collections.abc import Iterator
from typing import BinaryIO

from finance_api.importers.interface import ImportRefused, quoted

#: Headings -> the query that has them. The transactions come last.
_QUERIES = {
    ("account", "closed"): "SELECT account, close.date AS closed FROM #accounts",
    ("directive", "count"): (
        "SELECT type AS directive, count(*) AS count FROM #entries GROUP BY type"
    ),
    ("account", "currency", "balance"): (
        "SELECT account, currency, sum(number) AS balance GROUP BY account, currency"
    ),
    (
        *("id", "date", "flag", "payee", "narration", "account", "number", "currency"),
        *("value", "value_currency", "tags", "links", "posting_flag"),
    ): (
        "SELECT id, date, flag, payee, narration, account, number, currency, "
        "number(weight) AS value, currency(weight) AS value_currency, tags, links, posting_flag"
    ),
}
QUERIES = tuple(_QUERIES.values())
ACCOUNTS, DIRECTIVES, BALANCES, LEGS = _QUERIES
#: The first cell of a row with an option of the book, such as ``option,name_assets,Vermoegen``.
OPTION = "option"


def printed_rows(stream: BinaryIO) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield the rows of all queries, each with the headings of its query; options have none.

    Raises ImportRefused.
    """
    headings: tuple[str, ...] | None = None
    rows = csv.reader(codecs.iterdecode(stream, "utf-8-sig"), strict=True)
    try:
        for row in rows:
            if tuple(row) in _QUERIES:
                headings = tuple(row)
            elif row[:1] == [OPTION] and len(row) == 3:
                yield (), row
            elif headings is None or len(row) != len(headings):
                raise ImportRefused(
                    f"{quoted(','.join(row))} is not what bean-query prints for these queries: the "
                    "file is cut off, or was printed by others",
                    rows.line_num,
                )
            else:
                yield headings, [cell.strip() for cell in row]
    except UnicodeDecodeError:
        raise ImportRefused("the file is not UTF-8: print it with LC_ALL=C.UTF-8") from None
    except csv.Error:
        raise ImportRefused(
            "the file is damaged or cut off: print the book again", rows.line_num
        ) from None
