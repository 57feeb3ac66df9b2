"""Finds what each column of a table is, from its heading and its first rows."""

from collections.abc import Sequence
from contextlib import suppress

from finance_api.importers.clauses import Topic
from finance_api.importers.csv.dates import CANDIDATES, EXCEL, UNIX, DateForm
from finance_api.importers.csv.guess import reversals
from finance_api.importers.csv.guess.column import BY_HEADING, ONLY, Column, OpenColumns, best
from finance_api.importers.csv.guess.money import find_money, runs_through
from finance_api.importers.csv.sniff import period_above
from finance_api.importers.csv.table import is_date
from finance_api.importers.csv.vocabulary import (
    BOOKED,
    DIRECTIONS,
    NOT_MONEY,
    YES_OR_NO,
    folded,
    heading_words,
    is_not_money,
)
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.values.time import DAY_SECONDS

#: A column with more different cells than this is neither a status nor a direction.
_FEW = 20
#: In fewer rows, texts do not repeat by chance.
_FEWEST = 4

_DAYS = ("booked", "date", "value")
#: Forms of dates without a year.
_YEARLESS = "DD.MM.|DD.MM|DD/MM|MM/DD|DD-MM|MM-DD|DD MMM|DD. MMM|MMM DD|DD-MMM|DD/MMM".split("|")

#: The length of the date that begins a text, before the time.
_DAY_LENGTH = 10
#: The days of booking and of value are at most this far apart, in seconds.
_NEAR = 10 * DAY_SECONDS
_YEAR = 366 * DAY_SECONDS


def infer_columns(open_: OpenColumns) -> None:
    """Find what the columns are that options do not name."""
    _find_dates(open_)
    find_money(open_)
    open_.take_best("currency", "currency", [c for c in open_.free if c.are_currencies])
    possible = *open_.free, *open_.named("payee", "note")
    statuses = [column for column in possible if _is_status(column)]
    open_.statuses = tuple(c.index for c in statuses if not reversals.are_open(open_, c))
    _find_direction(open_)
    _find_accounts(open_)
    _find_texts(open_)
    open_.references = tuple(c.index for c in open_.free if _has_references(c))


def _find_dates(open_: OpenColumns) -> None:
    dates = [column for column in open_.free if column.is_date]
    if not open_.has("recordDate"):
        find = _find_record_date if dates else _find_divided_date
        find(open_, dates or open_.free)
    open_.take_best("valueDate", "value", [c for c in open_.free if c.is_date])
    record = open_.of("recordDate")
    if len(record) == 1:
        texts = record[0].filled
        times = [column for column in open_.free if column.is_time and column.fit("time")]
        if len(times) == 1 and not any(":" in text for text in texts):
            open_.columns["recordDate"] = (record[0].index, times[0].index)
            open_.free.remove(times[0])
        if texts and not any(map(is_date, texts)):
            names = [EXCEL, UNIX, "YYMMDD", "DDMMYY"] if any(map(record[0].fit, _DAYS)) else []
            period = period_above(open_.table.above)
            names += [f"{form} {period}" for form in _YEARLESS if period]
            _find_form(open_, texts, names)


def _find_record_date(open_: OpenColumns, dates: Sequence[Column]) -> None:
    if len({tuple(text[:_DAY_LENGTH] for text in column.texts) for column in dates}) == 1:
        # All these columns have the same days.
        dates = best("booked", dates)[:1] or best("date", dates)[:1] or dates[:1]
    dates = [column for column in dates if not _is_lacked(open_, column)] or dates
    others = [column for column in dates if column.fit("value") < 2] or dates
    exact = [column for column in others if column.fit("booked") == 2]
    exact = exact or [column for column in others if column.fit("date") == 2]
    if len(dates) == 1:
        by_heading = max(dates[0].fit("booked"), dates[0].fit("date"))
        open_.take("recordDate", dates[0], BY_HEADING if by_heading else ONLY)
    elif len(exact) == 1 or len(others) == 1:
        open_.take("recordDate", (exact or others)[0])
    elif form := _near_form(open_, others):
        _take_near(open_, others, form)
    else:
        offered = [*others, *(column for column in dates if column not in others)]
        offered.sort(key=lambda column: not column.is_full)
        readings = ([("recordDate", column)] for column in offered)
        open_.ask("recordDate", Topic.DATE_COLUMNS, *readings)


