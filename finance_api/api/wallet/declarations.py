"""Wallet's lists: what each shows, and by which parameters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from finance_api.api.data_request import Reading
from finance_api.api.wallet import accounts, budgets, occurrences, records
from finance_api.api.wallet.context import Context
from finance_api.api.wallet.members import Member
from finance_api.api.wallet.objects import (
    ACCOUNT,
    BUDGET,
    CATEGORY,
    GOAL,
    LABEL,
    RECORD,
    RECORD_RULE,
    STANDING_ORDER,
    STANDING_ORDER_ITEM,
)
from finance_api.api.wallet.parameters import (
    COMMON,
    CONVERT_TO,
    SOURCE,
    SPENDING,
    Declared,
    Parameter,
    related,
    sorted_by,
)
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

#: Adds to the context of a page what its rows show beside themselves.
Enrich = Callable[[Reading, Sequence[Row], Context], None]
#: Reads the page of a list whose members are made of something else than its stored rows.
ReadPage = Callable[[Reading, Query], Page]


@dataclass(frozen=True, kw_only=True)
class WalletList:
    """path: below the surface. key: of the rows in the envelope. title: of the schema of one.

    resource: whose rows they are, and whose scope they need.
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

    def __hash__(self) -> int:
        return hash(self.path)


_TIMES = ("createdAt", "updatedAt")


def _list(
    resource: Resource,
    members: tuple[Member, ...],
    *parameters: Parameter,
    sorts: tuple[str, ...] = _TIMES,
    **options: Any,
) -> WalletList:
    own = Declared(resource)
    common = (*COMMON, own.ids("id"), *own.compared(*_TIMES), sorted_by(resource, *sorts))
    return WalletList(
        path=str(resource.path),
        key=resource.name,
        title=resource.model_type,
        **options,
        resource=resource,
        members=members,
        parameters=(*common, *parameters),
    )


_record = Declared(RECORDS)
_account = Declared(ACCOUNTS)
_category = Declared(CATEGORIES)
_budget = Declared(BUDGETS)
_goal = Declared(GOALS)
_order = Declared(STANDING_ORDERS)
_label = Declared(LABELS)
_rule = Declared(RECORD_RULES)

LISTS = (
    _list(
        RECORDS,
        RECORD,
        *_record.compared("recordDate", "note", "amount"),
        _record.called("counterParty", "payee"),
        _record.ids("accountId"),
        _record.ids("labelId", "labelIds"),
        _record.ids("transferId"),
        _record.categories("categoryId"),
        _record.choice("recordType"),
        _record.choice("recordState", "waitForAssign"),
        _record.is_given("isTransfer", "transferId"),
        SOURCE,
        CONVERT_TO,
        _record.party("payee", EXPENSE),
        _record.party("payer", INCOME),
        _record.choice("paymentType"),
        sorts=("recordDate", "amount", *_TIMES),
        enrich=records.enrich,
    ),
    _list(
        ACCOUNTS,
        ACCOUNT,
        *_account.compared("name"),
        _account.choice("accountType", any_case=True),
        _account.choice("currencyCode", any_case=True),
        _account.flag("archived"),
        _account.exact("bankAccountNumber"),
        related("budgetId", BUDGETS, "accountIds", empty_is_all=True),
        enrich=accounts.enrich,
    ),
    _list(
        CATEGORIES,
        CATEGORY,
        *_category.compared("name"),
        _category.flag("customCategory"),
        _category.flag("archived"),
        _category.constant("cardinality", "none", "must", "need", "want"),
        related("budgetId", BUDGETS, "categoryIds", empty_is_all=True),
    ),
    _list(
        BUDGETS,
        BUDGET,
        *_budget.compared("name", "startDate", "endDate"),
        _budget.choice("currencyCode", any_case=True),
        _budget.choice("type", "BUDGET_ALL"),
        _budget.flag("closed"),
        _budget.ids("labelId", "labelIds"),
        _budget.ids("accountId", "accountIds"),
        _budget.categories("categoryIds"),
        SPENDING,
        enrich=budgets.enrich,
        depends_on_today=True,
    ),
    _list(GOALS, GOAL, *_goal.compared("name", "note")),
    _list(
        STANDING_ORDERS,
        STANDING_ORDER,
        *_order.compared("name"),
        _order.choice("currencyCode", any_case=True),
        _order.ids("labelId", "labelIds"),
        depends_on_today=True,
    ),
    WalletList(
        path="standing-orders/items",
        key="standingOrderItems",
        title="StandingOrderItem",
        resource=STANDING_ORDERS,
        members=STANDING_ORDER_ITEM,
        parameters=(*COMMON, *occurrences.PARAMETERS),
        read=occurrences.read_page,
        depends_on_today=True,
    ),
    _list(
        LABELS,
        LABEL,
        *_label.compared("name"),
        _label.flag("archived"),
        related("recordId", RECORDS, "labelIds"),
        related("budgetId", BUDGETS, "labelIds"),
        related("standingOrderId", STANDING_ORDERS, "labelIds"),
        related("recordRuleId", RECORD_RULES, "labelIds"),
    ),
    _list(
        RECORD_RULES,
        RECORD_RULE,
        *_rule.compared("name"),
        _rule.ids("labelId", "labelIds"),
    ),
)
