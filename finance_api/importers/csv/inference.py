"""What the headings and first rows of a table say about its columns, where nobody has said it.

A column is known by its heading, because it is the only one of its kind, or because the balances
run by its amounts. What has two readings is asked.
"""

from collections.abc import Sequence

from finance_api.importers.csv.columns import Columns, Headings
from finance_api.importers.csv.date_columns import find_dates
from finance_api.importers.csv.money_columns import find_money
from finance_api.importers.csv.open_columns import Inferred, OpenColumns
from finance_api.importers.csv.sample import Column
from finance_api.importers.csv.word_columns import (
    find_accounts,
    find_currency,
    find_direction,
    find_statuses,
    find_texts,
)

#: So many columns are looked at.
_COLUMNS = 200


def infer(
    headings: Headings,
    rows: Sequence[Sequence[str]],
    known: Columns,
    *,
    currency: str | None,
    has_direction: bool,
    has_account: bool,
    has_texts: bool,
    period: str | None,
    by_name: frozenset[str],
    ignored: frozenset[int],
) -> Inferred:
    """known: the columns that are given, or have the names of fields.

    has_direction, has_account, has_texts: whether it is given which way money goes, of which
    account all is, and where the texts are.
    period: the days of the statement. by_name: fields whose columns only have their names.
    ignored: columns that say nothing.
    """
    texts = headings.texts or [""] * headings.width
    columns = [
        Column(index, texts[index], [row[index].strip() for row in rows])
        for index in range(min(headings.width, _COLUMNS))
    ]
    open_ = OpenColumns(headings, columns, known, by_name, ignored)
    find_dates(open_, period)
    find_money(open_, currency)
    find_currency(open_)
    find_statuses(open_)
    if not has_direction:
        find_direction(open_)
    find_accounts(open_, has_account=has_account)
    if not has_texts:
        find_texts(open_)
    return open_.found
