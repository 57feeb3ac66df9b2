"""The scale of charts: it ends where the values do."""

import pytest

from finance_api.values.regions import DEFAULT
from finance_api.web.plots import MONEY, Label, line_plot


# A little more than a line, and a little less than zero.
@pytest.mark.parametrize("values", [(0, 10_100), (-100, 40_000)])
def test_a_chart_has_no_empty_band(values: tuple[int, ...]) -> None:
    labels = [Label([str(value)]) for value in values]
    plot = line_plot([value * MONEY for value in values], ["a", "b"], labels, DEFAULT)
    heights = [float(point.split(",")[1]) for point in plot.points.split()]
    assert (min(heights), max(heights)) == (0, 100)
    assert all(0 <= tick.y <= 100 for tick in plot.ticks)
    assert len(plot.ticks) >= 3 and "0" in [tick.label for tick in plot.ticks]
