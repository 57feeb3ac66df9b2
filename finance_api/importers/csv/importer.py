"""The reader of CSV statements: from the bytes of a file to its entries, all or nothing."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, BinaryIO

from finance_api.importers.csv.deciding import Deciding, movements
from finance_api.importers.csv.decoding import TextFile, open_text
from finance_api.importers.csv.index import Profiles, load_profiles
from finance_api.importers.csv.layout import Layout, find_layout, refuse_data_as_headings
from finance_api.importers.csv.memory import words
from finance_api.importers.csv.options import CsvOptions
from finance_api.importers.csv.profile import shown
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

    profiles: those that its headings may select; by default, those of this package.
    headings: of the file, once it is being read.
    """

    source = "csv"

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "CsvImporter":
        """profiles: a directory of the operator's own."""
        known = {each.name for each in fields(CsvOptions)} & given.keys()
        options = CsvOptions(
            **{name: given[name] for name in known}, header=not given.get("no_header")
        )
        return cls(options, load_profiles(profiles))

    def __init__(self, options: CsvOptions, profiles: Profiles | None = None) -> None:
        self._options = options
        self._profiles = profiles
        self.headings: tuple[str, ...] = ()

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """The entries of the file in its order, each with its statement; or ImportRefused.

        The rows are passed over twice: what the dates and amounts mean is decided from whole
        columns before any entry is made. All that is open is asked for in one refusal.
        """
        yield from self._read(*_layout(stream, self._options, remembered, self._known()))

    def read_table(
        self, text: TextFile, remembered: Remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """As `read`, of a text that is decoded."""
        questions = Questions()
        layout = find_layout(text, self._options, remembered, self._known(), questions)
        yield from self._read(layout, questions)

    def _read(
        self, layout: Layout, questions: Questions
    ) -> Iterator[tuple[Statement, Entry | None]]:
        self.headings = tuple(layout.table.headings or ())
        yield from _read(layout, questions)

    def _known(self) -> Profiles:
        return self._profiles or load_profiles()

    def fits(self, text: TextFile, remembered: Remembered) -> bool | None:
        """Whether the columns are known; None if none can be proposed either."""
        questions = Questions()
        try:
            find_layout(text, self._options, remembered, self._known(), questions)
        except ImportRefused:
            return None
        return not questions.asked


def _read(layout: Layout, questions: Questions) -> Iterator[tuple[Statement, Entry | None]]:
    try:
        yield from _entries(layout, questions)
    except ImportRefused as refused:
        if layout.profile is not None:
            refused.reason += (
                f" (read with the profile {shown(layout.profile)}; --no-profile reads the file "
                "without it)"
            )
        if layout.taken:
            refused.reason += f" (with what was given before: {_said(layout)})"
        raise


def _layout(
    stream: BinaryIO, options: CsvOptions, remembered: Remembered, profiles: Profiles
) -> tuple[Layout, Questions]:
    def found(encoding: str | None, force: bool) -> tuple[Layout, Questions]:
        questions = Questions()
        text = open_text(stream, encoding, force=force, questions=questions)
        return find_layout(text, options, remembered, profiles, questions), questions

    layout, questions = found(options.encoding, options.force_encoding)
    if not questions.asks_for("--encoding"):
        return layout, questions
    # The file is not UTF-8; what it is, was given before, or is known of its layout.
    if layout.options.encoding is not None:
        return found(layout.options.encoding, True)
    for encoding in profiles.encodings:
        try:
            other, answers = found(encoding, True)
        except ImportRefused:
            continue
        if other.options.encoding == encoding:
            return other, answers
    return layout, questions


def _entries(layout: Layout, questions: Questions) -> Iterator[tuple[Statement, Entry | None]]:
    refuse_data_as_headings(layout)
    deciding = Deciding(layout, questions)
    builder = deciding.run()
    questions.put()
    layout, selection = deciding.layout, deciding.selection
    skipped: Counter[str] = Counter()
    for line, cells in movements(layout, selection, skipped):
        yield from builder.add(line, cells)
    empty = builder.without_rows()
    if empty is not None:
        yield empty, None
    statements = builder.finish(selection.balances, deciding.above)
    if statements:
        statements[0].skipped += skipped
        statements[0].remarks += _about_layout(layout) + deciding.remarks
        if not layout.table.text.is_sheet:
            statements[0].encoding = layout.table.text.codec


def _about_layout(layout: Layout) -> list[str]:
    remarks = []
    if layout.profile is not None:
        lost = f": {layout.profile.lost}" if layout.profile.lost else ""
        remarks.append(f"read with the profile {shown(layout.profile)}{lost}")
    elif layout.table.text.skip_rows > layout.options.skip_rows:
        remarks.append(
            f"lines before the headings were passed over: --skip-rows {layout.table.text.skip_rows}"
        )
    remarks += layout.inferred.reasons
    if layout.taken:
        remarks.append(f"as given before for this account: {_said(layout)}")
    return remarks


def _said(layout: Layout) -> str:
    return " ".join(quoted(w) if " " in w or not w else w for w in words(layout.taken))
