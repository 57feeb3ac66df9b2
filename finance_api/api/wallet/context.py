"""Data that the objects of a page show beside their own rows: names, mirrors of transfers, sums."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from finance_api.api.data_request import ResponseCache
from finance_api.importers import NATIVE
from finance_api.planning.conversion import Conversion
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS
from finance_api.storage.interface import DataState, Storage
from finance_api.values import Row

#: The first: memory for all cached names; the second: roughly what a category or label takes.
_MAX_BYTES = 100_000_000
_NAME_BYTES = 2_000
#: The category.envelopeId of a transfer in earlier versions.
_TRANSFER_ENVELOPE = 20001


@dataclass(frozen=True, slots=True)
class Names:
    """Names in one state of a user's data.

    categories, labels: embeds by id. transfer_categories: embeds for transfers in earlier versions,
    by id; None is no category. base: the currency that most accounts have, if any.
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
        """Return a copy with only the ids of objects that these scopes cover."""
        found = self
        if CATEGORIES.path in scopes:
            found = replace(found, categories=_only_ids(self.categories))
        if LABELS.path in scopes:
            found = replace(found, labels=_only_ids(self.labels))
        return found


#: Names by user and tag of the state.
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
    """``Food & drinks`` -> ``food_and_drinks``"""
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
    """names: from the state of the data that the page shows. given: the request's parameters.

    today: the user's day, as its first second.

    mirrors: record id -> the other record of its transfer. converts: whether amounts are
    converted. conversion: into which currency; None: each account's own. stats, spending: members
    of accounts and budgets, by id.
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
