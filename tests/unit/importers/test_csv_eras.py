"""Dates that count years of reigns or of other eras, or seconds since 1970, are read unasked."""

import pytest

from finance_api.importers.csv.table import is_date
from finance_api.values.time import date_text
from support.csv_files import read


@pytest.mark.parametrize(
    "written",
    ["令和8年10月13日", "R8.10.13", "R08/10/13", "115/10/13", "115.10.13", "民國115年10月13日",
     "民國 115/10/13", "13/10/2569", "2569-10-13", "13 Oct 2569"],
)  # fmt: skip
def test_years_of_reigns_the_republic_of_china_and_the_buddhist_era_are_read(written):
    (found,) = read(f"日付,摘要,金額\n{written},Shop,-12.50\n", account="A", currency="EUR")
    assert [date_text(entry.date) for entry in found.entries] == ["2026-10-13"]


def test_the_first_year_of_a_reign_has_a_name_and_other_numbers_are_no_years():
    (found,) = read("日付,摘要,金額\n令和元年5月1日,Shop,-12.50\n", account="A", currency="EUR")
    assert [date_text(entry.date) for entry in found.entries] == ["2019-05-01"]
    for written in ("515/10/13", "15/10/131", "R8"):
        assert not is_date(written)


@pytest.mark.parametrize(
    "written", ["1791886530", "1791886530000", "1791886530.25"], ids=lambda text: f"{len(text)}"
)
@pytest.mark.parametrize("heading", ["Date", "created_at", "timestamp"])
def test_seconds_and_milliseconds_since_1970_are_moments_in_utc(heading, written):
    text = f"{heading},id,description,amount\n{written},7,Shop,-12.50\n"
    (found,) = read(text, account="A", currency="EUR")
    assert [(e.date, e.offset) for e in found.entries] == [(1_791_886_530, 0)]
    (found,) = read(text, account="A", currency="EUR", timezone="Asia/Tokyo")
    assert [e.date for e in found.entries] == [1_791_886_530 + 9 * 3600]


def test_numbers_of_ten_digits_below_another_heading_are_no_dates():
    text = "Konto,Datum,Text,Betrag\n1791886530,2026-10-13,Shop,-12.50\n"
    (found,) = read(text, account="A", currency="EUR")
    assert [date_text(entry.date) for entry in found.entries] == ["2026-10-13"]


@pytest.mark.parametrize("zone", ["EDT", "PST", "CEST"])
def test_letters_of_a_time_zone_after_a_time_are_no_obstacle(zone):
    text = f"Date,Text,Amount\n2026-10-13 12:11:10 {zone},Shop,-12.50\n"
    (found,) = read(text, account="A", currency="USD")
    assert [(date_text(e.date), e.offset) for e in found.entries] == [("2026-10-13", None)]
