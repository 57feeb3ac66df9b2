"""The geometry of charts: columns and lines above and below zero.

Coordinates are percentages of the plot, y from its top.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: A unit of amounts, which are in ten-thousandths.
MONEY = 10_000
_LINES = 4
_STEPS = (1, 2, 5)
_COLUMNS_WIDTH = 0.64
_MAX_LABELS = 12
#: Suffixes for thousand, million, billion and trillion.
_THOUSANDS = "kMBT"


@dataclass(frozen=True)
class Tick:
    """A horizontal line and its value."""

    y: float
    label: str


@dataclass(frozen=True)
class Column:
    """css: the class of its series. title: shown when the mouse is over it; may be empty."""

    x: float
    y: float
    width: float
    height: float
    css: str
    title: str = ""


@dataclass(frozen=True)
class Plot:
    """zero: where 0 is. labels: pairs of x and text. points: of a line."""

    ticks: list[Tick]
    zero: float
    labels: list[tuple[float, str]]
    columns: list[Column]
    points: str = ""
    area: str = ""


def column_plot(
    series: Mapping[str, Sequence[int]],
    labels: Sequence[str],
    unit: int = MONEY,
    titles: Sequence[str] | None = None,
) -> Plot:
    """Plot columns side by side for each label. series: values by their css class.

    unit: the value written as 1. titles: one for each label. If there are many labels, only some
    are drawn, always including the last, which is now.
    """
    low, high, ticks = _scale([value for values in series.values() for value in values], unit)
    slot = 100 / max(1, len(labels))
    width = slot * _COLUMNS_WIDTH / len(series)
    columns = []
    for place, (css, values) in enumerate(series.items()):
        for at, value in enumerate(values):
            top, bottom = _y(max(value, 0), low, high), _y(min(value, 0), low, high)
            x = slot * (at + (1 - _COLUMNS_WIDTH) / 2) + width * place
            title = titles[at] if titles else ""
            columns.append(Column(_r(x), top, _r(width * 0.92), _r(bottom - top), css, title))
    every = -(-len(labels) // _MAX_LABELS)
    places = [
        (_r(slot * (at + 0.5)), text)
        for at, text in enumerate(labels)
        if (len(labels) - 1 - at) % every == 0
    ]
    return Plot(ticks, _y(0, low, high), places, columns)


def line_plot(values: Sequence[int], labels: Sequence[str]) -> Plot:
    """A line through amounts."""
    low, high, ticks = _scale(values, MONEY)
    slot = 100 / max(1, len(values))
    points = [f"{_r(slot * (at + 0.5))},{_y(value, low, high)}" for at, value in enumerate(values)]
    places = [(_r(slot * (at + 0.5)), text) for at, text in enumerate(labels)]
    zero = _y(0, low, high)
    area = f"{_r(slot / 2)},{zero} {' '.join(points)} {_r(100 - slot / 2)},{zero}"
    return Plot(ticks, zero, places, [], " ".join(points), area)


def _scale(values: Sequence[int], unit: int) -> tuple[int, int, list[Tick]]:
    """Return both ends of the scale, which includes zero, and the horizontal lines."""
    lowest, highest = min(0, *values, 0), max(0, *values, 0)
    step = _step(max(highest - lowest, _LINES * unit), unit)
    low, high = lowest // step * step, -(-highest // step) * step
    if low == high:
        high = step
    lines = range(low, high + 1, step)
    return low, high, [Tick(_y(line, low, high), short_number(line // unit)) for line in lines]


def _step(size: int, unit: int) -> int:
    """Return a round number, of which about `_LINES` make up the size."""
    step = unit
    while True:
        for factor in _STEPS:
            if step * factor * _LINES >= size:
                return step * factor
        step *= 10


def short_number(value: int) -> str:
    """Short enough for the margin of a drawing: ``1,200``, ``12.5k``, ``10M``, ``3T``."""
    sign, size = "\N{MINUS SIGN}" if value < 0 else "", abs(value)
    if size < 10_000:
        return f"{sign}{size:,}"
    power = min((len(str(size)) - 1) // 3, len(_THOUSANDS))
    text = f"{size / 1000**power:,.1f}".removesuffix(".0")
    return f"{sign}{text}{_THOUSANDS[power - 1]}"


def _y(value: int, low: int, high: int) -> float:
    return _r(100 * (high - value) / (high - low))


def _r(number: float) -> float:
    return round(number, 3)
