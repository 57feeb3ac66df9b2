"""Declarations of Wallet's lists: their members and their parameters."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from finance_api.api.parameters import Parameter
from finance_api.planning.answers import Reading
from finance_api.query.model import Query
from finance_api.resources import (
    ACCOUNTS,
    BUDGETS,
    CATEGORIES,
    GOALS,
    LABELS,
    RECORD_RULES,
    RECORDS,
    STANDING_ORDERS,
)
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.resources.field import Resource
from finance_api.storage.interface import Page
from finance_api.wallet import occurrences
from finance_api.wallet.accounts import ACCOUNT
from finance_api.wallet.budgets import BUDGET
from finance_api.wallet.categories import CATEGORY
from finance_api.wallet.goals import GOAL
from finance_api.wallet.labels import LABEL
from finance_api.wallet.members import Shape
from finance_api.wallet.parameters import (
    COMMON,
    CONVERT_TO,
    SOURCE,
    SPENDING,
    by_category,
    constant,
    exact,
    filters,
    is_given,
    party,
    related,
    sorted_by,
)
from finance_api.wallet.record_rules import RECORD_RULE
from finance_api.wallet.records import RECORD
from finance_api.wallet.standing_orders import STANDING_ORDER

#: Reads a page of a list that is not simply made of stored rows.
ReadPage = Callable[[Reading, Query], Page]


@dataclass(frozen=True, kw_only=True, eq=False)
class WalletList:
    """A list. path: the path within the surface.

    key: the member of the envelope that contains the rows.
    resource: the resource of the rows; the token needs its scope.
    """

    path: str
    key: str
    resource: Resource
    shape: Shape
    parameters: tuple[Parameter, ...]
    read: ReadPage | None = None
    depends_on_today: bool = False
    is_cheap: bool = True


_TIMES = ("createdAt", "updatedAt")


def _list(
    resource: Resource,
    shape: Shape,
    names: str,
    more: Iterable[Parameter] = (),
    *,
    sorts: tuple[str, ...] = _TIMES,
    **options: Any,
) -> WalletList:
    """Declare a list. names: the fields to filter by, as in `filters`. more: other parameters."""
    own = filters(resource, f"id {' '.join(_TIMES)} {names}")
    return WalletList(
        path=str(resource.path),
        key=resource.name,
        resource=resource,
        shape=shape,
        parameters=(*COMMON, *own, sorted_by(resource, *sorts), *more),
        **options,
    )


LISTS = (
    _list(
        RECORDS,
        RECORD,
        "recordDate note amount counterParty=payee accountId labelId=labelIds transferId "
        "recordType recordState paymentType",
        [
            by_category(RECORDS["categoryId"]),
            is_given("isTransfer", RECORDS["transferId"]),
            SOURCE,
            CONVERT_TO,
            party("payee", EXPENSE, RECORDS),
            party("payer", INCOME, RECORDS),
        ],
        sorts=("recordDate", "amount", *_TIMES),
    ),
    _list(
        ACCOUNTS,
        ACCOUNT,
        "name accountType currencyCode archived",
        [
            exact(ACCOUNTS["bankAccountNumber"]),
            related("budgetId", BUDGETS, "accountIds", empty_is_all=True),
        ],
        is_cheap=False,
    ),
    _list(
        CATEGORIES,
        CATEGORY,
        "name customCategory archived",
        [
            constant("cardinality", CATEGORIES, "none", "must", "need", "want"),
            related("budgetId", BUDGETS, "categoryIds", empty_is_all=True),
        ],
    ),
    _list(
        BUDGETS,
        BUDGET,
        "name startDate endDate currencyCode type closed labelId=labelIds accountId=accountIds",
        [by_category(BUDGETS["categoryIds"]), SPENDING],
        depends_on_today=True,
        is_cheap=False,
    ),
    _list(GOALS, GOAL, "name note"),
    _list(
        STANDING_ORDERS, STANDING_ORDER, "name currencyCode labelId=labelIds", depends_on_today=True
    ),
    WalletList(
        path="standing-orders/items",
        key="standingOrderItems",
        resource=STANDING_ORDERS,
        shape=occurrences.STANDING_ORDER_ITEM,
        parameters=(*COMMON, *occurrences.PARAMETERS),
        read=occurrences.read_page,
        depends_on_today=True,
        is_cheap=False,
    ),
    _list(
        LABELS,
        LABEL,
        "name archived",
        [
            related("recordId", RECORDS, "labelIds"),
            related("budgetId", BUDGETS, "labelIds"),
            related("standingOrderId", STANDING_ORDERS, "labelIds"),
            related("recordRuleId", RECORD_RULES, "labelIds"),
        ],
    ),
    _list(RECORD_RULES, RECORD_RULE, "name labelId=labelIds"),
)
