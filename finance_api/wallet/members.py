"""The members of Wallet's objects, and how they are made from rows.

A table of `Member`s declares an object. A member has a name, and a function that makes its value
from a row and a `Context`. A missing value is left out, as in Wallet.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import orjson

from finance_api.api.data_request import ResponseCache
from finance_api.api.openapi.schemas import Schema, date_time, of_given, of_members
from finance_api.api.openapi.schemas import value as schema_of_value
from finance_api.importers import NATIVE
from finance_api.planning.conversion import Conversion
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS
from finance_api.resources.field import Field, Kind, Resource
from finance_api.resources.wire import json_number
from finance_api.storage.interface import DataState, Storage
from finance_api.values import Row
from finance_api.values.number import DECIMALS
from finance_api.values.time import instant_text
from finance_api.wallet.schemas import MONEY, named

# -- data that objects show besides their own rows: names, mirrors of transfers, sums -------------


#: The memory for all cached names; and roughly the memory of one category or label.
_MAX_BYTES = 100_000_000
_NAME_BYTES = 2_000
#: The category.envelopeId of a transfer in earlier versions.
_TRANSFER_ENVELOPE = 20001


@dataclass(frozen=True, slots=True)
class Names:
    """Names in one state of a user's data.

    categories, labels: the objects to show, by id. transfer_categories: the categories of transfers
    as earlier versions show them, by id; None stands for no category. parents: the names of
    categories, by id. base: the currency of most accounts; None if there are no accounts.
    statements: the numbers of the imports that were statement files.
    """

    categories: dict[str, orjson.Fragment]
    transfer_categories: dict[str | None, orjson.Fragment]
    labels: dict[str, orjson.Fragment]
    parents: dict[str, str | None]
    base: str | None
    statements: frozenset[int]

    @property
    def size(self) -> int:
        return len(self.categories) + len(self.labels)

    def without(self, scopes: Collection[str]) -> "Names":
        """Return a copy in which the objects of these scopes have only their ids."""
        found = self
        if CATEGORIES.path in scopes:
            found = replace(found, categories=_only_ids(self.categories))
        if LABELS.path in scopes:
            found = replace(found, labels=_only_ids(self.labels))
        return found


#: Names by user id and tag of the user's data.
_cache = ResponseCache(_MAX_BYTES)


def names_of_state(storage: Storage, user_id: int, state: DataState) -> Names:
    names: Names | None = _cache.get(user_id, state.tag, ())
    if names is None:
        names = _read_names(storage, user_id)
        _cache.put(user_id, state.tag, (), names, _NAME_BYTES * names.size)
    return names


def _read_names(storage: Storage, user_id: int) -> Names:
    categories = storage.data.scan_rows(user_id, CATEGORIES)
    labels = storage.data.scan_rows(user_id, LABELS)
    accounts = storage.data.scan_rows(user_id, ACCOUNTS)
    currencies = sorted(account["currencyCode"] for account in accounts)
    entries = storage.history.list_entries(user_id)
    embeds = {row["id"]: category_embed(row) for row in categories}
    statements = (e.number for e in entries if e.details.get("format", NATIVE) != NATIVE)
    return Names(
        {row_id: _fragment(embed) for row_id, embed in embeds.items()},
        {
            row_id: _fragment({**embed, "envelopeId": _TRANSFER_ENVELOPE})
            for row_id, embed in [*embeds.items(), (None, {})]
        },
        {row["id"]: _fragment(_label_embed(row)) for row in labels},
        {row["id"]: row["name"] for row in categories},
        # On a tie, the currency with the first code.
        max(currencies, key=currencies.count, default=None),
        frozenset(statements),
    )


def _only_ids(embeds: Iterable[str]) -> dict[str, orjson.Fragment]:
    return {row_id: _fragment({"id": row_id}) for row_id in embeds}


def _fragment(embed: dict[str, Any]) -> orjson.Fragment:
    # As text, because the bytes that orjson returns keep its buffer of 4 KiB.
    return orjson.Fragment(orjson.dumps(embed).decode())


def slug(text: str) -> str:
    """Return a key such as ``food_and_drinks`` for ``Food & drinks``."""
    return re.sub(r"[\W_]+", "_", text.lower().replace("&", " and ")).strip("_")


def category_embed(row: Row) -> dict[str, Any]:
    group = row["group"]
    embed = {
        "id": row["id"],
        "name": row["name"],
        "color": row["color"],
        "group": None if group is None else {"id": slug(group), "name": group},
    }
    return {name: value for name, value in embed.items() if value is not None}


def _label_embed(row: Row) -> dict[str, Any]:
    embed = {name: row[name] for name in ("id", "name", "color", "archived")}
    return {name: value for name, value in embed.items() if value is not None}


@dataclass(slots=True)
class Context:
    """The data that members need besides their row.

    names: the names, from the same state of the data as the page. given: the request's parameters.
    today: the first second of the day in the user's time zone.
    mirrors: record id -> the other record of its transfer. converts: whether amounts are
    converted. conversion: the conversion to one currency; None means each account's own currency.
    stats, spending: the members recordStats and spending, by the id of the account or budget.
    """

    names: Names
    given: Mapping[str, Any]
    today: int = 0
    changed_at: int = 0
    has_older: bool = False
    mirrors: dict[str, Row] = field(default_factory=dict)
    converts: bool = False
    conversion: Conversion | None = None
    stats: dict[str, dict[str, Any]] = field(default_factory=dict)
    spending: dict[str, dict[str, Any]] = field(default_factory=dict)


# -- members --------------------------------------------------------------------------------------


_NULL = orjson.Fragment(b"null")

#: A function that returns a member's value from a row; None if there is no value.
Write = Callable[[Row, Context], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A member of an object. schema: the schema of its value, with meaning and example.

    is_optional: whether the member may be left out. older: whether only earlier versions have it.
    nullable: whether a missing value is written as null, not left out.
    """

    name: str
    write: Write
    schema: Schema
    is_optional: bool = True
    older: bool = False
    nullable: bool = False


