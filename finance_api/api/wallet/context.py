"""What the objects of a page show beside their own rows: categories, labels, the other records of
transfers, sums."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import orjson

from finance_api.api.wallet.members import slug
from finance_api.importers import NATIVE
from finance_api.planning.conversion import Conversion
from finance_api.query.model import Operator, Query, SortKey, condition_on
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.storage.interface import DataState, Storage
from finance_api.values import Row
from finance_api.values.periods import Period, start_of

#: The states of data whose `Names` are remembered.
_REMEMBERED = 16
#: A page has up to 200 transfers, of which each has two records.
_MOST_MIRRORS = 1_000


@dataclass(frozen=True, slots=True)
class Names:
    """What one state of a user's data calls things.

    categories, labels: their embeds, by id. base: the currency of most accounts, if there is one.
    statements: the numbers of the imports that were statement files.
    """

    categories: dict[str, dict[str, Any]]
    labels: dict[str, orjson.Fragment]
    parents: dict[str, str | None]
    base: str | None
    statements: frozenset[int]


class _RememberedNames:
    """By user and tag of the state; the least recently used are dropped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: OrderedDict[tuple[int, int], Names] = OrderedDict()

    def get(self, storage: Storage, user_id: int, state: DataState) -> Names:
        key = user_id, state.tag
        with self._lock:
            found = self._found.get(key)
            if found is not None:
                self._found.move_to_end(key)
                return found
        names = _read_names(storage, user_id)
        with self._lock:
            self._found[key] = names
            while len(self._found) > _REMEMBERED:
                self._found.popitem(last=False)
        return names


names_of_state = _RememberedNames().get


def _read_names(storage: Storage, user_id: int) -> Names:
    categories = storage.data.scan_rows(user_id, CATEGORIES)
    labels = storage.data.scan_rows(user_id, LABELS)
    accounts = storage.data.scan_rows(user_id, ACCOUNTS)
    currencies = sorted(account["currencyCode"] for account in accounts)
    entries = storage.history.list_entries(user_id)
    return Names(
        {row["id"]: category_embed(row) for row in categories},
        {row["id"]: orjson.Fragment(orjson.dumps(_label_embed(row))) for row in labels},
        {row["id"]: row["name"] for row in categories},
        # Of several the first by its code.
        max(currencies, key=currencies.count, default=None),
        frozenset(e.number for e in entries if e.details.get("format", NATIVE) != NATIVE),
    )


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
    """names: of the state that the page is from. today: the user's, as its first second.

    mirrors: by the id of a record, the other one of its transfer. converts: whether amounts are
    converted; conversion: into which currency, None: that of the account. stats, spending: members
    of accounts and budgets, by id.
    """

    names: Names
    today: int = 0
    changed_at: int = 0
    has_older: bool = False
    mirrors: dict[str, Row] = field(default_factory=dict)
    converts: bool = False
    conversion: Conversion | None = None
    stats: dict[str, dict[str, Any]] = field(default_factory=dict)
    spending: dict[str, dict[str, Any]] = field(default_factory=dict)


def mirrors_of(storage: Storage, user_id: int, records: Sequence[Row]) -> dict[str, Row]:
    """The other record of each transfer, by the record's id; of several the first by its id."""
    ids = {row["transferId"] for row in records} - {None}
    if not ids:
        return {}
    named = condition_on(RECORDS, "transferId", Operator.ANY_OF, tuple(sorted(ids)))
    by_transfer: dict[str, list[Row]] = {}
    amount = RECORDS.get_field("amount")
    assert amount is not None
    # No index has this order: so it is that of transfers that is read, and not all records by id.
    query = Query(RECORDS, (named,), (SortKey(amount),), _MOST_MIRRORS)
    for row in sorted(storage.data.list_rows(user_id, query).rows, key=itemgetter("id")):
        by_transfer.setdefault(row["transferId"], []).append(row)
    found = {}
    for row in records:
        same = by_transfer.get(row["transferId"], ())
        mirror = next((other for other in same if other["id"] != row["id"]), None)
        if mirror is not None:
            found[row["id"]] = mirror
    return found


def conversion_of(storage: Storage, target: str, records: Iterable[Row]) -> Conversion:
    days = {start_of(Period.DAY, row["recordDate"]) for row in records}
    return Conversion(storage, target, days)
