"""Recurrence rules: validation at import, and computing the next day."""

import heapq
import itertools
import re
from datetime import date, datetime, timedelta

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from finance_api.planning import recurrence, rule_days
from finance_api.planning.recurrence import (
    RuleError,
    _occurs,
    check_rule,
    first_day,
    next_due,
    schedule_of,
)
from finance_api.values.time import date_text, from_date, parse_date, to_date
from support.nightly import count

TODAY = parse_date("2026-03-18")


def due(rule, start, today):
    check_rule(rule, parse_date(start))
    found = next_due(rule, parse_date(start), parse_date(today))
    return found and date_text(found)


@pytest.mark.parametrize(
    ("rule", "start", "today", "expected"),
    [
        ("FREQ=DAILY", "2026-01-01", "2026-03-18", "2026-03-18"),
        ("FREQ=DAILY;INTERVAL=3", "2026-03-16", "2026-03-18", "2026-03-19"),
        ("FREQ=DAILY", "1900-01-01", "2026-03-18", "2026-03-18"),
        ("FREQ=WEEKLY;BYDAY=MO,FR", "2020-01-01", "2026-03-18", "2026-03-20"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-03-02", "2026-03-17", "2026-03-30"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2020-01-01", "2026-02-10", "2026-02-28"),
        ("FREQ=MONTHLY", "2026-01-31", "2026-02-01", "2026-03-31"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "2020-01-01", "2026-03-18", "2026-03-27"),
        ("RRULE:FREQ=YEARLY", "2024-02-29", "2026-03-18", "2028-02-29"),
        ("FREQ=MONTHLY;COUNT=2", "2026-02-18", "2026-03-18", "2026-03-18"),
        ("FREQ=MONTHLY;COUNT=2", "2026-02-18", "2026-03-19", None),
        ("FREQ=DAILY;UNTIL=20260318", "2026-01-01", "2026-03-18", "2026-03-18"),
        ("FREQ=DAILY;UNTIL=20260317T235959Z", "2026-01-01", "2026-03-18", None),
        ("FREQ=DAILY", "2026-03-18", "2026-03-18", "2026-03-18"),
        ("FREQ=DAILY", "2026-05-01", "2026-03-18", "2026-05-01"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "1997-08-05", "2026-03-18", "2026-03-22"),
        ("FREQ=MONTHLY;BYDAY=3WE", "2026-01-21", "2026-03-18", "2026-03-18"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-01-30", "2026-03-18", "2026-03-31"),
        ("FREQ=YEARLY;BYMONTH=6,12;BYMONTHDAY=15", "2025-06-15", "2026-03-18", "2026-06-15"),
        ("FREQ=MONTHLY;UNTIL=20260401T000000Z", "2026-01-01", "2026-03-18", "2026-04-01"),
        ("FREQ=YEARLY", "1900-01-01", "2026-03-18", "2027-01-01"),
        ("FREQ=YEARLY;INTERVAL=1000", "9999-12-31", "2026-03-18", "9999-12-31"),
        # DTSTART always counts as the first occurrence (RFC 5545, section 3.3.10).
        ("FREQ=MONTHLY;BYMONTHDAY=1", "2026-03-20", "2026-03-18", "2026-03-20"),
        ("FREQ=WEEKLY;BYDAY=MO", "2026-03-17", "2026-03-18", "2026-03-23"),
        ("FREQ=MONTHLY;BYMONTHDAY=1;COUNT=1", "2026-03-18", "2026-03-18", "2026-03-18"),
        ("FREQ=MONTHLY;BYMONTHDAY=1;COUNT=3", "2026-02-10", "2026-03-18", "2026-04-01"),
        ("FREQ=MONTHLY;BYMONTHDAY=1;COUNT=2", "2026-02-10", "2026-03-18", None),
    ],
)
def test_the_next_occurrence_is_on_or_after_today(rule, start, today, expected):
    assert due(rule, start, today) == expected


def test_without_a_rule_the_start_is_the_only_occurrence():
    day = parse_date("2026-03-18")
    assert next_due(None, day, day) == day
    assert next_due(None, day, day + 86_400) is None
    assert next_due("FREQ=DAILY", None, day) is None


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "FREQ=SECONDLY",
        "FREQ=HOURLY",
        "INTERVAL=2",
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=99999",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=3;UNTIL=20260101",
        "FREQ=DAILY;UNTIL=20260230",
        "FREQ=DAILY;BYHOUR=3",
        "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=MONTHLY;BYMONTHDAY=0",
        "FREQ=YEARLY;BYMONTH=13",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;UNTIL=20300101",
        "FREQ=DAILY\nRRULE:FREQ=DAILY",
        "DTSTART:20260101\nFREQ=DAILY",
        "FREQ=DAILY;;",
        "FREQ=MONTHLY;BYDAY=0MO",
        "FREQ=YEARLY;BYDAY=54MO",
        "FREQ=YEARLY;BYMONTH=-1",
        "FREQ=DAILY;BYMONTHDAY=",
        "FREQ=DAILY;BYMONTHDAY=1,",
        "FREQ=DAILY;BYDAY=1",
        "x" * 5_000,
    ],
)
def test_a_rule_that_cannot_be_kept_is_refused(rule):
    with pytest.raises(RuleError):
        check_rule(rule, parse_date("2026-01-01"))


