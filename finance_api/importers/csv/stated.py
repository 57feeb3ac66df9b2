"""Balances that a file states beside its rows: above the headings, below the rows, or in rows and
columns of their own. They are checked against the rows.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from finance_api.importers.csv.balances import BalanceCheck
from finance_api.importers.csv.dates import CANDIDATES
from finance_api.importers.csv.sniff import DATE
from finance_api.importers.csv.table import Line, is_amount, is_date
from finance_api.importers.csv.vocabulary import CLOSING, OPENING, TOTAL, folded, named_balance
from finance_api.importers.interface import BankBalance, ImportRefused
from finance_api.values.text import amount_text
from finance_api.values.time import DAY_SECONDS

#: A colon that is not part of a time.
_COLON = re.compile(r"(?<![0-9]):|:(?![0-9])")
Ends = tuple[BankBalance | None, BankBalance | None]


@dataclass(frozen=True)
class Stated:
    """A balance that a file states.

    kind: OPENING or CLOSING: before or after the file's rows; TOTAL: at the end of ``day``.
    day: in seconds; None if the file does not say. text: as in the file; "" in the rows.
    units: in ten-thousandths.
    """

    kind: str
    day: int | None
    text: str
    units: int = 0
    line: int | None = None


def stated_in(lines: Iterable[Line]) -> Iterator[Stated]:
    """Yield balances such as "Kontostand vom 31.01.2026:;1.087,60 EUR", without their units."""
    lines = list(lines)
    for label, texts in lines:
        kind, day, before = None, None, ""
        for text in (label, *(part.strip() for each in texts for part in _COLON.split(each))):
            amount, *beside = text.split() or [""]
            if kind is not None and beside and is_date(beside[-1]) and is_amount(amount):
                # "1857.50 as of 20260331".
                text, day = amount, _day_in(beside[-1:])
            if is_amount(text) and not is_date(text):
                if kind is not None:
                    yield Stated(kind, day, before if text == "0" and before else text)
                # The label may stand behind its amount, beside columns of zeros.
                kind, before = None, text if "." in text or "," in text else ""
                continue
            if found := named_balance(text):
                kind, day = found, _day_beside(text, lines)
            if dates := DATE.findall(text):
                day = _day_in(dates)
                amount = text.rpartition(dates[-1])[2].strip()
                if found and is_amount(amount):
                    # "Solde au 31/03/2026 1 857,50 €".
                    yield Stated(found, day, amount)


def _day_beside(label: str, lines: Sequence[Line]) -> int | None:
    """Return the day of a line such as "Date of the last balance;31.01.2026", for the label of the
    balance; None if it is not exactly one.
    """
    days = {
        _day_in(dates)
        for other, texts in lines
        if folded(label) in folded(other) != folded(label) and named_balance(other) in (None, TOTAL)
        if (dates := DATE.findall(" ".join(texts)))
    }
    return days.pop() if len(days) == 1 else None


def _day_in(dates: Sequence[str]) -> int | None:
    """Return the day of the last of these dates; None if it is ambiguous."""
    days = {day for form in CANDIDATES if (day := form.read(dates[-1])) is not None}
    return days.pop() if len(days) == 1 else None


def owed(stated: list[Stated], total: int) -> list[Stated]:
    """Return the balances of a file whose positive amounts go out: what is owed has no minus.

    If only one end of the rows is stated, the sign is unclear, and no balance is returned.
    """
    turned = [replace(each, units=-each.units) for each in stated]
    for found in (turned, stated):
        ends = {each.kind: each.units for each in found}
        if not {OPENING, CLOSING} <= ends.keys():
            return []
        if ends[OPENING] + total == ends[CLOSING]:
            return found
    return turned


def reconcile(
    check: BalanceCheck, ends: Ends, stated: Sequence[Stated]
) -> tuple[Ends, list[Stated]]:
    """Return the opening and the closing balance, from the rows or else as stated, and the stated
    balances that are not used. Raises ImportRefused if rows and stated balances disagree.

    ends: the balances from the rows.
    """
    opening, closing = ends
    placed = [(each, _placed(each, check)) for each in stated]
    (first, last) = (
        found[0] if len({each.units for each in found}) == 1 else None
        for found in ([each for each, at in placed if at == kind] for kind in (OPENING, CLOSING))
    )
    if first is not None and opening is None:
        opening = BankBalance(first.units, check.first_day - DAY_SECONDS)
        closing = closing or BankBalance(first.units + check.total, check.last_day)
    if last is not None and (closing is None or last.kind == TOTAL):
        # A later day's balance counts: if the rows have another one, rows are missing.
        closing = BankBalance(last.units, max(last.day or 0, check.last_day))
    for each, balance in ((first, opening), (last, closing)):
        if each and balance and each.kind != TOTAL and each.units != balance.amount:
            stated_, is_ = amount_text(each.units), amount_text(balance.amount)
            fault = f"the file states the {each.kind} balance {stated_}, but from the rows it is "
            fault += f"{is_}: a row is missing or changed; download the file again"
            raise ImportRefused(fault, each.line)
    known = {balance.amount for balance in (opening, closing) if balance is not None}
    return (opening, closing), [each for each in stated if each.units not in known]


def _placed(stated: Stated, check: BalanceCheck) -> str | None:
    """Return whether a balance is the one before or after the rows; None if neither."""
    day, kind = stated.day, stated.kind
    if kind == TOTAL:
        if day is None or day < check.last_day:
            return OPENING if day == check.first_day - DAY_SECONDS else None
        return CLOSING
    if day is None:
        return kind
    fits = day <= check.first_day if kind == OPENING else day >= check.last_day
    return kind if fits else None
