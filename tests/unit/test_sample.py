"""Each day runs other cases of the slow tests, and a sample can be repeated."""

import os

from support.sample import SAMPLE, drawn, is_drawn

CASES = [f"tests/functional/test_lists.py::test_sorted[{n}]" for n in range(8)]
DAYS = [f"2026-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]


def test_equal_samples_draw_the_same_cases():
    assert drawn(CASES, 2, DAYS[0]) == drawn(reversed(CASES), 2, DAYS[0])


def test_every_case_has_its_day():
    days = [drawn(CASES, 2, day) for day in DAYS[:60]]
    assert {len(cases) for cases in days} == {2}
    assert {case for cases in days for case in cases} == {*CASES}


def test_every_test_has_a_day_on_each_storage():
    drawn_days = sum(is_drawn("tests/functional/test_lists.py::test_x[memory", 30, d) for d in DAYS)
    assert 3 <= drawn_days <= 30


def test_workers_inherit_the_sample():
    assert os.environ["FINANCE_TEST_SAMPLE"] == SAMPLE
