"""The interface of importers: `StatementImporter`, its `Statement`s, questions and refusals.

There are two kinds of input. The native format has whole rows of every type
(`finance_api.importers.native`). Statement formats (such as OFX and CSV) have what a bank
writes: a `Statement` per account, and its entries one by one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, BinaryIO, NamedTuple, Protocol

from finance_api.importers.clauses import Clause, Option, Says, Topic, clause, options_in
from finance_api.importers.options import ImportOptions
from finance_api.resources.currencies import mark_of
from finance_api.values.text import Message, message, shown

#: The format of a file is detected from this much of its beginning.
HEAD_BYTES = 4_096
#: A message quotes up to _QUOTED_LENGTH characters of a value, and up to _MOST names.
_QUOTED_LENGTH, _MOST = 60, 30
#: Advice for a fault that no option can work around.
ANOTHER_FILE = "download the file again, or in another format"


def quoted(text: str) -> str:
    """Return ``text`` in quotes, on one line, cut if long, with unprintable characters escaped."""
    if isinstance(text, Message):
        return f"'{text.marked}'"
    cut = text if len(text) <= _QUOTED_LENGTH else text[: _QUOTED_LENGTH - 1] + "…"
    return f"'{shown(cut)}'"


def listed(names: Iterable[str]) -> str:
    """Return up to _MOST quoted names, separated by commas, and how many more there are."""
    names = list(names)
    text = ", ".join(quoted(name) for name in names[:_MOST])
    return f"{text} and {len(names) - _MOST} more" if len(names) > _MOST else text


class Example(NamedTuple):
    """An entry that a choice makes of an example row.

    day: seconds. amount: ten-thousandths. account, currency: None if only the user knows them.
    text: the payee, or else the note.
    """

    line: int
    day: int
    amount: int
    currency: str | None = None
    account: str | None = None
    text: str = ""


class Effect(NamedTuple):
    """What a choice does, as found when it was tried on the file.

    entries: made of the question's example rows; a row without one is left out. counts: how many
    records the import would create, update, and so on; None if further questions are open.
    """

    entries: tuple[Example, ...]
    counts: Mapping[str, int] | None = None


def differing_fields(effects: Sequence[Effect]) -> list[str]:
    """Return what tells choices apart that give entries the same day and amount."""
    if len({tuple((e.line, e.day, e.amount) for e in effect.entries) for effect in effects}) > 1:
        return []
    return [
        name
        for name in ("currency", "account", "text")
        if len({tuple(getattr(e, name) for e in effect.entries) for effect in effects}) > 1
    ]


class Choice(NamedTuple):
    """A possible answer to a question.

    changes: what it changes in the options. meaning: a clause that says what it means for the file.
    needs: names of further options, whose value only the user knows. effect: None if the choice was
    not tried.
    """

    changes: ImportOptions
    meaning: Clause | str = ""
    needs: tuple[str, ...] = ()
    effect: Effect | None = None


class ExampleRow(NamedTuple):
    """A row of the file that shows what a choice does. cells: None if the file has no table."""

    line: int
    cells: Sequence[str] | None = None


class Question(NamedTuple):
    """Something that a file leaves open.

    fact: what it is, or a sentence if no option helps. choices: only one if no other meaning is
    possible; empty if no option helps. needs: names of options whose value only the user knows.
    rows: example rows, on which the choices differ.
    """

    fact: Clause | Message
    line: int | None = None
    choices: tuple[Choice, ...] = ()
    needs: tuple[str, ...] = ()
    rows: tuple[ExampleRow, ...] = ()

    @property
    def reason(self) -> str:
        return self.fact.topic if isinstance(self.fact, Clause) else self.fact


class Command(NamedTuple):
    """A command line to copy. meaning: what it means for the file; "" for the only command."""

    line: str
    meaning: str = ""


#: Show up to this many command lines; questions that would need more are asked next time.
MOST_COMMANDS = 12


class ChangeRefused(Exception):
    """A refusal to change a user's data; nothing is stored.

    reason: one sentence that names the fault. line: the line of a file, from 1; None if the fault
    is not in a single line. ways: names of the options that resolve it, for whoever shows them.
    file: filled in by whoever knows the file's name.
    """

    def __init__(self, reason: str, line: int | None = None, *, ways: tuple[str, ...] = ()) -> None:
        self._reason = message(reason)
        super().__init__(self._reason)
        self.line = line
        self.ways = ways
        self.file: str | None = None

    @property
    def reason(self) -> str:
        return self._reason

    def __str__(self) -> str:
        place = ", ".join(
            part for part in (self.file, f"line {self.line}" if self.line else None) if part
        )
        return f"{place}: {self.reason}" if place else self.reason


@dataclass(eq=False)
class ImportRefused(ChangeRefused):
    """A refusal to import a file.

    fact, choices, needs: the `Question` at this line, unless ``questions`` has everything that the
    file leaves open. notes: further parts of the sentence. digest: the SHA-256 of the file, filled
    in when the choices are tried. commands: command lines that answer all questions, filled in by
    whoever knows the command. written: the whole sentence, if it was written by whoever knows the
    words of a `Clause`.
    accounts: name and number of the accounts of a file with questions, if it names accounts. Each
    needs a currency if it is new. codes: currencies they may have; None: the currency is known.
    """

    fact: InitVar[Clause | str]
    line: int | None = None
    choices: InitVar[tuple[Choice, ...]] = ()
    questions: tuple[Question, ...] = ()
    needs: InitVar[tuple[str, ...]] = field(default=(), kw_only=True)
    notes: list[Clause | str] = field(default_factory=list, kw_only=True)
    digest: str | None = field(default=None, init=False)
    commands: list[Command] = field(default_factory=list, init=False)
    accounts: Sequence[tuple[str, str | None]] = field(default=(), init=False)
    codes: Sequence[str] | None = field(default=None, init=False)
    written: str | None = field(default=None, init=False)

    def __post_init__(
        self, fact: Clause | str, choices: tuple[Choice, ...], needs: tuple[str, ...]
    ) -> None:
        fact = fact if isinstance(fact, Clause) else message(fact)
        self.questions = self.questions or (Question(fact, self.line, choices, needs),)
        super().__init__(self.reason, self.line)

    def ask_for_currency(self, new: Sequence[str]) -> None:
        """Ask for the currency of new accounts, whose names these are, together with the rest.

        If all accounts are known, no choice needs a currency.
        """
        if self.accounts and not new:
            self.questions = tuple(map(_without_currency, self.questions))
        elif self.codes is not None and not _ask_for(self.questions, "currency"):
            topic = Topic.NEW_ACCOUNT_CURRENCY
            if new:
                topic = Topic.NEW_ACCOUNT if len(new) == 1 else Topic.NEW_ACCOUNTS
            codes = tuple(self.codes[:3] or ("EUR",))
            fact = clause(topic, accounts=tuple(new), codes=codes)
            asked = Question(fact, None, (Choice({}, needs=("currency",)),))
            self.questions = (*self.questions, asked)

    @property
    def reason(self) -> str:
        return self.written or self.joined(lambda question: question.reason)

    def joined(
        self, write: Callable[[Question], str], note: Callable[[Clause | str], str] = str
    ) -> str:
        """Return one sentence about all questions. write, note: return the sentence about a
        question, and the text of a note.
        """
        first, *others = self.questions
        lines = (f" (line {each.line})" if each.line else "" for each in others)
        parts = (write(each) + line for each, line in zip(others, lines, strict=True))
        return "; and ".join((write(first), *parts)) + "".join(map(note, self.notes))

    @property
    def answerable(self) -> list[Question]:
        """Questions with choices, as many as have up to MOST_COMMANDS combinations."""
        questions, lines = [], 1
        for question in self.questions:
            if question.choices and lines * len(question.choices) <= MOST_COMMANDS:
                lines *= len(question.choices)
                questions.append(question)
        return questions

    @cached_property
    def answers(self) -> list[tuple[Choice, ...]]:
        """Each combination of the choices; one that was tried and is refused is left out."""
        if not all(question.choices for question in self.questions):
            return []
        asked = []
        for question in self.answerable:
            # A question with only one choice needs no explanation in the command line.
            is_open = len(question.choices) > 1
            asked.append(tuple(c if is_open else c._replace(meaning="") for c in question.choices))
        return [chosen for chosen in product(*asked) if chosen]


def _without_currency(question: Question) -> Question:
    choices = [
        each._replace(needs=()) if each.changes and each.needs == ("currency",) else each
        for each in question.choices
    ]
    return question._replace(choices=tuple(choices))


def excluding(one: ImportOptions, other: ImportOptions) -> ImportRefused:
    """Return a refusal of two groups of options that exclude each other; each drops a group."""
    first, second = (options_in(each)[0] for each in (one, other))
    return ImportRefused(
        clause(Topic.EXCLUDE, first=first, second=second),
        choices=(
            Choice(other, clause(Says.USE, named=first)),
            Choice(one, clause(Says.USE, named=second)),
        ),
    )


def wrong_option(option: Option, fault: str) -> ImportRefused:
    """Return a refusal of an option. fault: such as "is empty"."""
    return ImportRefused(clause(Topic.OPTION_IS_WRONG, named=option, fault=fault))


def wrong_value(option: str, value: str, fault: str) -> ImportRefused:
    """Return a refusal of an option's value. fault: such as "is not known"."""
    return ImportRefused(
        clause(Topic.VALUE_IS_WRONG, named=Option(option), value=value, fault=fault)
    )


