"""The tables of Actual: which columns are read, and whether a version is known."""

from collections.abc import Iterator
from typing import Any

from finance_api.importers.books.sqlite_file import SqliteFile, columns
from finance_api.importers.interface import ImportRefused, listed

#: The newest migration of version 26.9.0, with which the reader was tried.
NEWEST = 1787013118115
#: The columns that are read.
_READ = {
    "accounts": columns("id name offbudget:int closed:int tombstone:int"),
    "payees": columns("id name transfer_acct tombstone:int"),
    "payee_mapping": columns("id targetId"),
    "category_groups": columns("id name is_income:int hidden:int tombstone:int"),
    "categories": columns("id name cat_group hidden:int tombstone:int goal_def"),
    "category_mapping": columns("id transferId"),
    "transactions": columns(
        "id isParent:int isChild:int parent_id acct category amount:int description notes date:int "
        "imported_description starting_balance_flag:int transferred_id tombstone:int cleared:int "
        "reconciled:int financial_id"
    ),
    "zero_budgets": columns("month:int category amount:int carryover:int"),
    "reflect_budgets": columns("month:int category amount:int carryover:int"),
    "zero_budget_months": columns("id buffered:int"),
    "rules": columns("id conditions conditions_op actions tombstone:int"),
    "schedules": columns("id rule completed:int posts_transaction:int tombstone:int name"),
    "notes": columns("id note"),
    "preferences": columns("id value"),
}
#: All other columns of these tables.
_NOT_READ = {
    "accounts": (
        "account_id balance_current balance_available balance_limit mask official_name subtype "
        "bank sort_order type account_sync_source last_sync last_reconciled bank_sync_status "
        "account_group_id"
    ),
    "payees": "category favorite learn_categories",
    "category_groups": "sort_order",
    "categories": "is_income sort_order template_settings cleanup_def",
    "transactions": "type location error sort_order pending schedule raw_synced_data",
    "zero_budgets": "id goal long_goal",
    "reflect_budgets": "id goal long_goal",
    "rules": "stage",
    "schedules": "active custom_upcoming_length sort_order",
}


def checked(database: SqliteFile) -> None:
    """Raise ImportRefused for a version in which anything that is read may be different."""
    database.check_columns(_READ, "open it with a current version of Actual, and export it again")
    newest = newest_migration(database)
    if newest <= NEWEST:
        return
    for table, read in _READ.items():
        known = {*read, *_NOT_READ.get(table, "").split()}
        if changed := sorted(database.columns[table] ^ known):
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
    """Yield the columns of a table that are read, in their order above. order: an expression."""
    return database.typed_rows(table, _READ[table], order)
