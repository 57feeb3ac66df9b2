"""Looks for evidence that a bank uses its ids again, for other transactions."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import chain

from finance_api.importers.clauses import Topic, clause
from finance_api.importers.interface import Question
from finance_api.ledger.matching.candidates import MOST_OF_AN_ID
from finance_api.ledger.matching.model import Candidate, FileEntry, Outcome
from finance_api.ledger.matching.open_rows import (
    OpenRows,
    file_row,
    grouped,
    is_plain,
    stored_row,
    which_one,
)
from finance_api.ledger.matching.stated import REACH_DAYS, REUSED, STABLE
from finance_api.values.text import fold

#: An entry, and a stored record that shows that the entry's id is used again.
Sign = tuple[FileEntry, Candidate]
_OfSameId = list[tuple[FileEntry, list[Candidate]]]


def look_for_reused_ids(rows: OpenRows) -> Iterator[Question]:
    """Note for each account if its ids are reused; ask if that contradicts earlier files."""
    _count_same_ids(rows)
    for entry, candidate in _signs(rows):
        account = entry.account
        if account.shows_reuse or account.ids is not None:
            continue
        line = entry.whole.line
        is_partly = is_partly_same(rows, entry, candidate)
        # Numbers from 1 in the file's order can begin again in each file.
        is_other = not is_partly and not account.ids_chosen and _are_numbers(rows, entry)
        if not is_other and (account.known_stable or (account.stable and is_partly)):
            yield which_one(
                "ids",
                clause(
                    Topic.REUSED_ID,
                    entry=file_row(entry.whole),
                    record=stored_row(rows, candidate),
                    account=account.name,
                ),
                line,
                same=STABLE,
                other=REUSED,
            )
        account.shows_reuse = True
        if account.earlier.ids is None:
            rows.remarks.append(
                f"the bank reuses ids, such as {entry.bank_id!r} in line {line}: entries of "
                f"{account.name} are matched by content"
            )


def _are_numbers(rows: OpenRows, entry: FileEntry) -> bool:
    """Return whether the ids of the entry's account are the numbers from 1 on."""
    ids = [each.bank_id for each in rows.entries if each.account is entry.account]
    return ids == [str(number) for number in range(1, len(ids) + 1)]


def of_same_id(rows: OpenRows) -> _OfSameId:
    """Return undecided entries, each with the free records that have its bank id."""
    wanted = [e for e in rows.undecided if e.bank_id is not None and is_plain(e)]
    known = _by_id(rows) if wanted else {}
    pairs = ((entry, known.get((entry.account, entry.bank_id))) for entry in wanted)
    return [(entry, candidates) for entry, candidates in pairs if candidates]


def _by_id(rows: OpenRows) -> dict[Hashable, list[Candidate]]:
    return grouped(_with_id(rows), lambda c: (c.account, c.bank_id))


def _with_id(rows: OpenRows) -> Iterator[Candidate]:
    return rows.free(lambda candidate: candidate.mine and candidate.bank_id is not None)


def has_same_text(rows: OpenRows, entry: FileEntry, candidate: Candidate) -> bool:
    """Return whether the payee or the note is the same."""
    if entry.text == candidate.text:
        return True
    whole = entry.whole
    sides = zip((whole.payee, whole.note), rows.reader.texts_of(candidate), strict=True)
    return any(one and other and fold(one) == fold(other) for one, other in sides)


def is_partly_same(rows: OpenRows, entry: FileEntry, candidate: Candidate) -> bool:
    """Return whether the candidate's day is near, and its amount or text is the same."""
    return abs(entry.day - candidate.day) <= REACH_DAYS and (
        entry.amount == candidate.amount or has_same_text(rows, entry, candidate)
    )


def _count_same_ids(rows: OpenRows) -> None:
    counts = Counter(
        entry.account
        for entry in rows.entries
        if entry.outcome is Outcome.SAME and entry.bank_id is not None
    )
    for account, count in counts.items():
        account.again = 0 if account.is_repeat else count


def _signs(rows: OpenRows) -> Iterator[Sign]:
    """Yield the first sign of each kind for each account."""
    # If many stored records share an id, it identifies none of them.
    shared = {key: some for key, some in _by_id(rows).items() if len(some) > MOST_OF_AN_ID}
    yield from _first_by_account(
        (entry, shared[entry.account, entry.bank_id][0])
        for entry in (rows.undecided if shared else ())
        if (entry.account, entry.bank_id) in shared
    )
    for candidate in chain.from_iterable(shared.values()):
        candidate.bank_id = None
    found = of_same_id(rows)
    if found:
        yield from _first_by_account(_strangers(rows, found))
        yield from _first_by_account(_with_equal_contents(rows, found))
    yield from _first_by_account(_missing(rows))


def _first_by_account(signs: Iterable[Sign]) -> list[Sign]:
    found: dict[object, Sign] = {}
    for entry, candidate in signs:
        found.setdefault(entry.account, (entry, candidate))
    return list(found.values())


def _strangers(rows: OpenRows, found: _OfSameId) -> Iterator[Sign]:
    """Yield entries whose id belongs only to records that cannot be the same transaction."""
    for entry, candidates in found:
        if not any(is_partly_same(rows, entry, candidate) for candidate in candidates):
            yield entry, candidates[0]


def _with_equal_contents(rows: OpenRows, found: _OfSameId) -> Iterator[Sign]:
    """Yield entries whose content is stored under another id, or whose record has another id in
    the file.
    """
    stored = _ids_by_content(_with_id(rows))
    in_file = _ids_by_content(entry for entry in rows.undecided if entry.bank_id is not None)
    for entry, candidates in found:
        if stored[entry.account, entry.content] - {entry.bank_id}:
            yield entry, candidates[0]
        for candidate in candidates:
            if in_file[candidate.account, candidate.content] - {entry.bank_id}:
                yield entry, candidate


def _ids_by_content(
    rows: Iterable[FileEntry | Candidate],
) -> defaultdict[tuple[object, int], set[str | None]]:
    ids: defaultdict[tuple[object, int], set[str | None]] = defaultdict(set)
    for row in rows:
        ids[row.account, row.content].add(row.bank_id)
    return ids


def _missing(rows: OpenRows) -> Iterator[Sign]:
    """Yield entries that equal a stored record with another id, on a day the file covers wholly.

    If the account also has statements of other sources, any day counts: another source may have
    created the record, so this source's id does not find it. A record that the bank deleted, or
    corrects by its id, is not missing: an entry of its content is another transaction.
    """
    known: defaultdict[tuple[object, int], dict[int, Candidate]] = defaultdict(dict)
    for candidate in _with_id(rows):
        if candidate.is_past or rows.is_corrected(candidate):
            continue
        if candidate.inner or candidate.account.earlier.others:
            known[candidate.account, candidate.content].setdefault(candidate.time, candidate)
    for entry in rows.undecided if known else ():
        by_time = known.get((entry.account, entry.content))
        if by_time and entry.bank_id is not None and is_plain(entry):
            times = (entry.time, 0) if entry.time else by_time
            yield from ((entry, by_time[time]) for time in times if time in by_time)