@dataclass
class Questions:
    """The questions so far. To find more, reading continues with the first answer to each question.

    asked: the questions in the order in which they came up.
    columns: indexes of the columns that were asked about. fields: fields that several columns fit;
    the content of such columns is not asked about yet.
    accounts, codes: see `ImportRefused`. remarks: what was decided without a question.
    """

    asked: list[Question] = field(default_factory=list)
    columns: set[int] = field(default_factory=set)
    fields: set[str] = field(default_factory=set)
    accounts: Sequence[tuple[str, str | None]] = ()
    codes: Sequence[str] | None = None
    remarks: list[Clause | str] = field(default_factory=list)

    def ask(
        self,
        fact: Clause | str,
        *choices: Choice,
        line: int | None = None,
        column: int | None = None,
        of: str | None = None,
        needs: tuple[str, ...] = (),
    ) -> None:
        """Add a question. of: the field that several columns fit. needs: see `Question`."""
        fact = fact if isinstance(fact, Clause) else message(fact)
        self.asked.append(Question(fact, line, choices, needs))
        if column is not None:
            self.columns.add(column)
        if of is not None:
            self.fields.add(of)

    def add(self, others: "Questions") -> None:
        self.asked += others.asked
        self.columns |= others.columns
        self.fields |= others.fields

    def asks_for(self, option: str) -> bool:
        return _ask_for(self.asked, option)

    def put(self) -> None:
        """Raise ImportRefused if anything was asked."""
        if not self.asked:
            return
        first = self.asked[0]
        refused = ImportRefused(first.fact, first.line, questions=tuple(self.asked))
        refused.accounts, refused.codes = self.accounts, self.codes
        raise refused


