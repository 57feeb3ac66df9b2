"""Imports files and rows. One file is one transaction and makes at most one new revision."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from io import SEEK_END
from typing import Any, BinaryIO

from finance_api.importers import CSV, NATIVE
from finance_api.importers.clauses import Says, clause
from finance_api.importers.interface import (
    ImportRefused,
    Question,
    Questions,
    Remembered,
    StatementImporter,
)
from finance_api.importers.native import NativeFile, NativeRow
from finance_api.ledger.balances import settle_balances, settle_bank_balances
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.transfers import link_by_number
from finance_api.ledger.matching.candidates import CandidateReader
from finance_api.ledger.matching.model import FileEntries, Outcome, Pair
from finance_api.ledger.matching.new_accounts import ask_about_new_accounts
from finance_api.ledger.matching.open_rows import (
    OpenRows,
    act_on_corrections,
    grouped,
    set_corrections_aside,
    skip_repeated,
    stored_row,
)
from finance_api.ledger.matching.reused_ids import look_for_reused_ids
from finance_api.ledger.matching.rules.batches import pair_own_batches
from finance_api.ledger.matching.rules.moved import (
    exchange_equal,
    pair_exchanged,
    pair_moved,
    pair_restated,
    pair_same_moments,
)
from finance_api.ledger.matching.rules.other_source import pair_other_sources
from finance_api.ledger.matching.rules.same_content import (
    check_parts_of_days,
    pair_hashed_contents,
    pair_same_contents,
    pair_same_instants,
)
from finance_api.ledger.matching.rules.same_id import pair_corrected, pair_same_ids
from finance_api.ledger.matching.rules.shifted import pair_shifted
from finance_api.ledger.matching.stated import KnownAccount, saved_options
from finance_api.ledger.native_import import NativeImport
from finance_api.ledger.orders import AccountTotal, ImportOrder, ImportReport, StatementOptions
from finance_api.ledger.rows import batched
from finance_api.ledger.session import IMPORT, DataMoved, LedgerSession, UserRows
from finance_api.ledger.splits import get_stated
from finance_api.ledger.statement_accounts import StatementFacts, find_accounts, is_new
from finance_api.ledger.statement_records import StatementRecords
from finance_api.storage.interface import StorageBackend, reading
from finance_api.values.ids import are_ids
from finance_api.values.text import counted_text, message
from finance_api.values.time import DAY_SECONDS, to_date

#: A function that decides entries of a file, or asks about them.
Rule = Callable[[OpenRows], Iterator[Pair | Question]]

#: The rules about the file alone come first, so that the others see a repeated entry only once.
_OF_THE_FILE: tuple[Rule, ...] = (skip_repeated, set_corrections_aside)
RULES: tuple[Rule, ...] = (
    # An id with the same content is the surest sign.
    pair_same_ids,
    # Entries with matching ids are decided by now; the rest show whether the bank reuses ids.
    look_for_reused_ids,
    # Before rows are paired whose times are equal by chance.
    pair_shifted,
    # The content decides for entries without an id, or with an unreliable one.
    pair_same_contents,
    pair_same_instants,
    check_parts_of_days,
    pair_hashed_contents,
    # Before pair_corrected, which would take a part of a batch for a correction of the whole.
    pair_own_batches,
    # Before pair_corrected, too: another format may have corrected the other one of equal records.
    exchange_equal,
    pair_corrected,
    # A record that the file lacks may equal an entry that no rule has paired yet. A row that moved
    # and has the old amount is less likely the record than one that has the new amount.
    pair_restated,
    pair_same_moments,
    pair_moved,
    pair_exchanged,
    # Late, because any earlier rule may decide the entry that another entry corrects.
    act_on_corrections,
    # Last, because records of the file's own source are more likely matches.
    pair_other_sources,
)

#: An import of more entries takes the lock before it makes their records: a rehearsal keeps all of
#: them in memory, with about 4 KB for each.
MANY = 25_000
#: How many times to try an import whose data changes before it can be stored.
_TRIES = 3
#: A function that `import_file` calls within an import.
Step = Callable[[LedgerSession, ImportReport], None]


def nothing_more(session: LedgerSession, report: ImportReport) -> None:
    """Do nothing: the default `Step`."""


def import_file(
    backend: StorageBackend,
    order: ImportOrder,
    *,
    begin: Step = nothing_more,
    end: Step = nothing_more,
) -> ImportReport:
    """Import one file for one user, all of it or nothing.

    Other changes can be stored while the file is read and compared with the user's data. If that
    happens, the import starts over before it stores anything.
    begin: called when the session is open, before the import. end: called before the commit; if it
    raises, nothing is stored. Raises ImportRefused, storage.errors.NotFound, StorageUnavailable.
    """
    stream, importer = order.stream, order.importer
    details: dict[str, Any] = {
        "format": order.format_name or NATIVE if importer is None else importer.source,
        "file": {"name": order.name, **measured(stream)},
        "options": dict(order.answers),
    }
    if order.options.follow and order.path is not None:
        details["file"] |= {"path": order.path, "changed_at": order.changed_at}
    for tries_left in reversed(range(_TRIES)):
        report = ImportReport(details=dict(details))
        change = changing(
            backend,
            order.email,
            order.now,
            action=IMPORT,
            origin=order.origin,
            keep_days=order.keep_days,
            dry_run=order.dry_run,
            # On the last try, other changes wait for this one, so that it can succeed.
            decides_first=tries_left > 0,
        )
        try:
            with ExitStack() as stack:
                if importer is None:
                    file = stack.enter_context(order.open_native(stream))
                else:
                    entries = _read(backend, order, importer)
                session = stack.enter_context(change)
                begin(session, report)
                if importer is None:
                    NativeImport(session, report).run(file, order.options)
                else:
                    _import_statements(session, report, entries, order.options)
                session.begin_storing()
                end(session, report)
            return report
        except DataMoved:
            stream.seek(0)
    raise AssertionError("the last try does not raise DataMoved")


def measured(stream: BinaryIO) -> dict[str, Any]:
    """Return the size and the SHA-256 of a file, and rewind it."""
    stream.seek(0)
    digest = hashlib.file_digest(stream, "sha256")  # type: ignore[arg-type]
    # The digest of a file in memory leaves the stream where it is.
    size = stream.seek(0, SEEK_END)
    stream.seek(0)
    return {"size": size, "sha256": digest.hexdigest()}


def _read(backend: StorageBackend, order: ImportOrder, importer: StatementImporter) -> FileEntries:
    """Read the file. Raises ImportRefused with all questions, also about new accounts' currency."""
    with reading(backend, newest=True) as storage:
        user_rows = UserRows(storage, storage.users.get(order.email))
        saved = saved_options(user_rows.history, user_rows.accounts.rows)
    last_year = to_date(order.now).year + 1
    try:
        read = importer.read(order.stream, Remembered(saved, last_year))
        return FileEntries(importer.source, read, last_year)
    except ImportRefused as refused:
        accounts = refused.accounts
        with reading(backend, newest=True) as storage:
            user_rows = UserRows(storage, storage.users.get(order.email))
            new = [name for name, no in accounts if is_new(user_rows, importer.source, name, no)]
        refused.ask_for_currency(new)
        raise


