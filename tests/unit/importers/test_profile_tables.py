"""Files of banks, apps and services, as their layouts have them, and what becomes of them.

Each direction, status and word of a layout, and what it says twice. The files are written by hand,
share nothing with the profiles, and stand in ``profiles/`` beside what is made of them.
"""

import pytest

from support.profile_tables import cases, outcome


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.place)
def test_a_file_becomes_what_the_table_says(case):
    profile, lines = outcome(case)
    assert lines == list(case.gives)
    assert profile == case.profile