def _ask_for(questions: Iterable[Question], option: str) -> bool:
    choices = (choice for question in questions for choice in question.choices)
    return any(option in choice.changes or option in choice.needs for choice in choices)


@dataclass(frozen=True)
class StatementAccount:
    """The account that a statement is about.

    key: identifies the account within the source, e.g. bank and account number; None if the file
        does not name the account, so that the user has to (``--account``).
    name: the name that a new account gets.
    account_type: one of ACCOUNT_TYPES.
    currency: ISO 4217 code, None if the file does not state it.
    number: the bank's account number.
    """

    key: str | None
    name: str | None
    account_type: str = "General"
    currency: str | None = None
    number: str | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """The mark of an entry that corrects an earlier entry of the same account and source.

    bank_id: the earlier entry's id. deletes: the earlier entry becomes void, without a new record.
    """

    bank_id: str
    deletes: bool = False


#: A part of a split: amount, note, category and labels. Marshal packs only plain tuples.
EntryPart = tuple[int, str | None, str | None, tuple[str, ...]]


class Entry(NamedTuple):
    """One movement of money, as the bank wrote it.

    line: where it begins in the file, from 1.
    date: the booking date as the bank wrote it, in seconds: its 00:00:00Z, plus the time of day if
        the file gives one.
    amount: ten-thousandths; money going out is negative.
    bank_id: the bank's own id, which need not be unique; None if the file gives none.
    category: the file's own category name, if it has one.
    labels: the file's own label names.
    payment_type: one of PAYMENT_TYPES, None if the file does not say.
    value_date: the file's second date, usually the value date: seconds of that day's 00:00:00Z.
    counterparty_account: IBAN or number of the other side, without blanks.
    reference: end-to-end id, payment reference or check number.
    original_amount, original_currency: the amount before conversion; both are set or neither.
    fingerprint: stands for the whole row, if two entries can share their id and content.
    batch: an id shared by entries that are parts of one booking and sum to its amount.
    section: index of the statement within the file, where statements can overlap. Equal entries in
        different sections are duplicates; within one section they are distinct. None: an entry
        with the id and content of another entry is a duplicate of it.
    record_state: one of RECORD_STATES, or "" for none; None means "cleared", as usual in a bank's
        list.
    offset: seconds by which the time of ``date`` is ahead of UTC; None if the file does not say.
    parts: the parts of a split; they add up to the entry's amount.
    message: an id shared by the entries of one notification, which another format may state as one
        sum.
    """

    line: int
    date: int
    amount: int
    bank_id: str | None = None
    payee: str | None = None
    note: str | None = None
    category: str | None = None
    labels: tuple[str, ...] = ()
    payment_type: str | None = None
    value_date: int | None = None
    counterparty_account: str | None = None
    reference: str | None = None
    original_amount: int | None = None
    original_currency: str | None = None
    fingerprint: str = ""
    correction: Correction | None = None
    batch: str | None = None
    section: int | None = None
    record_state: str | None = None
    offset: int | None = None
    parts: tuple[EntryPart, ...] = ()
    message: str | None = None


