"""The answer to a request as a table and a chart, made from the JSON of the public API."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from typing import Any
from urllib.parse import parse_qs

from markupsafe import Markup

from finance_api.values.time import TimeError, parse_date
from finance_api.web.cells import percent
from finance_api.web.page import current_region
from finance_api.web.plots import Label, Plot, column_plot, line_plot
from finance_api.web.rendering import amount, day, day_words, month_words

_Object = Mapping[str, Any]

#: Columns that only programs need.
_FOR_PROGRAMS = re.compile(r"id|.*Ids?|(?:created|updated)At|color|periodStart")
#: Columns of numbers that are not amounts of money.
_PLAIN = re.compile(r".*([cC]ount|Percent|[sS]hare|interval|weekday|percent)")
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAMES = {"accountName": "Account", "currencyCode": "Currency", "recordDate": "Date"}
#: Columns of times. A chart has one of these on its axis; if there is none, a column of texts.
_TIMES = ("period", "day", "week", "month", "quarter", "year", "date")
#: The columns that a chart can show, the best first; spending has the colour of expenses.
_DRAWN = "spent net balance lowest expense income received limitAmount amount".split()
_CSS = {"spent": "expense", "expense": "expense"}
#: The columns to show if there are many, by the name of the list. Downloads have all columns.
_SHOWN = {
    "records": "recordDate payee note category accountName labels amount currencyCode",
    "budgets": "name periodStart periodEnd limitAmount spent remaining progress currencyCode",
    "recurring": "payee category account interval status amount currencyCode nextDate yearlyAmount",
}
_MOST_COLUMNS = 9
#: A chart of more values is unreadable.
_MOST_DRAWN = 120
#: Maximum number of characters for one label on the axis, and for all labels if there are few.
_AXIS_CHARACTERS = 8
_WHOLE_AXIS_CHARACTERS = 30
#: Letters that are as wide as two others.
_WIDE = "MWmw@"


@dataclass(frozen=True)
class AnswerTable:
    """A table, and a chart if the answer is about one currency.

    columns: pairs of label and class. rows: lists of cells. hints: why there are no rows. plot,
    plot_title, is_line: the chart, its title, and whether it is a line.
    """

    columns: list[tuple[str, str]]
    rows: list[list[str | Markup]]
    hints: list[str]
    plot: Plot | None
    plot_title: str = ""
    is_line: bool = False


def rows_of(document: _Object) -> list[dict[str, Any]]:
    """Return the rows in an envelope of the API: its first list."""
    return next(value for value in document.values() if isinstance(value, list))


def answer_table(document: _Object, address: str = "") -> AnswerTable:
    """Return the table of an answer's JSON, in which decimals were read as Decimal.

    address: the request. Columns come in the order of its `fields`, which JSON does not keep.
    """
    rows = rows_of(document)
    names = _columns(document, rows)
    chosen = ",".join(parse_qs(address.partition("?")[2]).get("fields", [])).split(",")
    if set(names) <= set(chosen):
        names.sort(key=chosen.index)
    numbers = {name for name in names if any(_is_number(row[name]) for row in rows)}
    # The class ``what`` lets long texts break anywhere.
    columns = [(_words(name), "number" if name in numbers else "what") for name in names]
    cells = [[_cell(name, row) for name in names] for row in rows]
    return AnswerTable(columns, cells, document.get("hints", []), *_chart(document, rows))


def _columns(document: _Object, rows: Sequence[_Object]) -> list[str]:
    """Return the columns to show: up to `_MOST_COLUMNS` readable columns with a value."""
    if not rows:
        return []
    preferred = next((_SHOWN[name] for name in document if name in _SHOWN), "").split()
    is_long = len(rows[0]) > _MOST_COLUMNS and set(preferred) <= rows[0].keys()
    names = preferred if preferred and is_long else list(rows[0])
    shown = [
        name
        for name in names
        if (name in preferred or not _FOR_PROGRAMS.fullmatch(name))
        and any(row[name] not in (None, []) for row in rows)
    ]
    return shown[:_MOST_COLUMNS]


def _words(name: str) -> str:
    """Return ``Account name`` for ``accountName``."""
    return _NAMES.get(name) or _WORDS.sub(" ", name).capitalize()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _cell(name: str, row: _Object) -> str | Markup:
    value = row[name]
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if not _is_number(value):
        seconds = _day(value)
        if seconds is None:
            return _time_words(value) if name in _TIMES else value
        return day(seconds)
    if name == "progress":
        return percent(_units(value))
    if _PLAIN.fullmatch(name):
        return current_region().decimal(str(value)).replace("-", "−")
    currency = "convertedCurrencyCode" if name.startswith("converted") else "currencyCode"
    return amount(_units(value), row.get(currency))


def _day(text: str) -> int | None:
    """Return the first second of a day such as 2026-01-31; None for other texts."""
    try:
        return parse_date(text)
    except TimeError:
        return None


def _time_words(text: str) -> str:
    """Return a day or a month as the user's region writes it; return other texts unchanged."""
    if (at := _day(text)) is not None:
        return day_words(at)
    return text if (month := _day(f"{text}-01")) is None else month_words(month)


def _units(value: Any) -> int:
    return int(Decimal(value).scaleb(4).to_integral_value())


def _chart(document: _Object, rows: Sequence[_Object]) -> tuple[Plot | None, str, bool]:
    """Return a chart, its title, and whether it is a line.

    The chart is None if it would say nothing.
    """
    points = document.get("totals")
    points = points if isinstance(points, list) and points else rows
    if not 2 <= len(points) <= _MOST_DRAWN:
        return None, "", False
    first = points[0]
    value = next((name for name in _DRAWN if _is_number(first.get(name))), None)
    time = next((name for name in _TIMES if name in first), None)
    label = time or next((n for n in first if isinstance(first[n], str) and _is_label(n)), None)
    currencies = {point.get("currencyCode") for point in points}
    # A list of records has an amount, but no sum for each label.
    if value is None or label is None or len(currencies) > 1 or "recordDate" in first:
        return None, "", False
    texts = [str(point[label] or "none") for point in points]
    shown = list(map(_time_words, texts))
    units = [_units(point[value] or 0) for point in points]
    currency = first.get("currencyCode")
    marks = [
        Label([words, f"{amount(each, currency)} {currency or ''}".rstrip()], year=_year(text))
        for words, text, each in zip(shown, texts, units, strict=True)
    ]
    title = f"{_words(value)} by {_words(label).lower()}{f', in {currency}' if currency else ''}"
    room = max(_AXIS_CHARACTERS, _WHOLE_AXIS_CHARACTERS // len(texts))
    axis = [_short(text, room) for text in texts]
    if value == "balance" and time:
        return line_plot(units, axis, marks), title, True
    return column_plot({_CSS.get(value, "income"): units}, axis, marks), title, False


def _year(text: str) -> str:
    """Return the year of a month; "" for other texts. An axis shows each year once."""
    return "" if _day(f"{text}-01") is None else text[:4]


def _short(text: str, room: int) -> str:
    """Return a short text for an axis: month and day, a month's name, or ``room`` characters."""
    month = _day(f"{text}-01")
    if month is not None:
        return month_words(month)[:3]
    if (at := _day(text)) is not None:
        return current_region().day_of_year(at)
    ends = list(accumulate(2 if each in _WIDE else 1 for each in text))
    if not ends or ends[-1] <= room:
        return text
    return f"{text[: sum(end < room for end in ends)]}…"


def _is_label(name: str) -> bool:
    return not _FOR_PROGRAMS.fullmatch(name) and name != "currencyCode"
