"""Members of Wallet's objects, and how they are made from rows.

A `Shape` declares an object by its `Member`s. A member has a function that makes its value from a
row. A missing value is left out, as in Wallet.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, TypeVar

import orjson

from finance_api.api.openapi.schemas import Schema, date_time, of_given, of_members, value
from finance_api.planning.answers import Reading
from finance_api.resources import RECORDS
from finance_api.resources.field import Field, Kind, Resource
from finance_api.serialization.values import json_number
from finance_api.storage.interface import DataState
from finance_api.values import Row
from finance_api.values.number import DECIMALS
from finance_api.values.time import instant_text

_T = TypeVar("_T")
#: A missing value that is written, not left out.
NULL = orjson.Fragment(b"null")
CURRENCY = of_given(RECORDS["currencyCode"])
MONEY = of_members(
    "AmountWithCurrency",
    {"value": value("The amount.", -42.5), "currencyCode": CURRENCY},
    ["value"],
)
TIMES = "createdAt updatedAt"
_EMPTY = {"type": "array", "description": "Always empty.", "items": {}, "examples": [[]]}


@dataclass(frozen=True, slots=True)
class Context:
    """The data that members need besides their row.

    given: the request's parameters. rows: the rows of the page. has_older: whether objects have the
    members of earlier versions. hidden: the scopes of objects that show only their ids.
    """

    reading: Reading
    state: DataState
    given: Mapping[str, Any]
    rows: Sequence[Row]
    has_older: bool
    hidden: Collection[str] = ()
    _known: dict[Callable[["Context"], Any], Any] = field(default_factory=dict)

    def once(self, read: Callable[["Context"], _T]) -> _T:
        """Return what ``read`` returns for the page, which several members need. Calls it once."""
        if read not in self._known:
            self._known[read] = read(self)
        known: _T = self._known[read]
        return known

    def get_rows(self, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        data, user_id = self.reading.storage.data, self.reading.user_id
        return data.get_rows(user_id, resource, ids) if ids else {}


#: A function that returns a member's value from a row; None if there is no value.
Write = Callable[[Row], Any]
#: Reads what the values of a page need besides the rows, and returns the function for each row.
WriteOfPage = Callable[[Context], Write]


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A member of an object. schema: the schema of its value, with meaning and example.

    always: whether all objects have the member.
    """

    name: str
    write_of: WriteOfPage
    schema: Schema
    always: bool = False


def member(name: str, schema: Schema, **options: bool) -> Callable[[Write], Member]:
    """Make a member of a function of a row. options: those of `Member`."""
    return lambda write: Member(name, lambda context: write, schema, **options)


def member_of_page(name: str, schema: Schema, **options: bool) -> Callable[[WriteOfPage], Member]:
    """Make a member of a function of a page. options: those of `Member`."""
    return lambda write_of: Member(name, write_of, schema, **options)


class Shape:
    """An object of Wallet, with its JSON Schema. older: its names in earlier versions only.

    The members have the values of stored fields if they are not special. In ``counterParty=payee``,
    payee is the name of our field, or of the special member.
    """

    def __init__(
        self,
        resource: Resource,
        names: str,
        *special: Member,
        older: str = "",
        always: Mapping[str, Any] | None = None,
        title: str | None = None,
        key: str | None = None,
        required: Sequence[str] | None = None,
    ) -> None:
        """older: what earlier versions have besides, or in place of a member of the same name.

        always: values that are the same in all objects. title, key: the names of the schema and of
        the member with the objects of a page; default: those of the resource.
        required: for the schema; None means all members that objects always have.
        """
        known = {each.name: each for each in special}
        known |= {name: _always(name, each) for name, each in (always or {}).items()}

        def members(names: str) -> dict[str, Member]:
            return {name: known.get(o) or of_field(o, resource[o]) for name, o in pairs(names)}

        own, self.older = members(names), members(older)
        every = own | self.older
        self._members = (own, every)
        if required is None:
            required = [name for name, each in own.items() if each.always]
        self.resource, self.key = resource, key or resource.name
        self.title = title or resource.model_type
        self.schema = of_members(self.title, {n: m.schema for n, m in every.items()}, required)

    def document_of(self, context: Context) -> Callable[[Row], dict[str, Any]]:
        """Return the function that makes the object of a row, for orjson."""
        members = self._members[context.has_older].items()
        plan = [(name, each.write_of(context)) for name, each in members]
        return lambda row: {
            name: value for name, write in plan if (value := write(row)) is not None
        }

    def documents(self, rows: Collection[Row], context: Context) -> list[dict[str, Any]]:
        return list(map(self.document_of(context), rows)) if rows else []


def pairs(names: str) -> Iterator[tuple[str, str]]:
    """Yield Wallet's names with ours. In ``counterParty=payee``, payee is our name."""
    for name in names.split():
        wallets, _, ours = name.partition("=")
        yield wallets, ours or wallets


def constant(name: str, schema: Schema, value: Any) -> Member:
    return member(name, schema, always=True)(lambda row: value)


def _always(name: str, given: Any) -> Member:
    schema = _EMPTY if given == [] else value(f"Always {str(given).lower()}.", given)
    return constant(name, schema, given)


def of_field(name: str, field: Field) -> Member:
    convert: Any = {Kind.DATE: moment, Kind.DATETIME: moment, Kind.NUMBER: decimal}.get(field.kind)
    schema = date_time(field.meaning) if convert is moment else of_given(field)

    key = field.name
    write = (lambda row: convert(row[key])) if convert else itemgetter(key)
    return member(name, schema, always=not field.nullable)(write)


def money(field: Field) -> Member:
    key = field.name
    made = member(key, MONEY, always=not field.nullable)
    return made(lambda row: amount(row[key], row["currencyCode"]))


def decimal(units: int | None, decimals: int = DECIMALS) -> int | float | orjson.Fragment | None:
    return None if units is None else json_number(units, decimals)


def amount(units: int | None, currency: str | None, decimals: int = DECIMALS) -> Any:
    if units is None:
        return None
    number = json_number(units, decimals)
    return {"value": number} if currency is None else {"value": number, "currencyCode": currency}


def moment(seconds: int | None) -> str | None:
    """Return the time as text, such as ``2026-01-31T10:00:00.000Z``."""
    return None if seconds is None else f"{instant_text(seconds)[:-1]}.000Z"


def or_null(schema: Schema, meaning: str) -> Schema:
    return {"anyOf": [schema, {"type": "null"}], "description": meaning}


def one_of(meaning: str, *words: str) -> Schema:
    return value(meaning, words[0], enum=list(words))
