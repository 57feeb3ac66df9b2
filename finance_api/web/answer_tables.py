"""The answer to a request as a table and charts, made from the JSON of the public API."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from operator import itemgetter
from typing import Any
from urllib.parse import parse_qs

from markupsafe import Markup

from finance_api.query.errors import shortened
from finance_api.questions.values import FOR_PROGRAMS, is_number, single_values
from finance_api.resources.field import words_of
from finance_api.resources.records import FLOWS
from finance_api.values.regions import Region
from finance_api.values.time import TimeError, parse_date
from finance_api.web.cells import percent
from finance_api.web.forms import LABELS
from finance_api.web.plots import Label, Plot, column_plot, line_plot
from finance_api.web.rendering import amount, cents, day, month_words

_Object = Mapping[str, Any]
#: Pairs of text and id.
_Key = tuple[tuple[str | None, str | None], ...]

#: Columns of numbers that are not amounts of money.
_PLAIN = re.compile(r".*([cC]ount|Percent|[sS]hare|interval|weekday|hour|percent|progress)")
_SHARES = re.compile(r"progress|.*[sS]hare")
_COMPARED = re.compile("(?P<how>previous|change)(?P<what>[A-Z].*?)(?P<percent>Percent)?")
#: Amounts that are quotients or converted; they have more decimals than their currency.
_ROUNDED = re.compile(r"converted.+|.*(?:[aA]vg|[mM]edian|[pP]er(?:Day|Week|Month))")
#: Texts that are no labels of a chart.
_NO_LABEL = re.compile(rf"{FOR_PROGRAMS.pattern}|.*[cC]urrencyCode|.+Date")
_NAMES = {
    **LABELS,
    "accountName": "Account",
    "previous": "Before",
    "changePercent": "Change in percent",
    **{f"{flow}Share": f"Share of all {flow}" for flow in FLOWS},
}
#: Columns of times. A chart has one of these on its axis; if there is none, a column of texts.
_TIMES = ("period", "day", "week", "month", "quarter", "year", "date")
#: The columns that a chart can show, the best first; spending has the colour of expenses.
_DRAWN = "spent net balance lowest expense income received periodLimit limitAmount amount".split()
_CSS = {"spent": "expense", "expense": "expense"}
#: The columns to show if there are many, by the name of the list. Downloads have all columns.
_SHOWN = {
    "records": "recordDate payee note category accountName labels amount currencyCode",
    "budgets": "name periodStart periodEnd periodLimit spent remaining progress currencyCode",
    "recurring": "payee category account interval status amount currencyCode nextDate yearlyAmount",
}
_MOST_COLUMNS = 9
#: A chart of more values is unreadable.
_MOST_DRAWN = 120
#: Maximum number of charts of one currency: all weekdays, and an even number.
_MOST_CHARTS = 8
#: Maximum number of characters for one label on the axis, and for all labels if there are few.
_AXIS_CHARACTERS = 8
_WHOLE_AXIS_CHARACTERS = 30
#: Letters that are as wide as two others.
_WIDE = "MWmw@"


@dataclass(frozen=True)
class Chart:
    """A chart of one currency. is_line: whether it is a line."""

    title: str
    plot: Plot
    is_line: bool


@dataclass(frozen=True)
class Figure:
    """A single value. text: the value with its currency. facts: what else the row says."""

    label: str
    text: str
    facts: list[str | Markup]


@dataclass(frozen=True)
class AnswerTable:
    """A table, and charts of what can be compared in each currency.

    columns: pairs of label and class. rows: lists of cells. hints: why there are no rows.
    not_drawn: the names of groups that have no chart because others are larger.
    figures: see `figures_of`.
    """

    columns: list[tuple[str, str]]
    rows: list[list[str | Markup]]
    hints: list[str]
    charts: list[Chart]
    not_drawn: list[str]
    figures: list[Figure]


def rows_of(document: _Object) -> list[dict[str, Any]]:
    """Return the rows in an envelope of the API: its first list."""
    return next(value for value in document.values() if isinstance(value, list))


def answer_table(document: _Object, region: Region, address: str = "") -> AnswerTable:
    """Return the table of an answer's JSON, in which decimals were read as Decimal.

    address: the request. Columns come in the order of its `fields`, which JSON does not keep.
    """
    rows = rows_of(document)
    names = _columns(document, rows)
    chosen = ",".join(parse_qs(address.partition("?")[2]).get("fields", [])).split(",")
    if set(names) <= set(chosen):
        names.sort(key=chosen.index)
    numbers = {name for name in names if any(is_number(row[name]) for row in rows)}
    # The class ``what`` lets long texts break anywhere.
    columns = [(_words(name), "number" if name in numbers else "what") for name in names]
    cells = [[_cell(name, row, region) for name in names] for row in rows]
    charts, not_drawn = _charts(document, rows, region)
    figures = figures_of(document, region)
    return AnswerTable(columns, cells, document.get("hints", []), charts, not_drawn, figures)


def figures_of(document: _Object, region: Region) -> list[Figure]:
    """Return the value that is all an answer has, in each of its currencies: see `Value`."""
    values, found = single_values(document), []
    for name, row, currency, others in values:
        cells = {other: _cell(other, row, region) for other in others}
        # ``previousSpent`` is ``Previous`` beside ``spent``.
        short = {other: _words(other.replace(name[0].upper() + name[1:], "")) for other in others}
        facts = [f"{short[n]}: {c}" if is_number(row[n]) else c for n, c in cells.items() if c]
        unit = currency if not _PLAIN.fullmatch(name) else f"in {currency}" if values[1:] else ""
        text = f"{_cell(name, row, region)} {unit or ''}".rstrip()
        found.append(Figure(_words(name), text, list(dict.fromkeys(facts))))
    return found


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
        if (name in preferred or not FOR_PROGRAMS.fullmatch(name))
        and any(row[name] not in (None, [], ()) for row in rows)
    ]
    return shown[:_MOST_COLUMNS]


def _words(name: str) -> str:
    """Return ``Account name`` for ``accountName``, and ``Spent before`` for ``previousSpent``."""
    if name in _NAMES or not (compared := _COMPARED.fullmatch(name)):
        return _NAMES.get(name) or words_of(name)
    words = _words(compared["what"][0].lower() + compared["what"][1:])
    after = {"previous": " before", "change": ": change"}[compared["how"]]
    return f"{words}{after}{' in percent' if compared['percent'] else ''}"


def _cell(name: str, row: _Object, region: Region) -> str | Markup:
    value = row[name]
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if not is_number(value):
        seconds = _day(value)
        if seconds is None:
            return _time_words(value, region) if name in _TIMES else value
        return day(seconds, region)
    if name.endswith("Percent"):
        return f"{region.decimal(str(round(value, 1)))}%".replace("-", "−")
    if _SHARES.fullmatch(name):
        return percent(_units(value), region).replace("-", "−")
    if _PLAIN.fullmatch(name):
        return region.decimal(str(value)).replace("-", "−")
    key = "convertedCurrencyCode" if name.startswith("converted") else "currencyCode"
    units, currency = _units(value), row.get(key)
    # Sums of all currencies together have no columns of their own.
    is_merged = "conversionError" in row and "convertedCurrencyCode" not in row
    is_rounded = is_merged or _ROUNDED.fullmatch(name)
    return amount(cents(units, currency) if is_rounded else units, region, currency)


def _day(text: str) -> int | None:
    """Return the first second of a day such as 2026-01-31; None for other texts."""
    try:
        return parse_date(text)
    except TimeError:
        return None


def _time_words(text: str, region: Region) -> str:
    """Return a day or a month as the region writes it; return other texts unchanged."""
    if (at := _day(text)) is not None:
        return region.day(at)
    return text if (month := _day(f"{text}-01")) is None else month_words(month)


def _units(value: Any) -> int:
    return int(Decimal(value).scaleb(4).to_integral_value())


def _charts(
    document: _Object, rows: Sequence[_Object], region: Region
) -> tuple[list[Chart], list[str]]:
    """Return the charts of all currencies, and the names of the groups without a chart."""
    points = document.get("totals")
    points = points if isinstance(points, list) and points else rows
    value = next((name for name in _DRAWN if points and is_number(points[0].get(name))), None)
    charts: list[Chart] = []
    not_drawn: list[str] = []
    # A list of records has an amount, but no sum for each label.
    if value is None or "recordDate" in points[0]:
        return charts, not_drawn
    for currency in dict.fromkeys(point.get("currencyCode") for point in points):
        own = [point for point in points if point.get("currencyCode") == currency]
        label, others = _dimensions(own, has_series="groups" in document)
        axis, series = _series(own, value, label, others)
        # The answer of a link has no ids, which tell groups of one name apart.
        is_ambiguous = sum(map(len, series.values())) < len(own)
        if not label or is_ambiguous or not 2 <= len(axis) <= _MOST_DRAWN:
            continue
        sizes = {key: sum(map(abs, units.values())) for key, units in series.items()}
        largest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:_MOST_CHARTS]
        scaled = [each for key in largest for each in series[key].values()]
        for key, units in series.items():
            name = ", ".join(shortened(text or "none") for text, _ in key)
            about = f"{name}{f', in {currency}' if currency else ''}"
            if not sizes[key]:
                continue
            if key in largest:
                title = f"{_words(value)} by {_words(label).lower()}{name and ': '}{about}"
                charts.append(_chart(title, value, currency, axis, units, scaled, region))
            else:
                not_drawn.append(about)
    return charts, not_drawn


def _dimensions(points: Sequence[_Object], *, has_series: bool) -> tuple[str, list[str]]:
    """Return the column on the axis, a time if there is one, and the columns that name series.

    A column with one value is on the axis only if no other column has several.
    """
    texts = [
        name
        for name in points[0]
        if not _NO_LABEL.fullmatch(name) and any(isinstance(point[name], str) for point in points)
    ]
    several = [name for name in texts if len({_key(each, [name]) for each in points}) > 1] or texts
    label = next((name for name in (*_TIMES, *several) if name in several), "")
    return label, [name for name in texts if has_series and name not in (label, *_TIMES)]


def _series(
    points: Sequence[_Object], value: str, label: str, others: Sequence[str]
) -> tuple[dict[_Key, str], dict[_Key, dict[_Key, int]]]:
    """Return the texts of the axis, and the amounts of each series by their place on the axis."""
    axis: dict[_Key, str] = {}
    series: dict[_Key, dict[_Key, int]] = {}
    ordered = sorted(points, key=lambda point: point.get("weekday", 0)) if others else points
    for at, point in enumerate(ordered):
        place = _key(point, [label]) if others or label in _TIMES else ((str(at), None),)
        axis[place] = str(point.get(label) or "none")
        series.setdefault(_key(point, others), {})[place] = _units(point[value] or 0)
    if others and label in _TIMES:
        axis = dict(sorted(axis.items(), key=itemgetter(1)))
    return axis, series


def _key(point: _Object, names: Sequence[str]) -> _Key:
    return tuple((point.get(name), point.get(f"{name}Id")) for name in names)


def _chart(
    title: str,
    value: str,
    currency: str | None,
    axis: Mapping[_Key, str],
    units: Mapping[_Key, int],
    scaled: Sequence[int],
    region: Region,
) -> Chart:
    sums = {
        place: f"{amount(each, region, currency)} {currency or ''}".rstrip()
        for place, each in units.items()
    }
    marks = [
        Label([_time_words(text, region), sums.get(place, "not in the table")], year=_year(text))
        for place, text in axis.items()
    ]
    room = max(_AXIS_CHARACTERS, _WHOLE_AXIS_CHARACTERS // len(axis))
    short = [_short(text, room, region) for text in axis.values()]
    numbers = [units.get(place, 0) for place in axis]
    if value == "balance":
        return Chart(title, line_plot(numbers, short, marks, region), True)
    css = _CSS.get(value, "income")
    return Chart(title, column_plot({css: numbers}, short, marks, region, scaled=scaled), False)


def _year(text: str) -> str:
    """Return the year of a month; "" for other texts. An axis shows each year once."""
    return "" if _day(f"{text}-01") is None else text[:4]


def _short(text: str, room: int, region: Region) -> str:
    """Return a short text for an axis: month and day, a month's name, or ``room`` characters."""
    month = _day(f"{text}-01")
    if month is not None:
        return month_words(month)[:3]
    if (at := _day(text)) is not None:
        return region.day_of_year(at)
    ends = list(accumulate(2 if each in _WIDE else 1 for each in text))
    if not ends or ends[-1] <= room:
        return text
    return f"{text[: sum(end < room for end in ends)]}…"
