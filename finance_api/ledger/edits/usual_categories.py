"""The categories that a new user can begin with."""

from finance_api.ledger.edits.objects import put_new
from finance_api.ledger.edits.report import EditReport
from finance_api.ledger.session import LedgerSession
from finance_api.resources import CATEGORIES
from finance_api.resources.common import EXPENSE, INCOME
from finance_api.values.text import fold

#: Names of categories by group.
USUAL = {
    "Home": ("Rent", "Electricity and heating", "Internet and phone", "Household"),
    "Food": ("Groceries", "Eating out"),
    "Transport": ("Public transport", "Car", "Fuel"),
    "Personal": ("Clothes", "Health", "Insurance", "Children", "Gifts"),
    "Leisure": ("Holidays", "Sport", "Culture", "Subscriptions"),
    "Bank": ("Fees", "Taxes", "Cash"),
    "Income": ("Salary", "Interest", "Refunds", "Other income"),
}


def add_usual_categories(session: LedgerSession) -> EditReport:
    """Add the usual categories whose names the user does not have yet."""
    report = EditReport()
    known = {fold(row["name"] or "") for row in session.categories.rows.values()}
    for group, names in USUAL.items():
        kind = INCOME if group == "Income" else EXPENSE
        for name in names:
            if fold(name) not in known:
                row = put_new(session, CATEGORIES, {"name": name, "group": group, "kind": kind})
                report.note(session, CATEGORIES, None, row)
    if report.created:
        session.close(new_revision=True, details=report.details)
    return report
