"""Files of banks, apps and services in their layouts, and the expected records.

The files have each direction, status and word of a layout, and its redundant values. They are
written by hand, independently of the profiles; ``profiles/`` has them with the expected result.
"""

import pytest

from support.profile_tables import cases, outcome


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.place)
def test_a_file_becomes_what_the_table_says(case):
    profile, lines = outcome(case)
    assert lines == list(case.gives)
    assert profile == case.profile
