"""The parameters of Wallet's lists: what each asks of the fields here."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from finance_api.api.openapi.conditions import TEXT_PATTERN
from finance_api.api.openapi.schemas import (
    Schema,
    of_names,
    one_or_more,
)
from finance_api.api.parameters import (
    SORT_MEANING,
    Conditions,
    Listed,
    ParameterKind,
    ParameterSchema,
    Scalar,
)
from finance_api.query.errors import QueryError, quoted
from finance_api.query.model import (
    DEFAULT_LIMIT,
    MAX_OFFSET,
    RANGES,
    Condition,
    Operator,
    RelativeDay,
    SortKey,
    operators_of,
)
from finance_api.query.parse import (
    MAX_LIST_OPERANDS,
    parse_boolean,
    parse_conditions,
    parse_sort,
)
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import Field, Resource
from finance_api.values.ids import IdError, parse_id

MAX_LIMIT = 200
MAX_REFERENCES = 20

_IDS = re.compile(r"[a-zA-Z0-9_-]+(,[a-zA-Z0-9_-]+)*")
_ID: Schema = {"type": "string", "pattern": "^[a-zA-Z0-9_-]+$"}
_BOOLEAN: Schema = {"type": "boolean", "examples": [True]}
_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")

#: Stands for Wallet's own categories of what has no category, which imports of its data may bring.
UNKNOWN = "unknown"
UNKNOWN_CATEGORIES = (
    "5c5c32c8-0082-8000-8000-000000000000",
    "5c5c32c9-0082-8000-8000-000000000000",
    "5c5c4e23-00c8-8000-8000-000000000000",
)


class Compared(Conditions):
    """The conditions on a text, number or date, by the prefixes that Wallet has.

    further: a condition that holds as well.
    """

    def __init__(self, field: Field, *further: Condition) -> None:
        operators = [operator for operator in operators_of(field) if operator in _COMPARED]
        super().__init__(field, operators, is_plain=True)
        self._prefixes = tuple([f"{operator.value}." for operator in operators])
        self._is_text = field.kind.is_text
        self._further = further

    def read(self, texts: Sequence[str]) -> tuple[Condition, ...]:
        # Before the values are read: the public API has more prefixes, and would name them.
        for text in texts:
            for each in [text] if self._is_text else text.split(","):
                if not each.startswith(self._prefixes):
                    known = " ".join(self._prefixes)
                    raise QueryError(f"{quoted(each)} has none of the prefixes {known}")
        found = super().read(texts)
        if any(isinstance(condition.operand, RelativeDay) for condition in found):
            raise QueryError("takes no days that are counted back")
        return (*found, *self._further)


_COMPARED = (*RANGES, Operator.CONTAINS, Operator.CONTAINS_I)


@dataclass(frozen=True, slots=True)
class Parameter:
    """kind: of what makes the value; it is a tuple of conditions, unless something else reads it.

    missing: the value without the parameter.
    """

    name: str
    kind: ParameterKind
    meaning: str
    missing: Any = ()


def ids_schema(most: int, example: str = EXAMPLE_ID) -> Schema:
    return one_or_more(_ID, [example], maxItems=most)


def parse_ids(most: int, text: str) -> list[str]:
    """Ids between commas, which need not be any that there can be. Raises QueryError."""
    if not _IDS.fullmatch(text):
        raise QueryError(f"{quoted(text)} is not a list of ids")
    ids = text.split(",")
    if len(ids) > most:
        raise QueryError(f"must be at most {most} ids")
    return list(dict.fromkeys(ids))


def _boolean(text: str) -> bool:
    """In any case: Python clients send True. Raises QueryError."""
    folded = text.lower()
    return parse_boolean(folded if folded in ("true", "false") else text)


def with_ids(field: Field, ids: Sequence[str], *, or_missing: bool = False) -> Condition:
    """One of the ids; one that cannot be any is nothing's."""
    known = set()
    for text in ids:
        try:
            known.add(parse_id(text))
        except IdError:
            continue
    return Condition(field, Operator.ANY_OF, tuple(sorted(known)), or_missing=or_missing)


def _ids(field: Field, text: str) -> tuple[Condition, ...]:
    return (with_ids(field, parse_ids(MAX_LIST_OPERANDS, text)),)


def _categories(field: Field, text: str) -> tuple[Condition, ...]:
    ids = parse_ids(MAX_LIST_OPERANDS, text)
    if UNKNOWN not in ids:
        return (with_ids(field, ids),)
    # A list of categories that is empty means any, and none of them unknown ones.
    has_one = not field.kind.is_list
    return (with_ids(field, [*ids, *UNKNOWN_CATEGORIES], or_missing=has_one),)


