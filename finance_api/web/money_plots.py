"""The geometry of charts of money: columns and lines above and below zero.

Coordinates are percentages of the plot, y from its top.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finance_api.web.bar_chart import Tick, short_number

_UNITS = 10_000
#: About so many lines.
_LINES = 4
_STEPS = (1, 2, 5)
_COLUMNS_WIDTH = 0.64


@dataclass(frozen=True)
class Column:
    """css: which of the series."""

    x: float
    y: float
    width: float
    height: float
    css: str


@dataclass(frozen=True)
class Plot:
    """zero: where 0 is. labels: pairs of x and text, some of them blank. points: of a line."""

    ticks: list[Tick]
    zero: float
    labels: list[tuple[float, str]]
    columns: list[Column]
    points: str = ""
    area: str = ""


def column_plot(series: Mapping[str, Sequence[int]], labels: Sequence[str]) -> Plot:
    """Columns beside one another, for each label. series: amounts by their css class."""
    low, high, ticks = _scale([value for values in series.values() for value in values])
    slot = 100 / max(1, len(labels))
    width = slot * _COLUMNS_WIDTH / len(series)
    columns = []
    for place, (css, values) in enumerate(series.items()):
        for at, value in enumerate(values):
            top, bottom = _y(max(value, 0), low, high), _y(min(value, 0), low, high)
            x = slot * (at + (1 - _COLUMNS_WIDTH) / 2) + width * place
            columns.append(Column(_r(x), top, _r(width * 0.92), _r(bottom - top), css))
    places = [(_r(slot * (at + 0.5)), text) for at, text in enumerate(labels)]
    return Plot(ticks, _y(0, low, high), places, columns)


def line_plot(values: Sequence[int], labels: Sequence[str]) -> Plot:
    """A line through the values."""
    low, high, ticks = _scale(values)
    slot = 100 / max(1, len(values))
    points = [f"{_r(slot * (at + 0.5))},{_y(value, low, high)}" for at, value in enumerate(values)]
    places = [(_r(slot * (at + 0.5)), text) for at, text in enumerate(labels)]
    zero = _y(0, low, high)
    area = f"{_r(slot / 2)},{zero} {' '.join(points)} {_r(100 - slot / 2)},{zero}"
    return Plot(ticks, zero, places, [], " ".join(points), area)


def _scale(values: Sequence[int]) -> tuple[int, int, list[Tick]]:
    """The ends of the scale, which has zero in it, and the lines."""
    lowest, highest = min(0, *values, 0), max(0, *values, 0)
    step = _step(max(highest - lowest, _LINES * _UNITS))
    low = -(-lowest // step) * step if lowest >= 0 else lowest // step * step
    high = -(-highest // step) * step
    if low == high:
        high = step
    lines = range(low, high + 1, step)
    return low, high, [Tick(_y(line, low, high), short_number(line // _UNITS)) for line in lines]


def _step(size: int) -> int:
    """A round number of which about so many fit."""
    step = _UNITS
    while True:
        for factor in _STEPS:
            if step * factor * _LINES >= size:
                return step * factor
        step *= 10


def _y(value: int, low: int, high: int) -> float:
    return _r(100 * (high - value) / (high - low))


def _r(number: float) -> float:
    return round(number, 3)
