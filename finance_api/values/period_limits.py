"""Limits of single periods of a budget, each one text: the period's first day, and its limit.

``2026-12-01=450``: rows have them in this form, in the order of the days.
"""

from collections.abc import Iterable, Mapping

from finance_api.values.number import decimal_text
from finance_api.values.time import date_text


def limit_texts(limits: Mapping[int, int]) -> tuple[str, ...]:
    """Return the texts. limits: the limits by the first second of the period."""
    return tuple(f"{date_text(day)}={decimal_text(limits[day])}" for day in sorted(limits))


def split_limits(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the days and the limits of the texts."""
    return [(day, limit) for day, _, limit in (text.partition("=") for text in texts)]