def _choices(
    field: Field, others: tuple[str, ...], any_case: bool, text: str
) -> tuple[Condition, ...]:
    """others: what is known there and nothing has here."""
    known = {c.lower() if any_case else c: c for c in (*field.choices, *others)}
    parts = text.lower().split(",") if any_case else text.split(",")
    unknown = [part for part in parts if part not in known]
    if unknown:
        raise QueryError(f"{quoted(unknown[0])} is not one of {', '.join(known.values())}")
    wanted = {known[part] for part in parts} - set(others)
    return (Condition(field, Operator.ANY_OF, tuple(sorted(wanted))),)


def _flag(field: Field, text: str) -> tuple[Condition, ...]:
    return (Condition(field, Operator.EQ, _boolean(text)),)


def _is_given(field: Field, text: str) -> tuple[Condition, ...]:
    return (Condition(field, Operator.NOT_NULL if _boolean(text) else Operator.IS_NULL),)


def _among(known: Sequence[str], text: str) -> tuple[str, ...]:
    parts = text.split(",")
    unknown = [part for part in parts if part not in known]
    if unknown:
        raise QueryError(f"{quoted(unknown[0])} is not one of {', '.join(known)}")
    return tuple(parts)


def compared(name: str, field: Field) -> Parameter:
    kind = Compared(field)
    return Parameter(name, kind, kind.meaning)


def flag(name: str, field: Field) -> Parameter:
    return Parameter(name, Scalar(partial(_flag, field), _BOOLEAN), field.meaning)


