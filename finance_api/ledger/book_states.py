"""Digests of objects as their book has them, by which a book is followed.

``bookState`` of a row is the digest of what its book last had. A split is one object: the digest of
its whole includes its parts, which have none of their own.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from finance_api.importers.native import NativeFile, NativeRow
from finance_api.ledger.references import complete_standing_order
from finance_api.ledger.rows import id_in, replaced
from finance_api.ledger.session import own_values
from finance_api.planning.categories import set_kind
from finance_api.resources import CATEGORIES, RECORDS, RESOURCES, SPLITS, STANDING_ORDERS
from finance_api.resources.field import Resource
from finance_api.storage.interface import HistoryEntry
from finance_api.values import Row

#: The state of an object that its book lost, and that stayed because other data uses it.
GONE = "gone"
#: What says which object it is, and not what it is.
_IDENTITY = ("id", "source", "sourceId", "createdAt", "updatedAt")
#: The fields of an object's content, with their defaults. A record has its account's currency.
_CONTENT = {
    r.name: {
        f.name: f.default
        for f in (*r.fields, *r.hidden)
        if (f in r.native_fields and not f.private) or f.name == "extra"
        if f.name not in _IDENTITY and not (r is RECORDS and f.name == "currencyCode")
    }
    for r in RESOURCES
}
#: A kind of object, and its id. Records and wholes of splits are of one kind, because the same id
#: can be either.
Key = tuple[str, str]


def key_of(resource: Resource, object_id: str) -> Key:
    return (RECORDS if resource is SPLITS else resource).name, object_id


def deleted_of_books(history: Iterable[HistoryEntry]) -> defaultdict[str, set[Key]]:
    """Return what was deleted here of the objects of books except records, by the book's source.

    Keys have the source ids. Some of the objects may be here again.
    """
    live = [entry for entry in history if entry.undone_at is None]
    books = {entry.details["book"] for entry in live if "book" in entry.details}
    deleted: defaultdict[str, set[Key]] = defaultdict(set)
    for entry in live:
        if "follow" in entry.details:
            deleted[entry.details["book"]] = {
                (kind, source_id) for kind, source_id in entry.details["follow"]["deleted"]
            }
        for source, kind, source_id in entry.details.get("deleted", ()):
            deleted[source].add((kind, source_id))
        for row in (entry.details.get("summary") or {}).get("rows", ()):
            if row["verb"] == "removed" and row.get("source") in books:
                deleted[row["source"]].add((row["type"], row["sourceId"]))
    return deleted


def source_id_in(values: Mapping[str, Any]) -> str:
    """Return what the book calls an object: its source id or, if it has none, its id."""
    return str(values.get("sourceId") or values["id"])


def state_of(resource: Resource, row: Row, parts: Iterable[Row] = ()) -> str:
    """Return the digest of a row. parts: the parts, if the row is the whole of a split.

    Fields with their defaults do not count, so that new fields change no digest.
    """
    values = own_values(resource, row)
    content = {
        name: values[name]
        for name, default in _CONTENT[resource.name].items()
        if values[name] != default
    }
    states = sorted((part["id"], state_of(RECORDS, part)) for part in parts)
    return _digest([resource.name, content, states])


def _digest(value: object) -> str:
    data = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(data.encode(), digest_size=8).hexdigest()


class BookStates:
    """The states of a book's objects.

    ids: the ids of stored rows of the book's source, by kind and source id.
    by_key: the state of each object; parts of splits are in their whole. parts: the ids of parts.
    """

    def __init__(self, user_uuid: str, file: NativeFile, ids: Mapping[Key, str]) -> None:
        self._user_uuid = user_uuid
        self._ids = ids
        self.by_key: dict[Key, str] = {}
        self.parts: set[str] = set()
        wholes: dict[str, Row] = {}
        parts: defaultdict[str, list[Row]] = defaultdict(list)
        for document in file.objects():
            row = _as_stored(document)
            row["id"] = self.id_of(document)
            if row.get("splitId") is not None:
                parts[row["splitId"]].append(row)
                self.parts.add(row["id"])
            elif document.resource is SPLITS:
                wholes[row["id"]] = row
            else:
                self.by_key[key_of(document.resource, row["id"])] = state_of(document.resource, row)
        for split_id, whole in wholes.items():
            state = state_of(SPLITS, whole, parts[split_id])
            self.by_key[key_of(SPLITS, split_id)] = state

    def id_of(self, document: NativeRow) -> str:
        """Return the id of an object in the file."""
        values, stored = document.values, None
        if "id" not in values:
            stored = self._ids.get(key_of(document.resource, values["sourceId"]))
        return stored or id_in(self._user_uuid, values)

    def get(self, resource: Resource, object_id: str) -> str | None:
        """Return the state of an object; None for a part of a split."""
        return self.by_key.get(key_of(resource, object_id))

    @property
    def whole(self) -> str:
        """The digest of all objects."""
        return _digest(sorted(self.by_key.items()))


def _as_stored(document: NativeRow) -> Row:
    """Return an object of a file as its row would be if nothing else were stored."""
    resource, given = document.resource, document.values
    row = replaced(resource, given, None)
    if resource is STANDING_ORDERS:
        complete_standing_order(row)
    elif resource is CATEGORIES:
        set_kind(row, given, None)
    return row
