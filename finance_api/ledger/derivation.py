"""The derived fields of a record, from its account, category and labels.

The names stand on the record itself: data is read far more often than it is imported, and a list
of records then needs one table.
"""

from collections.abc import Iterator

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.references import check_currency
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.query.records import any_of
from finance_api.resources import RECORDS
from finance_api.resources.records import record_type
from finance_api.values import Row

_PAGE = 1_000


def derive(owned: UserRows, row: Row, line: int | None = None) -> None:
    """Fills in the derived fields of a record, and its currency if it has none.

    Raises ChangeRefused for a reference to nothing, and for a currency other than the account's.
    """
    account = owned.accounts.rows.get(row["accountId"])
    if account is None:
        raise ChangeRefused(f"accountId {row['accountId']} is no account of the user", line)
    check_currency(account, row["currencyCode"], line)
    row["currencyCode"] = account["currencyCode"]
    row["accountName"] = account["name"]
    category_id, label_ids = row["categoryId"], row["labelIds"]
    row["category"] = None
    if category_id is not None:
        category = owned.categories.rows.get(category_id)
        if category is None:
            raise ChangeRefused(f"categoryId {category_id} is no category of the user", line)
        row["category"] = str(category["name"])
    labels = owned.labels.rows if label_ids else {}
    for label_id in label_ids:
        if label_id not in labels:
            raise ChangeRefused(f"labelIds: {label_id} is no label of the user", line)
    row["labels"] = tuple([labels[label_id]["name"] for label_id in label_ids])
    row["recordType"] = record_type(row["amount"])


def rederive_records(session: LedgerSession) -> bool:
    """Carries new names and currencies over to the records stored before; whether any changed."""
    accounts = session.accounts.changed_ids("name", "currencyCode")
    changed = False
    for name, ids in (
        ("accountId", accounts),
        ("categoryId", session.categories.changed_ids("name")),
        ("labelIds", session.labels.changed_ids("name")),
    ):
        if not ids:
            continue
        for page in _pages_with(session, name, sorted(ids)):
            rows = []
            for row in page:
                if row["accountId"] in accounts:
                    row["currencyCode"] = None
                derive(session, row)
                rows.append(row)
            session.storage.data.put_rows(session.user.id, RECORDS, new=(), changed=rows)
            changed = True
    return changed


def _pages_with(session: LedgerSession, field_name: str, ids: list[str]) -> Iterator[list[Row]]:
    for begin in range(0, len(ids), _PAGE):
        condition = any_of(field_name, ids[begin : begin + _PAGE])
        yield from session.storage.data.scan_pages(
            session.user.id, RECORDS, _PAGE, conditions=[condition]
        )
