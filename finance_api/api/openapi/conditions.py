"""JSON Schemas of the conditions of a query string. A text is accepted if it matches the pattern;
see docs/filters.md."""

import re
from collections.abc import Sequence

from finance_api.api.openapi.schemas import Schema, one_or_more
from finance_api.query import patterns
from finance_api.query.errors import MAX_OPERAND_CHARACTERS
from finance_api.query.kinds import operands_of
from finance_api.query.operators import Operator, operators_of
from finance_api.query.parse import MAX_CONDITIONS, prefixes
from finance_api.query.patterns import DROPPED
from finance_api.query.words import MAX_WORDS
from finance_api.resources.field import Field, Kind
from finance_api.resources.records import WORDS

#: Operands without a prefix.
DECIMAL_PATTERN = f"^{patterns.DECIMAL}$"
TIME_SPAN_PATTERN = f"^{patterns.TIME_SPAN}$"
WHOLE_DAYS_PATTERN = f"^{patterns.WHOLE_DAYS}$"
TEXT_PATTERN = f"^{patterns.TEXT}$"
_SPACES = "\t\n \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_OR = rf"O[{DROPPED}]*R[{DROPPED}]*"
_WORD = rf'(?!{_OR}([{_SPACES}]|$))[^"\x00{DROPPED}{_SPACES}][^"\x00{_SPACES}]*'
_PHRASE = rf'"[{DROPPED}{_SPACES}]*[^"\x00{DROPPED}{_SPACES}][^"\x00]*"[{DROPPED}]*'
_TERM = f"({_WORD}|{_PHRASE})"
_BETWEEN_WORDS = rf"[{DROPPED}{_SPACES}]*"
#: The schema of the texts that `parse_words` accepts.
WORDS_SCHEMA: Schema = {
    "type": "string",
    "pattern": rf"^{_BETWEEN_WORDS}{_TERM}([{_SPACES}]{_BETWEEN_WORDS}"
    rf"({_OR}[{_SPACES}]{_BETWEEN_WORDS})?{_TERM})"
    rf"{{0,{MAX_WORDS - 1}}}([{_SPACES}]{_BETWEEN_WORDS})?$",
    "maxLength": MAX_OPERAND_CHARACTERS,
    "examples": [WORDS.example],
}


def of_conditions(field: Field, operators: Sequence[Operator], *, is_plain: bool = False) -> Schema:
    """Return the schema of conditions on the field. is_plain: no relative dates and no abs."""
    example = field.example[0] if field.kind.is_list else field.example
    text = str(example).lower() if field.kind is Kind.BOOLEAN else str(example)
    condition = {"type": "string", "pattern": _pattern(field, operators, is_plain=is_plain)}
    operands = operands_of(field)
    given = [text if operands.is_bare else operands.usual.value.word + text]
    return one_or_more(condition, given, maxItems=MAX_CONDITIONS)


def conditions_meaning(
    field: Field, operators: Sequence[Operator], *, is_plain: bool = False
) -> str:
    """Describe the field, and how a condition on it begins."""
    words = [word for word in prefixes(field, operators) if not is_plain or word != "abs."]
    return (
        f"{field.meaning} It takes {', '.join(f'`{word}`' for word in words)}; "
        "if repeated, all must hold."
    )


def _pattern(field: Field, operators: Sequence[Operator], *, is_plain: bool) -> str:
    operands = operands_of(field)
    comparing = [operator for operator in operators if not operator.is_null_test]
    nulls = [rf"|{re.escape(o.prefix)}" for o in operators if o.is_null_test]
    one = f"({operands.pattern(field, comparing, is_plain=is_plain)}{''.join(nulls)})"
    # A schema cannot limit the number of conditions between commas.
    return f"^{patterns.comma_separated(one) if operands.has_several else one}$"


def having_pattern(columns: Sequence[Field]) -> str:
    """Return the pattern of a condition on one of these columns: its name, then as in a filter."""
    names: dict[str, list[str]] = {}
    for column in columns:
        pattern = _pattern(column, operators_of(column), is_plain=False)
        names.setdefault(pattern[1:-1], []).append(column.name)
    some = [rf"({'|'.join(those)})\.{pattern}" for pattern, those in names.items()]
    return f"^({'|'.join(some)})$"
