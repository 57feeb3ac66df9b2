"""Finds where a table may begin, reads the lines above its headings, and shows its first rows."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv.amounts import shape_of
from finance_api.importers.csv.cells import money_text
from finance_api.importers.csv.dates import CANDIDATES
from finance_api.importers.csv.mapping import Mapping
from finance_api.importers.csv.table import (
    MAX_CELL,
    MAX_COLUMNS,
    SEARCHED_LINES,
    Line,
    NoTable,
    Table,
    filled,
    is_account,
    is_amount,
    is_date,
    is_text,
    line_of,
    looks_like_data,
    looks_like_headings,
)
from finance_api.importers.csv.vocabulary import (
    OPENING,
    are_counts,
    kind_of,
    known_headings,
    role_fit,
)
from finance_api.importers.decoding import TextFile
from finance_api.importers.interface import Choice, ImportRefused, Question, quoted
from finance_api.resources.currencies import Mark, mark_of
from finance_api.values.time import DAY_SECONDS, date_text

_DELIMITERS = (",", ";", "\t", "|")
_DIVIDED = re.compile(r"[,;\t|]")
DATE = re.compile(r"(?<![0-9])[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{2,4}(?![0-9])")
#: A code beside the number or the name of an account.
_CODE = re.compile(r"(?:(?<=- )|(?<=\())[A-Z]{3}(?=\)| -|$)")
#: What separates the parts of a date.
_BETWEEN_PARTS = re.compile(r"\W+")
#: The forms of a text, and of a number that may be an id.
_TEXT, _WHOLE = ("text",), ("digits",)
_VAGUE = (_TEXT, _WHOLE)
#: A bank's statement covers at most this many days.
_LONGEST_DAYS = 400


def tables(text: TextFile, mapping: Mapping) -> Iterator[Table]:
    """Yield the tables that may begin at the first row, or at a later line that may have headings.

    No table begins at a line that repeats earlier headings.
    """
    delimiters = _delimiters(text, mapping)
    seen: set[tuple[str, ...]] = set()
    for delimiter in delimiters:
        table = Table(text, delimiter, mapping.header, mapping.skip_last)
        try:
            seen.add((delimiter, *table.cells))
        except ImportRefused as refused:
            if len(delimiters) == 1 or isinstance(refused, NoTable):
                raise
            continue
        if table.width > 1 or len(delimiters) == 1:
            yield table
    lines = list(islice(text.lines(), SEARCHED_LINES)) if mapping.header else []
    rows = heads = 0
    for number, line in enumerate(lines):
        split = {delimiter: _cells(line, delimiter) for delimiter in delimiters}
        rows += any(is_row(cells, 2 if heads else 3) for cells in split.values())
        if rows > 1 or (rows and heads):
            # Headings below rows belong to the next table.
            return
        heads += any(starts_table(cells) and not are_counts(cells) for cells in split.values())
        for delimiter, cells in split.items() if number else ():
            if filled(cells) > 1 and looks_like_headings(cells) and (delimiter, *cells) not in seen:
                seen.add((delimiter, *cells))
                later = replace(text, skip_rows=text.skip_rows + number)
                yield Table(later, delimiter, has_header=True, skip_last=mapping.skip_last)


def data_tables(text: TextFile, mapping: Mapping, places: list[Table]) -> list[Table]:
    """Return the tables that begin with a row of data, at these places or below labels.

    Raises ImportRefused for headings among the lines that --skip-rows leaves out.
    """
    for table in places:
        for line, cells in enumerate(table.rows_above[: text.skip_rows - text.start], 1):
            is_known = known_headings(cells) and looks_like_headings(cells)
            if len(cells) == table.width and is_known:
                skipped = text.skip_rows
                fact = clause(Topic.HEADINGS_SKIPPED, line=text.start + line, skipped=skipped)
                raise ImportRefused(fact, choices=(Choice({"skip_rows": None}),))
    data = [replace(table, has_header=False) for table in places if table.has_header]
    data += _below_labels(text, mapping)
    starts = {(table.delimiter, table.text.skip_rows) for table in data}
    found = []
    for table in (without_odd_first(each, mapping) for each in data):
        # Where labels show that a table begins, nothing is asked about the row above it.
        is_sure = (table.delimiter, table.text.skip_rows) in starts
        if looks_like_data(table.cells):
            found.append(replace(table, question=None) if is_sure else table)
    return found


def _below_labels(text: TextFile, mapping: Mapping) -> Iterator[Table]:
    """Yield the tables without headings that begin below lines of one cell each, such as the
    number of the account, or of a text and another cell; or below an opening balance, or below
    lines of which each has a whole number.
    """
    lines = list(islice(text.lines(), SEARCHED_LINES))
    for delimiter in _delimiters(text, mapping):
        rows = [[cell for cell in _cells(line, delimiter) if cell.strip()] for line in lines]
        number = next((n for n, cells in enumerate(rows) if not _is_label(cells)), 0)
        first = next((n for n, cells in enumerate(rows) if looks_like_data(cells)), 0)
        above = rows[first - 1] if first else []
        is_opening = any(kind_of(cell.strip()) == OPENING for cell in above)
        if is_opening or (first and all(map(_has_only_ids, rows[:first]))):
            number = first
        if number:
            below = replace(text, skip_rows=text.skip_rows + number)
            yield Table(below, delimiter, has_header=False, skip_last=mapping.skip_last)


def without_odd_first(table: Table, mapping: Mapping) -> Table:
    """Return a table without headings; without its first row if that is unlike all others, and then
    with the question about it.
    """
    column = None if looks_like_headings(table.cells) else _differing_column(table)
    name = table.names.named(column or 0)
    if column is None or f"{name}=" in mapping.leave_out:
        return table
    fact, meaning = clause(Topic.FIRST_IS_UNLIKE, column=name), Says.TRANSACTION
    kept = Choice({"leave_out": (f"{name}=",)}, clause(meaning, text=table.first_text))
    question = Question(fact, table.first_line, (without_first(table), kept))
    return replace(_below_first(table), question=question)


def without_first(table: Table) -> Choice:
    """Return the choice that the first row of a file without headings is not a transaction."""
    meaning = clause(Says.NOT_TRANSACTION, text=table.first_text)
    return Choice({"skip_rows": table.first_line}, meaning)


def _below_first(table: Table) -> Table:
    """Return the table without its first row."""
    return replace(table, text=replace(table.text, skip_rows=table.first_line))


def _differing_column(table: Table) -> int | None:
    """Return a column that shows that the first row of a table without headings is unlike all rows
    below it, as a line that states balances is; None if it may well be one of them.
    """
    below = _below_first(table)
    try:
        has_other_width = len(table.cells) != len(below.cells) and len(below.sample) > 1
    except ImportRefused:
        return None
    columns = [*zip(*filter(looks_like_data, below.sample), strict=True)]
    doubts = [0] * (3 - min(len(table.sample), 2)) if has_other_width else []
    for index, (first, cells) in enumerate(zip(table.cells, columns, strict=False)):
        form, forms = _form(first), {*map(_form, cells)} - {()}
        if form and forms and form not in forms:
            doubts += [index, index] if forms.isdisjoint(_VAGUE) else [index]
    return doubts[-1] if columns and len(doubts) > 1 else None


def _form(cell: str) -> tuple[object, ...]:
    """Return the form of a cell: which parts of a date are short; or what else it has."""
    text = money_text(cell)
    if is_date(text):
        return tuple(len(part) > 2 for part in _BETWEEN_PARTS.split(text)[:3])
    if is_amount(text):
        return _WHOLE if text.isdigit() else ("decimals",)
    return _TEXT if text else ()


def _is_label(cells: Sequence[str]) -> bool:
    return len(cells) < 2 or (len(cells) == 2 and is_text(cells[0]) and not is_date(cells[1]))


def _has_only_ids(cells: Sequence[str]) -> bool:
    """Return whether a row has a whole number, such as that of an account, but no other number."""
    numbers = [text for cell in cells if is_amount(text := cell.strip())]
    return bool(numbers) and all(map(str.isdigit, numbers))


def _delimiters(text: TextFile, mapping: Mapping) -> tuple[str, ...]:
    if text.is_sheet:
        return (",",)
    return _DELIMITERS if mapping.delimiter is None else (mapping.delimiter,)


def starts_table(cells: Sequence[str]) -> bool:
    """Return whether a row has headings of dates and of money, divided by any delimiter."""
    cells = _divided(cells)
    return looks_like_headings(cells) and all(
        any(role_fit(role, cell) >= least for role in roles for cell in cells)
        for least, roles in ((2, ("booked", "date", "value")), (1, ("amount", "debit", "credit")))
    )


def of_other_account(text: str, line: int) -> ImportRefused:
    """Return the refusal of a table below a line that may name another account."""
    fault = f"another table begins here, below {quoted(text)}: it may belong to another account; "
    return ImportRefused(f"{fault}make a file of each table", line)


def names_account(cells: Sequence[str]) -> bool:
    """Return whether a row says nothing but an account, as in "Account: Savings 87654321"."""
    label, texts = line_of(cells)
    return len(texts) == 1 and role_fit("account", label) > 0


def _divided(cells: Sequence[str]) -> list[str]:
    return [text.strip() for cell in cells for text in _DIVIDED.split(cell)]


def is_row(cells: Sequence[str], least: int = 3) -> bool:
    """Return whether a row seems to be a transaction. least: how many cells it has at least."""
    return filled(cells) >= least and looks_like_data(cells) and not any(map(kind_of, cells))


def hides_row(cells: Sequence[str]) -> bool:
    """Return whether a row only seems to be a transaction if it is divided by other delimiters."""
    return not looks_like_data(cells) and is_row(_divided(cells))


def _cells(line: str, delimiter: str) -> list[str]:
    """Split a line that may have headings into cells; return no cells if it cannot have any."""
    try:
        reader = csv.reader(
            [line] if len(line) <= MAX_CELL else (), delimiter=delimiter, strict=True
        )
        cells = next(reader, [])
    except csv.Error:
        return []
    return cells if filled(cells) <= MAX_COLUMNS else []


def refuse_headings(places: list[Table]) -> None:
    """Refuse headings in the first row of a file that is said to have none."""
    for table in places:
        cells = [] if table.has_header else [cell.strip() for cell in table.cells]
        if looks_like_headings(cells) and known_headings(cells) > 1:
            choices = (Choice({"no_header": None}),)
            raise ImportRefused(clause(Topic.HEADINGS_FOUND), table.first_line, choices)


def currency_above(lines: list[Line]) -> str | None:
    """Return the currency that a line such as "Currency;USD" states, or else the currency beside a
    balance; None if not exactly one.
    """
    for roles in (("currency",), ("balance",), ("account", "own")):
        named = [
            (label, *texts) for label, texts in lines if any(role_fit(r, label) for r in roles)
        ]
        parts = [part for texts in named for part in texts]
        marks = [mark_of(code) for part in parts for code in _CODE.findall(part)]
        if "account" not in roles:
            marks += [_mark_in(texts[1]) for texts in named if texts[1:]]
        else:
            words = [word for part in parts for word in part.split()]
            # The first two letters of an IBAN and of a currency are those of their country.
            countries = {word[:2] for word in words if word[:1].isalpha() and is_account(word)}
            marks += [m for m in map(mark_of, words) if m and (m.currency or "")[:2] in countries]
        found = {mark.currency for mark in marks if mark is not None} - {None}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _mark_in(text: str) -> Mark | None:
    """Return the currency that stands alone in a text or beside an amount."""
    text = text.strip("[](): -")
    written = shape_of(text)
    return mark_of(text) if written is None else written.mark


def currencies_beside(lines: list[Line]) -> set[str]:
    """Return the currencies that stand alone in a cell or beside an amount."""
    texts = [text for _, texts in lines for text in texts if not text.islower()]
    marks = [mark for mark in map(_mark_in, texts) if mark is not None]
    return {mark.currency for mark in marks if mark.currency is not None}


def period_above(lines: list[Line]) -> str | None:
    """Return the statement's days, as in "2026-01-01..2026-01-31"; None if they are not clear."""
    found = set()
    for label, texts in lines:
        dates = DATE.findall(" ".join((label, *texts)))
        for form in CANDIDATES if len(dates) == 2 else ():
            first, last = map(form.read, dates)
            if first is None or last is None:
                continue
            if 0 <= last - first <= _LONGEST_DAYS * DAY_SECONDS:
                found.add(f"{date_text(first)}..{date_text(last)}")
    return found.pop() if len(found) == 1 else None
