"""What refers to a row."""

from finance_api.ledger.edits.naming import counted_rows
from finance_api.ledger.edits.report import title_of
from finance_api.ledger.references import fields_referring_to, ids_in
from finance_api.ledger.session import UserRows
from finance_api.query.records import any_of
from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Resource
from finance_api.values import Row

#: So many are named.
_NAMED = 3


def uses_of(owned: UserRows, resource: Resource, row_id: str) -> dict[Resource, str]:
    """By resource: how many rows refer to the row, and the names of some."""
    uses = {}
    for other in RESOURCES:
        names = fields_referring_to(resource, other)
        if not names:
            continue
        if other is RECORDS:
            count, some = _records_with(owned, names, row_id), ""
        else:
            rows = owned.row_set(other).rows.values()
            users = [row for row in rows if any(row_id in ids_in(row[name]) for name in names)]
            count, some = len(users), _some(other, users)
        if count:
            uses[other] = counted_rows(count, other) + some
    return uses


def _some(resource: Resource, rows: list[Row]) -> str:
    titles = [title_of(resource, row) for row in rows[:_NAMED]]
    return f" ({', '.join(titles)}{' …' if len(rows) > _NAMED else ''})"


def _records_with(owned: UserRows, names: list[str], row_id: str) -> int:
    data, count = owned.storage.data, 0
    for name in names:
        sums = data.sum_by(owned.user.id, ["isVoid"], [any_of(name, [row_id])], with_void=True)
        count += sum(found.number for found in sums.values())
    return count
