"""The names of a user's objects, for tables that have their ids."""

from finance_api.resources.field import Resource
from finance_api.storage.interface import Storage


def names_by_id(storage: Storage, user_id: int, *resources: Resource) -> dict[str, str | None]:
    """Return the names of all objects of these resources."""
    rows = (row for resource in resources for row in storage.data.scan_rows(user_id, resource))
    return {row["id"]: row["name"] for row in rows}