@cache
def _shown(members: tuple[Member, ...], has_older: bool) -> tuple[Member, ...]:
    # If two members have the same name, the second one wins: that of earlier versions.
    return tuple({m.name: m for m in members if has_older or not m.older}.values())


def documents(
    members: tuple[Member, ...], rows: Sequence[Row], context: Context
) -> list[dict[str, Any]]:
    """Return the objects of the rows, for orjson."""
    plan = [(m.name, m.write, m.nullable) for m in _shown(members, context.has_older)]
    return [
        {
            name: _NULL if value is None else value
            for name, write, nullable in plan
            if (value := write(row, context)) is not None or nullable
        }
        for row in rows
    ]


def object_schema(title: str, members: Sequence[Member]) -> Schema:
    """Return the schema of the objects that `documents` returns, with or without older names."""
    always = [member.name for member in members if not (member.is_optional or member.older)]
    return of_members(title, {member.name: member.schema for member in members}, always)


def always(name: str, value: Any, schema: Schema | None = None) -> Member:
    """Make a member with the same value in all objects."""
    schema = schema or schema_of_value(f"Always {str(value).lower()}.", value)
    return Member(name, lambda row, context: value, schema, is_optional=False)


def stored(resource: Resource, names: str, *, older: bool = False) -> list[Member]:
    """Make members of stored fields. In ``counterParty=payee``, payee is the name of our field.

    A date is written as the moment at which the day begins.
    """
    return [of_field(name, field, older=older) for name, field in named(resource, names)]


def of_field(name: str, field: Field, *, older: bool = False) -> Member:
    is_time = field.kind in (Kind.DATE, Kind.DATETIME)
    schema = date_time(field.meaning) if is_time else of_given(field)
    is_optional = field.nullable or field.kind is Kind.NUMBER
    write = _write(field.name, _CONVERSIONS.get(field.kind))
    return Member(name, write, schema, is_optional=is_optional, older=older)


def _write(key: str, convert: Callable[[Any], Any] | None) -> Write:
    if convert is None:
        return lambda row, _: row[key]
    return lambda row, _: convert(row[key])


def money(name: str, field: Field) -> Member:
    def write(row: Row, context: Context) -> Any:
        return amount(row[field.name], row["currencyCode"])

    return Member(name, write, MONEY, is_optional=field.nullable)


def decimal(units: int | None, decimals: int = DECIMALS) -> int | float | orjson.Fragment | None:
    return None if units is None else json_number(units, decimals)


def amount(units: int | None, currency: str | None, decimals: int = DECIMALS) -> Any:
    if units is None:
        return None
    value = decimal(units, decimals)
    return {"value": value} if currency is None else {"value": value, "currencyCode": currency}


def moment(seconds: int | None) -> str | None:
    """Return the time as text, such as ``2026-01-31T10:00:00.000Z``."""
    if seconds is None:
        return None
    return f"{instant_text(seconds)[:-1]}.000Z"


_CONVERSIONS: dict[Kind, Callable[[Any], Any]] = {
    Kind.DATE: moment,
    Kind.DATETIME: moment,
    Kind.NUMBER: decimal,
}
