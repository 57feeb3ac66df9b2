"""Reads CSV statements, from the bytes of a file to its entries, all or nothing."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from typing import Any, BinaryIO

from finance_api.importers.csv.columns import Columns
from finance_api.importers.csv.deciding import Deciding, movements
from finance_api.importers.csv.decoding import TextFile, open_text
from finance_api.importers.csv.finding import find_plan, refuse_data_as_headings
from finance_api.importers.csv.index import Profiles, load_profiles
from finance_api.importers.csv.layout import Layout, words
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.profile import shown
from finance_api.importers.csv.sampling import (
    OTHER_ROLE,
    TableSample,
    sample_of,
    widest_table,
)
from finance_api.importers.csv.table import Table
from finance_api.importers.interface import (
    Entry,
    ImportRefused,
    Remembered,
    Statement,
    nothing_remembered,
)
from finance_api.importers.questions import Questions
from finance_api.importers.texts import quoted


class CsvImporter:
    """Reads one file under the options that were given for it.

    profiles: the profiles that the file's headings may select; by default, this package's.
    """

    source = "csv"

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "CsvImporter":
        """profiles: a directory with the operator's own profiles."""
        known = {each.name for each in fields(Layout)} & given.keys()
        parts = {name: given[name] for name in known}
        layout = Layout(**parts, header=not given.get("no_header"))
        return cls(layout, load_profiles(profiles))

    def __init__(self, given: Layout, profiles: Profiles | None = None) -> None:
        self._given = given
        self._profiles = profiles or load_profiles()
        self._table: Table | None = None
        self._roles: Columns = {}
        self._sample = TableSample()

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """Yield the file's entries in order, each with its statement. Raises ImportRefused.

        It passes over the rows twice: before it makes any entry, it decides from whole columns what
        dates and amounts mean. One refusal asks about everything that is open.
        """
        given = self._given
        plan, questions = self._open(stream, remembered, given.encoding, given.force_encoding)
        if questions.asks_for("--encoding"):
            # The file is not UTF-8: the saved layout, or a profile, may have its encoding.
            saved = plan.layout.encoding
            for encoding in self._profiles.encodings if saved is None else [saved]:
                try:
                    found = self._open(stream, remembered, encoding, True)
                except ImportRefused:
                    if saved is not None:
                        raise
                    continue
                if saved is not None or found[0].layout.encoding == encoding:
                    plan, questions = found
                    break
        yield from self._read(plan, questions)

    def read_table(
        self, text: TextFile, remembered: Remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """Read a decoded text as `read` does a file."""
        yield from self._read(*self._find(text, remembered, Questions()))

    def sample(self, lines: Collection[int] = ()) -> TableSample:
        """Return the start of the table and the rows at these lines; call it after reading.

        The lines of a spreadsheet are known only while it is being read.
        """
        if self._table is None or self._table.text.stream.closed:
            return self._sample
        return sample_of(self._table, self._roles, lines)

    def fits(self, text: TextFile, remembered: Remembered) -> bool | None:
        """Whether the columns are found without a question; None if the text is refused."""
        try:
            _, questions = self._find(text, remembered, Questions())
        except ImportRefused:
            return None
        return not questions.asked

    def _open(
        self, stream: BinaryIO, remembered: Remembered, encoding: str | None, force: bool
    ) -> tuple[Plan, Questions]:
        questions = Questions()
        text = open_text(stream, encoding, force=force, questions=questions)
        return self._find(text, remembered, questions)

    def _find(
        self, text: TextFile, remembered: Remembered, questions: Questions
    ) -> tuple[Plan, Questions]:
        self._table = None
        try:
            plan = find_plan(text, self._given, remembered, self._profiles, questions)
        except ImportRefused as refused:
            self._table, self._roles = widest_table(text, self._given), {}
            self._note(refused)
            raise
        self._table, self._roles = plan.table, _roles(plan)
        return plan, questions

    def _note(self, refused: ImportRefused) -> None:
        """Keep a sample with the rows that a refusal names, because the caller closes the sheet."""
        if self._table is not None and self._table.text.is_sheet:
            lines = {question.line for question in refused.questions if question.line}
            self._sample = sample_of(self._table, self._roles, lines)

    def _read(self, plan: Plan, questions: Questions) -> Iterator[tuple[Statement, Entry | None]]:
        try:
            if plan.table.text.is_sheet:
                self._sample = sample_of(plan.table, self._roles)
            yield from _entries(plan, questions)
        except ImportRefused as refused:
            self._note(refused)
            if plan.profile is not None:
                refused.reason += (
                    f" (read with the profile {shown(plan.profile)}; --no-profile reads the file "
                    "without it)"
                )
            if plan.taken:
                refused.reason += f" (with the options given before: {_options_text(plan)})"
            raise


def _entries(plan: Plan, questions: Questions) -> Iterator[tuple[Statement, Entry | None]]:
    refuse_data_as_headings(plan)
    deciding = Deciding(plan, questions)
    builder = deciding.run()
    questions.put()
    plan, selection = deciding.plan, deciding.selection
    skipped: Counter[str] = Counter()
    for line, cells in movements(plan, selection, skipped):
        yield from builder.add(line, cells)
    empty = builder.without_rows()
    if empty is not None:
        yield empty, None
    statements = builder.finish(selection.balances, deciding.above)
    if statements:
        statements[0].skipped += skipped
        statements[0].remarks += [*_remarks(plan), *deciding.remarks]
        if not plan.table.text.is_sheet:
            statements[0].encoding = plan.table.text.codec


def _roles(plan: Plan) -> Columns:
    """Return the columns of the fields, and the other columns that are read."""
    used = plan.rows.used if plan.rows else frozenset(plan.inferred.statuses)
    others = used - {index for indexes in plan.columns.values() for index in indexes}
    return {**plan.columns, OTHER_ROLE: tuple(others)}


def _remarks(plan: Plan) -> Iterator[str]:
    if plan.profile is not None:
        lost = f": {plan.profile.lost}" if plan.profile.lost else ""
        yield f"read with the profile {shown(plan.profile)}{lost}"
    elif plan.table.text.skip_rows > plan.layout.skip_rows:
        yield f"skipped the lines before the headings: --skip-rows {plan.table.text.skip_rows}"
    yield from plan.inferred.reasons
    if plan.taken:
        yield f"used the options given before for this account: {_options_text(plan)}"


def _options_text(plan: Plan) -> str:
    return " ".join(quoted(w) if " " in w or not w else w for w in words(plan.taken))
