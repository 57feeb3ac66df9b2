"""The geometry of charts: columns and lines above and below zero.

Coordinates are percentages of the plot, y from its top.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from finance_api.values.number import rounded
from finance_api.values.regions import MINUS, Region
from finance_api.web.rendering import amount, month_words

#: 1 as an amount of money, which is in ten-thousandths.
MONEY = 10_000
_LINES = 4
_STEPS = (1, 2, 5)
_COLUMNS_WIDTH = 0.64
_MAX_LABELS = 12
#: With more months than this, the axis names only years.
_MOST_MONTHS = 36
#: Suffixes for thousand, million, billion and trillion.
_THOUSANDS = "kMBT"


@dataclass(frozen=True)
class Tick:
    """A horizontal line and its value."""

    y: float
    label: str


@dataclass(frozen=True)
class Column:
    """A column of a chart. css: the class of the column's series."""

    x: float
    y: float
    width: float
    height: float
    css: str


@dataclass(frozen=True)
class Label:
    """The values of a label. lines: their text. link: the path of their records, if any."""

    lines: Sequence[str]
    link: str | None = None
    year: str = ""


@dataclass(frozen=True)
class Mark:
    """A label's part of the plot, which shows the label's values on hover and focus.

    dot: the y of the point in a line chart.
    """

    label: Label
    x: float
    width: float
    dot: float | None = None

    @property
    def middle(self) -> float:
        return _r(self.x + self.width / 2)


@dataclass(frozen=True)
class Plot:
    """A chart. zero: the y of 0. labels, years: pairs of x and text.

    points, area: the line of a line chart, and the area between that line and zero.
    """

    ticks: list[Tick]
    zero: float
    labels: list[tuple[float, str]]
    columns: list[Column]
    marks: list[Mark]
    points: str = ""
    area: str = ""

    @property
    def has_links(self) -> bool:
        return any(mark.label.link for mark in self.marks)

    @property
    def years(self) -> list[tuple[float, str]]:
        """The years, each at its first mark; none if the labels are years.

        The first is left out if the second is too near.
        """
        starts = _year_starts([mark.label for mark in self.marks])
        if len(self.marks) > _MOST_MONTHS:
            return []
        if starts[1:2] == [1]:
            del starts[0]
        return [(self.marks[at].middle, self.marks[at].label.year) for at in starts]


@dataclass(frozen=True)
class MonthPoint:
    """The amount of the month with a day, or at its end. amount: None if it is unknown. link: the
    path of the month's records. before: the amount a year earlier.
    """

    day: int
    amount: int | None
    link: str
    before: int = 0

    @property
    def label(self) -> str:
        return month_words(self.day)


def month_line(points: Sequence[MonthPoint], currency: str, region: Region) -> Plot:
    """Plot a line through the amounts that are known."""
    known = [(each, each.amount) for each in points if each.amount is not None]
    labels = [
        _month_label(each.label, each.link, f"{amount(units, region, currency)} {currency}")
        for each, units in known
    ]
    return line_plot([units for _, units in known], [p.label[:3] for p, _ in known], labels, region)


def month_columns(
    months: Sequence[tuple[str, str]],
    series: Mapping[str, Sequence[int]],
    words: Mapping[str, str],
    currency: str | None,
    region: Region,
) -> Plot:
    """Plot amounts of months side by side. months: pairs of label and link.

    series: amounts by their css class. words: what hover and focus say of the series.
    """
    labels = []
    for at, month in enumerate(months):
        amounts = {css: amount(units[at], region, currency) for css, units in series.items()}
        labels.append(_month_label(*month, *(words[css].format(amounts[css]) for css in words)))
    return column_plot(series, [label[:3] for label, _ in months], labels, region)


def _month_label(month: str, link: str, *lines: str) -> Label:
    return Label([month, *lines], link, month[-4:])


