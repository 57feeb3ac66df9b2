"""Reads CSV statements, all or nothing: finds the tables, decides about each, makes its entries."""

from collections import abc
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from itertools import islice
from typing import Any, BinaryIO

from finance_api.importers.clauses import Given, Says, Topic, clause
from finance_api.importers.csv.choosing import find_plan
from finance_api.importers.csv.first_rows import TableSample, sample_of
from finance_api.importers.csv.guess.guessing import guess
from finance_api.importers.csv.index import Profiles, load_profiles
from finance_api.importers.csv.mapping import Mapping
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.profile import shown
from finance_api.importers.csv.rows import entries
from finance_api.importers.csv.sniff import of_other_account
from finance_api.importers.csv.table import NextTable, Table, is_text
from finance_api.importers.csv.vocabulary import (
    are_counts,
    are_western,
    kind_of,
    known_headings,
    role_fit,
    spelled_headings,
)
from finance_api.importers.decoding import TextFile, open_text
from finance_api.importers.encodings import PROPOSED, WESTERN
from finance_api.importers.interface import (
    Entries,
    ImportRefused,
    Questions,
    Remembered,
    nothing_remembered,
)


class CsvImporter:
    """Reads one file with the options that were given for it.

    profiles: the profiles that the file's headings may select; by default, this package's.
    """

    source = "csv"

    @classmethod
    def of(cls, stream: BinaryIO, given: abc.Mapping[str, Any], profiles: str) -> "CsvImporter":
        """Return an importer. profiles: a directory with the operator's own profiles."""
        known = {each.name for each in fields(Mapping)} & given.keys()
        parts = {name: given[name] for name in known}
        mapping = Mapping(**parts, header=not given.get("no_header"))
        return cls(mapping, load_profiles(profiles))

    def __init__(self, given: Mapping, profiles: Profiles | None = None) -> None:
        self._given = given
        self._profiles = profiles or load_profiles()
        self._remembered = nothing_remembered
        self._text: TextFile | None = None
        self._plan: Plan | None = None

    def read(self, stream: BinaryIO, remembered: Remembered = nothing_remembered) -> Entries:
        """Yield the file's entries in order, each with its statement. Raises ImportRefused.

        It reads the rows twice: before it makes any entry, it decides from whole columns what dates
        and amounts mean. One refusal asks about everything that is open.
        """
        given, self._remembered = self._given, remembered
        plan, questions = self._open(stream, given.encoding, given.force_encoding)
        if given.encoding is None and plan.table.text.is_guessed:
            plan, questions = self._with_its_encoding(stream, plan, questions)
        yield from self._read_tables(plan, questions)

    def _with_its_encoding(
        self, stream: BinaryIO, plan: Plan, questions: Questions
    ) -> tuple[Plan, Questions]:
        """Read a file that is not UTF-8 in the encoding that the saved mapping, or a profile, says,
        or in which its headings are known.
        """
        saved = plan.mapping.encoding
        for encoding in self._profiles.encodings if saved is None else [saved]:
            try:
                found = self._open(stream, encoding, True)
            except ImportRefused:
                if saved is not None:
                    raise
                continue
            if saved is not None or found[0].mapping.encoding == encoding:
                return found
        if known := _that_know_headings(plan.table):
            with suppress(ImportRefused):
                return self._open(stream, None, False, known)
        return plan, questions

    def read_table(self, text: TextFile, remembered: Remembered) -> Entries:
        """Read a decoded text in the way that `read` reads a file."""
        self._remembered = remembered
        yield from self._read_tables(*self._find(text, Questions()))

    def _read_tables(self, plan: Plan, questions: Questions) -> Entries:
        """Read each of the file's tables by its own headings. Raises ImportRefused."""
        text, are_several = plan.table.text, False
        try:
            for _ in range(_MOST_TABLES):
                try:
                    yield from self._read(plan, questions)
                    return
                except NextTable as following:
                    # The rows up to the file's end were only looked at. Read the first table alone.
                    line = following.line
                if questions.asks_for("encoding"):
                    questions.put()
                are_several = True
                first, questions = self._find(replace(text, end=line - 1), Questions(), 0)
                if not _counts_others(first.table):
                    yield from self._read(first, questions)
                text = replace(text, start=line - 1)
                plan, questions = self._find(text, Questions())
                _refuse_other_account(first.table, plan.table)
            raise ImportRefused(f"the file has more than {_MOST_TABLES} tables", line)
        except ImportRefused as refused:
            if are_several:
                _offer_only_names(refused)
            raise

    def sample(self, lines: Collection[int] = ()) -> TableSample:
        """Return the start of the table and the rows at these lines; call it after reading."""
        if self._text is None:
            return TableSample()
        return sample_of(self._text, self._given, self._plan, lines)

    def fits(self, text: TextFile, remembered: Remembered) -> bool | None:
        """Return whether the columns are found without a question; None if the text is refused."""
        questions = Questions()
        try:
            find_plan(text, self._given, remembered, self._profiles, questions)
        except ImportRefused:
            return None
        return not questions.asked

    def _open(
        self, stream: BinaryIO, encoding: str | None, force: bool, known: Sequence[str] = ()
    ) -> tuple[Plan, Questions]:
        questions = Questions()
        text = open_text(stream, encoding, force=force, questions=questions, known=known)
        try:
            return self._find(text, questions)
        except ImportRefused as refused:
            if refused.questions[0].reason in (Topic.NO_DATE, Topic.NO_AMOUNT, Topic.NO_TABLE):
                # Perhaps the headings are unknown only in this encoding.
                questions.put()
            raise

    def _find(
        self, text: TextFile, questions: Questions, skip_last: int | None = None
    ) -> tuple[Plan, Questions]:
        given = self._given if skip_last is None else replace(self._given, skip_last=skip_last)
        self._text, self._plan = text, None
        self._plan = find_plan(text, given, self._remembered, self._profiles, questions)
        return self._plan, questions

    def _read(self, plan: Plan, questions: Questions) -> Entries:
        self._plan = plan
        try:
            reading = guess(plan, questions)
            questions.put()
            yield from entries(reading)
        except ImportRefused as refused:
            if plan.profile is not None:
                refused.notes.append(clause(Says.WITH_PROFILE, profile=shown(plan.profile)))
            if plan.taken:
                refused.notes.append(clause(Says.WITH_OPTIONS, options=Given(plan.taken)))
            raise


