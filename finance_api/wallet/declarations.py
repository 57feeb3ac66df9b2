"""Declarations of Wallet's lists: their members and their parameters."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from finance_api.api.data_request import Reading
from finance_api.api.parameters import Parameter
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
from finance_api.values import Row
from finance_api.wallet import enriching, objects, occurrences
from finance_api.wallet.members import Context, Member
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

#: Adds to the context the data that the objects of a page show besides their rows.
Enrich = Callable[[Reading, Sequence[Row], Context], None]
#: Reads a page of a list that is not simply made of stored rows.
ReadPage = Callable[[Reading, Query], Page]


@dataclass(frozen=True, kw_only=True, eq=False)
class WalletList:
    """A list. path: the path within the surface. title: the title of the rows' schema.

    key: the member of the envelope that contains the rows.
    resource: the resource of the rows; the token needs its scope.
    """

    path: str
    key: str
    title: str
    resource: Resource
    members: tuple[Member, ...]
    parameters: tuple[Parameter, ...]
    enrich: Enrich | None = None
    read: ReadPage | None = None
    depends_on_today: bool = False


_TIMES = ("createdAt", "updatedAt")


def _list(
    resource: Resource,
    members: tuple[Member, ...],
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
        title=resource.model_type,
        resource=resource,
        members=members,
        parameters=(*COMMON, *own, sorted_by(resource, *sorts), *more),
        **options,
    )


LISTS = (
    _list(
        RECORDS,
        objects.RECORD,
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
        enrich=enriching.add_transfers_and_rates,
    ),
    _list(
        ACCOUNTS,
        objects.ACCOUNT,
        "name accountType currencyCode archived",
        [
            exact(ACCOUNTS["bankAccountNumber"]),
            related("budgetId", BUDGETS, "accountIds", empty_is_all=True),
        ],
        enrich=enriching.add_sums,
    ),
    _list(
        CATEGORIES,
        objects.CATEGORY,
        "name customCategory archived",
        [
            constant("cardinality", CATEGORIES, "none", "must", "need", "want"),
            related("budgetId", BUDGETS, "categoryIds", empty_is_all=True),
        ],
    ),
    _list(
        BUDGETS,
        objects.BUDGET,
        "name startDate endDate currencyCode type closed labelId=labelIds accountId=accountIds",
        [by_category(BUDGETS["categoryIds"]), SPENDING],
        enrich=enriching.add_spending,
        depends_on_today=True,
    ),
    _list(GOALS, objects.GOAL, "name note"),
    _list(
        STANDING_ORDERS,
        objects.STANDING_ORDER,
        "name currencyCode labelId=labelIds",
        depends_on_today=True,
    ),
    WalletList(
        path="standing-orders/items",
        key="standingOrderItems",
        title="StandingOrderItem",
        resource=STANDING_ORDERS,
        members=objects.STANDING_ORDER_ITEM,
        parameters=(*COMMON, *occurrences.PARAMETERS),
        read=occurrences.read_page,
        depends_on_today=True,
    ),
    _list(
        LABELS,
        objects.LABEL,
        "name archived",
        [
            related("recordId", RECORDS, "labelIds"),
            related("budgetId", BUDGETS, "labelIds"),
            related("standingOrderId", STANDING_ORDERS, "labelIds"),
            related("recordRuleId", RECORD_RULES, "labelIds"),
        ],
    ),
    _list(RECORD_RULES, objects.RECORD_RULE, "name labelId=labelIds"),
)
