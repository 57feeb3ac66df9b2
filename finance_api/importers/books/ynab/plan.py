"""The JSON of a plan: which members of its objects are read.

Based on version 1.86 of the API's description, https://api.ynab.com/v1.
"""

from dataclasses import dataclass, field
from functools import cache
from sys import intern
from typing import Any, BinaryIO, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from finance_api.importers.books.json_stream import JsonDamaged, JsonStream
from finance_api.importers.interface import ImportRefused, quoted

_Row = TypeVar("_Row", bound=NamedTuple)
#: Objects that wrap the plan. It was called a budget until version 1.78.
_WRAPPERS = ("data", "plan", "budget")


class Account(NamedTuple):
    """balance: milliunits, as all amounts."""

    id: str
    name: str
    type: str
    on_budget: bool
    balance: int
    closed: bool = False
    note: str | None = None
    deleted: bool = False


class Payee(NamedTuple):
    id: str
    name: str
    transfer_account_id: str | None = None


class CategoryGroup(NamedTuple):
    id: str
    name: str
    hidden: bool = False
    internal: bool = False
    deleted: bool = False


class Category(NamedTuple):
    id: str
    category_group_id: str
    name: str
    hidden: bool = False
    internal: bool = False
    note: str | None = None
    goal_type: str | None = None
    deleted: bool = False


class MonthCategory(NamedTuple):
    """A category in one month."""

    id: str
    budgeted: int
    activity: int
    deleted: bool = False


class Month(NamedTuple):
    month: str
    categories: list[Any]  # of MonthCategory
    note: str | None = None
    deleted: bool = False


class Transaction(NamedTuple):
    """A transaction, or a part of a split, which has no date and account. transaction_id: of a
    part, the whole.
    """

    id: str
    amount: int
    date: str = ""
    account_id: str = ""
    payee_id: str | None = None
    category_id: str | None = None
    memo: str | None = None
    cleared: str | None = None
    approved: bool = True
    flag_color: str | None = None
    flag_name: str | None = None
    transfer_account_id: str | None = None
    transfer_transaction_id: str | None = None
    import_id: str | None = None
    deleted: bool = False
    transaction_id: str | None = None


class Schedule(NamedTuple):
    id: str
    date_first: str
    frequency: str
    amount: int
    account_id: str
    payee_id: str | None = None
    category_id: str | None = None
    memo: str | None = None
    flag_color: str | None = None
    flag_name: str | None = None
    transfer_account_id: str | None = None
    deleted: bool = False


class SchedulePart(NamedTuple):
    id: str
    scheduled_transaction_id: str
    deleted: bool = False


class Place(NamedTuple):
    id: str


@dataclass
class Plan:
    """A plan that was read to its end. Deleted objects are left out."""

    id: str | None = None
    currency_format: dict[str, Any] | None = None
    accounts: list[Account] = field(default_factory=list)
    payees: list[Payee] = field(default_factory=list)
    payee_locations: list[Place] = field(default_factory=list)
    category_groups: list[CategoryGroup] = field(default_factory=list)
    categories: list[Category] = field(default_factory=list)
    months: list[Month] = field(default_factory=list)
    transactions: list[Transaction] = field(default_factory=list)
    subtransactions: list[Transaction] = field(default_factory=list)
    scheduled_transactions: list[Schedule] = field(default_factory=list)
    scheduled_subtransactions: list[SchedulePart] = field(default_factory=list)


#: The lists of a plan, and the types of their rows.
_LISTS: dict[str, type[NamedTuple]] = {
    name: get_args(hint)[0]
    for name, hint in get_type_hints(Plan).items()
    if get_origin(hint) is list
}


def read_plan(stream: BinaryIO) -> Plan:
    """Raises ImportRefused."""
    plan, source = Plan(), JsonStream(stream)
    try:
        _read_members(source, plan)
        source.end()
    except (JsonDamaged, RecursionError):
        raise ImportRefused(
            "the file is damaged or cut short: save the answer of YNAB's API again"
        ) from None
    if plan.id is None or not plan.accounts:
        raise ImportRefused(
            "the file has no plan with accounts: ask YNAB's API for a whole plan, with GET "
            "/v1/plans/{plan_id}"
        )
    return plan


def _read_members(source: JsonStream, plan: Plan) -> None:
    for name in source.members():
        if name in _WRAPPERS:
            _read_members(source, plan)
        elif kind := _LISTS.get(name):
            for element in source.elements():
                row = parsed(kind, element, name)
                if isinstance(row, Month):
                    categories = [parsed(MonthCategory, each, name) for each in row.categories]
                    row = row._replace(categories=categories)
                if not getattr(row, "deleted", False):
                    getattr(plan, name).append(row)
        elif name == "id":
            if plan.id is not None:
                raise ImportRefused("the file has two plans: give one plan a file")
            value = source.value()
            plan.id = value if isinstance(value, str) else None
        elif name == "currency_format":
            value = source.value()
            plan.currency_format = value if isinstance(value, dict) else None
        else:
            source.skip()


def parsed(kind: type[_Row], element: Any, title: str) -> _Row:
    """Return the members of an object that are read. Raises ImportRefused.

    title: the name of the list that the object is in.
    """
    if not isinstance(element, dict):
        raise ImportRefused(f"{title} has {quoted(str(element))}, where YNAB has an object")
    values: list[Any] = []
    for name, expected, default in _members(kind):
        value = element.get(name)
        if value is None:
            value = default
        if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
            shown = "nothing" if value is None else quoted(str(value))
            raise ImportRefused(
                f"{name} is {shown} in {quoted(str(element.get('id', element.get('month'))))} of "
                f"{title}, which YNAB does not write"
            )
        values.append(intern(value) if isinstance(value, str) else value)
    return kind._make(values)


@cache
def _members(kind: type[_Row]) -> list[tuple[str, Any, Any]]:
    """Return name, type and default of the members that are read."""
    return [
        (name, list if get_origin(hint) is list else hint, kind._field_defaults.get(name))
        for name, hint in get_type_hints(kind).items()
    ]