def test_a_rule_needs_a_start():
    with pytest.raises(RuleError, match="startDate"):
        check_rule("FREQ=DAILY", None)


_SIGNED = ("1", "-1", "2", "-2", "5", "28", "29", "31", "-30", "31,-31,1")


@st.composite
def rules(draw):
    """Draw rules of every frequency, with some of the parts that choose days."""
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    chosen = {
        "INTERVAL": st.integers(1, 40).map(str),
        "BYMONTH": st.sampled_from(["2", "1,3,12", "6"]),
        "BYMONTHDAY": st.sampled_from(_SIGNED),
        "BYDAY": st.sampled_from(["MO", "SU,WE", "MO,TU,WE,TH,FR"]),
        "WKST": st.sampled_from(["SU", "WE"]),
    }
    if frequency in ("MONTHLY", "YEARLY"):
        chosen["BYDAY"] = st.sampled_from(["MO", "SU,WE", "1MO,-1FR", "5SA"])
    if frequency == "YEARLY":
        chosen |= {
            "BYYEARDAY": st.sampled_from(["1,100,366", "-1"]),
            # dateutil takes the first days of some years for week 53.
            "BYWEEKNO": st.sampled_from(["1", "20", "20,-1"]),
        }
    parts = {"FREQ": frequency}
    for name in draw(st.sets(st.sampled_from(sorted(chosen)), max_size=3)):
        parts[name] = draw(chosen[name])
    if any(name.startswith("BY") for name in parts) and draw(st.booleans()):
        parts["BYSETPOS"] = draw(st.sampled_from(["1", "-1", "1,-1"]))
    end = draw(st.sampled_from([None, None, "COUNT", "UNTIL"]))
    if end == "COUNT":
        parts["COUNT"] = str(draw(st.integers(1, 400)))
    if end == "UNTIL":
        parts["UNTIL"] = draw(st.dates(date(1990, 1, 1), date(2030, 1, 1))).strftime("%Y%m%d")
    return ";".join(f"{name}={value}" for name, value in parts.items())


def first_weekday(rule):
    named = re.search("WKST=(..)", rule)
    return {"SU": 6, "WE": 2}[named[1]] if named else 0


def walked(rule, start, today):
    """Find the same day by walking through each occurrence since the start."""
    first = datetime.combine(start, datetime.min.time())
    parts = dict(part.split("=") for part in rule.split(";"))
    number = int(parts.pop("COUNT", 100_000))
    endless = rrulestr(
        ";".join(f"{n}={v}" for n, v in parts.items() if n != "UNTIL"), dtstart=first
    )
    last = parts.get("UNTIL", "99991231")
    days = heapq.merge([first], (day for day in endless if day != first))
    for day in itertools.islice(days, number):
        if f"{day:%Y%m%d}" > last or day.year > today.year + 300:
            return None
        if day.date() >= today:
            return day.date()
    return None


