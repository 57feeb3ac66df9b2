"""Notes what files said of a record where something else changes it."""

from finance_api.importers import NATIVE
from finance_api.ledger.matching.source_ids import bank_id_in
from finance_api.ledger.matching.stated import Said, own_content, own_source, read_stated, written
from finance_api.values import Row


def note_stated(before: Row, after: Row) -> None:
    """Notes on ``after`` what the file said that made the record, if it says the same no more.

    So the file is recognised when it comes again.
    """
    source = own_source(before)
    if source is None or source == NATIVE or own_content(before) == own_content(after):
        return
    stated = read_stated(after)
    if source not in stated:
        said = Said(bank_id_in(before["sourceId"]), own_content(before))
        after["stated"] = written({**stated, source: [said]})
