"""JSON Schemas of the conditions of a query string. A text is accepted if it matches the pattern;
see docs/filters.md."""

from collections.abc import Sequence

from finance_api.api.openapi.schemas import Schema, one_or_more
from finance_api.query.errors import MAX_OPERAND_CHARACTERS
from finance_api.query.model import RANGES, RELATIVE_DATES, Operator
from finance_api.query.parse import MAX_CONDITIONS
from finance_api.query.words import MAX_WORDS
from finance_api.resources.field import Field, Kind
from finance_api.resources.records import WORDS
from finance_api.values.ids import FORM

# A "+" may arrive as a space. All of it has at most `MAX_OPERAND_CHARACTERS`.
_DECIMAL = r"[+ -]?([0-9]{1,255}|[0-9]{1,127}\.[0-9]{1,127}|[0-9]{1,15}\.[0-9]{1,239})"
_YEAR = "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
_LEAP_YEAR = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)"
_LAST_DAYS = "(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31"
_CALENDAR_DAY = (
    f"({_YEAR}-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|{_LAST_DAYS})|{_LEAP_YEAR}-02-29)"
)
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_OFFSET = f"([Zz]|[+ -]{_CLOCK})"
_TIME = rf"[Tt]{_CLOCK}(:[0-5][0-9](\.[0-9]{{1,30}})?)?{_OFFSET}?"
_TIME_SPAN = f"({_YEAR}(-(0[1-9]|1[0-2]))?|{_CALENDAR_DAY}({_TIME})?)"
_DAYS_BACK = "([0-9]{1,4}|[12][0-9]{4}|3[0-5][0-9]{3}|36[0-4][0-9]{2}|365[01][0-9]|3652[0-5])d"
_MONTHS_BACK = "([0-9]{1,3}|1[01][0-9]{2}|1200)m"
_RELATIVE_DATE = f"({'|'.join(RELATIVE_DATES)}|-({_DAYS_BACK}|{_MONTHS_BACK}|([0-9]{{1,2}}|100)y))"
#: Operands without a prefix.
DECIMAL_PATTERN = f"^{_DECIMAL}$"
TIME_SPAN_PATTERN = f"^{_TIME_SPAN}$"
WHOLE_DAYS_PATTERN = f"^({_RELATIVE_DATE}|{_YEAR}(-(0[1-9]|1[0-2]))?|{_CALENDAR_DAY}({_TIME})?)$"