def occurs(rule, start):
    """Return whether dateutil finds any day, however long it takes until the calendar repeats."""
    parts = dict(part.split("=") for part in rule.split(";") if part[:5] not in ("COUNT", "UNTIL"))
    last = min(9_999, start.year + 400 * int(parts.get("INTERVAL", 1)))
    text = ";".join(f"{n}={v}" for n, v in parts.items())
    first = datetime.combine(start, datetime.min.time())
    return any(True for _ in rrulestr(f"{text};UNTIL={last}1231", dtstart=first))


@pytest.mark.nightly
@given(
    rules(),
    st.dates(date(1985, 1, 1), date(2026, 12, 31)),
    st.dates(date(2000, 1, 1), date(2026, 12, 31)),
)
@settings(max_examples=count(50, 4_000), deadline=None)
def test_the_next_due_date_is_the_one_that_walking_from_the_start_finds(rule, start, today):
    """The days are those of dateutil, but for what `test_sets_are_those_of_rfc_5545` lists."""
    if "WEEKLY" in rule and "BYSETPOS" in rule:
        start -= timedelta(days=(start.weekday() - first_weekday(rule)) % 7)
    if not occurs(rule, start):
        with pytest.raises(RuleError, match="never occurs"):
            check_rule(rule, from_date(start))
        return
    check_rule(rule, from_date(start))
    found = next_due(rule, from_date(start), from_date(today))
    expected = walked(rule, start, today)
    if expected is None and found is not None:
        assert to_date(found).year > today.year + 300
    else:
        assert (found and to_date(found)) == expected


@pytest.fixture
def steps(monkeypatch):
    """Collects the years that searches look at."""
    found = []

    def noted(years):
        for year in years:
            found.append(year)
            yield year

    monkeypatch.setattr(rule_days, "in_time", noted)
    return found


@pytest.mark.parametrize(
    "rule", ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,FR", "FREQ=MONTHLY", "FREQ=YEARLY"]
)
@pytest.mark.parametrize("end", ["", ";UNTIL=20991231"])
def test_a_rule_of_long_ago_is_not_walked_through_from_its_start(steps, rule, end):
    today = parse_date("2026-03-18")
    first_day.cache_clear()
    assert next_due(rule + end, parse_date("0001-01-01"), today) is not None
    assert 1 <= len(steps) <= 3


#: Lists as long as a rule can have them, and longer ones.
_ALL = {
    "BYSETPOS": ",".join(str(n) for n in range(-366, 367) if n),
    "BYYEARDAY": ",".join(str(n) for n in range(-366, 367) if n),
    "BYDAY": ",".join(f"{n}SU" for n in range(-53, 54) if n),
}
_NEVER = [
    "FREQ=DAILY;BYYEARDAY=100;BYMONTH=2",
    "FREQ=DAILY;BYDAY=MO;BYSETPOS=2",
    "FREQ=DAILY;INTERVAL=7;BYDAY=TU",
    "FREQ=WEEKLY;BYSETPOS=8,-8;BYDAY=MO,TU,WE,TH,FR,SA,SU",
    "FREQ=WEEKLY;INTERVAL=999;BYMONTH=1;BYMONTHDAY=30,31;BYWEEKNO=9",
    "FREQ=MONTHLY;BYDAY=6MO",
    "FREQ=MONTHLY;INTERVAL=12;BYMONTH=2",
    "FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=YEARLY;BYWEEKNO=20;BYMONTH=12",
    "FREQ=YEARLY;BYMONTH=2;BYDAY=SU;BYSETPOS=" + ",".join(map(str, range(30, 367))),
    f"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYDAY={_ALL['BYDAY']};BYSETPOS={_ALL['BYSETPOS']}",
]


@pytest.mark.parametrize("rule", _NEVER, ids=range(len(_NEVER)))
def test_a_rule_that_never_occurs_is_refused_after_one_step_for_each_year(steps, rule):
    _occurs.cache_clear()
    with pytest.raises(RuleError, match="never occurs"):
        check_rule(rule, parse_date("1900-01-01"))
    assert len(steps) <= 8_101


