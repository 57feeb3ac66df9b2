"""The control that chooses how often a standing order repeats."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby

from webob.multidict import MultiDict

from finance_api.planning.recurrence import MAX_COUNT, RuleError, check_rule
from finance_api.planning.repetition import (
    PATTERNS,
    parse_repetition,
    split_rule,
    unit_of,
    until_of,
)
from finance_api.values.regions import Region
from finance_api.values.text import counted_text, in_region, message
from finance_api.values.time import date_text, parse_date
from finance_api.values.written import WrittenRefused, parse_day
from finance_api.web.forms import Control, FormFaults

RULE = "recurrenceRule"
#: The choice for a rule that fits no pattern.
OTHER = "other"
_EVERY, _OTHER_RULE, _STORED = "repeats-every", "repeats-other", "repeats-stored"
_END = "repeats-end"
#: Part of a rule that ends it -> the field for its value.
_ENDS = {"UNTIL": "repeats-until", "COUNT": "repeats-count"}
_EXAMPLE_DAY = parse_date("2026-12-31")


def _groups(first: int) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the patterns by unit: ``Month`` -> ``month on the 3rd``. first: the first weekday."""
    found = []
    for unit, patterns in groupby(PATTERNS, unit_of):
        words = {each: PATTERNS[each] or "on the day of the start date" for each in patterns}
        days = [pattern for pattern in words if pattern.startswith("FREQ=WEEKLY;")]
        others = [pattern for pattern in words if pattern not in days]
        ordered = [*others, *days[first:], *days[:first]]
        found.append((unit.capitalize(), [(each, f"{unit} {words[each]}") for each in ordered]))
    return found


@dataclass(frozen=True)
class RepeatsControl(Control):
    """The control for a rule. every: 2 for every second week and so on. other: a rule that fits no
    choice. end: UNTIL, COUNT or "". until, count: the texts in the fields of the ends. Refused
    texts stay as typed. stored: the rule that the form was opened with; a form sent unchanged
    keeps it.
    """

    groups: list[tuple[str, list[tuple[str, str]]]]
    every: str
    end: str
    until: str
    count: str
    other: str
    stored: str


def with_repeats(controls: Iterable[Control], region: Region) -> list[Control]:
    """Replace the control of the rule with a `RepeatsControl`."""
    return [_repeats(each, region) if each.name == RULE else each for each in controls]


def _repeats(control: Control, region: Region) -> RepeatsControl:
    pattern, choices = split_rule(control.text)
    chosen = pattern or (OTHER if control.text else "")
    until = choices.get("UNTIL", "")
    last = until_of(until)
    given = {
        **vars(control),
        "label": "Repeats",
        "kind": "repeats",
        "hint": "Starting with the start date.",
        "chosen": frozenset([chosen]),
    }
    return RepeatsControl(
        **given,
        groups=_groups(region.first_weekday),
        every=choices.get("INTERVAL", "1"),
        end=next((end for end in _ENDS if end in choices), ""),
        until=until if last is None else date_text(last),
        count=choices.get("COUNT", ""),
        other="" if pattern else control.text,
        stored=control.text,
    )


def with_rule(texts: Mapping[str, str], sent: MultiDict, region: Region) -> dict[str, str]:
    """Return the texts of a form that was sent, with the rule that its choices make.

    Searches for a day of the rule before the write lock is taken. The result is kept, so that the
    check of the change under the lock takes no time.
    """
    pattern = texts.get(RULE, "")
    rule = str(sent.get(_OTHER_RULE, "")) if pattern == OTHER else pattern
    if pattern in PATTERNS:
        every, stored = str(sent.get(_EVERY, "")).strip() or "1", str(sent.get(_STORED, ""))
        frequency, semicolon, days = pattern.partition(";")
        rule = f"{frequency};INTERVAL={every}{semicolon}{days}{_end(sent, stored, region)}"
        if found := parse_repetition(rule):
            rule = stored if found == parse_repetition(stored) else found.rule
    with suppress(WrittenRefused, RuleError):
        check_rule(rule, parse_day(texts["startDate"], region))
    return {**texts, RULE: rule}


def _end(sent: MultiDict, stored: str, region: Region) -> str:
    """Return the part of the rule that ends it; "" if the rule has no end."""
    typed = {end: str(sent.get(name, "")).strip() for end, name in _ENDS.items()}
    chosen = str(sent.get(_END, ""))
    if not chosen and not split_rule(stored)[1].keys() & _ENDS:
        # If the rule had no end, filling in the field of an end also chooses this end.
        chosen = next((end for end, text in typed.items() if text), "")
    if chosen not in typed:
        return ""
    text = typed[chosen]
    if chosen == "UNTIL":
        with suppress(WrittenRefused):
            text = date_text(parse_day(text, region)).replace("-", "")
    return f";{chosen}={text}"


def check_end(rule: str, start: int | None, region: Region) -> None:
    """Check the end of a rule that the form can show. Raises FormFaults."""
    pattern, choices = split_rule(rule)
    fault = None
    if pattern is None:
        return
    if "UNTIL" in choices:
        until = until_of(choices["UNTIL"])
        if until is None:
            example = region.day(_EXAMPLE_DAY)
            fault = f"The last day is missing or not a day such as {example}."
        elif start is not None and until < start:
            fault = "The last day is before the start date, so nothing would ever be due."
    elif "COUNT" in choices and parse_repetition(f"{pattern};COUNT={choices['COUNT']}") is None:
        fault = f"The number of times must be from 1 to {region.count(MAX_COUNT)}."
    if fault:
        raise FormFaults({RULE: fault})


def rule_words(rule: str, region: Region) -> str:
    """Return ``every month on the 3rd, until 31 Dec 2026``; the rule if the form cannot show it."""
    found = parse_repetition(rule)
    if found is None:
        return rule
    if found.until is not None:
        return f"{found.words}, until {region.day(found.until)}"
    if found.times is None:
        return found.words
    return in_region(message(f"{found.words}, {counted_text(found.times, 'time')}"), region)
