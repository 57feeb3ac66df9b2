"""The fields of an MT940 file and their values: balances, entries, moments, texts of entries."""

import re
from calendar import monthrange
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from datetime import date, datetime
from decimal import Decimal
from io import TextIOWrapper
from typing import BinaryIO, NamedTuple

from finance_api.importers.decoding import fits, open_text, utf_16_of
from finance_api.importers.interface import (
    ANOTHER_FILE,
    BankBalance,
    Entry,
    ImportRefused,
    Questions,
    quoted,
)
from finance_api.importers.sections import StatedTotal
from finance_api.resources.currencies import CODES, current_code
from finance_api.values.number import NumberError, to_units
from finance_api.values.text import compact, count_text, one_line
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


#: The length of a line in the standard, and of a sub-field of German banks.
_LINE_LENGTH, _SUB_FIELD = 65, 27
_CODED = re.compile(r"\s*(?:[0-9]{3})?([?<>~^])[0-9]{2}")
_PURPOSE = (*map(str, range(20, 30)), *map(str, range(60, 66)))
_SEPA = re.compile(
    r"\b(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|IBAN|BIC|SQTP|ORCR|ORMR|DDAT|MDAT"
    r"|RREF|RTRN)\+"
)
_SLASHED = re.compile(
    r"/(TRTP|TRCD|IBAN|BIC|NAME|REMI|EREF|PREF|KREF|IREF|MARF|CSID|ORDP|BENM|CNTP|ACCW|RTRN|PURP"
    r"|ULTB|ULTC|ULTD|SVCL|ISDT|ADDR|INIT|OCMT|CHGS|EXCH)/"
)
_NAMED = re.compile(r"([A-Z]{2}[0-9]{2}[A-Z0-9]{11,30})[ ]+(\S.*)")
_NOT_GIVEN = frozenset({"NOTPROVIDED", "NONREF", "NOT PROVIDED"})


class Details(NamedTuple):
    """The parts of an entry's text. reference: an end-to-end id or another reference. account: the
    IBAN or number of the other side.
    """

    payee: str | None = None
    note: str | None = None
    reference: str | None = None
    account: str | None = None


def details_of(text: str) -> Details:
    """Parse the text of ``:86:``, which has one or more lines."""
    lines = text.split("\n")
    # Banks cut the text into lines at any place, even within a word or code.
    whole = "".join(lines)
    coded = _CODED.match(whole)
    if coded:
        return _of_sub_fields(whole, coded[1])
    if _SLASHED.match(whole.lstrip()):
        return _of_slashes(whole)
    named = _NAMED.fullmatch(lines[0].rstrip())
    if named:
        return Details(named[2], one_line(_joined(lines[1:], _LINE_LENGTH)), None, named[1])
    return Details(note=one_line(_joined(lines, _LINE_LENGTH)))


def _of_sub_fields(text: str, mark: str) -> Details:
    parts = re.split(rf"{re.escape(mark)}([0-9]{{2}})", text)
    found: dict[str, list[str]] = {}
    for code, value in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(code, []).append(value)

    def of(*codes: str) -> str:
        values = [value for code in codes for value in found.get(code, ()) if value]
        return _joined(values, max(_SUB_FIELD, *map(len, values), 0))

    leading, codes = _codes_in(_SEPA, of(*_PURPOSE))
    # Except for SVWZ, the value of a code ends with its line.
    behind = (rest for code, rest in codes.items() if code != "SVWZ")
    texts = (leading, codes.get("SVWZ"), *(rest.partition("\n")[2] for rest in behind))
    return Details(
        payee=one_line(of("32", "33")),
        note=one_line(*texts) or one_line(of("00")),
        reference=_reference(codes, "EREF", "KREF"),
        account=_account(of("38") or of("31") or codes.get("IBAN", "").partition("\n")[0]),
    )


def _of_slashes(text: str) -> Details:
    _, codes = _codes_in(_SLASHED, text)
    # CNTP has the account, bank, name and place of the other side.
    side = [*codes.get("CNTP", "").split("/"), "", "", ""]
    remittance = codes.get("REMI", "").removeprefix("USTD/").strip("/")
    is_structured = remittance.startswith("STRD/")
    reference = remittance.rpartition("/")[2] if is_structured else None
    return Details(
        payee=one_line(codes.get("NAME") or side[2]),
        note=one_line(None if is_structured else remittance) or one_line(codes.get("TRTP")),
        reference=_reference(codes, "EREF", "PREF", "KREF") or one_line(reference),
        account=_account(codes.get("IBAN") or side[0] or codes.get("ACCW", "").split(",")[0]),
    )


def _codes_in(codes: re.Pattern[str], text: str) -> tuple[str, dict[str, str]]:
    """Return the text before the first code, and the text after each code's first occurrence."""
    leading, *parts = codes.split(text)
    found: dict[str, str] = {}
    for code, value in zip(parts[::2], parts[1::2], strict=True):
        found.setdefault(code, value.strip())
    return leading, found


def _joined(pieces: list[str], width: int) -> str:
    """Join the pieces of a text that was cut at a width; shorter pieces end a line."""
    return "".join(piece if len(piece) >= width else piece + "\n" for piece in pieces)


def _reference(codes: dict[str, str], *names: str) -> str | None:
    for name in names:
        text = one_line(codes.get(name, "").partition("\n")[0].strip("/"))
        if text is not None and text.upper() not in _NOT_GIVEN:
            return text
    return None


def _account(text: str | None) -> str | None:
    number = compact(text or "")
    return number if number.strip("0") else None
