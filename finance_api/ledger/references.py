"""That documents refer only to what exists and fits, and that categories are a tree."""

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.session import LedgerSession
from finance_api.resources import CATEGORIES, referred_by
from finance_api.resources.field import Resource
from finance_api.values import Row


def ids_in(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """The ids in a value of a field that refers to other rows."""
    return (value,) if isinstance(value, str) else value or ()


def fields_referring_to(referred: Resource, resource: Resource) -> list[str]:
    """The names of the fields of a resource that hold ids of the referred one."""
    return [f.name for f in resource.references if referred_by(f) is referred]


def check_currency(account: Row, currency: str | None, line: int | None) -> None:
    """Raises ImportRefused for another currency than the account's."""
    if currency not in (None, account["currencyCode"]):
        raise ImportRefused(
            f"currencyCode is {currency}, but the account {account['name']} is in "
            f"{account['currencyCode']}",
            line,
        )


def check_references(
    session: LedgerSession, resource: Resource, row: Row, line: int | None
) -> None:
    """Raises ImportRefused if the row refers to nothing of the user's."""
    for field in resource.references:
        known = session.row_set(referred_by(field)).rows
        for row_id in ids_in(row[field.name]):
            if row_id not in known:
                raise ImportRefused(
                    f"{field.name} {row_id} is no {field.references} of the user", line
                )
    if resource is CATEGORIES:
        _check_tree(session, row, line)


def _check_tree(session: LedgerSession, row: Row, line: int | None) -> None:
    seen = {row["id"]}
    parent = row["parentId"]
    while parent is not None:
        if parent in seen:
            raise ImportRefused(f"parentId {row['parentId']} makes the category its own part", line)
        seen.add(parent)
        # A dangling parent is reported where it stands.
        above = session.categories.rows.get(parent)
        parent = above["parentId"] if above else None
