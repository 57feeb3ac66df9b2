"""Checks uploads (without storing records) or imports them; writes outcomes as JSON for pages."""

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, BinaryIO

from finance_api.importers import interface
from finance_api.importers.answers import question_json
from finance_api.importers.clauses import Clause, as_json
from finance_api.importers.csv.first_rows import TableSample
from finance_api.ledger.importing import Step, import_file, nothing_more
from finance_api.ledger.orders import ImportOrder, ImportReport, make_order
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.trying import try_choices
from finance_api.resources import RECORDS
from finance_api.resources.field import Kind
from finance_api.runtime.limited_process import report
from finance_api.serialization.values import text_writer
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import (
    StorageBackend,
    Upload,
    UploadState,
    User,
    open_backend,
    reading,
    unit_of_work,
)
from finance_api.values.regions import Region, region_of
from finance_api.values.text import in_region, shown

#: How many lines are shown before and after a line, and how many characters of each.
_AROUND = 1
_LONGEST = 200
#: Stop looking for the next line after this many bytes: people cannot read such a line.
_LONGEST_READ = 1 << 20


@contextmanager
def content_of(backend: StorageBackend, user_id: int, upload: Upload) -> Iterator[BinaryIO]:
    """Yield the content in a temporary file without a name. Raises NotFound."""
    with tempfile.TemporaryFile() as copy:
        number = 0
        while copy.tell() < upload.size:
            with reading(backend) as storage:
                piece = storage.uploads.get_piece(user_id, upload.id, number)
            if not piece:
                raise NotFound("the content of the upload no longer exists")
            copy.write(piece)
            number += 1
        copy.seek(0)
        yield copy


def question_of(
    question: interface.Question, sample: TableSample, stream: BinaryIO, region: Region
) -> dict[str, Any]:
    """Return a question as JSON, with the text of its line in the file."""
    found = {**question_json(question), "row": None, "text": []}
    if not isinstance(question.fact, Clause):
        found["sentence"] = in_region(question.fact, region)
    if question.line is not None:
        found["row"] = sample.by_line.get(question.line)
        if not sample.columns:
            found["text"] = _lines(stream, question.line)
    return found


def _said(said: Clause | str, region: Region) -> Any:
    """Return a clause as JSON, and a sentence as people of the region write it."""
    return as_json(said) if isinstance(said, Clause) else in_region(said, region)


def _lines(stream: BinaryIO, line: int) -> list[list[Any]]:
    """Return the line and its neighbours, each with its number; [] if people cannot read them."""
    stream.seek(0)
    before = max(0, line - 1 - _AROUND)
    for _ in range(before):
        if len(stream.readline(_LONGEST_READ)) == _LONGEST_READ:
            return []
    texts: list[bytes] = []
    while len(texts) < line + _AROUND - before:
        texts.append(stream.readline(_LONGEST_READ))
        if len(texts[-1]) == _LONGEST_READ:
            break
    stream.seek(0)
    if any(b"\0" in text for text in texts):
        return []
    return [
        [number, shown(text[: 4 * _LONGEST].decode("utf-8", "replace").rstrip())[:_LONGEST]]
        for number, text in enumerate(texts, before + 1)
        if text
    ]


#: See `UploadWork.on_progress`.
Progress = tuple[int, int | None]
#: How many entries are kept, and after how many further entries their number is reported.
_KEPT, _REPORTED = 5, 1_000


class WatchedImporter:
    """An importer that reads with another importer, and watches the entries.

    first: the first entries, for the preview. count: the number of entries so far. on_progress:
    called from time to time with the count.
    """

    def __init__(
        self, importer: interface.StatementImporter, on_progress: Callable[[Progress], None]
    ) -> None:
        self._importer = importer
        self._on_progress = on_progress
        self.source = importer.source
        self.first: list[dict[str, Any]] = []
        self.count = 0

    def read(
        self, stream: BinaryIO, remembered: interface.Remembered = interface.nothing_remembered
    ) -> Iterator[tuple[interface.Statement, interface.Entry | None]]:
        """Yield the same as the wrapped importer, see `StatementImporter`."""
        self.first, self.count = [], 0
        for statement, entry in self._importer.read(stream, remembered):
            if entry is not None:
                if self.count < _KEPT:
                    self.first.append(
                        {
                            "recordDate": entry.date,
                            "amount": entry.amount,
                            "currency": statement.account.currency,
                            "payee": entry.payee or entry.note,
                        }
                    )
                self.count += 1
                if self.count % _REPORTED == 0:
                    self._on_progress((self.count, None))
            yield statement, entry

    def sample(self, lines: Collection[int] = ()) -> TableSample:
        """Return the beginning of the table; an empty sample for formats without tables."""
        sample = getattr(self._importer, "sample", None)
        return TableSample() if sample is None else sample(lines)


