"""Checks of rows of every type but the records."""

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.references import check_currency, check_references
from finance_api.ledger.row_set import RowSet
from finance_api.ledger.session import LedgerSession
from finance_api.planning.recurrence import RuleError, check_rule
from finance_api.resources import STANDING_ORDERS
from finance_api.resources.field import Resource
from finance_api.resources.records import record_type
from finance_api.values import Row

_PAGE = 1_000


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
