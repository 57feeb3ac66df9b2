"""Numbers in sentences: plain, or as in a region."""

import re
from pathlib import Path

import pytest

import finance_api
from finance_api.values.regions import DEFAULT, region_of
from finance_api.values.text import amount_text, count_text, counted, day_text, numbers_as_in

#: The parts whose sentences pages show. What other parts write has no region.
SHOWN_ON_PAGES = ("importers", "ledger", "planning", "questions", "uploads", "web")


@pytest.mark.parametrize(
    ("region", "rows", "amount", "yen", "day"),
    [
        (None, "1,204 rows", "-1204.5", "1204", "2026-11-26"),
        (DEFAULT, "1,204 rows", "−1,204.50", "1,204", "26 Nov 2026"),
        (region_of("de-AT"), "1.204 rows", "−1.204,50", "1.204", "26.11.2026"),
        (region_of("en-IN"), "1,204 rows", "−1,204.50", "1,204", "26 Nov 2026"),
    ],
)
def test_a_sentence_has_the_numbers_and_days_of_its_reader(region, rows, amount, yen, day):
    with numbers_as_in(region and (lambda: region)):
        assert (counted(1_204, "row"), amount_text(-12_045_000)) == (rows, amount)
        assert (amount_text(12_040_000, 0), day_text(1_795_651_200)) == (yen, day)
    assert (count_text(1_204), amount_text(-12_045_000)) == ("1,204", "-1204.5")


def test_no_sentence_of_a_page_groups_digits_by_itself():
    root = Path(finance_api.__file__).parent
    sources = [path for part in SHOWN_ON_PAGES for path in (root / part).rglob("*.py")]
    assert len(sources) > 100
    assert [path.name for path in sources if re.search(r":,\}", path.read_text())] == []
    ledger = (root / "ledger").rglob("*.py")
    assert [path.name for path in ledger if "{date_text(" in path.read_text()] == ["transfers.py"]
