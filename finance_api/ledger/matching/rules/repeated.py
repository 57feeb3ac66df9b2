"""Entries that the file repeats."""

from collections import Counter
from collections.abc import Iterator

from finance_api.importers.interface import Question
from finance_api.ledger.matching.model import FileEntry, Outcome, Pair
from finance_api.ledger.matching.open_rows import (
    NEW,
    SAME,
    EntryTest,
    OpenRows,
    grouped,
    which_one,
)
from finance_api.ledger.matching.wording import described


def skip_repeated(rows: OpenRows) -> Iterator[Pair | Question]:
    """Leave out an entry that the file has already.

    file    2026-01-03  -3.00  Coffee  id 7
            2026-01-03  -3.00  Coffee  id 7
    gives   new, duplicate
    """
    times = Counter((e.account, e.bank_id) for e in rows.entries if e.bank_id is not None)
    repeated = {key for key, count in times.items() if count > 1}
    if repeated:
        yield from _repeated(rows, lambda e: (e.account, e.bank_id) in repeated)
    if any((e.rare.section or 0) > 1 for e in rows.entries):
        yield from _without_id(rows)


def _without_id(rows: OpenRows) -> Iterator[Pair | Question]:
    """Ask about equal entries of two sections: one transaction stated twice, or two."""
    equal = grouped(
        filter(_is_sectioned, rows.entries), lambda e: (e.account, e.content, e.time)
    ).values()
    twice = next((es for es in equal if len({e.rare.section for e in es}) > 1), None)
    if twice is None or rows.first_day == NEW:
        return
    if rows.first_day is None:
        line, last = rows.read(twice[0]).line, rows.read(twice[-1])
        yield which_one(
            "--first-day",
            f"{described(last)} stands in line {line} as well, in another part of the "
            "file, and neither has an id: say whether these are one transaction with "
            "--first-day same, or two with --first-day new",
            last.line,
            same=SAME,
            other=NEW,
        )
    yield from _repeated(rows, _is_sectioned)


def _is_sectioned(entry: FileEntry) -> bool:
    return entry.bank_id is None and entry.rare.section is not None


def _repeated(rows: OpenRows, entries: EntryTest) -> Iterator[Pair]:
    """Leave out entries that another section has too, or, without sections, another entry."""
    of_section: Counter[tuple[object, ...]] = Counter()
    seen: set[tuple[object, ...]] = set()
    for entry in filter(entries, rows.entries):
        rare, nth = entry.rare, 1
        same = (
            *(entry.account, entry.bank_id, entry.content, entry.time),
            *(rare.fingerprint, rare.corrects),
        )
        if rare.section is not None:
            of_section[*same, rare.section] += 1
            nth = of_section[*same, rare.section]
        if (*same, nth) in seen:
            yield Pair(entry, Outcome.DUPLICATE)
        seen.add((*same, nth))
