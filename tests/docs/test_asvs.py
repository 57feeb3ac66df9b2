"""docs/asvs.md names tests that exist, and promises of reliability that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "asvs.md").read_text()
#: Each row: its requirements, whether they are met, how, and the test.
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if re.match(r"\| \d", line)
]


def test_each_row_says_whether_it_is_met():
    assert len(ROWS) > 100
    for row in ROWS:
        assert len(row) == 4 and row[1] in ("yes", "**partly**", "**no**", "–") and row[2], row


def test_each_file_of_tests_exists():
    existing = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    named = set(re.findall(r"`(test_\w+\.py)`", TEXT))
    assert len(named) > 20
    assert named <= existing, named - existing


def test_each_promise_stands_in_reliability():
    promises = set(
        re.findall(r"^\| \*\*([AF]\d+)\*\*", (ROOT / "docs/reliability.md").read_text(), re.M)
    )
    named = set(re.findall(r"\b[AF]\d+\b", " ".join(row[3] for row in ROWS)))
    assert len(named) > 20
    assert named <= promises, named - promises
