"""What to propose where a file leaves its columns open. Nothing is read by it unasked."""

import re
from collections.abc import Callable, Sequence

from finance_api.importers.csv.amounts import DECIMAL_MARKS
from finance_api.importers.csv.columns import Columns, Headings
from finance_api.importers.csv.dates import CANDIDATES
from finance_api.importers.csv.number_form import number_pattern, plain_number, shape_of
from finance_api.importers.csv.vocabulary import DIRECTIONS, folded

#: So many columns are proposed, one instead of the other.
_MOST_PROPOSED = 6

_DIGIT = re.compile("[0-9]")
#: Where a heading such as BookingDate has its next word.
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]+")
_DATES = frozenset(
    """date datum fecha data dato datetime buchungstag buchungsdatum bokföringsdag kirjauspäivä
    bokføringsdato reskontradatum timestamp created day""".split()
)
_AMOUNTS = frozenset(
    """amount betrag montant importe importo valor value belopp beløb beløp kwota částka bedrag
    summa määrä umsatz total net tutar сумма összeg""".split()
)
_FEES = frozenset(
    """fee fees commission commissions gebühr gebühren entgelt frais comisión comisiones commissione
    commissioni taxa tarifa avgift gebyr opłata poplatek kosten""".split()
)
_BALANCES = frozenset(
    """balance saldo kontostand solde disponible bakiye zůstatek egyenleg остаток""".split()
)
_PAYEES = frozenset(
    """payee merchant name partner counterparty empfänger auftraggeber begünstigter beneficiary
    bénéficiaire destinatario beneficiario tiers mottagare mottaker modtager saaja odbiorca
    counter""".split()
)
_ACCOUNTS = frozenset("account konto compte cuenta conto conta rekening iban účet".split())
_NOTES = frozenset(
    """note notes description memo label libellé verwendungszweck concepto descripción descrizione
    causale omschrijving mededelingen text tekst details narrative reference remarque opis popis
    beskrivning forklaring reason title desc""".split()
)


def is_date(text: str) -> bool:
    return any(form.read(text) is not None for form in CANDIDATES)


def is_amount(text: str) -> bool:
    """Under some decimal mark."""
    written = shape_of(text)
    return written is not None and any(
        plain_number(written.digits, number_pattern(mark, None)) for mark in DECIMAL_MARKS
    )


def is_text(text: str) -> bool:
    """It has a letter, and is neither a date nor an amount."""
    return _WORD.search(text) is not None and not is_date(text) and not is_amount(text)


def looks_like_data(cells: Sequence[str]) -> bool:
    """A row with a date and, elsewhere, an amount."""
    texts = [text for cell in cells if (text := cell.strip())]
    dates = [text for text in texts if is_date(text)]
    return bool(dates) and any(is_amount(text) and text not in dates for text in texts)


def looks_like_headings(cells: Sequence[str]) -> bool:
    texts = [text for cell in cells if (text := cell.strip())]
    return len(texts) > 1 and not any(
        is_date(text) or is_amount(text) for text in texts if _DIGIT.search(text)
    )


def propose_columns(
    headings: Headings, rows: Sequence[Sequence[str]], found: Columns
) -> list[Columns]:
    """Columns for the date and the amounts, as far as ``found`` has none and the rows show some.

    At least one proposal; several where more columns than one may have the amounts.
    """
    proposed: Columns = {}
    used = {index for indexes in found.values() for index in indexes}
    free = [index for index in range(min(headings.width, 200)) if index not in used]
    if "recordDate" not in found:
        dates = [i for i in free if _all(rows, i, is_date)]
        dates += [i for i in free if i not in dates and _most(rows, i, is_date)]
        if dates:
            proposed["recordDate"] = (_named(headings, dates, _DATES) or dates[0],)
            free.remove(proposed["recordDate"][0])
    if "amount" in found or "debit" in found:
        return [proposed]
    amounts = [i for i in free if _most(rows, i, is_amount) and not _all(rows, i, is_date)]
    return [proposed | columns for columns in _amounts(headings, rows, amounts)] or [proposed]


