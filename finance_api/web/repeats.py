"""The control that chooses how often a standing order repeats."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby, islice

from webob.multidict import MultiDict

from finance_api.planning.recurrence import schedule_of
from finance_api.planning.repetition import PATTERNS, parse_repetition
from finance_api.values import Row
from finance_api.web.forms import Control
from finance_api.web.regions import current_region

RULE = "recurrenceRule"
#: The choice for a rule that fits no pattern.
OTHER = "other"
_EVERY, _OTHER_RULE, _STORED = "repeats-every", "repeats-other", "repeats-stored"
_NEXT_DATES = 3
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}


def _unit(pattern: str) -> str:
    return _UNITS[pattern.partition(";")[0].removeprefix("FREQ=")]


def _groups() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the patterns by unit: ``Month`` -> ``month on the 3rd``."""
    return [
        (
            unit.capitalize(),
            [
                (pattern, f"{unit} {PATTERNS[pattern] or 'on the day of the start date'}")
                for pattern in patterns
            ],
        )
        for unit, patterns in groupby(PATTERNS, _unit)
    ]


_GROUPS = _groups()


def _groups_of_region() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the patterns, with the days of the week as they begin in the region."""
    first = current_region().first_weekday
    found = []
    for unit, options in _GROUPS:
        days = [option for option in options if option[0].startswith("FREQ=WEEKLY;")]
        others = [option for option in options if option not in days]
        found.append((unit, [*others, *days[first:], *days[:first]]))
    return found


@dataclass(frozen=True)
class RepeatsControl(Control):
    """every: 2 for every second week and so on. other: a rule that is none of the choices.

    stored: the rule that the form was opened with, which a form sent unchanged keeps.
    """

    groups: list[tuple[str, list[tuple[str, str]]]]
    every: int
    other: str
    stored: str


def with_repeats(controls: Iterable[Control]) -> list[Control]:
    """Put this control in the place of the rule's."""
    return [_repeats(control) if control.name == RULE else control for control in controls]


def _repeats(control: Control) -> RepeatsControl:
    found = parse_repetition(control.text)
    chosen = found.pattern if found else OTHER if control.text else ""
    given = {
        **vars(control),
        "label": "Repeats",
        "kind": "repeats",
        "hint": "Starting with the start date.",
        "chosen": frozenset([chosen]),
    }
    return RepeatsControl(
        **given,
        groups=_groups_of_region(),
        every=found.every if found else 1,
        other="" if found else control.text,
        stored=control.text,
    )


def with_rule(texts: Mapping[str, str], sent: MultiDict) -> dict[str, str]:
    """Return the texts of a form that was sent, with the rule that its choices make."""
    pattern = texts.get(RULE, "")
    rule = str(sent.get(_OTHER_RULE, "")) if pattern == OTHER else pattern
    if pattern in PATTERNS:
        every, stored = str(sent.get(_EVERY, "")).strip() or "1", str(sent.get(_STORED, ""))
        frequency, semicolon, days = pattern.partition(";")
        rule = f"{frequency};INTERVAL={every}{semicolon}{days}"
        if found := parse_repetition(rule):
            rule = stored if found == parse_repetition(stored) else found.rule
    return {**texts, RULE: rule}


def next_dates(order: Row, today: int) -> list[int]:
    """Return the next days on which a standing order is due."""
    schedule = schedule_of(order[RULE], order["startDate"], today)
    return [] if schedule is None else list(islice(schedule.days(), _NEXT_DATES))
