"""Query parameters as colander schemas, derived from the resources.

The filter grammar itself is in `finance_api.query.parse`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import colander

from finance_api.api.freshness import DAY, NOTHING, RATES, Source
from finance_api.api.openapi import conditions
from finance_api.api.openapi.schemas import CURRENCY, Schema, of_names, of_order
from finance_api.api.validation import Parameter, Parameters, ParameterSchema, VariesWith
from finance_api.planning.answers import REVISION
from finance_api.planning.categories import has_categories
from finance_api.planning.conditions import COUNTED, WITH_SUBCATEGORIES
from finance_api.planning.conversion import CONVERTED
from finance_api.query.dates import parse_day
from finance_api.query.errors import QueryError, all_or_faults, quoted
from finance_api.query.kinds import parse_boolean, parse_one_of
from finance_api.query.model import DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET, Condition
from finance_api.query.operators import Operator, operators_of
from finance_api.query.parse import (
    MAX_CONDITIONS,
    parse_conditions,
    parse_fields,
    parse_integer,
    parse_sort,
)
from finance_api.query.suggestions import question
from finance_api.query.words import parse_words
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import Field, Resource, names_of
from finance_api.resources.records import FLOW, FLOWS, WORDS

CONVERT_TO = "convertTo"
AMOUNTS, AS_STRINGS = "amounts", "string"
TRAILER = "trailer"
SORT_MEANING = "Fields to sort by, comma-separated; - before a field reverses its order."
_COMPUTED = "is computed, so rows cannot be filtered by it; sort by it instead: sortBy={}"


#: Makes a value of a text. Raises QueryError.
Make = Callable[[str], Any]
#: Parses a whole number from a lowest to a highest one. Raises QueryError.
ParseInteger = Callable[[str, int, int], int]


class ParameterKind(colander.SchemaType):  # type: ignore[misc]
    """The type of a parameter. schema: the schema of the value, with an example.

    is_repeated: whether a client that sends several values repeats the parameter.
    """

    is_repeated = False

    def __init__(self, parse: Make, schema: Schema) -> None:
        self._parse = parse
        self.schema = schema

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        if cstruct is colander.null:
            return colander.null
        try:
            return self.read(cstruct)
        except QueryError as error:
            raise colander.Invalid(node, list(error.faults)) from None

    def read(self, texts: Sequence[str]) -> Any:
        """Parse the texts of a parameter that is given once or more. Raises QueryError."""
        raise NotImplementedError


class Scalar(ParameterKind):
    """A parameter that may be given once."""

    def read(self, texts: Sequence[str]) -> Any:
        if len(texts) > 1:
            raise QueryError(f"is given {len(texts)} times; once is allowed")
        return self._parse(texts[0])


class Repeated(ParameterKind):
    """Conditions; the parameter may be repeated, and each time it can have several."""

    is_repeated = True

    def read(self, texts: Sequence[str]) -> tuple[Any, ...]:
        parsed = all_or_faults(self._parse, texts)
        return tuple([condition for each in parsed for condition in each])


class Conditions(Repeated):
    """Conditions on one field. meaning: the description of the parameter."""

    def __init__(
        self, field: Field, operators: Sequence[Operator] | None = None, *, is_plain: bool = False
    ) -> None:
        """operators: the operators to describe. is_plain: leave out relative dates and abs."""
        known = operators_of(field) if operators is None else operators
        schema = conditions.of_conditions(field, known, is_plain=is_plain)
        super().__init__(partial(parse_conditions, field), schema)
        self.meaning = conditions.conditions_meaning(field, known, is_plain=is_plain)


class Listed(ParameterKind):
    """Comma-separated values; the parameter may also be repeated."""

    def read(self, texts: Sequence[str]) -> Any:
        return self._parse(",".join(texts))


class DataSchema(ParameterSchema):
    """The parameters of an endpoint whose answer has amounts: the last one is how to write them."""

    refused: Mapping[str, str] = MappingProxyType(
        {"format": "leave it out; a table's path can end in its format: .csv, .ndjson or .xlsx"}
    )

    def __init__(self, *children: Parameter, **options: Any) -> None:
        super().__init__(*children, **options)
        meaning = (
            "How JSON and NDJSON write amounts (members of the format decimal): as exact numbers, "
            "or as strings, for clients whose numbers would round them."
        )
        self.add(choice(AMOUNTS, ("number", AS_STRINGS), meaning, "number"))


def parameter(
    name: str,
    kind: ParameterKind,
    meaning: str,
    missing: Any = (),
    varies_with: Collection[Source] | VariesWith = NOTHING,
    **options: Any,
) -> Parameter:
    """Make a parameter. missing: its value if it is not given. options: such as ``validator``."""
    options |= {"missing": missing, "varies_with": varies_with}
    return Parameter(kind, name=name, description=meaning, **options)


def at_most(most: int, nouns: str) -> Callable[[Parameter, Any], None]:
    """Make a validator of the number of values. nouns: what the values are."""

    def validate(node: Parameter, values: Sequence[Any]) -> None:
        if len(values) > most:
            message = f"has {len(values)} {nouns}; at most {most} are allowed"
            raise colander.Invalid(node, message)

    return validate


def few_conditions(node: Parameter, values: Sequence[Condition]) -> None:
    """Refuse too many conditions on the field of the parameter (a validator)."""
    number = sum(each.field is values[0].field for each in values)
    if number > MAX_CONDITIONS:
        message = f"has {number} conditions; at most {MAX_CONDITIONS} are allowed on one field"
        raise colander.Invalid(node, message)


def required(name: str, kind: ParameterKind, wanted: str, meaning: str) -> Parameter:
    """Make a required parameter. wanted: the allowed values, for the error message."""
    return Parameter(kind, name=name, missing_msg=f"is required: {wanted}", description=meaning)


def choice(
    name: str, choices: Sequence[str], meaning: str, default: str | None = None, make: Make = str
) -> Parameter:
    """Make a parameter that takes one of the words. make: converts the word to the value."""
    schema: Schema = {"type": "string", "enum": [*choices]}
    schema |= {} if default is None else {"default": default}
    kind = Scalar(
        lambda text: make(parse_one_of(choices, text)),
        {**schema, "examples": [default or choices[0]]},
    )
    return parameter(name, kind, meaning, default)


def instead(*members: str) -> Parameter:
    """Make the parameter ``rows``: which member tables have in place of the rows."""
    return choice(
        "rows",
        members,
        f"What CSV, NDJSON and workbooks have in place of the rows: {', '.join(members)}. JSON "
        "always has all.",
    )


def integer(
    name: str,
    low: int,
    high: int,
    missing: int | None,
    meaning: str,
    parse: ParseInteger = parse_integer,
    example: int | None = None,
) -> Parameter:
    """Make a parameter for a whole number. example: if what is missing is no such number."""
    schema: Schema = {"type": "integer", "minimum": low, "maximum": high}
    if example is None:
        schema["default"] = example = missing
    schema["examples"] = [example]
    return parameter(name, Scalar(lambda text: parse(text, low, high), schema), meaning, missing)


def page(
    max_limit: int, default_limit: int = DEFAULT_LIMIT, parse: ParseInteger = parse_integer
) -> tuple[Parameter, Parameter]:
    return (
        integer("limit", 1, max_limit, default_limit, "Maximum number of rows on a page.", parse),
        integer("offset", 0, MAX_OFFSET, 0, "Number of rows before the page.", parse),
    )


def data_page(max_limit: int, default_limit: int = DEFAULT_LIMIT) -> tuple[Parameter, ...]:
    """Make the parameters of a page of data, which can be required to have a revision."""
    meaning = (
        "The revision that the first page had. If the data has changed since, the page is refused "
        "with 409, because rows could be repeated or missing."
    )
    # Descriptions have parameters in the order in which they are made.
    of_page = page(max_limit, default_limit)
    return (*of_page, integer(REVISION, 0, MAX_OFFSET, None, meaning, example=17))


def days(name: str, meaning: str) -> Parameter:
    """Make a parameter for a day, a period, a relative date or a date-time; None if not given."""
    pattern = conditions.WHOLE_DAYS_PATTERN
    schema = {"type": "string", "pattern": pattern, "examples": ["2026-01-01"]}
    return parameter(name, Scalar(parse_day, schema), meaning, None)


def flag(
    name: str, meaning: str, parse: Make = parse_boolean, varies_with: Collection[Source] = NOTHING
) -> Parameter:
    """Make a boolean parameter, which is false if not given."""
    schema = {"type": "boolean", "default": False, "examples": [True]}
    return parameter(name, Scalar(parse, schema), meaning, False, varies_with)


def conditions_on(field: Field) -> Parameter:
    kind = Conditions(field)
    return parameter(field.name, kind, kind.meaning, validator=few_conditions)


def filters(resource: Resource) -> Iterator[Parameter]:
    """Yield a filter for each filterable field; q, flow and withSubcategories where they apply."""
    if resource is RECORDS:
        meaning = (
            f'Words and "exact phrases" to search for; each must appear in one of these: '
            f"{WORDS.meaning} A number also finds this amount, in or out; >100 finds only amounts. "
            f"OR separates alternatives."
        )
        yield parameter(WORDS.name, Scalar(parse_words, conditions.WORDS_SCHEMA), meaning)
        meaning = f"{FLOW.meaning} The category's kind decides, or else the sign."
        yield choice(FLOW.name, FLOWS, meaning)
    if has_categories(resource):
        meaning = "Whether a filter by category includes the categories below it."
        yield flag(WITH_SUBCATEGORIES, meaning)
    yield from (conditions_on(field) for field in resource.fields if field.filterable)


def _row_filters(resource: Resource) -> Iterator[Parameter]:
    """Yield the filters, and for records ``counted``."""
    if resource is RECORDS:
        meaning = "Whether to return only the records that a summary with these filters counts."
        yield flag(COUNTED, meaning)
    yield from filters(resource)


def _refused(resource: Resource) -> Mapping[str, str]:
    return {name: _COMPUTED.format(name) for name in names_of(resource.computed_fields)}


def _order(resource: Resource) -> Parameter:
    sort = partial(parse_sort, resource)
    names = names_of(field for field in resource.fields if field.sortable)
    kind = Listed(sort, of_order(names, resource.default_sort))
    return parameter("sortBy", kind, SORT_MEANING, sort(resource.default_sort))


def _fields(resource: Resource) -> Parameter:
    names = names_of(resource.fields)
    kind = Listed(partial(parse_fields, resource), of_names(names, list(names[:2])))
    meaning = (
        "The fields to return for each row; default: all. CSV and workbooks have exactly "
        "these, in this order; JSON and NDJSON also have id."
    )
    return parameter("fields", kind, meaning, None)


def _columns(resource: Resource) -> Iterator[Parameter]:
    """Yield ``fields``, and ``convertTo`` where something can be converted."""
    yield _fields(resource)
    if resource in CONVERTED:
        # The balance of an account is converted by the rate of today.
        yield conversion((RATES, DAY) if resource is ACCOUNTS else (RATES,))


def conversion(varies_with: Collection[Source] = (RATES,)) -> Parameter:
    meaning = "The currency (ISO 4217) that amounts are converted to, by imported rates."
    return parameter(CONVERT_TO, Scalar(_currency, CURRENCY), meaning, None, varies_with)


def _currency(text: str) -> str:
    if text not in CURRENCIES:
        fault = f"{quoted(text)} is not an ISO 4217 code such as EUR"
        raise QueryError(fault + question([text], CURRENCIES))
    return text


def are_stored(resource: Resource, values: Mapping[str, Any]) -> bool:
    """Whether the stored JSON of the rows has all columns."""
    return not resource.computed_fields and values.get(CONVERT_TO) is None


class ResourceSchema(DataSchema):
    """The parameters of an endpoint about one resource, whose computed fields change by the day."""

    def __init__(self, resource: Resource, *children: Parameter) -> None:
        super().__init__(*children)
        self.resource = resource
        self.varies_with = (DAY,) if resource.computed_fields else NOTHING


class ListSchema(ResourceSchema):
    """The parameters of a list: its page and order, the columns to show, the filters."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(
            resource,
            *data_page(MAX_LIMIT),
            _order(resource),
            flag("withTotal", "Whether to also count all rows that match."),
            *_columns(resource),
            *_row_filters(resource),
        )
        without_trailer = {TRAILER: "leave it out; lists and saved questions have none"}
        self.refused = {**self.refused, **_refused(resource), **without_trailer}

    def is_cheap(self, values: Parameters) -> bool:
        query = values.query(self.resource)
        # These add conditions when the query is resolved.
        adds = values.get(FLOW.name) or values.get(COUNTED)
        return are_stored(self.resource, values) and query.is_cheap and not adds


class ExportSchema(ResourceSchema):
    """The parameters of an export: those of the list that fit a download without pages."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(
            resource,
            _order(resource),
            flag(TRAILER, "Whether NDJSON ends with a line that has the number of rows."),
            _fields(resource),
            *_row_filters(resource),
        )
        of_pages = ("limit", "offset", "withTotal", REVISION)
        in_one = dict.fromkeys(of_pages, "leave it out; an export has all rows")
        self.refused = {**self.refused, **_refused(resource), **in_one}


class ObjectSchema(ResourceSchema):
    """The parameters of one object: the columns to show."""

    def __init__(self, resource: Resource, *more: Parameter) -> None:
        super().__init__(resource, *_columns(resource), *more)

    def is_cheap(self, values: Parameters) -> bool:
        return are_stored(self.resource, values)
