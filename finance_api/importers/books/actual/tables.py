"""The tables of Actual: which columns are read, and whether a version is known."""

from collections.abc import Iterator
from typing import Any

from finance_api.importers.books.sqlite_file import SqliteFile
from finance_api.importers.interface import ImportRefused, listed, quoted

#: The newest migration of version 26.9.0, with which the reader was tried.
NEWEST = 1787013118115
#: The columns that are read.
_READ = {
    "accounts": ("id", "name", "offbudget", "closed", "tombstone"),
    "payees": ("id", "name", "transfer_acct", "tombstone"),
    "payee_mapping": ("id", "targetId"),
    "category_groups": ("id", "name", "is_income", "hidden", "tombstone"),
    "categories": ("id", "name", "cat_group", "hidden", "tombstone", "goal_def"),
    "category_mapping": ("id", "transferId"),
    "transactions": (
        *("id", "isParent", "isChild", "parent_id", "acct", "category", "amount", "description"),
        *("notes", "date", "imported_description", "starting_balance_flag", "transferred_id"),
        *("tombstone", "cleared", "reconciled", "financial_id"),
    ),
    "zero_budgets": ("month", "category", "amount", "carryover"),
    "reflect_budgets": ("month", "category", "amount", "carryover"),
    "zero_budget_months": ("id", "buffered"),
    "rules": ("id", "conditions", "conditions_op", "actions", "tombstone"),
    "schedules": ("id", "rule", "completed", "posts_transaction", "tombstone", "name"),
    "notes": ("id", "note"),
    "preferences": ("id", "value"),
}
#: The columns that are read and are whole numbers; the others are texts.
_NUMBERS = {
    *("offbudget", "closed", "tombstone", "is_income", "hidden", "isParent", "isChild", "amount"),
    *("date", "starting_balance_flag", "cleared", "reconciled", "month", "carryover", "buffered"),
    *("completed", "posts_transaction"),
}
#: All other columns of these tables.
_NOT_READ = {
    "accounts": (
        *("account_id", "balance_current", "balance_available", "balance_limit", "mask"),
        *("official_name", "subtype", "bank", "sort_order", "type", "account_sync_source"),
        *("last_sync", "last_reconciled", "bank_sync_status", "account_group_id"),
    ),
    "payees": ("category", "favorite", "learn_categories"),
    "category_groups": ("sort_order",),
    "categories": ("is_income", "sort_order", "template_settings", "cleanup_def"),
    "transactions": (
        *("type", "location", "error", "sort_order", "pending", "schedule", "raw_synced_data"),
    ),
    "zero_budgets": ("id", "goal", "long_goal"),
    "reflect_budgets": ("id", "goal", "long_goal"),
    "rules": ("stage",),
    "schedules": ("active", "custom_upcoming_length", "sort_order"),
}


def checked(database: SqliteFile) -> None:
    """Raise ImportRefused for a version in which anything that is read may be different."""
    columns = database.columns
    for table, read in _READ.items():
        if missing := set(read) - columns.get(table, set()):
            raise ImportRefused(
                f"the book lacks {listed(sorted(missing))} in the table {table}: open it with a "
                "current version of Actual, and export it again"
            )
    newest = newest_migration(database)
    if newest <= NEWEST:
        return
    for table, read in _READ.items():
        known = {*read, *_NOT_READ.get(table, ())}
        if changed := sorted(columns[table] ^ known):
            raise ImportRefused(
                f"the book is of a newer version of Actual (migration {newest}; known are those up "
                f"to {NEWEST}), which changed {listed(changed)} in the table {table}: finance-api "
                "needs an update to read it"
            )


def newest_migration(database: SqliteFile) -> int:
    if "id" not in database.columns.get("__migrations__", ()):
        raise ImportRefused("the database has no list of migrations, as books of Actual have")
    ids: list[int] = [number for (number,) in database.rows("__migrations__", "id")]
    if not ids or not all(isinstance(number, int) for number in ids):
        raise ImportRefused("the database has no list of migrations, as books of Actual have")
    return max(ids)


def table_rows(database: SqliteFile, table: str, order: str = "rowid") -> Iterator[tuple[Any, ...]]:
    """Yield the columns of a table that are read, in their order above. order: an expression.

    A missing number is 0. Raises ImportRefused for a value that Actual does not write.
    """
    columns = _READ[table]
    kinds = [int if column in _NUMBERS else str for column in columns]
    for row in database.rows(table, *columns, order=order):
        values: list[Any] = []
        for value, kind, column in zip(row, kinds, columns, strict=True):
            if value is None and column != "id":
                values.append(0 if kind is int else None)
            elif isinstance(value, kind):
                values.append(value)
            else:
                raise ImportRefused(
                    f"{quoted(column)} is {quoted(str(value))} in a row of the table {table}, "
                    f"where Actual has a {'whole number' if kind is int else 'text'}"
                )
        yield tuple(values)