def _is_lacked(open_: OpenColumns, column: Column) -> bool:
    """Return whether booked rows lack a day of settlement: most do, or a status says more."""
    most = 2 * len(column.filled) < len(column.texts)
    is_told = not column.is_full and any(map(_is_status, open_.free))
    return column.fit("settlement") > 0 and (most or is_told)


def _near_form(open_: OpenColumns, columns: Sequence[Column]) -> DateForm | None:
    """Return a form in which each row that has a day has one in all these columns, at most `_NEAR`
    apart. A column of one day states that of all rows, such as the last day of a statement.
    """
    named = open_.user_mapping.date_format
    forms = CANDIDATES if named is None else (DateForm.compile(named),)
    seen = [set[str]() for _ in columns]
    with suppress(ImportRefused):
        for _, cells in open_.table.fitting_rows():
            texts = [cells[column.index].strip() for column in columns]
            if any(map(is_date, texts)):
                forms = tuple(form for form in forms if _are_near([*map(form.read, texts)]))
                for text, days in zip(texts, seen, strict=True):
                    days.update([text[:_DAY_LENGTH]] if len(days) < _FEW else ())
    return forms[0] if forms and min(map(len, seen)) > 1 else None


def _are_near(days: Sequence[int | None]) -> bool:
    known = [day for day in days if day is not None]
    return len(known) == len(days) and max(known) - min(known) <= _NEAR


def _take_near(open_: OpenColumns, columns: Sequence[Column], form: DateForm) -> None:
    """Take one of columns with nearly the same days for the days of booking: by its heading, or
    because its days are in order, or the first. The only other one has the value dates.
    """
    named = best("booked", columns) or best("date", columns)
    texts = {each: [row[each.index].strip() for row in open_.table.sample] for each in columns}
    ordered = [column for column in named or columns if _are_ordered(texts[column], form)]
    first = (ordered or named or columns)[0]
    reason = "its days are in order" if ordered else "the first of those with nearly the same days"
    open_.take("recordDate", first, BY_HEADING if len(named) == 1 else reason)
    others = [column for column in columns if column is not first]
    if len(others) == 1 and not open_.has("valueDate"):
        open_.take("valueDate", others[0], "its days are near those of booking")


def _are_ordered(texts: Sequence[str], form: DateForm) -> bool:
    days = [day for text in texts if (day := form.read(text)) is not None]
    return days in (sorted(days), sorted(days, reverse=True))


def _find_divided_date(open_: OpenColumns, columns: Sequence[Column]) -> None:
    """Take three columns side by side that have the year, the month and the day."""
    for three in zip(columns, columns[1:], columns[2:], strict=False):
        rows = [*zip(*(column.texts for column in three), strict=True)]
        if rows and all(is_date(" ".join(row)) for row in rows):
            for column in three:
                open_.take("recordDate", column, "a part of the date")
            return


def _find_form(open_: OpenColumns, texts: Sequence[str], names: Sequence[str]) -> None:
    """Find the form of dates that are Excel's day numbers, have no year, or have one of two digits
    without separators: a form that spreads the days over years takes days for years. Texts without
    digits are those of a footer.
    """
    texts = [text for text in texts if any(map(str.isdigit, text))]
    forms = map(DateForm.compile, reversed(names))
    all_ = ((form, tuple(d for t in texts if (d := form.read(t)) is not None)) for form in forms)
    read = {days: form.name for form, days in all_ if days and len(days) == len(texts)}
    read = {days: n for days, n in read.items() if max(days) - min(days) < _YEAR} or read
    if len(read) == 1:
        (open_.date_format,) = read.values()
        open_.questions.remarks.append(f"dates are read as {open_.date_format}")


def _has_references(column: Column) -> bool:
    """Return whether almost all rows have a text with digits that no other row has."""
    numbered = [text for text in column.values if any(map(str.isdigit, text))]
    return (
        column.is_text
        and len(column.texts) > _FEWEST
        and len(numbered) * 10 > len(column.texts) * 9
    )