def import_rows(
    backend: StorageBackend,
    email: str,
    documents: Iterable[NativeRow],
    records: Callable[[], Iterator[NativeRow]],
    *,
    now: int,
) -> ImportReport:
    """Import rows that a program creates, as if they came from one native file.

    records: called several times; yields the same rows each time.
    """
    report = ImportReport(details={"format": NATIVE})
    rows = list(documents)
    with changing(backend, email, now, action=IMPORT) as session:
        file = NativeFile(lambda: iter(rows), records, 0)
        NativeImport(session, report).run(file, StatementOptions())
    return report


def _import_statements(
    session: LedgerSession, report: ImportReport, file: FileEntries, options: StatementOptions
) -> None:
    """Import the statements of a file. Raises ImportRefused."""
    accounts = find_accounts(session, report, file, options)
    rows = _decide(session, file, accounts, options)
    totals = _count(file, report)
    facts, reader, remarks = StatementFacts(session, rows), rows.reader, rows.remarks
    # `rows` keeps every entry in memory.
    del rows
    is_large = len(file.entries) > MANY
    records = StatementRecords(session, file, reader, report)
    if is_large:
        session.begin_storing()
    records.write()
    if options.link_by_number and (linked := link_by_number(session)):
        remark = f"linked {counted_text(linked, 'transfer')} between own accounts"
        report.remarks.append(message(remark))
    facts.note_beside()
    touched = dict.fromkeys((*(account.id for account in accounts), *session.touched))
    report.remarks += remarks
    report.remarks += settle_bank_balances(session, touched, facts.facts)
    for statement in file.statements:
        report.skipped.update(statement.skipped)
        report.remarks += statement.remarks
    settle_balances(session)
    for account in accounts:
        totals[account].end(session.accounts.rows[account.id])
        report.totals.append(totals[account])
    report.details |= {
        "profile": next((s.profile for s in file.statements if s.profile), None),
        "encoding": next((s.encoding for s in file.statements if s.encoding), None),
        "counts": report.counts,
        "accounts": facts.facts,
    }
    # Balances that agree with the records change nothing visible, but count from now on.
    is_noted = bool(session.accounts.changes())
    report.changed = session.close(details=report.details, is_noted=is_noted)


