"""Pairs rows of the same content, or of the same moment in different time zones."""

from collections import Counter
from collections.abc import Iterator

from finance_api.importers.interface import Question
from finance_api.ledger.matching.model import (
    OTHER_TEXTS,
    SAME_TEXTS,
    UNKNOWN_TEXTS,
    Candidate,
    FileEntry,
    Outcome,
    Pair,
)
from finance_api.ledger.matching.open_rows import (
    SAME,
    OpenRows,
    day_digest,
    grouped,
    is_own,
    is_plain,
    part_of_day,
)
from finance_api.ledger.matching.rules.same_id import pair_earlier
from finance_api.ledger.matching.stated import Content, KnownAccount
from finance_api.ledger.rows import batched
from finance_api.values.time import DAY_SECONDS


def pair_same_contents(rows: OpenRows) -> Iterator[Pair]:
    """Pair an entry that has no id, or an unreliable one, with a record of the same content.

    stored  2026-01-03  -3.00  Coffee
            2026-01-03  -3.00  Coffee
    file    2026-01-03  -3.00  Coffee
    gives   same: the first with the first
    """
    outcome = Outcome.SAME_CONTENT
    yield from rows.equal_pairs(outcome, entries=goes_by_content, stored=is_own)
    yield from rows.equal_pairs(outcome, entries=is_plain, stored=has_no_id)
    yield from pair_earlier(rows, by_id=False)
    _know_texts(rows)
    outcome = Outcome.CORRECTION
    yield from rows.pairs(
        *(outcome, "day", "amount"), entries=goes_by_content, stored=_has_other_texts
    )
    yield from rows.pairs(
        *(outcome, "day", "amount"),
        entries=is_plain,
        stored=lambda c: _has_other_texts(c) and c.bank_id is None,
    )


def goes_by_content(entry: FileEntry) -> bool:
    return is_plain(entry) and (entry.bank_id is None or entry.account.reused)


def has_no_id(candidate: Candidate) -> bool:
    return candidate.mine and candidate.bank_id is None


def _has_other_texts(candidate: Candidate) -> bool:
    return candidate.mine and candidate.texts == OTHER_TEXTS


def _know_texts(rows: OpenRows) -> None:
    """Decide whether texts were derived with the file's options if nothing stored says so.

    They were if any entry of the account has the same text as its record, and the text is not
    empty.
    """
    unknown = [c for c in rows.candidates if c.texts == UNKNOWN_TEXTS]
    if not unknown:
        return
    empty = Content(0, 0, None, None).text_hash
    agreeing = {
        entry.account
        for entry in rows.entries
        if (candidate := entry.candidate) is not None
        and candidate.texts == UNKNOWN_TEXTS
        and entry.text == candidate.text != empty
    }
    for candidate in unknown:
        candidate.texts = SAME_TEXTS if candidate.account in agreeing else OTHER_TEXTS


def pair_hashed_contents(rows: OpenRows) -> Iterator[Pair]:
    """Pair an entry with the record that was created from it, even if the record changed since.

    The record's source id is still the hash of the entry's content.
    """
    if rows.reader.is_empty or all(entry.bank_id is not None for entry in rows.undecided):
        return
    numbers: Counter[tuple[object, int]] = Counter()
    for entry in rows.entries:
        if entry.bank_id is None:
            numbers[entry.account, entry.content] += 1
            entry.number = numbers[entry.account, entry.content]
    waiting = (entry for entry in rows.undecided if entry.bank_id is None)
    for batch in batched(waiting):
        wanted = {}
        entries = {}
        for entry in batch:
            whole = entry.whole
            content = Content(entry.day * DAY_SECONDS, entry.amount, whole.payee, whole.note)
            scope = entry.account.scopes[entry.statement]
            source_id = scope.of_content(content, entry.number)
            wanted[source_id] = entry.account, content
            entries[source_id] = entry
        for source_id, candidate in rows.reader.read_contents(wanted).items():
            entry = entries[source_id]
            if candidate.is_free and not _is_at_another_time(entry, candidate):
                yield Pair(entry, Outcome.SAME, candidate)


def _is_at_another_time(entry: FileEntry, candidate: Candidate) -> bool:
    """Return whether the record was stated only with other times, which the hash ignores."""
    stated = {time for content, time, *_ in candidate.further.earlier if content == entry.content}
    if entry.content == candidate.content:
        stated.add(candidate.time)
    return bool(entry.time and stated) and stated.isdisjoint((0, entry.time))


# -- days that the file and stored statements cover only partly


def check_parts_of_days(rows: OpenRows) -> Iterator[Pair | Question]:
    """Ask about equal rows on a day that all files cover only partly: are they one transaction?

    stored  2026-01-03  -3.00  Coffee      (the file ended on the 3rd)
            2026-01-03  -9.00  Lunch
    file    2026-01-03  -3.00  Coffee      (it begins on the 3rd)
    gives   a question
    """
    missing = grouped(rows.free(), lambda c: (c.account, c.day))
    for account in rows.accounts:
        for day in dict.fromkeys((account.first, account.last)) if account.covers else ():
            if not account.is_stored_whole(day) and not _is_known_part(rows, account, day):
                contents = {c.content for c in missing.get((account, day), ())}
                yield from _check_part(rows, account, day, contents)


def _is_known_part(rows: OpenRows, account: KnownAccount, day: int) -> bool:
    """Return whether an earlier file began or ended on this day with the same entries."""
    digest = day_digest(rows, account, day)
    return any(
        (day == cover.first and digest == cover.first_rows)
        or (day == cover.last and digest == cover.last_rows)
        for cover in account.earlier.covers
    )


def _check_part(
    rows: OpenRows, account: KnownAccount, day: int, missing: set[int]
) -> Iterator[Pair | Question]:
    """Ask about a day. missing: the contents of the day's records that the file lacks."""
    of_day = rows.of_edge(account, day)
    # If all entries of the last day are known, this may be an older file that ends during the day.
    if not missing or (day != account.first and all(e.outcome is not None for e in of_day)):
        return
    open_entries = [
        entry
        for entry in of_day
        if entry.outcome is Outcome.SAME_CONTENT
        and entry.candidate is not None
        and 0 in (entry.time, entry.candidate.time)
        and missing != {entry.content}
    ]
    if not open_entries or rows.first_day == SAME:
        return
    if rows.first_day is None:
        yield part_of_day(day, open_entries[0])
        return
    for entry in open_entries:
        yield Pair(entry, Outcome.NEW)


def pair_same_instants(rows: OpenRows) -> Iterator[Pair]:
    """Pair an entry with a record of the same amount and moment, even if their local days differ.

    stored  2026-01-03 23:30Z       -3.00  Coffee
    file    2026-01-04 00:30+01:00  -3.00  Coffee
    gives   corrected: day and time change
    """
    for names in (("amount", "instant", "text"), ("amount", "instant")):
        pairs = rows.pairs(
            Outcome.CORRECTION,
            *names,
            entries=lambda entry: entry.offset is not None,
            stored=lambda candidate: candidate.mine and candidate.instant is not None,
        )
        yield from (pair for pair in pairs if not _is_another(pair))


def _is_another(pair: Pair) -> bool:
    """Return whether the rows have different ids, and the file does not cover the record's day."""
    ids, stored = {pair.entry.bank_id}, pair.candidate
    if stored is None or stored.covered:
        return False
    ids.add(stored.bank_id)
    return len(ids) > 1 and None not in ids
