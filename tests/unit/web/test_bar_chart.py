"""A bar chart as numbers."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.web.bar_chart import bar_chart

WIDTH = HEIGHT = 100

NUMBERS = st.lists(st.integers(0, 10**12), min_size=1, max_size=60)


def chart(values):
    labels = [str(n) for n in range(len(values))]
    return bar_chart(values, labels, [f"day {label}" for label in labels])


@given(NUMBERS)
def test_bars_stand_in_the_drawing_in_order_and_apart(values):
    bars, _ = chart(values)
    assert [bar.total for bar in bars] == values
    assert [bar.full_label for bar in bars] == [f"day {n}" for n in range(len(values))]
    for bar in bars:
        assert bar.x >= 0
        assert bar.x + bar.width <= WIDTH
        assert bar.y >= 0
        assert bar.height >= 0
        assert bar.y + bar.height <= HEIGHT + 1e-9
    for left, right in pairwise(bars):
        assert left.x + left.width < right.x


@given(NUMBERS)
def test_bars_are_as_high_as_their_numbers(values):
    bars, ticks = chart(values)
    bottom = bars[0].y + bars[0].height
    for bar in bars:
        assert abs(bar.y + bar.height - bottom) < 0.2
    highest = max(bars, key=lambda bar: bar.total)
    for bar in bars:
        expected = highest.height * bar.total / (highest.total or 1)
        assert abs(bar.height - expected) < 0.2
    assert min(tick.y for tick in ticks) <= highest.y + 0.1


@given(NUMBERS)
def test_the_lines_across_are_evenly_apart_from_nothing_to_the_top(values):
    bars, ticks = chart(values)
    assert ticks[0].label == "0"
    assert abs((ticks[0].y + ticks[2].y) / 2 - ticks[1].y) < 0.2
    assert abs(ticks[0].y - bars[0].y - bars[0].height) < 0.2


@pytest.mark.parametrize(
    ("largest", "labels"),
    [
        (0, ["0", "1", "2"]),
        (1, ["0", "1", "2"]),
        (2, ["0", "1", "2"]),
        (3, ["0", "2", "4"]),
        (7, ["0", "4", "8"]),
        (10, ["0", "5", "10"]),
        (11, ["0", "6", "12"]),
        (17, ["0", "10", "20"]),
        (567, ["0", "300", "600"]),
        (999, ["0", "500", "1,000"]),
        (1_001, ["0", "600", "1,200"]),
        (190_000, ["0", "100k", "200k"]),
    ],
)
def test_the_lines_have_round_numbers(largest, labels):
    _, ticks = chart([0, largest])
    assert [tick.label for tick in ticks] == labels


@pytest.mark.parametrize("count", [1, 2, 7, 10, 11, 12, 30, 53])
def test_not_every_bar_has_its_label_where_there_are_many_but_the_last_one_has(count):
    bars, _ = chart([1] * count)
    shown = [bar.label for bar in bars if bar.label]
    assert 1 <= len(shown) <= 12
    assert bars[-1].label == str(count - 1)
    assert count > 10 or len(shown) == count
