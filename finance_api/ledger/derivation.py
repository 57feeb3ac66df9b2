"""Derives fields of records from other data, and applies record rules to new records.

Each record stores the names of its account, category and labels: data is read far more often than
it is imported, and so a list of records needs only one table.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.query.model import any_of
from finance_api.resources import RECORD_RULES, RECORDS
from finance_api.resources.records import record_type
from finance_api.values import Row
from finance_api.values.text import fold

_PAGE = 1_000


def check_currency(account: Row, currency: str | None, line: int | None) -> None:
    """Raises ChangeRefused if the currency is not the account's."""
    if currency not in (None, account["currencyCode"]):
        raise ChangeRefused(
            f"currencyCode is {currency}, but the account {account['name']} is in "
            f"{account['currencyCode']}",
            line,
        )


def derive(owned: UserRows, row: Row, line: int | None = None) -> None:
    """Fill in the derived fields of a record, and its currency if it has none.

    Raises ChangeRefused for a broken reference, and for a currency other than the account's.
    """
    account = owned.accounts.rows.get(row["accountId"])
    if account is None:
        raise ChangeRefused(f"accountId {row['accountId']} is not an account of this user", line)
    check_currency(account, row["currencyCode"], line)
    row["currencyCode"] = account["currencyCode"]
    row["accountName"] = account["name"]
    category_id, label_ids = row["categoryId"], row["labelIds"]
    row["category"] = None
    if category_id is not None:
        category = owned.categories.rows.get(category_id)
        if category is None:
            raise ChangeRefused(f"categoryId {category_id} is not a category of this user", line)
        row["category"] = str(category["name"])
    labels = owned.labels.rows if label_ids else {}
    for label_id in label_ids:
        if label_id not in labels:
            raise ChangeRefused(f"labelIds: {label_id} is not a label of this user", line)
    row["labels"] = tuple([labels[label_id]["name"] for label_id in label_ids])
    row["recordType"] = record_type(row["amount"])


def rederive_records(session: LedgerSession) -> bool:
    """Update stored records after names or currencies changed; return whether any changed."""
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


def list_rules(owned: UserRows) -> list[Row]:
    """Return a user's rules in the order in which they are applied."""
    rows = owned.row_set(RECORD_RULES).rows.values()
    return sorted(rows, key=lambda row: (row["createdAt"], row["id"]))


@dataclass(frozen=True)
class _Rule:
    keywords: tuple[str, ...]
    account_id: str | None
    category_id: str | None
    label_ids: tuple[str, ...]


class Rules:
    """A user's rules, in the order in which they are applied."""

    def __init__(self, owned: UserRows) -> None:
        self._rules = [
            _Rule(
                tuple(fold(keyword) for keyword in row["keywords"]),
                row["accountId"],
                row["categoryId"],
                row["labelIds"],
            )
            for row in list_rules(owned)
        ]

    def apply(
        self, account_id: str, payee: str | None, note: str | None
    ) -> tuple[str | None, tuple[str, ...]]:
        """Return the category of the first matching rule that has one, and all matching labels.

        A rule matches if the payee or the note contains one of its keywords, ignoring case.
        """
        if not self._rules:
            return None, ()
        # Join the texts with a character that no keyword contains.
        text = "\x00".join([fold(each) for each in (payee, note) if each])
        category_id: str | None = None
        label_ids: dict[str, None] = {}
        for rule in self._rules:
            if rule.account_id not in (None, account_id):
                continue
            if any(keyword in text for keyword in rule.keywords):
                category_id = category_id or rule.category_id
                label_ids.update(dict.fromkeys(rule.label_ids))
        return category_id, tuple(label_ids)