#: A process that checks a file gives way to processes that answer requests.
_NICENESS = 5


class _DataMoved(Exception):
    """The data has changed since the preview."""


@dataclass(frozen=True)
class UploadWork:
    """Checks or imports an upload, as its state says, and stores the outcome.

    user: the user, with the region of the page, for numbers in the outcome's sentences.
    upload: an upload in the state CHECKING or IMPORTING. now: the time in seconds. origin: see
    `WritableStorage`. on_progress: called with the number of entries read or checked so far, and
    the number of all entries (None while it is unknown).
    """

    backend: StorageBackend
    settings: Mapping[str, Any]
    user: User
    upload: Upload
    now: int
    origin: str
    on_progress: Callable[[Progress], None] = lambda progress: None

    def run(self) -> str | None:
        """Return the outcome of an import, "done" or "refused"; None after a check.

        Raises NotFound or Conflict if the upload was discarded or changed meanwhile, StorageError.
        """
        if self.upload.state is UploadState.IMPORTING:
            return self._import()
        self._check()
        return None

    @property
    def _region(self) -> Region:
        return region_of(self.user.region or "")

    def _check(self, *, moved: bool = False) -> None:
        preview: dict[str, Any] = {"moved": moved}

        def end(session: LedgerSession, report: ImportReport) -> None:
            preview.update(preview_of(session, report, self._region))

        reading = self._run_import(dry_run=True, end=end)
        if reading is not None:
            self._store(UploadState.READY, {**preview, **reading})

    def _import(self) -> str | None:
        """Import the file and store the outcome, both in one transaction."""

        def begin(session: LedgerSession, report: ImportReport) -> None:
            if session.before.tag != self.upload.outcome["tag"]:
                raise _DataMoved

        def end(session: LedgerSession, report: ImportReport) -> None:
            uploads, outcome = session.storage.uploads, preview_of(session, report, self._region)
            # A followed book that waited has a later time, see `cli.waiting_books`.
            at = min(self.upload.created_at, self.now)
            done = {"state": UploadState.DONE, "created_at": at, "outcome": outcome}
            uploads.change(self.user.id, self.upload, **done)
            uploads.drop_content(self.user.id, self.upload.id)

        try:
            reading = self._run_import(dry_run=False, begin=begin, end=end)
        except _DataMoved:
            self._check(moved=True)
            return None
        return "refused" if reading is None else "done"

    def _run_import(
        self, *, dry_run: bool, end: Step, begin: Step = nothing_more
    ) -> dict[str, Any] | None:
        """Import the file, and return how it was read, as JSON.

        If the file is refused, store the refusal and return None.
        """
        order: ImportOrder | None = None
        watched: WatchedImporter | None = None

        def counting(session: LedgerSession, report: ImportReport) -> None:
            begin(session, report)
            if watched is not None:
                count = watched.count
                report.on_new = lambda: self.on_progress((sum(report.counts.values()), count))

        with content_of(self.backend, self.user.id, self.upload) as stream:

            def make(options: Mapping[str, Any]) -> ImportOrder:
                return make_order(
                    stream,
                    options,
                    self.settings,
                    email=self.user.email,
                    name=self.upload.name,
                    now=self.now,
                    origin=self.origin,
                    dry_run=dry_run,
                )

            try:
                order = make(self.upload.options)
                if order.importer is not None:
                    watched = WatchedImporter(order.importer, self.on_progress)
                    order = replace(order, importer=watched)
                import_file(self.backend, order, begin=counting, end=end)
            except interface.ImportRefused as refused:
                try_choices(refused, self.backend, stream, make, self.upload.options)
                name = None if order is None else order.format_name
                outcome = refusal_of(refused, name, watched, stream, self._region)
                self._store(UploadState.ASKING, outcome)
                return None
            return {} if watched is None else {"first": watched.first, **_table(watched.sample())}

    def _store(self, state: UploadState, outcome: dict[str, Any]) -> None:
        with unit_of_work(self.backend) as storage:
            storage.uploads.change(self.user.id, self.upload, state=state, outcome=outcome)


