"""Pairs rows after the bank changed how it reports a transaction: its text, day, id or amount."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from typing import TypeVar

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.interface import Question
from finance_api.ledger.matching.duplicates import are_alike
from finance_api.ledger.matching.model import Candidate, FileEntry, Outcome, Pair
from finance_api.ledger.matching.open_rows import (
    SAME,
    OpenRows,
    file_row,
    first_within,
    grouped,
    is_plain,
    part_of_day,
    stored_row,
    which_one,
)
from finance_api.ledger.matching.stated import REACH_DAYS, REST

#: A question names the nearest of up to this many pairs.
_MANY = 100
_Row = TypeVar("_Row", FileEntry, Candidate)
#: Entries and records of one account and amount, on near days.
_Group = tuple[list[FileEntry], list[Candidate]]
#: A function that returns the amounts that a record's entry may have now.
_Amounts = Callable[[Candidate], tuple[int, ...]]


def exchange_equal(rows: OpenRows) -> Iterator[Pair | Question]:
    """Free a corrected record if the file has its new amount, too, and more often than others do.

    stored  2026-01-03  -3.00  Coffee  id 7   (corrected to -3.50 by a file of another format)
            2026-01-03  -3.00  Coffee  id 8
    file    2026-01-03  -3.00  Coffee  id 7
            2026-01-03  -3.50  Coffee  id 9
    gives   id 7 is the second record: nobody knows which of two equal ones the other format meant

    Without a second record, the old amount is a payment of its own.
    """
    wanted = grouped(filter(is_plain, rows.undecided), lambda e: (e.account, e.amount))
    if not wanted:
        return
    free: defaultdict[tuple[object, int], list[Candidate]] = defaultdict(list)
    for candidate in rows.free(lambda c: not (c.is_void or c.is_past)):
        for amount in {candidate.amount, *candidate.further.restated}:
            free[candidate.account, amount].append(candidate)
    for entry in rows.entries:
        record = entry.candidate
        if record is None or not record.mine or entry.amount != record.amount:
            continue
        for key in ((record.account, amount) for amount in record.further.restated):
            new = _beside(record, wanted.get(key, ()))
            waiting = [e for e in new if e.day == record.day]
            if not waiting or len(new) <= sum(c.is_free for c in _beside(record, free[key])):
                continue
            if not record.inner and rows.first_day != SAME:
                if rows.first_day is None:
                    yield part_of_day(record.day, waiting[0])
                continue
            twins = free[record.account, record.amount]
            same = (
                c for c in twins if c.is_free and c.day == record.day and not c.further.restated
            )
            twin = next((c for c in same if c.covered), None)
            outcome = Outcome.CORRECTION if twin is not None and twin.mine else Outcome.MATCHED
            yield Pair(entry, Outcome.NEW if twin is None else outcome, twin)
            yield _paired(rows, waiting[0], record)
            wanted[key].remove(waiting[0])
            break


def _beside(record: Candidate, rows: Iterable[_Row]) -> list[_Row]:
    """Return the rows that are at most REACH_DAYS from the record."""
    return [row for row in rows if abs(row.day - record.day) <= REACH_DAYS]


def pair_restated(rows: OpenRows) -> Iterator[Pair | Question]:
    """Pair an entry with a record that the file lacks, and whose new amount it has.

    stored  2026-01-03  -3.00  Coffee   (corrected to -3.50 by a file of another format)
    file    2026-01-03  -3.50  Coffee   (covers 1 to 31 January, no -3.00 on the 3rd)
    gives   corrected: nothing is added

    Without its own day, a file with an amount that was corrected again since is an older one.
    """
    yield from _pair(rows, lambda candidate: candidate.further.restated)


def pair_moved(rows: OpenRows) -> Iterator[Pair | Question]:
    """Pair an entry with a record that the file lacks, though the file covers the record's day.

    stored  2026-01-03  -3.00  Coffee
    file    2026-01-05  -3.00  Coffee Berlin   (covers 1 to 31 January, no row on the 3rd)
    gives   corrected: day and text change, nothing is added
    """
    yield from _pair(rows, lambda candidate: (candidate.amount,))


def pair_same_moments(rows: OpenRows) -> Iterator[Pair | Question]:
    """Ask about an entry with the time and text of a record that the file lacks.

    stored  2026-01-03 10:12  -3.00  Coffee
    file    2026-01-03 10:12  -9.00  Coffee   (covers 1 to 31 January, no -3.00 at 10:12)
    gives   a question

    Otherwise, a record that has the entry's amount might seem to have moved here.
    """
    lacking = grouped(rows.free(lambda c: _is_lacking(c) and c.time > 0), _moment)
    entries = grouped((e for e in rows.undecided if lacking and is_plain(e)), _moment)
    groups = [(entries[key], records) for key, records in lacking.items() if key in entries]
    yield from _decide(rows, [group for group in groups if _possible(rows, group)])


def _moment(row: FileEntry | Candidate) -> tuple[object, ...]:
    return row.account, row.day, row.time, row.text


def pair_exchanged(rows: OpenRows) -> Iterator[Pair | Question]:
    """Ask about an entry and a record that the file lacks if near ones exchanged their amounts.

    stored  2026-01-03  -3.00  Coffee  id 7
            2026-01-04  -9.00  Lunch   id 8
    file    2026-01-03  -9.00  Coffee  id 7
            2026-01-04  -3.00  Pizza   id 9   (covers 1 to 31 January)
    gives   a question: the first record is corrected; the second one may be the second entry
    """
    changed: defaultdict[tuple[object, int], list[Candidate]] = defaultdict(list)
    for entry in rows.entries:
        record = entry.candidate
        if record is not None and record.mine and entry.amount != record.amount:
            changed[entry.account, entry.amount].append(record)

    def exchanged(candidate: Candidate) -> tuple[int, ...]:
        amounts = [candidate.amount]
        for amount in amounts:
            records = _beside(candidate, changed.get((candidate.account, amount), ()))
            amounts += {record.amount for record in records} - set(amounts)
        return tuple(amounts[1:])

    if changed:
        yield from _pair(rows, exchanged)


def _pair(rows: OpenRows, amounts: _Amounts) -> Iterator[Pair | Question]:
    doubtful: list[_Group] = []
    for entries, records in _groups(rows, amounts):
        for group in _near(entries, records):
            pairs = _proven(rows, group)
            for entry, candidate in pairs:
                yield _paired(rows, entry, candidate)
            if not pairs and _possible(rows, group):
                doubtful.append(group)
    yield from _decide(rows, doubtful)


def _decide(rows: OpenRows, doubtful: list[_Group]) -> Iterator[Pair | Question]:
    """Ask about groups of rows, or pair them as the user has answered."""
    if rows.moved_days is None and doubtful:
        yield _question(rows, doubtful)
    for group in doubtful if rows.moved_days else ():
        yield from _in_order(rows, group, rows.moved_days or 0)


def _is_lacking(candidate: Candidate) -> bool:
    # If several bank accounts share this account, the file may lack the records of the others.
    is_of_one = not candidate.account.is_of_several
    # A notification repeats nothing of another one.
    is_notified = candidate.message is not None and candidate.message[1] != REST
    is_listed = candidate.mine and candidate.covered and not is_notified
    return is_listed and is_of_one and not candidate.is_past


def _groups(rows: OpenRows, amounts: _Amounts) -> Iterator[_Group]:
    """Group undecided entries, and records that the file lacks, by account and amount."""
    lacking: defaultdict[tuple[object, int], list[Candidate]] = defaultdict(list)
    for candidate in rows.free(_is_lacking):
        for amount in () if rows.is_corrected(candidate) else amounts(candidate):
            lacking[candidate.account, amount].append(candidate)
    if not lacking:
        return
    entries = grouped(filter(is_plain, rows.undecided), lambda e: (e.account, e.amount))
    for key, records in lacking.items():
        free = [candidate for candidate in records if candidate.is_free]
        if free and key in entries:
            yield entries[key], free


def _near(entries: list[FileEntry], records: list[Candidate]) -> Iterator[_Group]:
    """Group the rows by day: a gap of more than REACH_DAYS begins a new group."""
    by_day: list[FileEntry | Candidate] = sorted([*entries, *records], key=lambda row: row.day)
    group: list[FileEntry | Candidate] = []
    for row in [*by_day, None]:
        if group and (row is None or row.day - group[-1].day > REACH_DAYS):
            yield (
                [each for each in group if isinstance(each, FileEntry)],
                [each for each in group if isinstance(each, Candidate)],
            )
            group = []
        if row is not None:
            group.append(row)


def _possible(rows: OpenRows, group: _Group) -> list[tuple[FileEntry, Candidate]]:
    """Return the first pairs that may be the same transaction."""
    pairs = (pair for pair in product(*group) if _is_moved(rows, *pair) is not False)
    return list(islice(pairs, _MANY))


def _proven(rows: OpenRows, group: _Group) -> list[tuple[FileEntry, Candidate]]:
    """Return the pairs if they are certain: one entry and one record, or as many on each day."""
    entries, records = group
    pairs = _possible(rows, group) if len(entries) == len(records) == 1 else []
    if len(entries) == len(records) > 1:
        pairs = _of_same_days(entries, records)
    return pairs if all(_is_moved(rows, *pair) for pair in pairs) else []


def _of_same_days(
    entries: list[FileEntry], records: list[Candidate]
) -> list[tuple[FileEntry, Candidate]]:
    """Pair the rows of each day in order; return no pairs if their texts allow several pairings."""
    records_of = grouped(records, lambda candidate: candidate.day)
    pairs: list[tuple[FileEntry, Candidate]] = []
    for day, of_day in grouped(entries, lambda entry: entry.day).items():
        known = sorted(records_of.get(day, ()), key=lambda candidate: candidate.text)
        found = sorted(of_day, key=lambda entry: entry.text)
        texts = [e.text for e in found], [c.text for c in known]
        if len(found) != len(known) or (
            texts[0] != texts[1] and any(len(set(each)) > 1 for each in texts)
        ):
            return []
        pairs += zip(found, known, strict=True)
    return pairs


def _is_moved(rows: OpenRows, entry: FileEntry, candidate: Candidate) -> bool | None:
    """Return whether the entry is the record that the file lacks; None if only the user knows."""
    account = entry.account
    is_of_day = entry.day == candidate.day
    if abs(entry.day - candidate.day) > REACH_DAYS:
        return False
    if is_of_day and entry.time and candidate.time and entry.time != candidate.time:
        # Two different times on one day mean two transactions.
        return False
    if candidate.is_void or entry.amount not in (candidate.amount, *candidate.further.restated):
        # The user may have voided what the bank cancelled, and this is another payment.
        return None
    if candidate.inner:
        return True
    # The file may lack the record only because the file begins or ends in the middle of this day.
    ids = {entry.bank_id, candidate.bank_id} - {None}
    if len(ids) == 2 and account.known_stable:
        # Even then, some banks give the day in progress provisional ids.
        is_another = account.ids_chosen and entry.content != candidate.content
        return False if is_another else None
    if not is_of_day or entry.amount != candidate.amount:
        return None
    is_whole = account.is_stored_whole(entry.day)
    whole = entry.whole
    texts = rows.reader.texts_of(candidate)
    return True if is_whole or are_alike((whole.payee, whole.note), texts) else None


def _in_order(rows: OpenRows, group: _Group, days: int) -> Iterator[Pair]:
    """Pair as many rows as possible, in the order of their days."""
    records = sorted(group[1], key=lambda candidate: -candidate.day)
    for entry in sorted(group[0], key=lambda entry: entry.day):
        nearest = first_within(entry, records, days)
        if nearest is not None and _is_moved(rows, entry, nearest) is not False:
            yield _paired(rows, entry, records.pop())


def _paired(rows: OpenRows, entry: FileEntry, candidate: Candidate) -> Pair:
    is_dated = rows.file.statements[entry.statement].as_of is not None
    if (
        entry.amount in candidate.further.restated
        and entry.amount != candidate.present
        and not is_dated
    ):
        return Pair(entry, Outcome.OLDER, candidate)
    return rows.correction(entry, candidate)


def _days_apart(pair: tuple[FileEntry, Candidate]) -> int:
    return abs(pair[0].day - pair[1].day)


def _question(rows: OpenRows, groups: list[_Group]) -> Question:
    entry, candidate = min(_possible(rows, groups[0]), key=_days_apart)
    farthest = max(_days_apart(pair) for group in groups for pair in _possible(rows, group))
    days = min(max(farthest, 1), REACH_DAYS)
    whole = entry.whole
    more = clause(Says.MORE_ROWS, count=len(groups) - 1) if len(groups) > 1 else ""
    record = stored_row(rows, candidate)
    return which_one(
        "moved_days",
        clause(Topic.MOVED, entry=file_row(whole), record=record, more=more, days=days),
        whole.line,
        same=days,
        other=0,
    )
