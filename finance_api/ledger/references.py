"""Checks documents, which are the rows of every type except records.

They must refer to existing rows that fit, and categories must form a tree.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.derivation import check_currency
from finance_api.ledger.rows import RowSet
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.planning.categories import CategoryTree
from finance_api.planning.recurrence import RuleError, check_rule
from finance_api.query.model import any_of
from finance_api.resources import BUDGETS, GOALS, RECORDS, STANDING_ORDERS, referred_by
from finance_api.resources.field import Field, Resource
from finance_api.resources.plans import PERIODS
from finance_api.resources.records import record_type
from finance_api.values import Row
from finance_api.values.period_limits import split_limits
from finance_api.values.time import date_text, parse_date, start_of

#: Maximum depth of the tree of categories.
MAX_LEVELS = 20


#: The types of plans that have the currency of their account.
_WITH_ACCOUNT = (GOALS, STANDING_ORDERS)


def ids_in(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the ids in the value of a reference field."""
    return (value,) if isinstance(value, str) else value or ()


def fields_referring_to(referred: Resource, resource: Resource) -> list[str]:
    """Return the names of the resource's fields that contain ids of the referred resource."""
    return [f.name for f in resource.references if referred_by(f) is referred]


def references_in(resource: Resource, row: Row) -> Iterator[tuple[Field, str]]:
    """Yield each id in the row's reference fields, with the field; a field may be missing."""
    for field in resource.references:
        for row_id in ids_in(row.get(field.name)):
            yield field, row_id


def check_references(
    session: LedgerSession, resource: Resource, row: Row, line: int | None
) -> None:
    """Raise ChangeRefused if the row refers to a row that the user does not have."""
    for field, row_id in references_in(resource, row):
        if row_id not in session.row_set(referred_by(field)).rows:
            raise ChangeRefused(
                f"{field.name} {row_id} is not the id of any {field.references} of this user", line
            )


def records_with(owned: UserRows, referred: Resource, row_id: str) -> int:
    """Return how many records refer to the row, void ones included."""
    data, user_id, count = owned.storage.data, owned.user.id, 0
    for name in fields_referring_to(referred, RECORDS):
        sums = data.sum_by(user_id, ["isVoid"], [any_of(name, [row_id])], with_void=True)
        count += sum(each.number for each in sums.values())
    return count


def check_tree(categories: RowSet, lines: Mapping[str, int | None]) -> None:
    """Check the tree for categories whose parent may have changed, and the categories below them.

    lines: the ids of categories whose parent may have changed -> their lines in the file. Raises
    ChangeRefused for a category that is below itself, or too deep.
    """
    levels: dict[str, int] = {}
    moved = set(lines)
    for row in CategoryTree(categories.rows.values()).from_top():
        level = levels[row["id"]] = levels.get(row["parentId"], 0) + 1
        if row["parentId"] in moved:
            moved.add(row["id"])
        if level > MAX_LEVELS and row["id"] in moved:
            raise ChangeRefused(
                f"the category {row['name']} would be on level {level}, but categories have at "
                f"most {MAX_LEVELS} levels: choose a parentId nearer to the top",
                lines.get(row["id"]),
            )
    for row_id, line in lines.items():
        if row_id not in levels:
            parent = categories.rows[row_id]["parentId"]
            raise ChangeRefused(f"parentId {parent} would make the category a part of itself", line)


def check_document(
    session: LedgerSession, resource: Resource, row: Row, line: int | None = None
) -> None:
    """Check references and currency. Raises ChangeRefused."""
    check_references(session, resource, row, line)
    if resource is BUDGETS:
        _check_limits(row, line)
    if resource not in _WITH_ACCOUNT:
        return
    account = session.accounts.rows.get(row["accountId"] or "")
    if account is not None:
        check_currency(account, row["currencyCode"], line)
    if resource is GOALS and account is not None and row["labelId"] is not None:
        raise ChangeRefused("a goal has an accountId or a labelId, not both", line)


def _check_limits(budget: Row, line: int | None) -> None:
    """Raise ChangeRefused for a limit of a period that the budget does not have."""
    period = PERIODS.get(budget["type"])
    for day, _ in split_limits(budget["limitOverrides"]):
        if period is None:
            raise ChangeRefused(
                "a budget from its start date to its end date has one period: remove its limits of "
                "single periods, and give its limit alone",
                line,
            )
        if (first := date_text(start_of(period, parse_date(day)))) != day:
            raise ChangeRefused(
                f"the limit of {day} does not fit, because no {period} starts on this day: give "
                f"{first}, or remove this limit",
                line,
            )


def check_recurrence(values: Mapping[str, Any], line: int | None = None) -> None:
    """Raise ChangeRefused unless the rule of a standing order can occur.

    It searches for a day: check many rows before the write lock is taken.
    """
    try:
        check_rule(values.get("recurrenceRule"), values.get("startDate"))
    except RuleError as error:
        raise ChangeRefused(f"recurrenceRule {error}", line) from None


def complete_standing_order(row: Row) -> None:
    """Derive the type from the amount, if no type is given."""
    if row["type"] is None and row["amount"] is not None:
        row["type"] = record_type(row["amount"])


def carry_currencies_over(session: LedgerSession) -> None:
    """Copy accounts' new currencies to their plans."""
    changed = session.accounts.changed_ids("currencyCode")
    for resource in _WITH_ACCOUNT if changed else ():
        for page in session.pages(resource):
            plans = RowSet(resource, page)
            for plan in page:
                if plan["accountId"] in changed and plan["currencyCode"] is not None:
                    currency = session.accounts.rows[plan["accountId"]]["currencyCode"]
                    plans.put({**plan, "currencyCode": currency})
            session.save(plans)