def column_plot(
    series: Mapping[str, Sequence[int]],
    labels: Sequence[str],
    values: Sequence[Label],
    region: Region,
    unit: int = MONEY,
    scaled: Sequence[int] = (),
) -> Plot:
    """Plot columns side by side for each label. series: numbers by their css class.

    labels: the labels of the axis. values: what hover and focus show for each label. unit: the
    number that the axis writes as 1. scaled: numbers of other charts, which have the same scale.
    Of many labels, only some are drawn, always with the newest.
    """
    low, high, ticks = _scale([*chain.from_iterable(series.values()), *scaled], unit, region)
    slot = 100 / max(1, len(labels))
    width = slot * _COLUMNS_WIDTH / len(series)
    columns = []
    for place, (css, numbers) in enumerate(series.items()):
        for at, value in enumerate(numbers):
            top, bottom = _y(max(value, 0), low, high), _y(min(value, 0), low, high)
            x = slot * (at + (1 - _COLUMNS_WIDTH) / 2) + width * place
            columns.append(Column(_r(x), top, _r(width * 0.92), _r(bottom - top), css))
    marks = [Mark(label, _r(slot * at), _r(slot)) for at, label in enumerate(values)]
    return Plot(ticks, _y(0, low, high), _places(labels, values), columns, marks)


def _places(labels: Sequence[str], values: Sequence[Label]) -> list[tuple[float, str]]:
    """Return what the axis says, with the x of each: some of many labels, always with the newest,
    or years if they are very many months.
    """
    slot, named = 100 / max(1, len(labels)), list(enumerate(labels))
    if len(labels) > _MOST_MONTHS and values[0].year:
        named = [(at, values[at].year) for at in _year_starts(values)]
    every = max(1, -(-len(named) // _MAX_LABELS))
    return [(_r(slot * (at + 0.5)), text) for at, text in reversed(named[::-every])]


def _year_starts(labels: Sequence[Label]) -> list[int]:
    """Return the places of the labels with which a year begins."""
    return [at for at, each in enumerate(labels) if at == 0 or each.year != labels[at - 1].year]


def line_plot(
    amounts: Sequence[int], labels: Sequence[str], values: Sequence[Label], region: Region
) -> Plot:
    """Plot a line through amounts. labels, values: see `column_plot`."""
    low, high, ticks = _scale(amounts, MONEY, region)
    slot = 100 / max(1, len(amounts))
    heights = [_y(units, low, high) for units in amounts]
    points = [f"{_r(slot * (at + 0.5))},{y}" for at, y in enumerate(heights)]
    zero = _y(0, low, high)
    area = f"{_r(slot / 2)},{zero} {' '.join(points)} {_r(100 - slot / 2)},{zero}"
    marks = [
        Mark(label, _r(slot * at), _r(slot), y)
        for at, (label, y) in enumerate(zip(values, heights, strict=True))
    ]
    return Plot(ticks, zero, _places(labels, values), [], marks, " ".join(points), area)


def _scale(values: Sequence[int], unit: int, region: Region) -> tuple[int, int, list[Tick]]:
    """Return the ends of the scale, which always includes zero, and its horizontal lines."""
    low, high = min(0, *values, 0), max(0, *values, 0)
    step = _step(max(high - low, _LINES * unit), unit)
    high = high if low < high else step
    lines = range(-(-low // step) * step, high + 1, step)
    ticks = [Tick(_y(line, low, high), short_number(line // unit, region)) for line in lines]
    return low, high, ticks


def _step(size: int, unit: int) -> int:
    """Return a round number that fits into the size about `_LINES` times."""
    step = unit
    while True:
        for factor in _STEPS:
            if step * factor * _LINES >= size:
                return step * factor
        step *= 10


def short_number(value: int, region: Region) -> str:
    """Return a number as text for the margin of a chart: ``1,200``, ``12.5k``, ``10M``, ``3T``."""
    sign, size = MINUS if value < 0 else "", abs(value)
    if size < 10_000:
        return f"{sign}{region.count(size)}"
    power = min((len(str(size)) - 1) // 3, len(_THOUSANDS))
    tenths = rounded(size, 1000**power // 10)
    text = region.amount(tenths * 1000, 0)
    return f"{sign}{text}{_THOUSANDS[power - 1]}"


def _y(value: int, low: int, high: int) -> float:
    return _r(100 * (high - value) / (high - low))


def _r(number: float) -> float:
    return round(number, 3)
