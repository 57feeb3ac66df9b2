"""Builds the elements of a file from its tags, and parses their values as banks write them.

In SGML many tags are never closed. Aggregates have children, leaves have text. A tag with text
after it is a leaf and ends at the next tag. Other tags stay open until their closing tag. A tag
that is still open when an outer element closes was an empty leaf (``<MEMO>`` without text): the
elements after it become its siblings. An aggregate with a rank keeps those elements, even without
its closing tag.

Amounts: OFX requires ``[+-]digits[.digits]`` with a point or a comma (OFX 1.6, 3.2.9.1). Some banks
write thousands separators, although they are not allowed. Ambiguous amounts are refused.

Dates: ``YYYYMMDD[HHMMSS[.XXX][[offset:name]]]`` (OFX 1.6, 3.2.8.2). Only the written date counts.
The time and zone of a booking are ignored: converting them would move some bookings to another day
than the statement shows.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from sys import getsizeof

from finance_api.importers.interface import ANOTHER_FILE, ImportRefused, quoted
from finance_api.importers.ofx.markup import HTML_TAG, Lexeme, LexemeKind
from finance_api.resources.currencies import CODES, current_code
from finance_api.values.number import NumberError, parse_decimal, to_units
from finance_api.values.text import clean, clean_or_none
from finance_api.values.time import TimeError, parse_date

MAX_DEPTH = 100
#: Maximum memory for elements, in bytes: enough for half a million of them.
MAX_HELD_BYTES = 100_000_000
_ELEMENT_BYTES = 200
#: The name of the element that holds all others.
ROOT = ""
STATEMENTS = frozenset({"STMTRS", "CCSTMTRS", "INVSTMTRS"})
_INVESTMENT_NAMES = """
    BUYDEBT BUYMF BUYOPT BUYOTHER BUYSTOCK CLOSUREOPT INCOME INVBANKTRAN INVEXPENSE JRNLFUND
    JRNLSEC MARGININTEREST REINVEST RETOFCAP SELLDEBT SELLMF SELLOPT SELLOTHER SELLSTOCK SPLIT
    TRANSFER
"""
INVESTMENT_TRANSACTIONS = frozenset(_INVESTMENT_NAMES.split())
BANK_TRANSACTIONS = frozenset({"STMTTRN", "STMTTRNP"})
TRANSACTIONS = INVESTMENT_TRANSACTIONS | BANK_TRANSACTIONS
_LEVELS = """
    OFX
    SIGNONMSGSRSV1 SIGNUPMSGSRSV1 BANKMSGSRSV1 CREDITCARDMSGSRSV1 INVSTMTMSGSRSV1 SECLISTMSGSRSV1
    STMTTRNRS CCSTMTTRNRS INVSTMTTRNRS SECLIST
    STMTRS CCSTMTRS INVSTMTRS
    BANKTRANLIST BANKTRANLISTP INVTRANLIST INVPOSLIST INVOOLIST INVBAL LEDGERBAL AVAILBAL