#: At most this many tables in one file are read.
_MOST_TABLES = 50


def _offer_only_names(refused: ImportRefused) -> None:
    """Offer no options that one of several tables needs and that may be wrong for another."""
    choices = (choice for question in refused.questions for choice in question.choices)
    if any(choice.changes.keys() - {"account", "currency"} for choice in choices):
        refused.questions = tuple(each._replace(choices=()) for each in refused.questions)
        refused.notes.append("; make a file of each of the file's tables")


def _counts_others(table: Table) -> bool:
    """Return whether the table's only row counts and sums up the rows of the next table."""
    return are_counts(table.headings or ()) and len(list(islice(table.rows(), 2))) == 1


def _refuse_other_account(first: Table, second: Table) -> None:
    """Refuse a second table below lines, other than balances, that the first does not have."""
    known, new = (
        {text for label, texts in table.above for text in (label, *texts) if is_text(text)}
        for table in (first, second)
    )
    other = sorted(text for text in new - known if not (kind_of(text) or role_fit("balance", text)))
    if other:
        raise of_other_account(other[0], second.first_line)


def _that_know_headings(table: Table) -> list[str]:
    """Return the encodings in which the most headings with letters beyond ASCII are known."""
    counts = {}
    for encoding in PROPOSED:
        read = replace(table, text=replace(table.text, codec=encoding))
        with suppress(UnicodeDecodeError):
            foreign = [each for each in read.headings or () if not each.isascii()]
            counts[encoding] = spelled_headings(foreign), known_headings(foreign)
    most = max(counts.values(), default=(0, 0))
    known = [each for each, count in counts.items() if count == most > (0, 0)]
    return known or [*(WESTERN if are_western(table.headings or ()) else ())]
