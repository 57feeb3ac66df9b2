"""Validates query strings against colander schemas: all values, and all faults together."""

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from contextlib import nullcontext, suppress
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

import colander

from finance_api.api.freshness import DAY, EVERYTHING, NOTHING, Source
from finance_api.api.unknown_parameters import message_about
from finance_api.http.querystring import split_query
from finance_api.http.requests import Request
from finance_api.planning.answers import ParametersRefused
from finance_api.query.model import Condition, Query, RelativeDate
from finance_api.resources.field import Resource

MAX_PARAMETERS = 100
#: How many query strings are cached, and the maximum length of each, in characters.
_REMEMBERED = 1_024
_MAX_REMEMBERED_CHARACTERS = 4_096
_SHOWN_NAME_CHARACTERS = 60

#: What a value makes an answer depend on.
VariesWith = Callable[[Any], Collection[Source]]


class Parameter(colander.SchemaNode):  # type: ignore[misc]
    """One parameter of an endpoint.

    varies_with: what it makes an answer depend on if its value is not the default. Or a function
    that returns this for any value, the default included.
    """

    varies_with: Collection[Source] | VariesWith = NOTHING


#: The name of a parameter, and its error message.
Fault = tuple[str, str]

#: Finds a fault in the validated parameters, if there is one.
Rule = Callable[[Mapping[str, Any]], Fault | None]


class QueryType(colander.SchemaType):  # type: ignore[misc]
    """The type of a schema. Its texts are the values of each name.

    Colander's own mapping has no values if there are faults, but rules need the valid ones.
    """

    def deserialize(self, node: "ParameterSchema", cstruct: Mapping[str, Any]) -> "Parameters":
        """Raises colander.Invalid with all faults; its value has the valid parameters."""
        values = Parameters(node.defaults)
        invalid = colander.Invalid(node, value=values)
        for name, child in node.nodes.items():
            if name in node.defaults and name not in cstruct:
                continue
            try:
                values[name] = child.deserialize(cstruct.get(name, colander.null))
            except colander.Invalid as error:
                values.pop(name, None)
                invalid.add(error)
        if invalid.children:
            raise invalid
        return values


class ParameterSchema(colander.MappingSchema):  # type: ignore[misc]
    """The parameters of an endpoint.

    refused: parameters that are refused with a special message: name -> message.
    rules: functions that find faults in combinations of parameters. Colander's own validator of a
    mapping would run only if every parameter is valid by itself.
    varies_with: what the answer depends on with any parameters, unless the endpoint names it.
    """

    schema_type = QueryType
    refused: Mapping[str, str] = MappingProxyType({})
    rules: tuple["Rule", ...] = ()
    varies_with: Collection[Source] = EVERYTHING

    @cached_property
    def nodes(self) -> Mapping[str, Parameter]:
        """The parameters by name; complete once the application has started."""
        return {node.name: node for node in self.children}

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """The values of all parameters that are not required, if they are not given."""
        return {name: node.missing for name, node in self.nodes.items() if not node.required}

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

    def with_limit(self, limit: int) -> "Parameters":
        """Return these parameters with another limit, which may be above that of the schema."""
        changed = Parameters(self, limit=limit)
        changed.canonical = f"{self.canonical} limit={limit}"
        changed.conditions, changed.varies_with = self.conditions, self.varies_with
        return changed


def validate_query(request: Request, schema: ParameterSchema, **options: Any) -> None:
    """Set ``request.validated``. Raises ParametersRefused (a Cornice validator).

    Cornice's own validators know one value for each name.
    """
    request.validated = schema.read(request.environ.get("QUERY_STRING", ""))
    request.accepted = schema.nodes


def read_parameters(schema: ParameterSchema, query_string: str) -> tuple[Parameters, list[Fault]]:
    """Return the values of the valid parameters, with defaults, and all faults."""
    pairs = split_query(query_string)
    if len(pairs) > MAX_PARAMETERS:
        return Parameters(), [("*", f"more than {MAX_PARAMETERS} parameters are given")]
    given, faults = _values_by_name(pairs)
    for name in given:
        if name not in schema.nodes:
            message = message_about(name, given[name][0], schema.nodes, schema.refused)
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
        _derive(schema, values)
    return values, faults


def _derive(schema: ParameterSchema, values: Parameters) -> None:
    """Set the attributes of valid values."""
    defaults, sources = schema.defaults, set()
    changed = {n: v for n, v in values.items() if n not in defaults or v != defaults[n]}
    for name, node in schema.nodes.items():
        if callable(node.varies_with):
            sources |= {*node.varies_with(values[name])}
        elif name in changed:
            sources |= {*node.varies_with}
    tuples = [value for value in changed.values() if isinstance(value, tuple)]
    values.canonical = canonical_text(changed)
    values.conditions = tuple([c for v in tuples for c in v if isinstance(c, Condition)])
    days = (*changed.values(), *(condition.operand for condition in values.conditions))
    if any(isinstance(day, RelativeDate) for day in days):
        sources.add(DAY)
    values.varies_with = frozenset(sources)
    values.is_cheap = schema.is_cheap(values)


def canonical_text(values: Mapping[str, Any]) -> str:
    """Return a text that is equal for requests that mean the same, in every process.

    Entity tags and the keys of cached responses contain it; nobody reads it.

    values: the parsed values by parameter name, without default values.
    """
    return repr([(name, _ordered(value)) for name, value in sorted(values.items())])


def _ordered(value: Any) -> Any:
    """Sort conditions, and the names in a set: their order and repetition mean nothing."""
    match value:
        case Set() | (Condition(), *_):
            return sorted({repr(each) for each in value})
    return value


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