"""
#: Inner aggregates have higher ranks. If an aggregate opens inside one of the same or a higher
#: rank, the outer aggregate has lost its closing tag.
_RANKS = {
    name: rank
    for rank, names in enumerate(
        [
            [ROOT],
            *(level.split() for level in _LEVELS.strip().splitlines()),
            INVESTMENT_TRANSACTIONS,
            BANK_TRANSACTIONS,
        ]
    )
    for name in names
}
_STATEMENT_RANK = _RANKS["STMTRS"]


class Element:
    """A tag with its content.

    name: the tag's name in upper case. line: the line of the tag, from 1. text: a leaf's text,
    stripped; empty for an aggregate. had_transactions: whether it contained STMTTRNs, which were
    removed from its children.
    """

    __slots__ = ("children", "had_transactions", "line", "name", "text")

    def __init__(self, name: str, line: int, text: str = "") -> None:
        self.name = name
        self.line = line
        self.text = text
        self.children: list[Element] = []
        self.had_transactions = False

    def child(self, name: str) -> "Element | None":
        """Return the first non-empty child of that name."""
        return self.by_name().get(name)

    def by_name(self) -> "dict[str, Element]":
        """Return the first non-empty child of each name."""
        return {c.name: c for c in reversed(self.children) if c.text or c.children}

    def descendants(self, *, closed: Collection[str] = ()) -> "Sequence[Element]":
        """Return all elements below this one in file order, but nothing inside ``closed`` ones."""
        if not any(child.children for child in self.children):
            return self.children
        found = []
        pending = list(reversed(self.children))
        while pending:
            element = pending.pop()
            found.append(element)
            if element.children and element.name not in closed:
                pending.extend(reversed(element.children))
        return found

    def first(self, *names: str, closed: Collection[str] = ()) -> "Element | None":
        """Return the first non-empty descendant with one of these names."""
        for element in self.descendants(closed=closed):
            if element.name in names and (element.text or element.children):
                return element
        return None

    def refused(self, reason: str) -> ImportRefused:
        """Return a refusal of the file that names this element's tag, its text and the reason."""
        value = quoted(self.text) + " " if self.text else ""
        return ImportRefused(f"<{self.name}> {value}{reason}; {ANOTHER_FILE}", self.line)


class Tree:
    """The elements of a file, except its transactions, which are yielded one by one.

    root: contains the whole file, once `transactions` is exhausted.
    Raises ImportRefused for: more than MAX_DEPTH open elements; text in a statement outside of any
    tag; a transaction's closing tag without an opening one; a transaction inside another; a file
    that ends inside a ranked element; more than MAX_HELD_BYTES of elements in memory.
    """

    def __init__(self) -> None:
        self.root = Element(ROOT, 1)
        self._open = [self.root]
        # The texts since the last opening tag; None after a closing tag or a leaf.
        self._texts: list[str] | None = None
        # The approximate size of the elements in bytes: now, and when each open transaction began.
        self._held = 0
        self._held_before: list[int] = []
        self._complete: list[tuple[Element, Element]] = []

    def transactions(self, lexemes: Iterable[Lexeme]) -> Iterator[tuple[Element, Element]]:
        """Yield each transaction when it is closed, as (containing element, transaction).

        An INVBANKTRAN only wraps a STMTTRN: it is yielded after the STMTTRN and without it.
        """
        line = 1
        for kind, name, text, line in lexemes:
            if text and name and name not in _RANKS:
                self._leaf(name, text, line)
            elif kind is LexemeKind.TEXT:
                self._text(text, line)
            elif kind is LexemeKind.CLOSE:
                self._close(name, line)
            else:
                self._begin(name, line)
                if text:
                    # Before the text can be refused, yield the transactions that the tag closed.
                    yield from self._taken()
                    self._text(text, line)
                if kind is not LexemeKind.OPEN:
                    self._close(name, line)
            if kind is LexemeKind.LEAF:
                line += text.count("\n")
            if self._complete:
                yield from self._taken()
        self._end(line)

    def _taken(self) -> list[tuple[Element, Element]]:
        complete, self._complete = self._complete, []
        return complete

    def _text(self, text: str, line: int) -> None:
        if self._texts is not None and self._open[-1].name not in _RANKS:
            self._hold(getsizeof(text), line)
            self._texts.append(text)
        elif text.strip() and any(_RANKS.get(e.name, 0) >= _STATEMENT_RANK for e in self._open):
            line += text.count("\n", 0, len(text) - len(text.lstrip()))
            raise ImportRefused(f"the text {quoted(text.strip())} belongs to no tag", line)

    def _begin(self, name: str, line: int) -> None:
        self._end_leaf()
        rank = _RANKS.get(name)
        if rank is not None:
            self._leave_for(rank)
        element = Element(name, line)
        outer = self._open[-1]
        if name in TRANSACTIONS:
            self._held_before.append(self._held)
            if outer.name in INVESTMENT_TRANSACTIONS and outer.name != "INVBANKTRAN":
                raise element.refused(f"is inside the <{outer.name}> of line {outer.line}")
        self._adopt(element)
        self._open.append(element)
        self._texts = []

    def _leaf(self, name: str, text: str, line: int) -> None:
        if self._texts:
            self._end_leaf()
        self._texts = None
        self._adopt(Element(name, line, text.strip()), getsizeof(text))

    def _adopt(self, element: Element, text_bytes: int = 0) -> None:
        if len(self._open) > MAX_DEPTH:
            raise ImportRefused(f"tags are nested deeper than {MAX_DEPTH}", element.line)
        self._hold(_ELEMENT_BYTES + text_bytes, element.line)
        self._open[-1].children.append(element)

    def _hold(self, size: int, line: int) -> None:
        self._held += size
        if self._held > MAX_HELD_BYTES:
            raise ImportRefused(
                f"over {MAX_HELD_BYTES // 1_000_000} MB are in one transaction or outside of all "
                f"transactions",
                line,
            )

    def _close(self, name: str, line: int) -> None:
        leaf = self._end_leaf()
        if leaf and leaf.name == name:
            return
        depth = len(self._open) - 1
        while depth and self._open[depth].name != name:
            depth -= 1
        if depth:
            while len(self._open) > depth:
                self._leave(dissolved=len(self._open) > depth + 1)
        elif name in TRANSACTIONS:
            raise ImportRefused(f"</{name}> closes a transaction that was never opened", line)

    def _end(self, line: int) -> None:
        self._end_leaf()
        for element in reversed(self._open):
            if element.name in _RANKS and element is not self.root:
                raise ImportRefused(
                    f"the file ends inside <{element.name}>, which begins in line {element.line}: "
                    "it is cut off; download it again",
                    line,
                )
        while len(self._open) > 1:
            self._leave(dissolved=True)

    def _end_leaf(self) -> Element | None:
        """Close and return the leaf that ends here, if there is one."""
        texts, self._texts = self._texts, None
        if not texts:
            return None
        leaf = self._open.pop()
        leaf.text = "".join(texts).strip()
        return leaf

    def _leave_for(self, rank: int) -> None:
        """Close the elements that cannot contain an aggregate of this rank."""
        while _RANKS.get(self._open[-1].name, rank) >= rank:
            self._leave(dissolved=True)

    def _leave(self, *, dissolved: bool) -> None:
        """Close the innermost element. dissolved: it has no closing tag; move its children up."""
        element = self._open.pop()
        parent = self._open[-1]
        if element.name in TRANSACTIONS:
            parent.children.pop()
            parent.had_transactions |= element.name == "STMTTRN"
            self._held = self._held_before.pop()
            wrapped = parent.name == "INVBANKTRAN"
            self._complete.append((self._open[-2] if wrapped else parent, element))
        elif dissolved and element.name not in _RANKS:
            parent.children += element.children
            element.children = []


