"""The geometry of a bar chart."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 8, 16, 32
_MOST_LABELS = 12
_BAR_PART = 0.72


@dataclass(frozen=True)
class Bar:
    """label: below the bar; empty on some bars if there are many. x, y, width, height: in units of
    the drawing."""

    label: str
    full_label: str
    total: int
    x: float
    y: float
    width: float
    height: float


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
    width = (WIDTH - _LEFT - _RIGHT) / max(1, len(values))
    every = -(-len(values) // _MOST_LABELS)
    bars = []
    for n, (value, label, full_label) in enumerate(zip(values, labels, full_labels, strict=True)):
        height = _scaled(value, top)
        # The last bar, which is now, always has a label.
        labelled = (len(values) - 1 - n) % every == 0
        bars.append(
            Bar(
                label=label if labelled else "",
                full_label=full_label,
                total=value,
                x=round(_LEFT + n * width + width * (1 - _BAR_PART) / 2, 1),
                y=round(HEIGHT - _BOTTOM - height, 1),
                width=round(width * _BAR_PART, 1),
                height=round(height, 1),
            )
        )
    ticks = [
        Tick(round(HEIGHT - _BOTTOM - _scaled(value, top), 1), _number(value))
        for value in (0, top // 2, top)
    ]
    return bars, ticks


def _number(value: int) -> str:
    """Short enough for the margin of the drawing."""
    return f"{value:,}" if value < 100_000 else f"{value // 1000:,}k"


def _scaled(value: int, top: int) -> float:
    return (HEIGHT - _TOP - _BOTTOM) * value / top


def _round_up(largest: int) -> int:
    """An even number with few digits, and not less than ``largest``."""
    step = 2
    while True:
        for factor in (1, 2, 3, 4, 5, 6, 8):
            if step * factor >= largest:
                return step * factor
        step *= 10
