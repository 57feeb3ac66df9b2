"""Translates the recurrences of GnuCash into recurrence rules."""

from calendar import monthrange
from collections.abc import Sequence
from datetime import date, timedelta

from finance_api.importers.books.gnucash import book as gnucash
from finance_api.importers.books.recurrence import (
    WEEKDAYS,
    Recurrence,
    ScheduleUnfit,
    check_start,
    ended,
    monthly_rule,
    yearly_rule,
)

_MOST_MULT = 1_000


def repetitions(schedule: gnucash.Schedule) -> list[Recurrence]:
    """Return the days of a schedule: those of any of its recurrences. Raises ScheduleUnfit."""
    recurrences = schedule.recurrences
    if not recurrences:
        raise ScheduleUnfit("has no days")
    for each in recurrences:
        check_start(each.start)
    if len(recurrences) > 1 and (joined := _weekly(recurrences)):
        return [_ended(schedule, *joined)]
    if len(recurrences) > 1 and schedule.times:
        raise ScheduleUnfit("follows several rules, a number of times altogether")
    return [_ended(schedule, *_rule(schedule.start, each)) for each in recurrences]


def _weekly(recurrences: Sequence[gnucash.Recurrence]) -> tuple[date, str] | None:
    """Return several days of the week as one rule, if they are in the same weeks."""
    mults = {each.mult for each in recurrences}
    starts = sorted(each.start for each in recurrences)
    weeks = {each - timedelta(days=each.weekday()) for each in starts}
    if {each.kind for each in recurrences} != {"week"} or len(mults) > 1:
        return None
    if mults != {1} and len(weeks) > 1:
        return None
    days = ",".join(WEEKDAYS[day] for day in sorted({each.weekday() for each in starts}))
    return starts[0], f"FREQ=WEEKLY;INTERVAL={_mult(recurrences[0])};BYDAY={days}"


def _rule(start: date, recurrence: gnucash.Recurrence) -> tuple[date, str | None]:
    """Return the first day and the rule. Raises ScheduleUnfit."""
    first, kind = recurrence.start, recurrence.kind
    if kind == "once":
        return first, None
    mult = _mult(recurrence)
    match kind:
        case "day" | "week":
            return first, f"FREQ={'DAILY' if kind == 'day' else 'WEEKLY'};INTERVAL={mult}"
        case "month":
            return first, monthly_rule(first.day, mult)
        case "year":
            return first, yearly_rule(first, mult)
        case "end of month":
            last = first.replace(day=monthrange(first.year, first.month)[1])
            return last, monthly_rule(31, mult)
        case "nth weekday":
            nth = (first.day - 1) // 7 + 1
            return first, f"FREQ=MONTHLY;INTERVAL={mult};BYDAY={nth}{WEEKDAYS[first.weekday()]}"
        case "last weekday":
            last = first.replace(day=monthrange(first.year, first.month)[1])
            last -= timedelta(days=(last.weekday() - first.weekday()) % 7)
            return last, f"FREQ=MONTHLY;INTERVAL={mult};BYDAY=-1{WEEKDAYS[first.weekday()]}"
    raise ScheduleUnfit(f"has an unknown rhythm, {kind}")


def _mult(recurrence: gnucash.Recurrence) -> int:
    if not 1 <= recurrence.mult <= _MOST_MULT:
        raise ScheduleUnfit(f"repeats every {recurrence.mult} times")
    return recurrence.mult


def _ended(schedule: gnucash.Schedule, first: date, rule: str | None) -> Recurrence:
    if schedule.start > first:
        raise ScheduleUnfit("starts after the first day of its rule")
    return ended(first, rule, schedule.end, schedule.times or None)
