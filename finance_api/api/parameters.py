"""Query parameters as colander schemas, derived from the resources.

The filter grammar itself is in `finance_api.query.parse`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import Any

import colander

from finance_api.api.freshness import DAY, NOTHING, RATES, Source
from finance_api.api.openapi.conditions import (
    WHOLE_DAYS_PATTERN,
    WORDS_SCHEMA,
    conditions_meaning,
    of_conditions,
)
from finance_api.api.openapi.schemas import CURRENCY, Schema, of_names, of_order
from finance_api.api.unknown_parameters import message_about
from finance_api.http.querystring import split_query
from finance_api.http.requests import Request
from finance_api.planning.answers import REVISION, ParametersRefused
from finance_api.planning.categories import has_categories
from finance_api.planning.conditions import COUNTED, WITH_SUBCATEGORIES
from finance_api.planning.conversion import CONVERTED
from finance_api.planning.hints import negative_fields
from finance_api.query.canonical import canonical_text
from finance_api.query.dates import parse_day
from finance_api.query.errors import QueryError, all_or_faults, quoted
from finance_api.query.kinds import parse_boolean, parse_one_of
from finance_api.query.model import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    MAX_OFFSET,
    Condition,
    Query,
    RelativeDate,
)
from finance_api.query.operators import Operator, operators_of
from finance_api.query.parse import (
    MAX_CONDITIONS,
    parse_conditions,
    parse_fields,
    parse_flow,
    parse_integer,
    parse_sort,
)
from finance_api.query.suggestions import question
from finance_api.query.words import parse_words
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.currencies import CURRENCIES
from finance_api.resources.field import Field, Resource, names_of
from finance_api.resources.records import FLOW, FLOWS, WORDS

MAX_PARAMETERS = 100
#: How many query strings are cached, and the maximum length of each, in characters.
_REMEMBERED = 1_024
_MAX_REMEMBERED_CHARACTERS = 4_096
_SHOWN_NAME_CHARACTERS = 60
CONVERT_TO = "convertTo"
AMOUNTS, AS_STRINGS = "amounts", "string"
TRAILER = "trailer"
SORT_MEANING = "Fields to sort by, comma-separated; - before a field reverses its order."
_COMPUTED = "is computed, so rows cannot be filtered by it"


#: Raises colander.Invalid if a value is not allowed.
Validator = Callable[["Parameter", Any], None]
#: What a value makes an answer depend on.
VariesWith = Callable[[Any], Collection[Source]]


class Parameter(colander.SchemaNode):  # type: ignore[misc]
    """One parameter of an endpoint.

    varies_with: what it makes an answer depend on if its value is not the default. Or a function
    that returns this for any value, the default included.
    """

    varies_with: Collection[Source] | VariesWith = NOTHING


class ParameterKind(colander.SchemaType):  # type: ignore[misc]
    """The type of a parameter. schema: the schema of the value, with an example.

    is_repeated: whether a client that sends several values repeats the parameter.
    """

    is_repeated = False

    def __init__(self, parse: Callable[[str], Any], schema: Schema) -> None:
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


class Conditions(ParameterKind):
    """Conditions on one field; the parameter may be repeated. meaning: its description."""

    is_repeated = True

    def __init__(
        self, field: Field, operators: Sequence[Operator] | None = None, *, is_plain: bool = False
    ) -> None:
        """operators: the operators to describe. is_plain: leave out relative dates and abs."""
        known = operators_of(field) if operators is None else operators
        schema = of_conditions(field, known, is_plain=is_plain)
        super().__init__(partial(parse_conditions, field), schema)
        self.meaning = conditions_meaning(field, known, is_plain=is_plain)

    def read(self, texts: Sequence[str]) -> tuple[Condition, ...]:
        parsed = all_or_faults(self._parse, texts)
        return tuple([condition for each in parsed for condition in each])


class Listed(ParameterKind):
    """Comma-separated values; the parameter may also be repeated."""

    def read(self, texts: Sequence[str]) -> Any:
        return self._parse(",".join(texts))


#: The name of a parameter, and its error message.
Fault = tuple[str, str]

#: Finds a fault in the validated parameters, if there is one.
Rule = Callable[[Mapping[str, Any]], Fault | None]


class QueryType(colander.SchemaType):  # type: ignore[misc]
    """The type of a schema. Its texts are the values of each name.

    Colander's own mapping visits every node; a request has few of an endpoint's 60 parameters.
    """

    def deserialize(self, node: "ParameterSchema", cstruct: Mapping[str, Any]) -> "Parameters":
        """Raises colander.Invalid with all faults; its value has the valid parameters."""
        values = Parameters(node.defaults)
        invalid = colander.Invalid(node, value=values)
        for child in node.visited(cstruct):
            try:
                values[child.name] = child.deserialize(cstruct.get(child.name, colander.null))
            except colander.Invalid as error:
                values.pop(child.name, None)
                invalid.add(error)
        if invalid.children:
            raise invalid
        return values


class ParameterSchema(colander.MappingSchema):  # type: ignore[misc]
    """The parameters of an endpoint.

    path: the endpoint's path, if it can end in the suffix of a format, such as .csv.
    refused: parameters that are refused with a special message: name -> message.
    rules: functions that find faults in combinations of parameters. Colander's own validator of a
    mapping would run only if every parameter is valid by itself.
    """

    schema_type = QueryType
    path: str = ""
    refused: Mapping[str, str] = MappingProxyType({})
    rules: tuple["Rule", ...] = ()

    @cached_property
    def nodes(self) -> Mapping[str, Parameter]:
        """The parameters by name; complete once the application has started."""
        return {node.name: node for node in self.children}

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """The values of parameters that need no visit if they are not given."""
        needed = {
            name for name, node in self.nodes.items() if node.required or callable(node.varies_with)
        }
        return {name: node.missing for name, node in self.nodes.items() if name not in needed}

    def visited(self, given: Collection[str]) -> list[Parameter]:
        return [
            node for name, node in self.nodes.items() if name in given or name not in self.defaults
        ]

    def read(self, query_string: str) -> "Parameters":
        """Return the values of a query string. Raises ParametersRefused with every fault.

        They are remembered, since most clients send the same query string again.
        """
        is_long = len(query_string) > _MAX_REMEMBERED_CHARACTERS
        read = read_parameters if is_long else _remembered_parameters
        values, faults = read(self, query_string)
        if faults:
            raise ParametersRefused(faults)
        return values

    def is_cheap(self, values: "Parameters") -> bool:
        """Whether the answer takes no longer for a user with many rows than for one with few."""
        return False


class DataSchema(ParameterSchema):
    """The parameters of an endpoint whose answer has amounts: the last one is how to write them."""

    def __init__(self, *children: Parameter, **options: Any) -> None:
        super().__init__(*children, **options)
        self.add(amounts_parameter())


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


def at_most(most: int, nouns: str) -> Validator:
    """Make a validator of the number of values. nouns: what the values are."""

    def validate(node: Parameter, values: Sequence[Any]) -> None:
        if len(values) > most:
            message = f"has {len(values)} {nouns}; at most {most} are allowed"
            raise colander.Invalid(node, message)

    return validate


def few_conditions(node: Parameter, conditions: Sequence[Condition]) -> None:
    """Refuse too many conditions on the field of the parameter (a validator)."""
    number = sum(each.field is conditions[0].field for each in conditions)
    if number > MAX_CONDITIONS:
        message = f"has {number} conditions; at most {MAX_CONDITIONS} are allowed on one field"
        raise colander.Invalid(node, message)


def required(name: str, kind: ParameterKind, wanted: str, meaning: str) -> Parameter:
    """Make a required parameter. wanted: the allowed values, for the error message."""
    return Parameter(kind, name=name, missing_msg=f"is required: {wanted}", description=meaning)


def choice(
    name: str,
    choices: Sequence[str],
    meaning: str,
    default: str | None = None,
    *,
    make: Callable[[str], Any] = str,
    varies_with: Collection[Source] = NOTHING,
) -> Parameter:
    """Make a parameter that takes one of the words. make: converts the word to the value."""
    schema: Schema = {"type": "string", "enum": [*choices]}
    schema |= {} if default is None else {"default": default}
    kind = Scalar(
        lambda text: make(parse_one_of(choices, text)),
        {**schema, "examples": [default or choices[0]]},
    )
    return parameter(name, kind, meaning, default, varies_with)


def integer(
    name: str,
    low: int,
    high: int,
    missing: int,
    meaning: str,
    parse: Callable[[str, int, int], int] = parse_integer,
) -> Parameter:
    schema = {"type": "integer", "minimum": low, "maximum": high, "default": missing}
    kind = Scalar(lambda text: parse(text, low, high), {**schema, "examples": [missing]})
    return parameter(name, kind, meaning, missing)


def page(
    max_limit: int,
    default_limit: int = DEFAULT_LIMIT,
    parse: Callable[[str, int, int], int] = parse_integer,
) -> tuple[Parameter, Parameter]:
    return (
        integer("limit", 1, max_limit, default_limit, "Maximum number of rows on a page.", parse),
        integer("offset", 0, MAX_OFFSET, 0, "Number of rows before the page.", parse),
    )


def data_page(max_limit: int, default_limit: int = DEFAULT_LIMIT) -> tuple[Parameter, ...]:
    """Make the parameters of a page of data, which can be required to have a revision."""
    schema = {"type": "integer", "minimum": 0, "maximum": MAX_OFFSET, "examples": [17]}
    kind = Scalar(lambda text: parse_integer(text, 0, MAX_OFFSET), schema)
    meaning = (
        "The revision that the first page had. If the data has changed since, the page is refused "
        "with 409, because rows could be repeated or missing."
    )
    return (*page(max_limit, default_limit), parameter(REVISION, kind, meaning, None))


def days(name: str, meaning: str) -> Parameter:
    """Make a parameter for a day, month, year, relative date or date-time; None if not given."""
    schema = {"type": "string", "pattern": WHOLE_DAYS_PATTERN, "examples": ["2026-01-01"]}
    return parameter(name, Scalar(parse_day, schema), meaning, None)


def flag(
    name: str,
    meaning: str,
    parse: Callable[[str], bool] = parse_boolean,
    varies_with: Collection[Source] = NOTHING,
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
            f"{WORDS.meaning} A number also finds this amount, in or out; >100 finds only amounts."
        )
        yield parameter(WORDS.name, Scalar(parse_words, WORDS_SCHEMA), meaning)
        flow = {"type": "string", "enum": list(FLOWS), "examples": [FLOW.example]}
        meaning = f"{FLOW.meaning} The category's kind decides, or else the sign."
        yield parameter(FLOW.name, Scalar(parse_flow, flow), meaning, None)
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
    return dict.fromkeys(names_of(resource.computed_fields), _COMPUTED)


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
        yield conversion(CONVERT_TO, (RATES, DAY) if resource is ACCOUNTS else (RATES,))


def conversion(name: str, varies_with: Collection[Source] = (RATES,)) -> Parameter:
    meaning = "The currency (ISO 4217) that amounts are converted to, by imported rates."
    return parameter(name, Scalar(_currency, CURRENCY), meaning, None, varies_with)


def _currency(text: str) -> str:
    if text not in CURRENCIES:
        fault = f"{quoted(text)} is not an ISO 4217 code such as EUR"
        raise QueryError(fault + question([text], CURRENCIES))
    return text


def amounts_parameter() -> Parameter:
    return choice(
        AMOUNTS,
        ("number", AS_STRINGS),
        "How JSON and NDJSON write amounts (members of the format decimal): as exact numbers, "
        "or as strings, for clients whose numbers would round them.",
        "number",
    )


class ResourceSchema(DataSchema):
    """The parameters of an endpoint about one resource."""

    resource: Resource

    def are_stored(self, values: Mapping[str, Any]) -> bool:
        """Whether the stored JSON of the rows has all columns."""
        return not self.resource.computed_fields and values.get(CONVERT_TO) is None


class ListSchema(ResourceSchema):
    """The parameters of a list: its page and order, the columns to show, the filters."""

    def __init__(self) -> None:
        super().__init__(
            *data_page(MAX_LIMIT),
            _order(self.resource),
            flag("withTotal", "Whether to also count all rows that match."),
            *_columns(self.resource),
            *_row_filters(self.resource),
        )
        self.refused = _refused(self.resource)

    def is_cheap(self, values: "Parameters") -> bool:
        query = values.query(self.resource)
        # These add conditions when the query is resolved.
        adds = values.get(FLOW.name) or values.get(COUNTED) or negative_fields(query.conditions)
        return self.are_stored(values) and query.is_cheap and not adds


class ExportSchema(ResourceSchema):
    """The parameters of an export: those of the list that fit a download without pages."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        super().__init__(
            _order(resource),
            flag(TRAILER, "Whether NDJSON ends with a line that has the number of rows."),
            _fields(resource),
            *_row_filters(resource),
        )
        self.refused = _refused(resource)