def _amounts(
    headings: Headings, rows: Sequence[Sequence[str]], found: Sequence[int]
) -> list[Columns]:
    """found: the columns that have numbers."""
    sides = {direction: _of_direction(headings, found, direction) for direction in (-1, 1)}
    for direction in (-1, 1):
        if not sides[direction] and sides[-direction]:
            # All of a file's money may go one way.
            blank = [i for i in range(headings.width) if not any(row[i].strip() for row in rows)]
            sides[direction] = _of_direction(headings, blank, direction)
    named = _all_named(headings, [i for i in found if not _direction(headings, i)], _AMOUNTS)
    if named:
        return [{"amount": (index,)} for index in named]
    if len(sides[-1]) == 1 and len(sides[1]) == 1:
        return [{"debit": (sides[-1][0],), "credit": (sides[1][0],)}]
    # What is said to go one way is half of the money, and no amount of both ways.
    rest = [
        i for i in found if not _direction(headings, i) and not _has(headings, i, _BALANCES | _FEES)
    ]
    # Amounts have decimals; numbers without them are counts and ids.
    rest = [i for i in rest if any("." in row[i] or "," in row[i] for row in rows)] or rest
    if len(rest) == 2 and _take_turns(rows, *rest):
        one, other = (rest[0],), (rest[1],)
        return [{"debit": one, "credit": other}, {"debit": other, "credit": one}]
    return [{"amount": (index,)} for index in rest[:_MOST_PROPOSED]]


def _of_direction(headings: Headings, columns: Sequence[int], direction: int) -> list[int]:
    return [index for index in columns if _direction(headings, index) == direction]


def _take_turns(rows: Sequence[Sequence[str]], one: int, other: int) -> bool:
    """Whether each row has money in one of two columns only, and both are used."""
    filled = [tuple(bool(row[index].strip(" 0.,-")) for index in (one, other)) for row in rows]
    return {(True, False), (False, True)} == {each for each in filled if any(each)}


def has_dates(rows: Sequence[Sequence[str]], indexes: tuple[int, ...]) -> bool:
    """Whether most rows have a date in the column, or in one of several that make it."""
    return any(_most(rows, index, is_date) for index in indexes)


def propose_text(headings: Headings, texts: Sequence[int]) -> tuple[str, ...]:
    """Words of a command line that map columns of text to payee and note."""
    payee = _named(headings, [i for i in texts if not _has(headings, i, _ACCOUNTS)], _PAYEES)
    note = _named(headings, [i for i in texts if i != payee], _NOTES)
    if payee is None and note is None:
        note = texts[0]
    found: list[str] = []
    for field, index in (("payee", payee), ("note", note)):
        if index is not None:
            found += ["--map", f"{field}={headings.named(index)}"]
    return tuple(found)


def _all(rows: Sequence[Sequence[str]], index: int, test: Callable[[str], bool]) -> bool:
    return bool(rows) and all(test(row[index].strip()) for row in rows)


def _most(rows: Sequence[Sequence[str]], index: int, test: Callable[[str], bool]) -> bool:
    """Of the cells that are not blank, two of three at least: a footer has others."""
    texts = [text for row in rows if (text := row[index].strip())]
    misses = [text for text in texts if not test(text)]
    return len(texts) > len(misses) and len(misses) * 3 <= len(texts)


def is_fee(headings: Headings, index: int) -> bool:
    """Whether the heading of the column says that it has fees."""
    return _has(headings, index, _FEES)


def _direction(headings: Headings, index: int) -> int:
    """Which way the words of the heading say that money goes, 0 if they say nothing."""
    words = _words(headings, index)
    found = {DIRECTIONS[word] for word in words if word in DIRECTIONS}
    return found.pop() if len(found) == 1 else 0


def _words(headings: Headings, index: int) -> list[str]:
    """The words of a heading, folded, and the heading as a whole first."""
    if headings.texts is None:
        return []
    heading = headings.texts[index]
    return [folded(heading), *_WORD.findall(folded(_CAMEL.sub(" ", heading)))]


def _has(headings: Headings, index: int, words: frozenset[str]) -> bool:
    return any(word in words for word in _words(headings, index))


def _named(headings: Headings, indexes: Sequence[int], words: frozenset[str]) -> int | None:
    """The first of those that `_all_named` finds."""
    return next(iter(_all_named(headings, indexes, words)), None)


def _all_named(headings: Headings, indexes: Sequence[int], words: frozenset[str]) -> Sequence[int]:
    """Those of the columns whose heading is one of the words, else those whose heading has one."""
    whole = [i for i in indexes if _words(headings, i)[:1] and _words(headings, i)[0] in words]
    return whole or [i for i in indexes if _has(headings, i, words)]