def _is_status(column: Column) -> bool:
    """Return whether the heading names a status, or all words do and one means "not booked".

    Under an unknown heading, one such word is enough if the others repeat, too.
    """
    if not column.filled or column.is_date or len(column.values) > _FEW:
        return False
    fit = column.fit("status")
    if column.values <= YES_OR_NO:
        return fit > 0
    known = column.values & (BOOKED | NOT_MONEY)
    if not column.is_text or fit == 2:
        return column.is_text
    if column.values == known and known & NOT_MONEY:
        return True
    if not fit and not any(map(column.fit, ("payee", "note", "category"))):
        are_kinds = any(len(word) > 1 and word in DIRECTIONS for word in column.values)
        known = frozenset(word for word in known if len(word) > 2)
        fit = int(len(column.values) * 2 <= len(column.filled) and not are_kinds)
    return fit > 0 and column.is_full and bool(known)


def _find_direction(open_: OpenColumns) -> None:
    """Find the column that says which way unsigned amounts go."""
    amounts = open_.of("amount")
    given = open_.user_mapping.sign or open_.user_mapping.positive
    if not amounts or amounts[0].is_signed or given:
        return
    full = [c for c in open_.free if c.filled and c.is_full and c.index not in open_.statuses]
    words = [column for column in full if column.values <= DIRECTIONS.keys()]
    # Prefer columns with both directions; a column with only one direction needs a fitting heading.
    both = [column for column in words if len(set(_ways(column))) == 2]
    beside = [column for column in words if column.index == amounts[0].index + 1]
    signs = [c for c in words for b in open_.of("balance") if c.index == b.index + 1]
    if beside and signs and "balance" in open_.columns:
        # The other column says which balances are negative.
        both = words = beside
        open_.columns["balanceSign"] = (signs[0].index,)
        open_.free.remove(signs[0])
    words = both or [column for column in words if column.fit("way")]
    if words and all(_ways(column) == _ways(words[0]) for column in words):
        open_.take("sign", words[0], "each of its words says whether money comes in or goes out")
        open_.explain(*words[1:])


def _ways(column: Column) -> list[int]:
    return [DIRECTIONS[word] for word in map(folded, column.texts)]


def _find_accounts(open_: OpenColumns) -> None:
    columns = [column for column in open_.free if column.are_accounts]
    payees = [c for c in columns if c.fit("payee") and c.fit("account") < 2]
    others = [column for column in columns if column.fit("other account") or column in payees]
    if len(others) == 1 and not open_.has("counterpartyAccount"):
        open_.take("counterpartyAccount", others[0])
    own = [c for c in columns if c in open_.free and c.fit("account") == 2 and c.is_full]
    one = [column for column in own if len(column.values) == 1]
    several = [column for column in own if column not in one]
    if open_.has("account", "accountNumber") or len(one) > 1 or len(several) > 1:
        return
    if one:
        open_.take("accountNumber", one[0], "all rows have the same one")
        if several and not open_.has("counterpartyAccount"):
            reason = f"{quoted(open_.name(one[0]))} is the account"
            open_.take("counterpartyAccount", several[0], reason)
    elif several and _name_one(several[0], *others):
        open_.explain(several[0])
    elif several and open_.user_mapping.account is None and not _are_of_payers(several[0], others):
        open_.take("accountNumber", several[0])
    named = [c for c in open_.free if c.fit("account") == 2 and c.is_text and c.is_full]
    is_open = open_.user_mapping.account is None and not open_.has("accountNumber")
    if is_open and len(named) == 1 and len(named[0].values) == 1:
        open_.take("account", named[0])


def _name_one(*columns: Column) -> bool:
    """Return whether one of these accounts is in each row: the file is that account's."""
    rows = map(set, zip(*(column.texts for column in columns), strict=True))
    return any(set.intersection(*rows))


def _are_of_payers(accounts: Column, others: Sequence[Column]) -> bool:
    """Whether accounts seem to be those of whoever pays, or of the other party, in each row."""
    differ = len(accounts.filled) > _FEWEST and 2 * len(accounts.values) > len(accounts.filled)
    return differ or any(not accounts.values.isdisjoint(other.values) for other in others)