class ObjectSchema(ResourceSchema):
    """The parameters of one object: the columns to show."""

    def __init__(self, resource: Resource, *more: Parameter) -> None:
        self.resource = resource
        super().__init__(*_columns(resource), *more)

    def is_cheap(self, values: "Parameters") -> bool:
        return self.are_stored(values)


class Parameters(dict[str, Any]):
    """The values of the valid parameters, with defaults.

    canonical: a text that is equal for parameters that mean the same.
    conditions: the conditions of all parameters.
    varies_with: what the parameters make the answer depend on. is_cheap: see `ParameterSchema`.
    """

    canonical: str = ""
    conditions: tuple[Condition, ...] = ()
    varies_with: frozenset[Source] = NOTHING
    is_cheap: bool = False
    _query: Query | None = None

    def query(self, resource: Resource) -> Query:
        """Return the query of a list of this resource, and keep it with the cached parameters."""
        if self._query is None:
            page = (self[name] for name in ("sortBy", "limit", "offset", "withTotal"))
            self._query = Query(resource, self.conditions, *page)
        return self._query


def validate_query(request: Request, schema: ParameterSchema, **options: Any) -> None:
    """Set ``request.validated``. Raises ParametersRefused (a Cornice validator).

    Cornice's own validators know one value for each name.
    """
    request.validated = schema.read(request.environ.get("QUERY_STRING", ""))