#: Maximum length of an identifier in OFX (FITID, A-255); identifiers are stored in an index.
MAX_IDENTIFIER_LENGTH = 255

_MAX_AMOUNT_LENGTH = 64
#: A sign, and digits before and after a decimal mark: the only mark, or the one after groups.
_FORM = re.compile(
    r"([+-]?)(?:([0-9]*)(?:[.,]([0-9]*))?"
    r"|([0-9]{1,3}(?:,[0-9]{3})+)(?:\.([0-9]*))?|([0-9]{1,3}(?:\.[0-9]{3})+)(?:,([0-9]*))?)"
)
#: A negative amount in parentheses, or with its sign behind it.
_BEHIND = re.compile(r"^(?:\(([0-9.,]+)\)|([0-9.,]+)-)$")
_USUAL = re.compile(r"[+-]?[0-9]{1,14}[.,][0-9]{2}")
_AMBIGUOUS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")

_DATE = re.compile(r"([0-9]{4})(-?)([0-9]{2})\2([0-9]{2})")
_CLOCK = re.compile(
    r"T?([01][0-9]|2[0-3]):?([0-5][0-9]):?([0-5][0-9])(?:\.[0-9]*)?"
    r"(?:\s*\[([+-]?[0-9]{1,2}(?:\.[0-9]{1,2})?)(?::[^]]*)?\])?"
)
#: Some banks write zeros in place of a missing date.
_NO_DATE = re.compile("0++(?![0-9])")


