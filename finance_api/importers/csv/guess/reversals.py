"""Rows that a mark such as "Storno: ja" calls cancelled, but that may cancel others."""

from finance_api.importers.csv.guess.column import Column, OpenColumns
from finance_api.importers.csv.guess.money import moved_by, runs_through
from finance_api.importers.csv.vocabulary import YES, YES_OR_NO, folded


def are_open(open_: OpenColumns, status: Column) -> bool:
    """Return whether the rows that a status marks may be money: a mark of reversals may stand at
    the row that undoes another one, and either both are money or neither.

    Where the balances lead through the rows that such a mark has, or each row undoes exactly one
    without a mark, they are, and the column is explained.
    """
    if not (status.values <= YES_OR_NO and status.fit("denial")):
        return False
    named = status.fit("reversal") > 0
    if named and runs_through(open_, [folded(text) in YES for text in status.texts]):
        open_.explain(status)
        return True
    texts = [column.index for column in open_.all if column.is_text and column is not status]
    marked, others = set[int](), set[int]()
    for cells, units in moved_by(open_):
        is_marked = folded(cells[status.index]) in YES
        key = hash((-units if is_marked else units, *(cells[index].strip() for index in texts)))
        (marked if is_marked else others).add(key)
    if named and marked <= others:
        open_.explain(status)
    return named or not marked.isdisjoint(others)
