"""Imports a file with the answers to its questions, and tries the choices of open questions.

Each choice is tried on the file before it is offered: what it makes of example rows is its effect,
and a choice that can only lead to a refusal is not offered.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, product
from typing import Any, BinaryIO

from finance_api.importers.answers import Answers
from finance_api.importers.interface import (
    Choice,
    Effect,
    Entry,
    Example,
    ExampleRow,
    ImportRefused,
    Question,
    Remembered,
    Statement,
    StatementImporter,
    nothing_remembered,
)
from finance_api.importers.options import changed
from finance_api.ledger.importing import Step, import_file, measured, nothing_more
from finance_api.ledger.orders import ImportOrder, ImportReport
from finance_api.storage.interface import StorageBackend

#: Makes the order of an import with these options. Raises ImportRefused.
OrderMaker = Callable[[Mapping[str, Any]], ImportOrder]

#: Stands for what only the user knows while a choice is tried.
_STAND_INS = {"account": "\N{WORD JOINER}", "currency": "EUR"}
#: Choices for which more bytes would be read are not tried; for more than _MOST_IMPORTED, the file
#: is only read, which takes a fifth of the time of an import.
_MOST_BYTES, _MOST_IMPORTED = 4 << 20, 256 << 10
#: Questions that an answer raises are answered up to this many times.
_MOST_ROUNDS = 3
#: A trial keeps the entries of this many lines, and a question shows up to this many of them.
_KEPT, _SHOWN = 1_000, 3


def import_answered(
    backend: StorageBackend,
    stream: BinaryIO,
    make: OrderMaker,
    given: Mapping[str, Any],
    answers: Answers | None,
) -> ImportReport:
    """Import a file. given: its options. answers: to the questions that it then leaves open.

    Raises ImportRefused if a question stays open or an answer is wrong. The choices were tried.
    """
    if answers is not None and measured(stream)["sha256"] != answers.digest:
        raise ImportRefused(
            "the answers are for another file, as their digest says: import this file without "
            "answers, and answer the questions that it then leaves open"
        )
    end: Step = nothing_more if answers is None else lambda *_: answers.check_used()
    while True:
        try:
            stream.seek(0)
            return import_file(backend, make(given), end=end)
        except ImportRefused as refused:
            options = None if answers is None else answers.applied(refused, given)
            if options is None:
                try_choices(refused, backend, stream, make, given)
                raise
            given = options


class _OnlyRead(Exception):
    """The file was read to its end, and that is enough."""


@dataclass
class _Watched:
    """An importer that keeps the entries of the first lines, and of the lines in question.

    account: the name that the user gave the file's only account, if any. unknown: options with
    stand-ins. only_reads: whether to raise _OnlyRead at the end. keys: the accounts of the entries.
    """

    importer: StatementImporter
    source: str
    account: str | None
    lines: Collection[int]
    unknown: Collection[str]
    only_reads: bool
    entries: dict[int, list[Example]] = field(default_factory=dict)
    keys: dict[int, list[str | None]] = field(default_factory=dict)

    def read(
        self, stream: BinaryIO, remembered: Remembered = nothing_remembered
    ) -> Iterator[tuple[Statement, Entry | None]]:
        """Yield the same as the wrapped importer, see `StatementImporter`."""
        self.entries.clear()
        self.keys.clear()
        for statement, entry in self.importer.read(stream, remembered):
            if entry is not None and (len(self.entries) < _KEPT or entry.line in self.lines):
                self.entries.setdefault(entry.line, []).append(self._example(statement, entry))
                self.keys.setdefault(entry.line, []).append(statement.account.key)
            yield statement, entry
        if self.only_reads:
            raise _OnlyRead

    def _example(self, statement: Statement, entry: Entry) -> Example:
        account = statement.account
        return Example(
            entry.line,
            entry.date,
            entry.amount,
            None if "currency" in self.unknown else account.currency,
            None if "account" in self.unknown else self.account or account.name,
            entry.payee or entry.note or "",
        )

    def name_accounts(self, names: Mapping[str | None, str]) -> None:
        """Set the accounts of the entries to the stored ones that they went to."""
        if "account" not in self.unknown:
            for line, examples in self.entries.items():
                pairs = zip(examples, self.keys[line], strict=True)
                self.entries[line] = [each._replace(account=names[key]) for each, key in pairs]


@dataclass(frozen=True)
class _Trial:
    """What a combination of choices leads to.

    importer: read the file; None if no importer could. counts: see `Effect`. is_refused: whether
    it can only lead to a refusal.
    """

    importer: _Watched | None = None
    counts: Mapping[str, int] | None = None
    is_refused: bool = False

    @property
    def entries(self) -> Mapping[int, Sequence[Example]]:
        return {} if self.importer is None else self.importer.entries

    def effect(self, rows: Iterable[ExampleRow]) -> Effect | None:
        if not self.entries and self.counts is None:
            return None
        entries = (entry for row in rows for entry in self.entries.get(row.line, ()))
        return Effect(tuple(entries), self.counts)


def try_choices(
    refused: ImportRefused,
    backend: StorageBackend,
    stream: BinaryIO,
    make: OrderMaker,
    given: Mapping[str, Any],
) -> None:
    """Try the refusal's choices on the file; set its digest, and the effects of its choices.

    A choice is left out if the file is refused with it, whatever the other answers are; unless
    that is so with every choice.
    """
    measures = measured(stream)
    refused.digest = measures["sha256"]
    asked = refused.answerable
    combinations = list(product(*(enumerate(question.choices) for question in asked)))
    size = measures["size"] * len(combinations)
    if not asked or size > _MOST_BYTES:
        return
    only_reads = size > _MOST_IMPORTED
    lines = {question.line for question in asked if question.line is not None}
    trials = [
        _tried([choice for _, choice in each], backend, stream, make, given, lines, only_reads)
        for each in combinations
    ]
    if all(trial.is_refused for trial in trials):
        return
    is_open = [not trial.is_refused for trial in trials]
    open_ones = list(compress(trials, is_open))
    rows = [ExampleRow(line) for line in _telling(open_ones)]
    refused.answers = [
        (first._replace(effect=trial.effect(rows)), *others)
        for (first, *others), trial in zip(
            compress(refused.answers, is_open), open_ones, strict=False
        )
    ]
    found: dict[int, dict[int, _Trial]] = defaultdict(dict)
    for each, trial in zip(compress(combinations, is_open), open_ones, strict=True):
        for question, (place, _) in zip(asked, each, strict=True):
            found[id(question)].setdefault(place, trial)
    refused.questions = tuple(
        _with_effects(question, found[id(question)]) if id(question) in found else question
        for question in refused.questions
    )


def _tried(
    choices: Iterable[Choice],
    backend: StorageBackend,
    stream: BinaryIO,
    make: OrderMaker,
    given: Mapping[str, Any],
    lines: Collection[int],
    only_reads: bool,
) -> _Trial:
    """Import the file without storing anything, with these choices and the first ones of questions
    that they raise.
    """
    watched: _Watched | None = None
    unknown: set[str] = set()
    for round_number in range(_MOST_ROUNDS):
        for choice in choices:
            unknown.update(choice.needs)
            given = changed(given, {**choice.changes, **{n: _STAND_INS[n] for n in choice.needs}})
        stream.seek(0)
        try:
            order = make(given)
            if order.importer is None:
                return _Trial()
            reader = order.importer
            account = order.options.account_name
            watched = _Watched(reader, reader.source, account, lines, unknown, only_reads)
            report = import_file(backend, replace(order, importer=watched, dry_run=True))
            watched.name_accounts(report.account_names)
            return _Trial(watched, None if unknown else report.counts)
        except _OnlyRead:
            break
        except ImportRefused as refused:
            is_closed = not all(each.choices or each.needs for each in refused.questions)
            if is_closed and round_number == 0:
                return _Trial(is_refused=True)
            choices = [each.choices[0] for each in refused.questions if each.choices]
            if not choices:
                break
    return _Trial(watched)


def _with_effects(question: Question, trials: Mapping[int, _Trial]) -> Question:
    """Return the question with the choices that were tried, by their places."""
    found = [trials[place] for place in sorted(trials)]
    made = _lines(found)
    first = [line for line in made if line == question.line]
    lines = (*first, *_telling(found), *(_differing(found) or made))
    rows = _rows(tuple(dict.fromkeys(lines))[:_SHOWN], found)
    choices = (
        question.choices[place]._replace(effect=trials[place].effect(rows))
        for place in sorted(trials)
    )
    return question._replace(choices=tuple(choices), rows=rows)


def _lines(trials: Iterable[_Trial]) -> list[int]:
    return sorted({line for trial in trials for line in trial.entries})


def _differing(trials: Sequence[_Trial]) -> list[int]:
    """Return the lines of which the trials make different entries."""
    of_line = {line: {tuple(t.entries.get(line, ())) for t in trials} for line in _lines(trials)}
    return [line for line, entries in of_line.items() if len(entries) > 1]


def _telling(trials: Sequence[_Trial]) -> list[int]:
    """Return the fewest lines, up to _SHOWN, that tell the most trials apart."""
    made = {line: [tuple(t.entries.get(line, ())) for t in trials] for line in _differing(trials)}
    lines: list[int] = []
    told: list[Any] = [None] * len(trials)
    while made and len(lines) < _SHOWN:
        line = max(made, key=lambda line: len(set(zip(told, made[line], strict=True))))
        further = list(zip(told, made[line], strict=True))
        if len(set(further)) == len(set(told)):
            break
        lines, told = [*lines, line], further
    return lines


def _rows(lines: Sequence[int], trials: Iterable[_Trial]) -> tuple[ExampleRow, ...]:
    """Return the rows at these lines, with their cells if the file has a table."""
    read = (trial.importer.importer for trial in trials if trial.importer is not None)
    sample = getattr(next(read, None), "sample", None)
    by_line = {} if sample is None else sample(lines).by_line
    return tuple(ExampleRow(line, by_line.get(line)) for line in lines)