def read_parameters(schema: ParameterSchema, query_string: str) -> tuple[Parameters, list[Fault]]:
    """Return the values of the valid parameters, with defaults, and all faults."""
    pairs = split_query(query_string)
    if len(pairs) > MAX_PARAMETERS:
        return Parameters(), [("*", f"more than {MAX_PARAMETERS} parameters are given")]
    given, faults = _values_by_name(pairs)
    for name in given:
        if name not in schema.nodes:
            message = message_about(name, given, schema.nodes, schema.refused, schema.path)
            faults.append((name[:_SHOWN_NAME_CHARACTERS], message))
    try:
        values: Parameters = schema.deserialize(given)
    except colander.Invalid as invalid:
        values = invalid.value
        faults += [(each.node.name, str(m)) for each in invalid.children for m in each.messages()]
    for rule in schema.rules:
        # Skip a rule if one of its parameters has a fault and therefore no value.
        with suppress(KeyError) if faults else nullcontext():
            faults += filter(None, [rule(values)])
    if not faults:
        _derive(schema, values, given)
    return values, faults


def _derive(schema: ParameterSchema, values: Parameters, given: Collection[str]) -> None:
    """Set the attributes of valid values."""
    changed, sources = {}, set()
    for node in schema.visited(given):
        value = values[node.name]
        is_changed = node.required or value != node.missing
        if is_changed:
            changed[node.name] = value
        if callable(node.varies_with):
            sources |= {*node.varies_with(value)}
        elif is_changed:
            sources |= {*node.varies_with}
    tuples = [value for value in changed.values() if isinstance(value, tuple)]
    values.canonical = canonical_text(changed)
    values.conditions = tuple([c for v in tuples for c in v if isinstance(c, Condition)])
    days = (*changed.values(), *(condition.operand for condition in values.conditions))
    if any(isinstance(day, RelativeDate) for day in days):
        sources.add(DAY)
    values.varies_with = frozenset(sources)
    values.is_cheap = schema.is_cheap(values)


_remembered_parameters = lru_cache(maxsize=_REMEMBERED)(read_parameters)


def _values_by_name(
    pairs: Iterable[tuple[str, str | None]],
) -> tuple[dict[str, list[str]], list[Fault]]:
    """Return the values of each name, and a fault for each pair that cannot be decoded."""
    faults: list[Fault] = []
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        if value is None or "\x00" in name:
            message = "is not percent-encoded UTF-8" if value is None else "contains NUL"
            faults.append((name[:_SHOWN_NAME_CHARACTERS], message))
        else:
            given.setdefault(name, []).append(value)
    return given, faults