@dataclass(frozen=True)
class BankBalance:
    """The balance at the end of a day, as the bank states it.

    amount: ten-thousandths. date: seconds of that day's 00:00:00Z.
    """

    amount: int
    date: int


#: What a card's positive balance means; see `Statement`.
OWED, OWNED, UNKNOWN = "owed", "owned", "unknown"


@dataclass
class Statement:
    """One account's part of a statement file, without its entries.

    It is complete when the file has been read to its end.
    first_day, last_day: the first and last day it claims to cover, as seconds of 00:00:00Z. None:
        the days of its first and last entry.
    as_of: when the bank made the statement, in seconds; None if the file does not say.
    opening: the balance before the first entry, at the end of the previous day. closing: the
        balance after the last entry.
    card_balance: what a positive closing balance of a card means: OWED, OWNED or UNKNOWN; None for
        other accounts.
    initial: the account's balance before its very first entry, if the file has a row with it.
    initial_day: the day of ``initial`` (seconds), if other files may have this money as an entry.
    texts: identifies how options derive payee and note from the file's texts. Entries with
        different ``texts`` cannot be compared by payee and note.
    profile: the name of the profile the file was recognised by. encoding: the encoding of a text
        file, if the format does not prescribe one.
    options: the options, given or remembered, that this file was read with. They are saved for the
        account's next file with the same headings.
    currency_mark: the symbol beside the amounts, if it is ambiguous ("$").
    possible_currencies: the codes that the symbol can stand for; empty: any.
    skipped: number of skipped items of each kind, such as "position" or "pending transaction".
    remarks: sentences for the user, such as which columns were not imported.
    """

    account: StatementAccount
    first_day: int | None = None
    last_day: int | None = None
    as_of: int | None = None
    opening: BankBalance | None = None
    closing: BankBalance | None = None
    card_balance: str | None = None
    initial: int | None = None
    initial_day: int | None = None
    texts: str = ""
    profile: str | None = None
    encoding: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    currency_mark: str = ""
    possible_currencies: tuple[str, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)
    remarks: list[Clause | str] = field(default_factory=list)

    def name_unused(self, balances: Iterable[str]) -> None:
        """Name the balances of which no balance of the account is made, once."""
        if names := ", ".join(sorted(set(balances))):
            self.remark_once(f"balances that are not used: {names}")

    def remark_once(self, remark: str) -> None:
        if remark not in self.remarks:
            self.remarks.append(remark)


@dataclass(frozen=True)
class Remembered:
    """The stored data that reading a file needs.

    options: the `Statement.options` of the last file, by the digest of its heading row and the
        account's name; with None for the name, of the last file of any account.
    last_year: the latest year that a date in a bank's statement can have.
    """

    options: Mapping[tuple[str, str | None], Mapping[str, Any]] = field(default_factory=dict)
    last_year: int = 9998


#: The `Remembered` of a user without imports.
nothing_remembered = Remembered()


def joined_key(*parts: str) -> str:
    """Join the parts with slashes; slashes within a part are escaped."""
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


#: Entries, each with its statement; a new statement comes first, with None.
Entries = Iterator[tuple[Statement, Entry | None]]


class StatementImporter(Protocol):
    """A reader of one statement format.

    source: the name under which its entries are recognised again, e.g. ``ofx``.
    """

    source: str

    def read(self, stream: BinaryIO, remembered: Remembered = nothing_remembered) -> Entries:
        """Yield the entries of the file in order, each with its statement.

        Yields each statement once with None before its entries. Raises ImportRefused at any time.
        """


def currency_code(text: str) -> str:
    """Return the ISO 4217 code of a currency that a user writes as a code, a symbol or a name.

    Raises ImportRefused for a text that is not a currency, or is ambiguous.
    """
    mark = mark_of(text.strip())
    if mark is not None and mark.currency is not None:
        return mark.currency
    if mark is not None:
        raise ImportRefused(
            f"{quoted(text)} may be {', '.join(mark.possible[:3])} or another currency: give the "
            f"ISO 4217 code"
        )
    raise ImportRefused(f"{quoted(text)} is not an ISO 4217 code such as EUR")


def stated_code(text: str, what: str | Option, line: int | None = None) -> str:
    """Parse like `currency_code`. what: the beginning of a refusal, or an option."""
    try:
        return currency_code(text)
    except ImportRefused as refused:
        if isinstance(what, Option):
            raise wrong_option(what, refused.reason) from None
        raise ImportRefused(f"{what} {refused.reason}", line) from None
