"""What a record takes over from the account, category and labels it refers to.

The names stand on the record itself: data is read far more often than it is imported, and a list
of records then needs one table.
"""

from collections.abc import Iterator

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.books import Books
from finance_api.query.model import Operator, condition_on
from finance_api.resources import RECORDS
from finance_api.resources.records import record_type
from finance_api.values import Row

_PAGE = 1_000


def derive(books: Books, row: Row, line: int | None = None) -> None:
    """Fills in the derived fields of a record, and its currency if it has none.

    Raises ImportRefused for a reference to nothing, and for a currency other than the account's.
    """
    account = books.accounts.rows.get(row["accountId"])
    if account is None:
        raise ImportRefused(f"accountId {row['accountId']} is no account of the user", line)
    if row["currencyCode"] is None:
        row["currencyCode"] = account["currencyCode"]
    elif row["currencyCode"] != account["currencyCode"]:
        raise ImportRefused(
            f"currencyCode is {row['currencyCode']}, but the account {account['name']} is in "
            f"{account['currencyCode']}",
            line,
        )
    row["accountName"] = account["name"]
    row["category"] = None
    if row["categoryId"] is not None:
        category = books.categories.rows.get(row["categoryId"])
        if category is None:
            raise ImportRefused(f"categoryId {row['categoryId']} is no category of the user", line)
        row["category"] = category["name"]
    names = []
    for label_id in row["labelIds"]:
        label = books.labels.rows.get(label_id)
        if label is None:
            raise ImportRefused(f"labelIds: {label_id} is no label of the user", line)
        names.append(label["name"])
    row["labels"] = tuple(names)
    row["recordType"] = record_type(row["amount"])


def rederive_records(books: Books) -> bool:
    """Carries new names and currencies over to the records stored before; whether any changed."""
    accounts = books.accounts.changed_ids("name", "currencyCode")
    changed = False
    for name, ids in (
        ("accountId", accounts),
        ("categoryId", books.categories.changed_ids("name")),
        ("labelIds", books.labels.changed_ids("name")),
    ):
        if not ids:
            continue
        for page in _pages_with(books, name, sorted(ids)):
            rows = []
            for row in page:
                if row["accountId"] in accounts:
                    row["currencyCode"] = None
                derive(books, row)
                rows.append(row)
            books.storage.put_rows(books.user.id, RECORDS, new=(), changed=rows)
            changed = True
    return changed


def _pages_with(books: Books, field_name: str, ids: list[str]) -> Iterator[list[Row]]:
    for begin in range(0, len(ids), _PAGE):
        wanted = tuple(ids[begin : begin + _PAGE])
        condition = condition_on(RECORDS, field_name, Operator.ANY_OF, wanted)
        after = ""
        while page := books.storage.scan_rows(
            books.user.id, RECORDS, conditions=[condition], after_id=after, limit=_PAGE
        ):
            yield page
            after = page[-1]["id"]
