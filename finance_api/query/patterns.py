"""Regular expressions of operands, for schemas; see docs/filters.md."""

from datetime import date

from finance_api.query.errors import MAX_OPERAND_CHARACTERS
from finance_api.query.model import RELATIVE_DATES

# A "+" may arrive as a space. All of it has at most `MAX_OPERAND_CHARACTERS`.
DECIMAL = r"[+ -]?([0-9]{1,255}|[0-9]{1,127}\.[0-9]{1,127}|[0-9]{1,15}\.[0-9]{1,239})"
_YEAR = "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
_LEAP_YEAR = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)"
_LAST_DAYS = "(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31"
_CALENDAR_DAY = (
    f"({_YEAR}-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|{_LAST_DAYS})|{_LEAP_YEAR}-02-29)"
)
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_OFFSET = f"([Zz]|[+ -]{_CLOCK})"
_TIME = rf"[Tt]{_CLOCK}(:[0-5][0-9](\.[0-9]{{1,30}})?)?{_OFFSET}?"
#: The first two digits of the years from 2000 to 2099, from 2100 to 2199 and so on; the calendar
#: repeats after 400 years.
_CENTURIES = {
    2000: "([02468][048]|[13579][26])",
    2100: "([02468][159]|[13579][37])",
    2200: "([02468][26]|[13579][048])",
    2300: "([02468][37]|[13579][159])",
}


def _years_with_week_53() -> str:
    parts = []
    for first, century in _CENTURIES.items():
        # 28 December is always in the last week of its year.
        weeks = [date(first + year, 12, 28).isocalendar().week for year in range(100)]
        years = [f"{year:02}" for year, week in enumerate(weeks) if week == 53]
        parts.append(f"{century}({'|'.join(years)})")
    return f"({'|'.join(parts)})"


_PERIOD = (
    f"({_YEAR}(-(0[1-9]|1[0-2]|Q[1-4]|W(0[1-9]|[1-4][0-9]|5[0-2])))?|{_years_with_week_53()}-W53)"
)
TIME_SPAN = f"({_PERIOD}|{_CALENDAR_DAY}({_TIME})?)"
_DAYS_AWAY = "([0-9]{1,4}|[12][0-9]{4}|3[0-5][0-9]{3}|36[0-4][0-9]{2}|365[01][0-9]|3652[0-5])d"
_MONTHS_AWAY = "([0-9]{1,3}|1[01][0-9]{2}|1200)m"
_AWAY = f"({_DAYS_AWAY}|{_MONTHS_AWAY}|([0-9]{{1,2}}|100)y)"
PAST_DATE = f"({'|'.join(n for n, date in RELATIVE_DATES.items() if not date.is_ahead)}|-{_AWAY})"
RELATIVE_DATE = f"({'|'.join(RELATIVE_DATES)}|[+ -]{_AWAY})"
WHOLE_DAYS = f"({RELATIVE_DATE}|{TIME_SPAN})"
DAYS_BETWEEN = f"({WHOLE_DAYS}|{TIME_SPAN}/{TIME_SPAN})"

#: Characters that are removed from texts; NUL is refused.
DROPPED = r"\x01-\x08\x0b-\x1f\x7f-\x9f"
TEXT = rf"[^\x00]{{0,{MAX_OPERAND_CHARACTERS}}}"
#: Text that starts with a character that is not removed.
SOME_TEXT = rf"[^\x00{DROPPED}][^\x00]{{0,{MAX_OPERAND_CHARACTERS - 1}}}"
# No length limit here: a repetition inside a repetition makes validators use gigabytes.
_LISTED = rf"([^,\\\x00{DROPPED}]|\\[{DROPPED}]*[,\\])"
LISTED_TEXT = rf"{_LISTED}({_LISTED}|[{DROPPED}])*"


def comma_separated(one: str) -> str:
    return f"{one}(,{one})*"