#: Characters that are removed from texts; NUL is refused.
_DROPPED = r"\x01-\x08\x0b-\x1f\x7f-\x9f"
_TEXT = rf"[^\x00]{{0,{MAX_OPERAND_CHARACTERS}}}"
TEXT_PATTERN = f"^{_TEXT}$"
#: Text that starts with a character that is not removed.
_SOME_TEXT = rf"[^\x00{_DROPPED}][^\x00]{{0,{MAX_OPERAND_CHARACTERS - 1}}}"
# No length limit here: a repetition inside a repetition makes validators use gigabytes.
_LISTED = rf"([^,\\\x00{_DROPPED}]|\\[{_DROPPED}]*[,\\])"
_LISTED_TEXT = rf"{_LISTED}({_LISTED}|[{_DROPPED}])*"
_SPACES = "\t\n \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WORD = rf'[^"\x00{_DROPPED}{_SPACES}][^"\x00{_SPACES}]*'
_PHRASE = rf'"[{_DROPPED}{_SPACES}]*[^"\x00{_DROPPED}{_SPACES}][^"\x00]*"[{_DROPPED}]*'
_TERM = f"({_WORD}|{_PHRASE})"
_BETWEEN_WORDS = rf"[{_DROPPED}{_SPACES}]*"
#: The schema of the texts that `parse_words` accepts.
WORDS_SCHEMA: Schema = {
    "type": "string",
    "pattern": rf"^{_BETWEEN_WORDS}{_TERM}([{_SPACES}]{_BETWEEN_WORDS}{_TERM})"
    rf"{{0,{MAX_WORDS - 1}}}([{_SPACES}]{_BETWEEN_WORDS})?$",
    "maxLength": MAX_OPERAND_CHARACTERS,
    "examples": [WORDS.example],
}
_BOOLEAN = "(true|false)"
#: The prefix of an example condition on a field of each kind.
_EXAMPLE_PREFIXES = {
    Kind.TEXT: "contains-i.",
    Kind.TEXT_LIST: "eq.",
    Kind.NUMBER: "gte.",
    Kind.DATE: "gte.",
    Kind.DATETIME: "gte.",
}


def of_conditions(field: Field, operators: Sequence[Operator], *, is_plain: bool = False) -> Schema:
    """Return the schema of conditions on the field. is_plain: no relative dates and no abs."""
    example = field.example[0] if field.kind.is_list else field.example
    text = str(example).lower() if field.kind is Kind.BOOLEAN else str(example)
    condition = {"type": "string", "pattern": _pattern(field, operators, is_plain=is_plain)}
    given = [_EXAMPLE_PREFIXES.get(field.kind, "") + text]
    return one_or_more(condition, given, maxItems=MAX_CONDITIONS)


def conditions_meaning(
    field: Field, operators: Sequence[Operator], *, is_plain: bool = False
) -> str:
    """Describe the field, and how a condition on it begins."""
    words = [o.value if o.value.startswith("is.") else f"{o.value}." for o in operators]
    words += ["abs."] if field.kind is Kind.NUMBER and not is_plain else []
    return (
        f"{field.meaning} It takes {', '.join(f'`{word}`' for word in words)}; "
        "if repeated, all must hold."
    )


def _pattern(field: Field, operators: Sequence[Operator], *, is_plain: bool) -> str:
    values = [o.value for o in operators if not o.value.startswith("is.")]
    prefixes = "|".join(values)
    match field.kind:
        case Kind.TEXT | Kind.TEXT_LIST:
            found = _text_pattern(values)
        case Kind.NUMBER:
            absolute = "" if is_plain else r"(abs\.)?"
            return _several(rf"{absolute}({prefixes})\.{_DECIMAL}", operators)
        case Kind.DATE | Kind.DATETIME:
            day = _TIME_SPAN if is_plain else f"({_RELATIVE_DATE}|{_TIME_SPAN})"
            return _several(rf"({prefixes})\.{day}", operators)
        case _:
            one = _bare_pattern(field)
            found = rf"(({prefixes})\.)?{one}" + ("" if one == _BOOLEAN else _more(one))
    return f"^({found}{_nulls(operators)})$"


def _several(one: str, operators: Sequence[Operator]) -> str:
    """Return the pattern of conditions between commas. A schema cannot limit their number."""
    one = f"({one}{_nulls(operators)})"
    return f"^{one}{_more(one)}$"


def _nulls(operators: Sequence[Operator]) -> str:
    return r"|is\.null|is\.not_null" if Operator.IS_NULL in operators else ""


def having_pattern(columns: Sequence[Field]) -> str:
    """Return the pattern of a condition on one of these columns, all of which are numbers."""
    prefixes = "|".join(operator.value for operator in (*RANGES, Operator.NE))
    names = [column.name for column in columns]
    nullable = [column.name for column in columns if column.can_be_missing]
    one = rf"(abs\.)?({prefixes})\.{_DECIMAL}"
    null = r"is\.(null|not_null)"
    number = rf"({'|'.join(names)})\.{one}{_more(f'({one})')}"
    some = f"({one}|{null})"
    return rf"^({number}|({'|'.join(nullable)})\.{some}{_more(some)})$"


def _text_pattern(values: Sequence[str]) -> str:
    """Return the pattern of conditions on a text. Only the operand of eq or ne may be empty."""
    any_of = Operator.ANY_OF.value
    empty = [v for v in values if v in (Operator.EQ.value, Operator.NE.value)]
    found = rf"({'|'.join(v for v in values if v not in (any_of, *empty))})\.{_SOME_TEXT}"
    if any_of in values:
        found += rf"|{any_of}\.{_LISTED_TEXT}{_more(_LISTED_TEXT)}"
    return found + (rf"|({'|'.join(empty)})\.{_TEXT}" if empty else "")


def _more(one: str) -> str:
    return f"(,{one})*"


def _bare_pattern(field: Field) -> str:
    if field.kind is Kind.BOOLEAN:
        return _BOOLEAN
    return f"({'|'.join(field.choices)})" if field.kind is Kind.CHOICE else FORM
