"""Checks of documents, the rows of every type but the records.

They refer to rows that exist and fit, and categories are a tree.
"""

from collections.abc import Mapping

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.rows import RowSet
from finance_api.ledger.session import LedgerSession
from finance_api.planning.categories import CategoryTree
from finance_api.planning.recurrence import RuleError, check_rule
from finance_api.resources import STANDING_ORDERS, referred_by
from finance_api.resources.field import Resource
from finance_api.resources.records import record_type
from finance_api.values import Row

#: How many categories can stand one below the other.
MAX_LEVELS = 20


_PAGE = 1_000


def ids_in(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """The ids in a value of a field that refers to other rows."""
    return (value,) if isinstance(value, str) else value or ()


def fields_referring_to(referred: Resource, resource: Resource) -> list[str]:
    """The names of the fields of a resource that hold ids of the referred one."""
    return [f.name for f in resource.references if referred_by(f) is referred]


def check_currency(account: Row, currency: str | None, line: int | None) -> None:
    """Raises ChangeRefused for another currency than the account's."""
    if currency not in (None, account["currencyCode"]):
        raise ChangeRefused(
            f"currencyCode is {currency}, but the account {account['name']} is in "
            f"{account['currencyCode']}",
            line,
        )


def check_references(
    session: LedgerSession, resource: Resource, row: Row, line: int | None
) -> None:
    """Raises ChangeRefused if the row refers to nothing of the user's."""
    for field in resource.references:
        known = session.row_set(referred_by(field)).rows
        for row_id in ids_in(row[field.name]):
            if row_id not in known:
                raise ChangeRefused(
                    f"{field.name} {row_id} is no {field.references} of the user", line
                )


def check_tree(categories: RowSet, lines: Mapping[str, int | None]) -> None:
    """Check where categories stand whose parent may have changed, and those below them.

    lines: their ids, each with its line of the file. Raises ChangeRefused for one that is below
    itself, or too deep.
    """
    levels: dict[str, int] = {}
    moved = set(lines)
    for row in CategoryTree(categories.rows.values()).from_top():
        level = levels[row["id"]] = levels.get(row["parentId"], 0) + 1
        if row["parentId"] in moved:
            moved.add(row["id"])
        if level > MAX_LEVELS and row["id"] in moved:
            raise ChangeRefused(
                f"the category {row['name']} would stand on level {level}, and there can be "
                f"{MAX_LEVELS} levels of categories at most: choose a parentId nearer to the top",
                lines.get(row["id"]),
            )
    for row_id, line in lines.items():
        if row_id not in levels:
            parent = categories.rows[row_id]["parentId"]
            raise ChangeRefused(f"parentId {parent} makes the category its own part", line)


def check_document(
    session: LedgerSession, resource: Resource, row: Row, line: int | None = None
) -> None:
    """References, currency and recurrence. Raises ChangeRefused."""
    check_references(session, resource, row, line)
    if resource is not STANDING_ORDERS:
        return
    account = session.accounts.rows.get(row["accountId"] or "")
    if account is not None:
        check_currency(account, row["currencyCode"], line)
    try:
        check_rule(row["recurrenceRule"], row["startDate"])
    except RuleError as error:
        raise ChangeRefused(f"recurrenceRule {error}", line) from None


def complete_standing_order(row: Row) -> None:
    """The type follows from the amount, where it is not given."""
    if row["type"] is None and row["amount"] is not None:
        row["type"] = record_type(row["amount"])


def carry_currencies_over(session: LedgerSession) -> bool:
    """A new currency of an account is that of its standing orders too; whether any changed."""
    changed = session.accounts.changed_ids("currencyCode")
    if not changed:
        return False
    seen = False
    for page in session.storage.data.scan_pages(session.user.id, STANDING_ORDERS, _PAGE):
        orders = RowSet(STANDING_ORDERS, page)
        for order in page:
            if order["accountId"] in changed and order["currencyCode"] is not None:
                currency = session.accounts.rows[order["accountId"]]["currencyCode"]
                orders.put({**order, "currencyCode": currency})
        seen |= session.save(orders)
    return seen