def run_in_child(
    settings: Mapping[str, Any], user: User, upload: Upload, now: int, origin: str
) -> str | None:
    """Run `UploadWork.run` in a separate process, which opens the storage for itself."""
    if upload.state is UploadState.CHECKING:
        os.nice(_NICENESS)
    backend = open_backend(settings)
    try:
        work = UploadWork(backend, settings, user, upload, now, origin, report)
        return work.run()
    finally:
        backend.close()


#: Up to this many updates and matches are shown; the rest are only counted.
MOST_SHOWN = 50
#: The fields of new records that are shown.
_SHOWN = (
    *("recordDate", "amount", "currencyCode", "payee", "note"),
    *("category", "labels", "accountName"),
)


def preview_of(session: LedgerSession, report: ImportReport, region: Region) -> dict[str, Any]:
    """Describe the result of an import or a dry run. Call this within the transaction."""
    details, accounts = report.details, session.accounts
    return {
        "revision": session.before.revision,
        "tag": session.before.tag,
        "changed": report.changed,
        "format": details["format"],
        "profile": details.get("profile"),
        "encoding": details.get("encoding"),
        "counts": report.counts,
        "records": report.new_records,
        "uncategorised": report.uncategorised,
        "skipped": dict(sorted(report.skipped.items())),
        "totals": [
            {
                **asdict(total),
                "isNew": not any(accounts.stored(r["id"]) for r in accounts.named(total.account)),
            }
            for total in report.totals
        ],
        "new": [{name: row[name] for name in _SHOWN} for row in report.new],
        "updates": [
            {"line": each.line, "changes": _changes(each.before, each.after)}
            for each in sorted(report.updates[:MOST_SHOWN], key=lambda update: update.line)
        ],
        "matches": [
            {"line": each.line, "entry": _values(each.before), "record": _values(each.after)}
            for each in report.matches[:MOST_SHOWN]
        ],
        "remarks": [_said(remark, region) for remark in report.remarks],
        "categories": sorted(
            row["name"]
            for row_id, row in session.categories.rows.items()
            if session.categories.stored(row_id) is None
        ),
        "entry": session.number if report.changed else None,
    }


def refusal_of(
    refused: interface.ImportRefused,
    format_name: str | None,
    watched: WatchedImporter | None,
    stream: BinaryIO,
    region: Region,
) -> dict[str, Any]:
    """Describe a refusal, and the answers that avoid it. stream: the file.

    format_name: None for an unknown format.
    """
    lines = {question.line for question in refused.questions if question.line is not None}
    sample = TableSample() if watched is None else watched.sample(lines)
    return {
        "format": format_name,
        "line": refused.line,
        "questions": [question_of(each, sample, stream, region) for each in refused.questions],
        **_table(sample),
    }


def _table(sample: TableSample) -> dict[str, Any]:
    return {"columns": sample.columns, "rows": sample.rows}


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[list[Any]]:
    """Return each field's name, old value and new value."""
    return [[name, _shown(name, old[name]), _shown(name, new[name])] for name in old]


def _values(values: Mapping[str, Any]) -> list[list[Any]]:
    return [[name, _shown(name, value)] for name, value in values.items() if value is not None]


def _shown(name: str, value: Any) -> Any:
    """Return a value as text, but an amount as a number."""
    if value is None or value == ():
        return None
    field = RECORDS.get_field(name)
    if field is None or field.kind is Kind.NUMBER:
        return value
    return text_writer(field)(value)
