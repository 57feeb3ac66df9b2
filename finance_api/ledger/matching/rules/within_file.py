"""Decides entries that the file itself repeats, corrects or deletes."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice

from finance_api.importers.interface import Question
from finance_api.ledger.matching.model import (
    Candidate,
    FileEntry,
    Outcome,
    Pair,
    Wanted,
    correction_chain,
)
from finance_api.ledger.matching.open_rows import (
    NEW,
    SAME,
    EntryTest,
    OpenRows,
    described,
    grouped,
    which_one,
)
from finance_api.ledger.matching.stated import KnownAccount


def skip_repeated(rows: OpenRows) -> Iterator[Pair | Question]:
    """Skip an entry that repeats another entry of the file.

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
            f"{described(last)} appears in line {line} as well, in another part of the file, and "
            f"neither has an id",
            last.line,
            how=(
                ": if they are one transaction, say --first-day same; if they are two, say "
                "--first-day new"
            ),
            same=SAME,
            other=NEW,
        )
    yield from _repeated(rows, _is_sectioned)


def _is_sectioned(entry: FileEntry) -> bool:
    return entry.bank_id is None and entry.rare.section is not None


def _repeated(rows: OpenRows, entries: EntryTest) -> Iterator[Pair]:
    """Skip entries that another section or, without sections, another entry repeats."""
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


_MOST_REMARKS = 20
#: An account, and a bank id.
_Key = tuple[KnownAccount, str | None]


def set_corrections_aside(rows: OpenRows) -> Iterator[Pair]:
    """Treat an entry that says to correct itself as a plain entry."""
    of_themselves = [
        e for e in rows.entries if e.rare.corrects is not None and e.rare.corrects == e.bank_id
    ]
    named = [e for e in of_themselves if e.outcome is None][:_MOST_REMARKS]
    rows.remarks += [
        f"{described(rows.read(e))} corrects itself: imported unchanged" for e in named
    ]
    for entry in of_themselves:
        entry.rare.corrects = None
    yield from ()


def act_on_corrections(rows: OpenRows) -> Iterator[Pair]:
    """Decide an entry that corrects or deletes another one, which it names by id.

    stored  2026-01-03  -3.00  Coffee  id 7
    file    2026-01-03  -3.50  Coffee  id 8, corrects 7
    gives   corrected: the amount changes
    """
    correcting = [e for e in rows.entries if e.rare.corrects is not None]
    if not correcting:
        return
    by_id = grouped((e for e in rows.entries if e.bank_id), lambda e: (e.account, e.bank_id))
    known: defaultdict[_Key, list[Candidate]] = defaultdict(list)
    before: dict[_Key, Candidate] = {}
    number = 0
    for entry in correcting:
        bank_id = entry.rare.corrects
        if bank_id is None or entry.outcome not in (None, Outcome.NEW):
            continue
        rows.reader.read_ids([Wanted(entry.account, entry.statement, bank_id)])
        for candidate in islice(rows.candidates, number, None):
            if candidate.mine:
                known[candidate.account, candidate.bank_id].append(candidate)
            for _, _, its_id, _ in candidate.earlier:
                before.setdefault((candidate.account, its_id), candidate)
        number = len(rows.candidates)
        key = entry.account, bank_id
        stored = _nearest(known[key], entry.day) or before.get(key)
        other = next((e for e in by_id.get(key, ()) if e is not entry), None)
        if stored is not None:
            outcome = Outcome.VOIDS if entry.rare.deletes else Outcome.CORRECTION
            yield Pair(entry, outcome, stored)
        elif other is not None and entry not in correction_chain(other):
            entry.awaits = other
            yield Pair(entry, Outcome.WAITING)
        else:
            rows.remarks.append(
                f"{described(rows.read(entry))} corrects {bank_id!r}, which is not stored: "
                f"imported unchanged"
            )


def _nearest(candidates: list[Candidate], day: int) -> Candidate | None:
    return min(candidates, key=lambda candidate: abs(candidate.day - day), default=None)