@pytest.mark.parametrize("part", ["BYSETPOS", "BYYEARDAY", "BYDAY", "BYMONTHDAY", "BYWEEKNO"])
def test_a_list_has_at_most_as_many_entries_as_there_are_values(part):
    entry = "1SU" if part == "BYDAY" else "1"
    rule = "FREQ=YEARLY;BYMONTHDAY=1;BYSETPOS=1".split(";")
    others = ";".join(each for each in rule if not each.startswith(part))
    most = recurrence._LISTS[part][2]
    check_rule(f"{others};{part}={','.join([entry] * most)}", parse_date("1900-01-01"))
    with pytest.raises(RuleError, match=f"more than {most} entries in {part}"):
        check_rule(f"{others};{part}={','.join([entry] * (most + 1))}", parse_date("1900-01-01"))


def test_lists_of_every_value_are_accepted():
    rule = "FREQ=YEARLY;" + ";".join(f"{name}={value}" for name, value in _ALL.items())
    assert due(rule, "2026-03-18", "2026-03-19") == "2026-03-22"


def test_a_count_from_long_ago_takes_one_step_for_each_year(steps):
    first_day.cache_clear()
    found = next_due("FREQ=DAILY;BYMONTHDAY=31;COUNT=10000", parse_date("1900-01-01"), TODAY)
    assert date_text(found) == "2026-03-31"
    assert len(steps) <= 127


def test_a_stored_rule_that_is_no_longer_accepted_has_no_days():
    rule = "FREQ=YEARLY;BYSETPOS=" + ",".join(["400"] * 10_000)
    assert next_due(rule, parse_date("2026-01-01"), parse_date("2026-01-01")) is None
    assert schedule_of(rule, parse_date("2026-01-01"), parse_date("2026-01-01")) is None


@pytest.mark.parametrize(
    ("rule", "start", "today", "expected"),
    [
        # A weekday without a number and one with a number together: all of these days.
        ("FREQ=MONTHLY;BYDAY=MO,1TU", "2026-03-01", "2026-03-02", "2026-03-02"),
        ("FREQ=MONTHLY;BYDAY=MO,1TU", "2026-03-01", "2026-03-03", "2026-03-03"),
        # The set of a week is the whole week, although the start is within it.
        ("FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=1", "2026-03-17", "2026-03-18", "2026-03-23"),
        # A week that belongs to two years is one set.
        ("FREQ=WEEKLY;BYDAY=MO,SU;BYSETPOS=-1", "2025-12-01", "2025-12-29", "2026-01-04"),
        ("FREQ=WEEKLY;BYDAY=MO,SU;BYSETPOS=1", "2025-12-01", "2025-12-30", "2026-01-05"),
        ("FREQ=YEARLY;BYMONTH=2;BYDAY=30MO,1MO", "2026-01-01", "2026-01-02", "2026-02-02"),
    ],
)
def test_sets_are_those_of_rfc_5545(rule, start, today, expected):
    assert due(rule, start, today) == expected


@pytest.mark.parametrize("number", [1, 2, 5, 9, 52, 53, -1, -2, -52, -53])
def test_weeks_have_the_numbers_of_iso_8601(number):
    first, end = date(1990, 1, 1), date(2031, 1, 1)
    schedule = schedule_of(f"FREQ=YEARLY;BYWEEKNO={number}", from_date(first), from_date(first))
    every = (date.fromordinal(day) for day in range(first.toordinal(), end.toordinal()))
    weeks = {day: day.isocalendar() for day in every}
    most = {year: date(year, 12, 28).isocalendar().week for year in range(1989, 2032)}
    assert [to_date(day) for day in schedule.days(from_date(end))] == [
        day
        for day, (year, week, _) in weeks.items()
        if day == first or number in (week, week - most[year] - 1)
    ]


@pytest.mark.parametrize("start", ["0001-01-01", "1899-12-31"])
def test_a_rule_begins_in_1900_or_later(start):
    with pytest.raises(RuleError, match="needs a startDate of 1900-01-01 or later"):
        check_rule("FREQ=MONTHLY", parse_date(start))
    check_rule("FREQ=MONTHLY", parse_date("1900-01-01"))
