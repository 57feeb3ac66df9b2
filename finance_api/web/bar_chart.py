"""The geometry of a bar chart."""

from collections.abc import Sequence
from dataclasses import dataclass

_MAX_LABELS = 12
_BAR_WIDTH = 0.72
#: A thousand, a million and so on.
_THOUSANDS = "kMBT"


@dataclass(frozen=True)
class Bar:
    """x, y, width, height: percentages of the plot, y from its top. center: of the bar, in x.

    label: below the bar; empty on some bars if there are many.
    """

    label: str
    full_label: str
    total: int
    x: float
    y: float
    width: float
    height: float
    center: float


@dataclass(frozen=True)
class Tick:
    """A horizontal line and its value."""

    y: float
    label: str


def bar_chart(
    values: Sequence[int], labels: Sequence[str], full_labels: Sequence[str]
) -> tuple[list[Bar], list[Tick]]:
    """labels: short ones; full_labels: for the table and for screen readers."""
    top = _round_up(max(values, default=0))
    slot = 100 / max(1, len(values))
    every = -(-len(values) // _MAX_LABELS)
    bars = []
    for n, (value, label, full_label) in enumerate(zip(values, labels, full_labels, strict=True)):
        height = round(100 * value / top, 3)
        bars.append(
            Bar(
                # The last bar, which is now, always has a label.
                label=label if (len(values) - 1 - n) % every == 0 else "",
                full_label=full_label,
                total=value,
                x=round(slot * (n + (1 - _BAR_WIDTH) / 2), 3),
                y=round(100 - height, 3),
                width=round(slot * _BAR_WIDTH, 3),
                height=height,
                center=round(slot * (n + 0.5), 3),
            )
        )
    return bars, [Tick(100 - 50 * n, short_number(top * n // 2)) for n in range(3)]


def short_number(value: int) -> str:
    """Short enough for the margin of a drawing: ``1,200``, ``12.5k``, ``10M``, ``3T``."""
    sign, size = "\N{MINUS SIGN}" if value < 0 else "", abs(value)
    if size < 10_000:
        return f"{sign}{size:,}"
    power = min((len(str(size)) - 1) // 3, len(_THOUSANDS))
    text = f"{size / 1000**power:,.1f}".removesuffix(".0")
    return f"{sign}{text}{_THOUSANDS[power - 1]}"


def _round_up(largest: int) -> int:
    """An even number with few digits, and not less than ``largest``."""
    step = 2
    while True:
        for factor in (1, 2, 3, 4, 5, 6, 8):
            if step * factor >= largest:
                return step * factor
        step *= 10