class Declared:
    """Makes the parameters of a resource's list. name: there; field: here, if it differs."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource

    def compared(self, *names: str) -> tuple[Parameter, ...]:
        """Texts and ranges, which have prefixes."""
        return tuple(self.called(name, name) for name in names)

    def called(self, name: str, field: str) -> Parameter:
        return compared(name, self.resource[field])

    def ids(self, name: str, field: str | None = None) -> Parameter:
        found = self.resource[field or name]
        kind = Listed(partial(_ids, found), ids_schema(MAX_LIST_OPERANDS))
        return Parameter(name, kind, found.meaning)

    def categories(self, field: str) -> Parameter:
        found = self.resource[field]
        kind = Listed(partial(_categories, found), ids_schema(MAX_LIST_OPERANDS, UNKNOWN))
        return Parameter("categoryId", kind, f"{found.meaning} {UNKNOWN}: of what has none.")

    def choice(self, name: str, *others: str, any_case: bool = False) -> Parameter:
        found = self.resource[name]
        names = (*found.choices, *others)
        kind = Listed(partial(_choices, found, others, any_case), of_names(names, [names[0]]))
        return Parameter(name, kind, f"{found.meaning}{' In any case.' if any_case else ''}")

    def flag(self, name: str) -> Parameter:
        return flag(name, self.resource[name])

    def is_given(self, name: str, field: str) -> Parameter:
        kind = Scalar(partial(_is_given, self.resource[field]), _BOOLEAN)
        return Parameter(name, kind, f"Whether they have {field}.")

    def exact(self, name: str) -> Parameter:
        """A text without a prefix."""
        found = self.resource[name]
        schema = {"type": "string", "pattern": TEXT_PATTERN, "examples": [found.example]}
        return Parameter(name, Scalar(partial(_exact, found), schema), found.meaning)

    def constant(self, name: str, value: str, *others: str) -> Parameter:
        """Make a parameter for a value that all rows share."""
        known = value, *others
        kind = Listed(partial(self._constant, value, known), of_names(known, [value]))
        return Parameter(name, kind, f"All have {value} here.")

    def _constant(self, value: str, known: Sequence[str], text: str) -> tuple[Condition, ...]:
        return () if value in _among(known, text) else (with_ids(self.resource["id"], []),)

    def party(self, name: str, kind: str) -> Parameter:
        """The payee of an expense, the payer of an income."""
        is_kind = Condition(self.resource["recordType"], Operator.ANY_OF, (kind,))
        party = Compared(self.resource["payee"], is_kind)
        return Parameter(name, party, f"Of {kind} alone. {party.meaning}")


def _exact(field: Field, text: str) -> tuple[Condition, ...]:
    return parse_conditions(field, f"{Operator.EQ.value}.{text}")


#: Values of ``source``. Records here are backend or missing.
SOURCES = ("android", "ios", "web", "rest", "mcp", "backend", "missing")
SOURCE = Parameter(
    "source",
    Listed(partial(_among, SOURCES), of_names(SOURCES, ["missing"])),
    "Where records come from: statement files are backend, all others missing.",
    None,
)

_TO_BASE, _TO_ACCOUNT = "base", "account"


def _target(text: str) -> str:
    code = text.upper()
    if text not in (_TO_BASE, _TO_ACCOUNT) and code not in CURRENCIES:
        raise QueryError(f"{quoted(text)} is not a currency code, {_TO_BASE} or {_TO_ACCOUNT}")
    return text if text in (_TO_BASE, _TO_ACCOUNT) else code


CONVERT_TO = Parameter(
    "convertTo",
    Scalar(
        _target,
        {
            "type": "string",
            "enum": [_TO_BASE, _TO_ACCOUNT, *CURRENCIES],
            "examples": [_TO_BASE],
        },
    ),
    "The currency that amounts are converted to, by imported rates; its code in any case. base: "
    "that of most accounts, account: their own.",
    None,
)

#: The past periods that each asks for; None: no period at all.
_SPENDING = {
    "none": None,
    "current": 0,
    **{f"current+{number}": number for number in (2, 5, 10, 25)},
}


def _spending(text: str) -> int | None:
    # A bare "+" arrives as a space.
    found = text.replace(" ", "+")
    if found not in _SPENDING:
        raise QueryError(f"{quoted(text)} is not one of {', '.join(_SPENDING)}")
    return _SPENDING[found]


SPENDING = Parameter(
    "spending",
    Scalar(_spending, {"type": "string", "enum": list(_SPENDING), "examples": ["current+2"]}),
    "What was spent in the current period and in so many before it.",
    None,
)


@dataclass(frozen=True, slots=True)
class RelatedTo:
    """The value of a parameter with one id of another resource: the rows that it names.

    field: of the other resource, with the ids. empty_is_all: whether an empty field means all rows.
    """

    resource: Resource
    field: str
    empty_is_all: bool
    row_id: str

    def __str__(self) -> str:
        return self.row_id


def related(name: str, resource: Resource, field: str, *, empty_is_all: bool = False) -> Parameter:
    def parse(text: str) -> RelatedTo:
        (row_id,) = parse_ids(1, text)
        return RelatedTo(resource, field, empty_is_all, row_id)

    meaning = f"Those that it names, one of {resource.name}; needs the scope {resource.path}."
    return Parameter(name, Scalar(parse, {**_ID, "examples": [EXAMPLE_ID]}), meaning, None)


# -- schemas -----------------------------------------------------------------------------------


def _integer(low: int, high: int, text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise QueryError("must be a whole number")
    if int(text) > high:
        raise QueryError(f"must be at most {high}")
    if int(text) < low:
        raise QueryError(f"must be at least {low}")
    return int(text)


def _whole(name: str, low: int, high: int, missing: int, meaning: str) -> Parameter:
    schema = {"type": "integer", "minimum": low, "maximum": high, "default": missing}
    kind = Scalar(partial(_integer, low, high), {**schema, "examples": [missing]})
    return Parameter(name, kind, meaning, missing)


def _switch(name: str, meaning: str) -> Parameter:
    return Parameter(name, Scalar(_boolean, {**_BOOLEAN, "default": False}), meaning, False)


#: Parameters of every list, accepted even where they have no effect.
COMMON = (
    _whole("limit", 1, MAX_LIMIT, DEFAULT_LIMIT, "How many rows a page has at most."),
    _whole("offset", 0, MAX_OFFSET, 0, "How many rows come before the page."),
    _switch("agentHints", "Whether the answer says what an agent should know of it."),
    _switch("withTotal", "Whether all rows that match are counted, too."),
)


def _sort(known: Mapping[str, Field], text: str) -> tuple[SortKey, ...]:
    name, comma, direction = text.partition(",")
    if comma and direction in ("asc", "desc"):
        descending = direction == "desc"
    else:
        # A bare "+" arrives as a space.
        name = text[1:] if text.startswith(("+", "-", " ")) else text
        descending = text.startswith("-")
    if name not in known:
        raise QueryError(f"{quoted(text)} is not one of {', '.join(known)}, with + or - before it")
    return (SortKey(known[name], descending),)


def sorted_by(resource: Resource, *names: str) -> Parameter:
    known = {name: resource[name] for name in names}
    missing = parse_sort(resource, resource.default_sort)
    either = "|".join(known)
    pattern = f"^([+ -]?({either})|({either}),(asc|desc))$"
    schema = {"type": "string", "pattern": pattern, "examples": [f"-{names[0]}"]}
    return Parameter("sortBy", Scalar(partial(_sort, known), schema), SORT_MEANING, missing)


def schema_of(parameters: Sequence[Parameter]) -> ParameterSchema:
    schema = ParameterSchema()
    for parameter in parameters:
        schema.add_parameter(parameter.name, parameter.kind, parameter.missing, parameter.meaning)
    return schema


def required_ids(most: int) -> ParameterSchema:
    """``id``, which is required, and what is known everywhere."""
    schema = schema_of(COMMON)
    wanted = f"1 to {most} ids"
    schema.add_required(
        "id", Listed(partial(parse_ids, most), ids_schema(most)), wanted, f"{wanted}."
    )
    return schema