def _find_texts(open_: OpenColumns) -> None:
    if {"payee", "note"} & open_.user_mapping.named.keys() or open_.user_mapping.no_text:
        return
    texts = [c for c in open_.free if c.is_text and c.index not in open_.statuses]
    texts = [c for c in texts if not (c.are_currencies or c.are_accounts or c.fit("account") == 2)]
    payees = best("payee", [c for c in texts if _differs(c)]) or best("payee", texts)
    if not open_.has("payee"):
        for column in payees if payees and payees[0].fit("payee") == 2 else payees[:1]:
            open_.take("payee", column)
    texts = [column for column in texts if column in open_.free]
    for role in ("category", "reference"):
        named = [column for column in texts if column.fit(role) == 2]
        if len(named) == 1 and len(texts) > 1 and not open_.has(role):
            open_.take(role, named[0])
            texts.remove(named[0])
    _find_note(open_, texts)


def _find_note(open_: OpenColumns, texts: Sequence[Column]) -> None:
    """Take all columns whose headings name a note or payee.

    If the file then has neither a payee nor a note, take all columns of free text, or else those of
    few words if not all of them say directions; if it has only one of them, those with a name in
    most rows, and not fewer of them than payees.
    """
    named = [c for c in texts if c.fit("note") or (c.fit("payee") and _differs(c))]
    if named and open_.has("note"):
        open_.columns["note"] = open_.known["note"]
    for column in named:
        open_.take("note", column)
    if not (open_.has("payee") and open_.has("note")):
        has_ways = any(column.is_signed for column in open_.of("amount")) or open_.has("debit")
        notes = open_.of("payee", "note")
        texts = [column for column in texts if column in open_.free]
        telling = [column for column in texts if not _is_vocabulary(column, has_ways)]
        if has_ways and not (telling or notes):
            words = YES_OR_NO | DIRECTIONS.keys()
            telling = [column for column in texts if not column.values <= words]
        if open_.has("payee"):
            # Few words beside many payees say what kind of row it is.
            most = max(len(payee.values) for payee in notes)
            telling = [column for column in telling if len(column.values) >= most]
        for column in (c for c in telling if not notes or _has_names(c, notes)):
            open_.take("note", column, ONLY if len(telling) == 1 else "it is text")
    _keep_only_texts(open_, [column for column in texts if column in open_.free])


def _keep_only_texts(open_: OpenColumns, texts: Sequence[Column]) -> None:
    """Take columns for the note that have the only text of some rows, if all rows change a balance:
    otherwise they may say which rows are transactions, or which way the amounts go.
    """
    amounts = open_.of("amount")
    is_open = amounts and not amounts[0].is_signed and not open_.has("sign")
    if is_open or not runs_through(open_, [True] * len(open_.sample)):
        return
    for column in texts:
        taken = [each.texts for each in open_.of("payee", "note")]
        rows = zip(column.texts, *taken, strict=True)
        is_only = any(text and not any(others) for text, *others in rows)
        if taken and is_only and not column.fit("account"):
            open_.take("note", column, "some rows have no other text")
            open_.columns["note"] = tuple(sorted(open_.columns["note"]))


def _differs(column: Column) -> bool:
    return len(column.values) > 1 or not column.is_full


def _has_names(column: Column, notes: Sequence[Column]) -> bool:
    """Return whether most rows have texts of their own, or there are more texts than in the notes,
    and most of these have no digits.
    """
    if any(map(is_not_money, column.values)):
        return False
    names = [text for text in column.values if not any(map(str.isdigit, text))]
    few = min(len(column.texts), 2 * max(len(note.values) for note in notes))
    return len(column.values) * 2 > few and len(names) * 2 > len(column.values)


def _is_vocabulary(column: Column, has_ways: bool) -> bool:
    """Return whether a column has only yes and no, or few words that may say a direction.

    has_ways: whether the amounts have directions of their own.
    """
    if column.values <= YES_OR_NO:
        return True
    is_named = column.fit("way") == 2 or {*heading_words(column.heading)} == column.values
    is_said = is_named and len(column.values) > 1 and not has_ways
    return len(column.values) <= _FEW and (is_said or not column.values.isdisjoint(DIRECTIONS))
