"""The lists of currencies and time zones to choose from."""

from zoneinfo import available_timezones

from finance_api.resources.currencies import CURRENCIES, IN_USE, decimals_of
from finance_api.web.choices import currency_options, flat, time_zone_options


def test_currencies_begin_with_the_user_s_own_and_the_common_ones():
    (yours, own), (common, usual), (others, rest) = currency_options({"HUF", "DEM"})
    assert (yours, common, others) == ("Yours", "Common", "All others")
    assert [code for code, _ in own] == ["DEM", "HUF"]
    assert usual[0] == ("EUR", "EUR Euro")
    codes = [code for _, group in (("", own), ("", usual), ("", rest)) for code, _ in group]
    assert len(codes) == len(set(codes)) and set(codes) <= set(CURRENCIES)
    assert {"ISK", "XOF", "THB", "UAH"} <= {code for code, _ in rest}


def test_test_codes_metals_funds_and_withdrawn_currencies_are_not_offered():
    absent = {"XTS", "XXX", "DEM", "ITL", "HRK", "XAU", "CHE", "USN", "XDR"}
    assert not absent & IN_USE.keys()
    assert absent <= set(CURRENCIES)
    assert {"EUR", "USD", "JPY", "KWD", "XAF"} <= IN_USE.keys()


def test_decimals_are_those_of_iso_4217():
    assert [decimals_of(code) for code in ("EUR", "JPY", "KWD", "CLF")] == [2, 0, 3, 4]
    assert [decimals_of(code) for code in ("DEM", "XXX", "", None)] == [2] * 4


def test_time_zones_are_grouped_by_part_of_the_world_and_all_there():
    groups = dict(time_zone_options())
    first, *_, last = groups
    assert (first, last) == ("UTC", "Others")
    assert ("Europe/Vienna", "Vienna") in groups["Europe"]
    assert ("America/Argentina/Buenos_Aires", "Argentina, Buenos Aires") in groups["America"]
    assert {zone for zone, _ in flat(time_zone_options())} == available_timezones()