def _decide(
    session: LedgerSession,
    file: FileEntries,
    accounts: list[KnownAccount],
    options: StatementOptions,
) -> OpenRows:
    """Decide every entry. Raises ImportRefused with the questions only the user can answer."""
    questions = Questions()
    reader = CandidateReader(session, file.source, accounts)
    if file.source == CSV and not reader.is_empty:
        _refuse_own_records(session, file)
    if not options.new_account and not reader.is_empty:
        ask_about_new_accounts(session, file, accounts, questions)
    days = options.moved_days, options.match_days
    rows = OpenRows(file, reader, accounts, options.first_day, *days, questions)
    _match(rows, others=options.match)
    questions.put()
    return rows


def _refuse_own_records(session: LedgerSession, file: FileEntries) -> None:
    """Refuse a table of the user's own records: with edited values, each would be there twice."""
    by_id = {e.bank_id.lower(): e for e in file.entries if e.bank_id and are_ids(e.bank_id)}
    for ids in batched(by_id):
        if found := get_stated(session, ids):
            fault = "the id is that of one of your records, which are changed and not imported"
            way = "'finance-api records edit' takes a table with other texts, categories or states"
            more = "'finance-api records set' another amount or day"
            line = min(by_id[each].whole.line for each in found)
            raise ImportRefused(f"{fault}: {way}, {more}", line)


def _match(rows: OpenRows, *, others: bool) -> None:
    """Decide every entry. ``rows.questions`` gets the questions that only the user can answer.

    others: whether to match records of other sources.
    """
    for rule in _OF_THE_FILE:
        rows.settle_all(rule(rows))
    rows.reader.read_days()
    # Without records, an entry can still correct another one.
    for rule in (act_on_corrections,) if rows.reader.is_empty else RULES:
        if others or rule is not pair_other_sources:
            rows.settle_all(rule(rows))
    _name_missing(rows)
    for entry in rows.undecided:
        entry.outcome = Outcome.NEW


def _name_missing(rows: OpenRows) -> None:
    """Remark on stored records that the file should contain: the bank may have changed them."""
    free = [c for c in rows.free() if c.inner and not (c.is_void or c.is_past)]
    paired = {entry.candidate for entry in rows.entries} if free else set()
    missing = grouped((c for c in free if c not in paired), lambda candidate: candidate.account)
    for found in missing.values():
        record = stored_row(rows, found[0])
        rows.remarks.append(clause(Says.RECORDS_MISSING, count=len(found), record=record))


def _count(file: FileEntries, report: ImportReport) -> defaultdict[KnownAccount, AccountTotal]:
    """Count unchanged and repeated entries; return each account's sums."""
    totals: defaultdict[KnownAccount, AccountTotal] = defaultdict(AccountTotal)
    counts: Counter[Outcome | None] = Counter()
    for entry in file.entries:
        counts[entry.outcome] += 1
        if entry.outcome not in (Outcome.DUPLICATE, Outcome.VOIDS):
            for amount in entry.split or (entry.amount,):
                totals[entry.account].add(amount, entry.day * DAY_SECONDS)
    report.unchanged += counts[Outcome.SAME] + counts[Outcome.SAME_CONTENT]
    if counts[Outcome.DUPLICATE]:
        report.skipped["duplicate"] += counts[Outcome.DUPLICATE]
    return totals