def note_of(leaf: Element | None) -> str | None:
    """Return the leaf's text, stripped; None if there is no text."""
    # Banks also write ``&lt;br/&gt;``.
    text = clean_or_none(HTML_TAG.sub(" ", leaf.text)) if leaf else None
    return text.strip() if text else None


def name_of(leaf: Element | None) -> str | None:
    """Return the leaf's text like `note_of`, but on one line."""
    text = note_of(leaf)
    if text is None or "\n" not in text:
        return text
    return " ".join(filter(None, map(str.strip, text.split("\n"))))


def identifier_of(leaf: Element | None) -> str | None:
    """Return the leaf's text. Raises ImportRefused if it is too long for an identifier."""
    if not leaf:
        return None
    if len(leaf.text) > MAX_IDENTIFIER_LENGTH:
        raise leaf.refused(f"is longer than {MAX_IDENTIFIER_LENGTH} characters")
    return clean(leaf.text).strip() or None


def currency_of(leaf: Element) -> str:
    """Return the leaf's ISO 4217 code in upper case. Raises ImportRefused."""
    code = leaf.text.upper()
    if code not in CODES:
        raise leaf.refused("is not an ISO 4217 currency code")
    return current_code(code)


def amount_of(leaf: Element) -> int:
    """Return the leaf's amount in ten-thousandths, with its written sign. Raises ImportRefused."""
    try:
        return parse_amount(leaf.text)
    except NumberError as error:
        raise leaf.refused(str(error)) from None


def parse_amount(text: str) -> int:
    """Return the amount in ten-thousandths. Raises NumberError.

    ``12.50``, ``-12,50``, ``1,234.56``, ``1.234,56`` and ``1,234,567`` are clear. ``1,234`` is
    refused: the comma may be a thousands separator or a decimal mark. A single point is always the
    decimal point, as in the standard, however many digits follow it. ``(12.50)`` and ``12.50-`` are
    negative.
    """
    if _USUAL.fullmatch(text):
        # Computes the same as below, in a third of the time.
        return int(text[:-3] + text[-2:]) * 100
    text = _BEHIND.sub(r"-\1\2", text)
    if _AMBIGUOUS.fullmatch(text):
        raise NumberError("is ambiguous: its comma can be a decimal or a thousands separator")
    form = _FORM.fullmatch(text) if len(text) <= _MAX_AMOUNT_LENGTH else None
    sign, *digits = form.groups("") if form else ("",)
    whole, part = "".join(digits[::2]), "".join(digits[1::2])
    if not whole + part:
        raise NumberError("is not an amount such as -12.50")
    whole = whole.replace(",", "").replace(".", "")
    return to_units(parse_decimal(f"{sign}{whole or '0'}.{part or '0'}"))


def date_of(leaf: Element) -> int:
    """Return the leaf's date as the seconds of its midnight. Raises ImportRefused."""
    date = _DATE.match(leaf.text)
    if not date:
        raise leaf.refused("is not a date in the form YYYYMMDD")
    try:
        return parse_date(f"{date[1]}-{date[3]}-{date[4]}")
    except TimeError as error:
        raise leaf.refused(str(error)) from None


def date_or_none_of(leaf: Element | None) -> int | None:
    """Return the leaf's date like `date_of`, but None for a missing date."""
    return None if leaf is None or _NO_DATE.match(leaf.text) else date_of(leaf)


def moment_of(leaf: Element | None) -> int | None:
    """Return the leaf's date with its time and zone, in seconds; used only for comparisons."""
    day = date_or_none_of(leaf)
    if leaf is None or day is None:
        return None
    date = _DATE.match(leaf.text)
    clock = _CLOCK.match(leaf.text, date.end()) if date else None
    if clock is None:
        return day
    seconds = int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3])
    return day + seconds - round(float(clock[4] or 0) * 3600)
