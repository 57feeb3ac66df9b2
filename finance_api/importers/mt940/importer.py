"""Reads MT940 and MT942 files."""

import re
from calendar import monthrange
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from io import TextIOWrapper
from typing import Any, BinaryIO, NamedTuple

from finance_api.importers.decoding import fits, open_text, opening_text, utf_16_of
from finance_api.importers.formats import MT940_BEGIN
from finance_api.importers.interface import (
    ANOTHER_FILE,
    HEAD_BYTES,
    BankBalance,
    Entries,
    Entry,
    ImportRefused,
    Questions,
    Remembered,
    Statement,
    StatementAccount,
    joined_key,
    nothing_remembered,
    quoted,
)
from finance_api.importers.mt940.details import Details, details_of
from finance_api.importers.sections import Section, Sections, StatedTotal, Totals
from finance_api.resources.currencies import CODES, current_code
from finance_api.values.number import NumberError, to_units
from finance_api.values.text import amount_text, compact, count_text, one_line
from finance_api.values.time import from_date

#: Maximum length of a field; banks write far shorter ones.
MAX_FIELD_CHARACTERS = 100_000
_BEGINNING_BYTES = 4
#: The standard allows only ASCII, but banks use other charsets. This one can decode any bytes.
_ANY_BYTES = "cp850"
_FIELD = re.compile(r"(?:\{.*\{4:)?:([0-9]{2}[A-Z]?|NS):(.*)", re.DOTALL)
_END = re.compile(r"\s*-\s*(?:\}.*|XXX)?", re.DOTALL)
#: Lines before a message.
_ENVELOPE = re.compile(r"\s*\{[1-5]:.*|:94[02]:", re.DOTALL)
#: The tag of the pseudo-field that ends a message.
END = "-"
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
#: Two-digit years mean 1980 to 2079, as SWIFT defines.
_FIRST_YEAR = 1980
_AMOUNT = r"0*(?P<amount>[0-9]{1,15}(?:,[0-9]*)?)(?![\d.,])"
_BALANCE = re.compile(
    rf"(?P<mark>[CD])(?P<day>[0-9]{{6}})(?P<currency>[A-Z]{{3}}){_AMOUNT}\s*", re.IGNORECASE
)
_LINE = re.compile(
    r"(?P<value>[0-9]{6})(?P<entry>[0-9]{4}|[ ]{4})?(?P<mark>[RE]?[CD])(?P<funds>[A-Z]?)[ \n]?"
    rf"{_AMOUNT}(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
#: The type such as NTRF, the customer's reference, the bank's one after ``//``, and details.
_REST = re.compile(
    r"(?P<type>[A-Z][A-Z0-9 ]{3})?(?P<reference>(?:(?!//)[^\n])*+)"
    r"(?://(?P<bank_id>[^\n]{0,23}))?(?P<details>.*)",
    re.IGNORECASE | re.DOTALL,
)
_MOMENT = re.compile(r"[0-9]{10}(?:[+-][0-9]{4})?")
_TOTAL = re.compile(rf"(?P<number>[0-9]{{1,9}})[A-Z]{{3}}{_AMOUNT}", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"N|NONREF|NOTPROVIDED|[EKMP]REF\+?|MARF|0*", re.IGNORECASE)
_MT942 = "mt942"
_WITH_CURRENCY = re.compile(r"(.*[0-9])/?([A-Z]{3})")
#: Fields that begin a new message once the previous one is over.
_BEGINNINGS = frozenset({"20", "25", "60"})
_ENDS = frozenset({"62", "90", END})
#: Fields that need no reading: references, and numbers of statements.
_NEEDLESS = frozenset({"20", "21", "28", "86", "NS", END})
#: Some banks number the lines of ``:NS:``.
_NUMBERED = re.compile(r"[0-9]{2}(?=[^0-9\s])")
#: Only interim reports (MT942) have these fields; only statements have an opening balance.
_INTERIM = re.compile(r"\{2:[IO]942|^:(?:34F|90[CD]):", re.MULTILINE)
_OPENING = re.compile(r"^:60[FM]?:", re.MULTILINE)


class Field(NamedTuple):
    """A field: its tag, such as ``61``, and its text, which may have several lines.

    line: where it begins in the file, from 1.
    """

    tag: str
    text: str
    line: int


def fields_in(stream: BinaryIO, encoding: str | None, questions: Questions) -> Iterator[Field]:
    """Yield the fields and the ends of messages in order; skip envelopes.

    encoding: that of a file that is not Unicode, if the user says it. Raises ImportRefused.
    """
    utf_16 = utf_16_of(stream.read(_BEGINNING_BYTES))
    charset = next((c for c in (utf_16, "utf-8") if c and fits(stream, c)), None)
    if charset is None:
        charset = _ANY_BYTES
        with suppress(ImportRefused) if encoding is None else nullcontext():
            charset = open_text(stream, encoding, force=False, questions=questions).codec
    questions.put()
    stream.seek(0)
    text = TextIOWrapper(stream, encoding=charset)
    try:
        yield from _fields(text)
    finally:
        text.detach()


def _fields(text: TextIOWrapper) -> Iterator[Field]:
    tag: str | None = None
    parts: list[str] = []
    begin = number = size = 0
    while read := text.readline(MAX_FIELD_CHARACTERS + 1):
        number += 1
        if "\0" in read.rstrip("\0\n"):
            raise ImportRefused(
                "the file contains NUL bytes: it is damaged; download it again", number
            )
        line = _CONTROLS.sub("", read.removeprefix("\ufeff").removesuffix("\n"))
        field = _FIELD.match(line)
        is_end = _END.fullmatch(line) is not None
        if field or is_end or _ENVELOPE.fullmatch(line):
            if tag is not None:
                yield Field(tag, "\n".join(parts), begin)
            tag = field[1] if field else END if is_end else None
            parts = [field[2]] if field else []
            begin, size = number, 0
        elif tag is not None:
            parts.append(line)
        size += len(read)
        if size > MAX_FIELD_CHARACTERS:
            raise ImportRefused(
                f"a field has more than {count_text(MAX_FIELD_CHARACTERS)} characters: it is not "
                "an MT940 file, or it is damaged",
                begin,
            )
    if tag is not None:
        yield Field(tag, "\n".join(parts), begin)


def mark_of(field: Field) -> tuple[str, int]:
    """Return the mark and the amount, without a sign, of a statement line.

    The mark is C or D, RC or RD for a reversal, and EC or ED for an entry that is not booked yet.
    """
    line = _LINE.match(field.text)
    return (line["mark"].upper(), _units_or_none(line["amount"]) or 0) if line else ("", 0)


def total_of(field: Field) -> StatedTotal | None:
    """Return the total of a field ``:90D:`` or ``:90C:``; None if it is in another form."""
    form = _TOTAL.match(field.text)
    units = _units_or_none(form["amount"]) if form else None
    if form is None or units is None:
        return None
    return StatedTotal((1 if field.tag == "90C" else -1,), int(form["number"]), units, field.line)


def _units_or_none(amount: str) -> int | None:
    try:
        return to_units(Decimal(amount.replace(",", ".")))
    except NumberError:
        return None


def entry_of(field: Field, *, needs_type: bool) -> Entry:
    """Return the entry of a field ``:61:``, without its ``:86:``. Raises ImportRefused.

    needs_type: refuse a line without a transaction type (NTRF), because it may be cut off.
    """
    form = _LINE.fullmatch(field.text)
    rest = _REST.fullmatch(form["rest"]) if form else None
    if form is None or rest is None:
        raise refused(field, "is not a statement line such as 2601310131D12,50NTRF")
    value_day = _day(field, form["value"])
    units = _units(field, form["amount"])
    if needs_type and rest["type"] is None:
        raise refused(field, "has no transaction type such as NTRF: it may be cut off")
    entry = form["entry"] or ""
    day = _nearest(field, value_day, entry) if entry.strip(" 0") else value_day
    return Entry(
        line=field.line,
        date=from_date(day),
        value_date=from_date(value_day),
        amount=units if form["mark"].upper() in ("C", "RD") else -units,
        bank_id=_given(rest["bank_id"]),
        reference=_given(rest["reference"]),
        note=one_line(rest["details"]),
    )


def balance_of(field: Field) -> tuple[BankBalance, str]:
    """Return the balance of a field such as ``:60F:``, and its currency. Raises ImportRefused."""
    # Only the first line counts: some banks write lines of their own between two messages.
    form = _BALANCE.fullmatch(field.text.split("\n")[0])
    currency = form["currency"].upper() if form else ""
    if form is None or currency not in CODES:
        raise refused(field, "is not a balance such as C260131EUR12,50")
    units = _units(field, form["amount"])
    units = units if form["mark"].upper() == "C" else -units
    return BankBalance(units, from_date(_day(field, form["day"]))), current_code(currency)


def moment_of(field: Field) -> int | None:
    """Return the time in ``:13D:``, in seconds; None if it is not a valid time."""
    form = _MOMENT.match(field.text)
    text = form[0] if form else ""
    try:
        moment = datetime.strptime(text if len(text) > 10 else f"{text}+0000", "%y%m%d%H%M%z")
    except ValueError:
        return None
    return int(moment.timestamp())


def _units(field: Field, amount: str) -> int:
    try:
        return to_units(Decimal(amount.replace(",", ".")))
    except NumberError as error:
        raise refused(field, str(error)) from None


def _day(field: Field, text: str) -> date:
    """Return a day such as 260131. Raises ImportRefused."""
    year, month, day = (int(text[place : place + 2]) for place in (0, 2, 4))
    year += 1900 if 1900 + year >= _FIRST_YEAR else 2000
    if month == 2 and day == 30:
        # Some banks count 30 days in every month.
        day = monthrange(year, 2)[1]
    try:
        return date(year, month, day)
    except ValueError:
        raise refused(field, "has an impossible date") from None


def _nearest(field: Field, to: date, month_and_day: str) -> date:
    """Return the date nearest to ``to`` that has this month and day. Raises ImportRefused."""
    found = []
    for year in (to.year - 1, to.year, to.year + 1):
        try:
            found.append(date(year, int(month_and_day[:2]), int(month_and_day[2:])))
        except ValueError:
            continue
    if not found:
        raise refused(field, "has an entry date that is not in the calendar")
    return min(found, key=lambda day: abs(day - to))


def _given(reference: str | None) -> str | None:
    """Return the reference; None if it is only a placeholder."""
    text = (reference or "").strip()
    return None if _PLACEHOLDER.fullmatch(text) else text


def refused(field: Field, reason: str) -> ImportRefused:
    """Return a refusal of the file that names this field's tag, its text and the reason."""
    return ImportRefused(f":{field.tag}: {quoted(field.text)} {reason}; {ANOTHER_FILE}", field.line)


class Pages:
    """The pages of a file, in any order."""

    def __init__(self) -> None:
        # Tag -> account and amount -> number of the page, line of the balance, statement.
        self._found: defaultdict[str, dict[tuple[object, int], tuple[int, int, Statement]]]
        self._found = defaultdict(dict)
        self._pages = 0

    def add(self, statement: Statement, balances: Mapping[str, tuple[int, int]]) -> None:
        """Add a page. balances: the amount and the line of each of its balances, by tag."""
        self._pages += 1
        account = statement.account.key, statement.account.currency
        for tag, (amount, line) in balances.items():
            self._found[tag].setdefault((account, amount), (self._pages, line, statement))

    def check(self) -> None:
        """Raise ImportRefused if a page between two others is missing.

        Pages before the first and after the last may be in another file: a remark says so.
        """
        found = self._found
        begins, ends = found["60M"], found["62M"]
        alone = begins.keys() - ends.keys() - found["62F"].keys()
        alone |= ends.keys() - begins.keys() - found["60F"].keys()
        for (account, amount), (page, line, statement) in begins.items():
            if (account, amount) not in alone:
                continue
            statement.remarks.append(_not_here("before", line))
            for key, (other_page, other_line, _) in ends.items():
                if key in alone and key[0] == account and other_page != page:
                    raise ImportRefused(
                        f"the page begins with a balance of {amount_text(amount)}, but no page "
                        f"ends with it, and no page continues the one of line {other_line}: a "
                        f"page is missing; download the statement again",
                        line,
                    )
        for key in ends.keys() & alone:
            _, line, statement = ends[key]
            statement.remarks.append(_not_here("after", line))


def _not_here(where: str, line: int) -> str:
    return f"the page of the statement {where} line {line} is not in the file: import it as well"


class Mt940Importer:
    """Reads the messages of one file. source: "mt940" or "mt942". encoding: see `fields_in`."""

    def __init__(self, source: str, encoding: str | None = None) -> None:
        self.source = source
        self._encoding = encoding

    @classmethod
    def of(cls, stream: BinaryIO, given: Mapping[str, Any], profiles: str) -> "Mt940Importer":
        """Return the importer for a file; ``stream`` is at its start. Raises ImportRefused."""
        text = opening_text(stream.read(HEAD_BYTES))
        stream.seek(0)
        if not re.match(MT940_BEGIN, text):
            raise ImportRefused("the file is neither MT940 nor MT942")
        is_interim = _INTERIM.search(text) and not _OPENING.search(text)
        return cls(_MT942 if is_interim else "mt940", given.get("encoding"))

    def read(self, stream: BinaryIO, remembered: Remembered = nothing_remembered) -> Entries:
        questions = Questions()
        for statement, entry in self._read(stream, questions):
            statement.remarks += questions.remarks
            questions.remarks.clear()
            yield statement, entry

    def _read(self, stream: BinaryIO, questions: Questions) -> Entries:
        sections, pages = Sections(repeat=True), Pages()
        message, totals = None, Totals()
        for each in fields_in(stream, self._encoding, questions):
            kind = each.tag[:2]
            if message is None or kind == "20" or (message.is_over and kind in _BEGINNINGS):
                if message is not None:
                    yield from message.end(is_last=False)
                    if message.stated:
                        totals = Totals()
                message = _Message(self.source, sections, pages, each.line, totals)
            yield from message.take(kind, each)
        if message is not None:
            yield from message.end(is_last=True)
        pages.check()
        if sections.is_empty:
            raise ImportRefused(
                f"the {self.source.upper()} file contains no transaction and no balance: download "
                f"another period"
            )


@dataclass
class _Message:
    """A message of the file while its fields are read.

    line: where the message begins. number: the account number as the file writes it.
    since: totals of the entries since the last message that states totals: the last page of a
    report may state those of all pages. stated: totals that this message states.
    is_headed: whether a field that begins messages was read. is_over: whether a field that ends
    messages was read.
    """

    source: str
    sections: Sections
    pages: Pages
    line: int
    since: Totals
    stated: list[StatedTotal] = field(default_factory=list)
    number: str | None = None
    currency: str | None = None
    opening: BankBalance | None = None
    closing: BankBalance | None = None
    made_at: int | None = None
    is_interim: bool = False
    is_headed: bool = False
    is_over: bool = False
    _section: Section | None = None
    #: The ``:61:`` of an entry, and the fields ``:86:`` and ``:NS:`` that follow it.
    _entry: list[Field] = field(default_factory=list)
    _entry_size: int = 0
    _unknown: set[str] = field(default_factory=set)
    _others: set[str] = field(default_factory=set)
    _page_balances: dict[str, tuple[int, int]] = field(default_factory=dict)
    _totals: Totals = field(default_factory=Totals)

    def take(self, kind: str, each: Field) -> Entries:
        """Process a field. kind: its tag without the letter. Raises ImportRefused."""
        self.is_headed |= kind in _BEGINNINGS
        self.is_over |= kind in _ENDS
        if kind in ("86", "NS"):
            self._take_details(each)
        else:
            yield from self._end_entry()
        if kind == "25":
            self.number = each.text.split("\n")[0]
        elif kind == "60":
            self.opening = self._balance(each)
        elif kind == "61":
            self._entry, self._entry_size = [each], 0
        elif kind == "62":
            self.closing = self._balance(each)
        elif kind == "13":
            self.made_at = moment_of(each)
        elif kind in ("34", "90"):
            self.is_interim = True
            code = each.text.lstrip("0123456789")[:3].upper()
            if self.currency is None and code in CODES:
                self.currency = current_code(code)
            if kind == "90" and (total := total_of(each)) is not None:
                self.stated.append(total)
        elif kind in ("64", "65"):
            self._others.add(f":{each.tag}:")
        elif kind not in _NEEDLESS:
            self._unknown.add(each.tag)

    def _take_details(self, each: Field) -> None:
        """Collect the fields that follow an entry; skip all others."""
        if not self._entry:
            return
        self._entry.append(each)
        self._entry_size += len(each.text) + 1
        if self._entry_size > MAX_FIELD_CHARACTERS:
            raise ImportRefused(
                "the fields :86: and :NS: of an entry have more than "
                f"{count_text(MAX_FIELD_CHARACTERS)} characters: it is not an MT940 file, or it "
                "is damaged",
                self._entry[0].line,
            )

    def end(self, *, is_last: bool) -> Entries:
        """Finish the message: yield its last entry; if it has no entries, only its statement.

        Raises ImportRefused.
        """
        is_open = self.opening is not None and self.closing is None
        if is_open or (is_last and self.is_headed and not self.is_over):
            raise ImportRefused(
                "the message that begins here has no end: it is cut off or damaged; download it "
                "again",
                self.line,
            )
        yield from self._end_entry()
        self._totals.check(self.stated, self.since)
        if self._section is None and (self.opening or self.closing or self.is_interim):
            yield from self._begin()
        if self._section is not None:
            made_at = self.made_at if self.closing is None else self.closing.date
            self._section.end(
                self.opening, self.closing, as_of=made_at, line=self.line, others=self._others
            )
            statement = self._section.statement
            self.pages.add(statement, self._page_balances)
            if self._unknown:
                unknown = ", ".join(sorted(self._unknown))
                statement.remark_once(f"fields that are not imported: {unknown}")
            if statement.account.currency is None:
                # The closing balance may be the first field to state the currency.
                statement.account = self._account()

    def _balance(self, each: Field) -> BankBalance:
        balance, currency = balance_of(each)
        if self.opening is not None and currency != self.currency:
            raise ImportRefused(
                f"the opening balance is in {self.currency}, but the closing balance is in "
                f"{currency}",
                each.line,
            )
        self.currency = currency
        self._page_balances[each.tag] = balance.amount, each.line
        return balance

    def _begin(self) -> Iterator[tuple[Statement, None]]:
        is_interim = self.is_interim and self.opening is None
        if is_interim != (self.source == _MT942) and (is_interim or self.opening is not None):
            raise ImportRefused(
                "the file contains both statements (MT940) and interim reports of the day "
                "(MT942): split it into a file of each kind",
                self.line,
            )
        self._section, is_new = self.sections.begin(self._account(), self.opening)
        if is_new:
            yield self._section.statement, None

    def _account(self) -> StatementAccount:
        written = compact(self.number or "")
        with_currency = _WITH_CURRENCY.fullmatch(written)
        codes = CODES if self.currency is None else {self.currency}
        if with_currency and current_code(with_currency[2]) in codes:
            written = with_currency[1]
            self.currency = current_code(with_currency[2])
        if not written:
            return StatementAccount(None, None, currency=self.currency)
        # The part before the slash is the bank.
        number = written.rpartition("/")[2] or written
        return StatementAccount(
            key=joined_key(*filter(None, (*written.split("/"), self.currency))),
            name=f"Account {number}",
            currency=self.currency,
            number=number,
        )

    def _end_entry(self) -> Entries:
        """Yield the entry made of the last ``:61:`` and the fields that followed it."""
        if not self._entry:
            return
        (each, *texts), self._entry = self._entry, []
        if self._section is None:
            yield from self._begin()
        assert self._section is not None
        statement = self._section.statement
        mark, units = mark_of(each)
        way = 1 if mark in ("C", "EC", "RD") else -1
        is_expected = mark.startswith("E")
        for totals in (self._totals, self.since):
            totals.add(way, units, booked=not is_expected, reversal=mark.startswith("R"))
        if is_expected:
            statement.skipped["expected transaction"] += 1
            return
        # The type code is optional if there are balances: they would reveal a misread amount.
        entry = entry_of(each, needs_type=self.opening is None)
        lines = [text.text for text in texts if text.tag[:2] == "86"]
        further = [text.text for text in texts if text.tag[:2] == "NS"]
        details = details_of("\n".join(lines)) if lines else Details()
        reference = details.reference or entry.reference
        entry = entry._replace(
            payee=details.payee,
            note=one_line(details.note or entry.note, *_texts(further)),
            counterparty_account=details.account,
            reference=None if reference == details.account else one_line(reference),
            section=self._section.number,
        )
        self._section.take(entry)
        yield statement, entry


def _texts(fields: list[str]) -> list[str]:
    """Return the lines of the fields ``:NS:``, without their numbers if all lines have one."""
    lines = [line for text in fields for line in text.split("\n") if line.strip()]
    if all(map(_NUMBERED.match, lines)):
        return [line[2:] for line in lines]
    return lines
