"""The parameters of Wallet's lists, and the conditions on our fields that they stand for.

`filters` makes most of them from the kind of a field; the others have functions of their own.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from finance_api.api import parameters as public
from finance_api.api.freshness import DAY, NOTHING, RATES
from finance_api.api.openapi.conditions import TEXT_PATTERN
from finance_api.api.openapi.schemas import Schema, of_names, one_or_more
from finance_api.api.parameters import Conditions, Listed, Scalar, parameter
from finance_api.api.validation import Parameter, Parameters, ParameterSchema
from finance_api.query import kinds
from finance_api.query.dates import parse_moments
from finance_api.query.errors import QueryError, quoted
from finance_api.query.model import Condition, SortKey, either
from finance_api.query.operators import RANGES, Operator, operators_of
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, PUBLIC_RESOURCES, RECORDS
from finance_api.resources.common import EXAMPLE_ID
from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import Field, Kind, Resource
from finance_api.values.ids import are_ids
from finance_api.wallet.shapes import TIMES, pairs

MAX_LIMIT = 200

#: Wallet's names of types.
TYPES = {each: each.model_type[0].lower() + each.model_type[1:] for each in PUBLIC_RESOURCES}
_IDS = re.compile(r"[a-zA-Z0-9_-]+(,[a-zA-Z0-9_-]+)*")
_ID: Schema = {"type": "string", "pattern": "^[a-zA-Z0-9_-]+$"}
_BOOLEAN: Schema = {"type": "boolean", "examples": [True]}
_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")

#: Asks for rows without a category. Wallet marks such rows with categories of its own, which
#: imported data may contain.
UNKNOWN = "unknown"
UNKNOWN_CATEGORIES = (
    "5c5c32c8-0082-8000-8000-000000000000",
    "5c5c32c9-0082-8000-8000-000000000000",
    "5c5c4e23-00c8-8000-8000-000000000000",
)
#: The parameters that ignore case; and the choices that only Wallet has, by parameter.
_ANY_CASE = ("accountType", "currencyCode")
_WALLETS_OWN = {"recordState": ("waitForAssign",), "type": ("BUDGET_ALL",)}

#: The value of a filter.
Conditioned = tuple[Condition, ...]


# -- filters by a field ------------------------------------------------------------------------


class Compared(Conditions):
    """Conditions on a text, number or date, with the prefixes that Wallet has.

    further: conditions that a row must also meet.
    """

    def __init__(self, field: Field, *further: Condition) -> None:
        operators = [operator for operator in operators_of(field) if operator in _COMPARED]
        super().__init__(field, operators, is_plain=True)
        self._words = tuple([operator.value.word for operator in operators])
        self._has_several = kinds.operands_of(field).has_several
        self._is_time = field.kind in (Kind.DATE, Kind.DATETIME)
        self._further = further

    def read(self, texts: Sequence[str]) -> Conditioned:
        # Checked first, because the public API's errors would name prefixes that Wallet lacks.
        for text in ",".join(texts).split(",") if self._has_several else texts:
            if not text.startswith(self._words):
                raise QueryError(f"{quoted(text)} has none of the prefixes {' '.join(self._words)}")
            if self._is_time:
                # Refuses relative dates.
                parse_moments(text.partition(".")[2])
        return (*super().read(texts), *self._further)


_COMPARED = (*RANGES, Operator.CONTAINS, Operator.CONTAINS_I)


def filter_by(field: Field, name: str) -> Parameter:
    match field.kind:
        case Kind.ID | Kind.ID_LIST:
            return ids_filter(field, name)
        case Kind.CHOICE:
            return _choice(field, name)
        case Kind.BOOLEAN:
            kind = Scalar(lambda text: (Condition(field, Operator.EQ, _flag(text)),), _BOOLEAN)
            return parameter(name, kind, field.meaning)
        case _:
            compared = Compared(field)
            return parameter(name, compared, compared.meaning, validator=public.few_conditions)


def ids_filter(field: Field, name: str, most: int = kinds.MAX_LIST_OPERANDS) -> Parameter:
    kind = Listed(lambda text: (with_ids(field, parse_ids(most, text)),), ids_schema(most))
    return parameter(name, kind, field.meaning)


def _choice(field: Field, name: str) -> Parameter:
    def conditions(words: list[str]) -> Conditioned:
        return (Condition(field, Operator.ANY_OF, tuple(sorted({*words}))),)

    choices = (*field.choices, *_WALLETS_OWN.get(name, ()))
    return words_filter(name, choices, field.meaning, choices[0], conditions)


def words_filter(
    name: str, known: Sequence[str], meaning: str, example: str, make: Callable[[list[str]], Any]
) -> Parameter:
    """Make a parameter that takes comma-separated known words. make: makes its value of them."""
    any_case = name in _ANY_CASE
    meaning = f"{meaning} Upper and lower case are equal." if any_case else meaning
    by_key = {word.lower(): word for word in known} if any_case else {}

    def parse(text: str) -> Any:
        words = [by_key.get(word.lower(), word) for word in text.split(",")]
        return make(kinds.known_words(known, words))

    return parameter(name, Listed(parse, of_names(known, [example])), meaning)


def by_category(field: Field) -> Parameter:
    def parse(text: str) -> Conditioned:
        ids = parse_ids(kinds.MAX_LIST_OPERANDS, text)
        if UNKNOWN not in ids:
            return (with_ids(field, ids),)
        # A row with an empty list of categories means all categories, not unknown ones.
        unknown = with_ids(field, [*ids, *UNKNOWN_CATEGORIES])
        if field.kind.is_list:
            return (unknown,)
        return (either(field, [unknown, Condition(field, Operator.IS_NULL)]),)

    kind = Listed(parse, ids_schema(kinds.MAX_LIST_OPERANDS, UNKNOWN))
    return parameter("categoryId", kind, f"{field.meaning} {UNKNOWN}: rows without a category.")


def is_given(name: str, field: Field) -> Parameter:
    operators = {True: Operator.NOT_NULL, False: Operator.IS_NULL}
    kind = Scalar(lambda text: (Condition(field, operators[_flag(text)]),), _BOOLEAN)
    return parameter(name, kind, f"Whether to return rows with or without {field.name}.")


def exact(field: Field) -> Parameter:
    """Make the filter by an exact text, which is written without a prefix."""
    schema = {"type": "string", "pattern": TEXT_PATTERN, "examples": [field.example]}
    kind = Scalar(lambda text: parse_conditions(field, f"{Operator.EQ.value.word}{text}"), schema)
    return parameter(field.name, kind, field.meaning)


def party(name: str, record_type: str) -> Parameter:
    """Make the filter by the payee of an expense, or the payer of an income."""
    has_type = Condition(RECORDS["recordType"], Operator.ANY_OF, (record_type,))
    kind = Compared(RECORDS["payee"], has_type)
    meaning = f"Only for {record_type}. {kind.meaning}"
    return parameter(name, kind, meaning, validator=public.few_conditions)


def with_ids(field: Field, ids: Sequence[str]) -> Condition:
    """Return the condition that the field has one of the ids. A malformed id matches no row."""
    known = {text.lower() for text in ids if are_ids(text)}
    return Condition(field, Operator.ANY_OF, tuple(sorted(known)))


def ids_schema(most: int, example: str = EXAMPLE_ID) -> Schema:
    return one_or_more(_ID, [example], maxItems=most)


def parse_ids(most: int, text: str) -> list[str]:
    """Parse comma-separated ids, well-formed or not. Raises QueryError."""
    if not _IDS.fullmatch(text):
        raise QueryError(f"{quoted(text)} is not a list of ids")
    ids = text.split(",")
    if len(ids) > most:
        raise QueryError(f"must be at most {most} ids")
    return list(dict.fromkeys(ids))


def _flag(text: str) -> bool:
    """Parse a boolean in any case: Python clients send True. Raises QueryError."""
    folded = text.lower()
    return kinds.parse_boolean(folded if folded in ("true", "false") else text)


# -- other parameters --------------------------------------------------------------------------

#: Rows of records are selected by `records.from_sources`.
SOURCE = words_filter(
    "source",
    ("android", "ios", "web", "rest", "mcp", "backend", "missing"),
    "Where records come from: backend for statement files, missing for all others.",
    "missing",
    tuple,
)
#: The members of categories have this value, and no other.
CARDINALITY = words_filter(
    "cardinality",
    ("none", "must", "need", "want"),
    "Always none here.",
    "none",
    lambda words: () if "none" in words else (with_ids(CATEGORIES["id"], []),),
)
_TARGETS = ("base", "account", *CURRENCIES)


def _target(text: str) -> str:
    target = text if text in _TARGETS else text.upper()
    if target not in _TARGETS:
        raise QueryError(f"{quoted(text)} is not a currency code, base or account")
    return target


CONVERT_TO = parameter(
    "convertTo",
    Scalar(_target, {"type": "string", "enum": list(_TARGETS), "examples": ["base"]}),
    "The currency that amounts are converted to, by imported rates; upper and lower case are "
    "equal. base: the currency of most accounts; account: the currency of the record's account.",
    None,
    (RATES,),
)

#: Word -> number of past periods to show besides the current one; None: show no period.
_SPENDING = {"none": None, "current": 0, **{f"current+{n}": n for n in (2, 5, 10, 25)}}


SPENDING = parameter(
    "spending",
    Scalar(
        # A bare "+" arrives as a space.
        lambda text: _SPENDING[kinds.parse_one_of(list(_SPENDING), text.replace(" ", "+"))],
        {"type": "string", "enum": list(_SPENDING), "examples": ["current+2"]},
    ),
    "Adds what was spent in the current period, and in a number of past periods.",
    None,
)


@dataclass(frozen=True, slots=True)
class RelatedTo:
    """The value of a parameter that selects the rows whose ids are in a row of another resource.

    resource, row_id: the other row. field: its field with the ids. empty_is_all: whether all rows
    match if this field is empty.
    """

    resource: Resource
    field: str
    empty_is_all: bool
    row_id: str


def related(name: str, field: str, *, empty_is_all: bool = False) -> Parameter:
    """Make the filter by an object of another resource, such as ``budgetId``."""
    (resource,) = (each for each, word in TYPES.items() if f"{word}Id" == name)

    def parse(text: str) -> RelatedTo:
        return RelatedTo(resource, field, empty_is_all, *parse_ids(1, text))

    meaning = (
        f"Only rows that this object refers to, given by its id among {resource.name}; needs the "
        f"scope {resource.path}."
    )
    return parameter(name, Scalar(parse, {**_ID, "examples": [EXAMPLE_ID]}), meaning, None)


# -- parameters of every list ------------------------------------------------------------------


def _integer(text: str, low: int, high: int) -> int:
    if not _INTEGER.fullmatch(text):
        raise QueryError("must be a whole number")
    if not low <= int(text) <= high:
        raise QueryError(f"must be at {f'most {high}' if int(text) > high else f'least {low}'}")
    return int(text)


#: Accepted everywhere, even where they have no effect.
COMMON = (
    *public.page(MAX_LIMIT, parse=_integer),
    public.flag("agentHints", "Whether the response includes hints for AI agents.", _flag),
    public.flag("withTotal", "Whether to also count all rows that match.", _flag),
)


#: How a field to sort by is written, and whether it is descending. A bare "+" arrives as a space.
_SORTS = {"{}": False, "+{}": False, " {}": False, "-{}": True, "{},asc": False, "{},desc": True}


def sorted_by(resource: Resource, *names: str) -> Parameter:
    keys = {
        form.format(name): (SortKey(resource[name], is_descending),)
        for name in names
        for form, is_descending in _SORTS.items()
    }

    def parse(text: str) -> tuple[SortKey, ...]:
        if text not in keys:
            known = ", ".join(names)
            raise QueryError(f"{quoted(text)} is not one of {known}, with + or - before it")
        return keys[text]

    either = "|".join(names)
    pattern = f"^([+ -]?({either})|({either}),(asc|desc))$"
    schema = {"type": "string", "pattern": pattern, "examples": [f"-{names[0]}"]}
    missing = parse_sort(resource, resource.default_sort)
    return parameter("sortBy", Scalar(parse, schema), public.SORT_MEANING, missing)


class ListSchema(ParameterSchema):
    """The parameters of a list: filters by fields, its order, and others.

    names: the fields to filter by; ``counterParty=payee`` filters by our field payee.
    """

    def __init__(
        self, resource: Resource, names: str, *more: Parameter, sorts: Sequence[str] = ()
    ) -> None:
        fields = pairs(f"id {TIMES} {names}")
        filters = [filter_by(resource[ours], name) for name, ours in fields]
        super().__init__(*COMMON, *filters, sorted_by(resource, *sorts, *TIMES.split()), *more)
        self.resource = resource
        # Computed fields change by the day.
        self.varies_with = (DAY,) if resource.computed_fields else NOTHING

    def is_cheap(self, values: Parameters) -> bool:
        has_more = any(values.get(name) for name in ("convertTo", "source"))
        is_plain = self.resource not in (ACCOUNTS, BUDGETS) and not has_more
        return is_plain and values.query(self.resource).is_cheap


class IdsSchema(ParameterSchema):
    """The required parameter ``id``, and the `COMMON` parameters."""

    varies_with = NOTHING

    def __init__(self, most: int) -> None:
        wanted, ids = f"1 to {most} ids", Listed(partial(parse_ids, most), ids_schema(most))
        super().__init__(*COMMON, public.required("id", ids, wanted, f"{wanted}."))
