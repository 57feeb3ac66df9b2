"""Derives fields of records from other data, and applies record rules.

Each record stores the names of its account, category and labels, so that a list of records needs
only one table: data is read far more often than it is imported.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.rows import batched
from finance_api.ledger.session import LedgerSession, UserRows
from finance_api.query.model import any_of
from finance_api.resources import RECORD_RULES, RECORDS
from finance_api.resources.records import record_type
from finance_api.values import Row
from finance_api.values.keywords import Keywords
from finance_api.values.text import fold


def check_currency(account: Row, currency: str | None, line: int | None) -> None:
    """Raise ChangeRefused if the currency is not the account's."""
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
        conditions = [any_of(name, batch) for batch in batched(sorted(ids))]
        for page in chain.from_iterable(session.pages(RECORDS, each) for each in conditions):
            rows = []
            for row in page:
                if row["accountId"] in accounts:
                    row["currencyCode"] = None
                derive(session, row)
                rows.append(row)
            session.put_derived(RECORDS, rows)
            changed = True
    return changed


def list_rules(owned: UserRows) -> list[Row]:
    """Return a user's rules in the order in which they are applied."""
    rows = owned.row_set(RECORD_RULES).rows.values()
    return sorted(rows, key=lambda row: (row["createdAt"], row["id"]))


class Ruled(NamedTuple):
    """What rules give to a record, beside a payee."""

    category_id: str | None = None
    label_ids: tuple[str, ...] = ()


UNRULED = Ruled()


class Rules:
    """A user's rules, in the order in which they are applied.

    A rule matches if the payee or the note contains one of its keywords, or with ``wholePayee`` if
    the payee is one of them, ignoring case.
    """

    def __init__(self, owned: UserRows) -> None:
        self._rules = list_rules(owned)
        naming = [row for row in self._rules if row["payee"] is not None]
        #: Whether any rule gives a payee.
        self.can_rename = bool(naming)
        #: The places in the list of the rules with a folded keyword: of those that look for it
        #: anywhere, and of those that compare it with the whole payee.
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._whole: defaultdict[str, list[int]] = defaultdict(list)
        for place, row in enumerate(self._rules):
            for keyword in row["keywords"]:
                (self._whole if row["wholePayee"] else self._places)[fold(keyword)].append(place)
        self._keywords = Keywords(self._places)
        self._naming_keywords = Keywords(
            fold(keyword) for row in naming if not row["wholePayee"] for keyword in row["keywords"]
        )
        #: Many records match the same rules.
        self._ruled = lru_cache(maxsize=4_096)(self._apply)

    def payee(self, account_id: str, payee: str | None, note: str | None) -> str | None:
        """Return the payee that the rules give to a record with these texts in its file.

        Rules that compare the whole payee come first: they are more exact.
        """
        if not self.can_rename:
            return None
        containing = self._containing(self._naming_keywords, payee, note)
        for place in (*self._equal(payee), *containing):
            rule = self._rules[place]
            if rule["payee"] is not None and rule["accountId"] in (None, account_id):
                return str(rule["payee"])
        return None

    def apply(self, account_id: str, payees: Iterable[str | None], note: str | None) -> Ruled:
        """Return the first category and all labels of the matching rules.

        payees: the record's own payee, and that of its file.
        """
        if not self._rules:
            return UNRULED
        given = list(dict.fromkeys(payees))
        containing = self._containing(self._keywords, *given, note)
        places = set(containing).union(*map(self._equal, given))
        return self._ruled(account_id, tuple(sorted(places))) if places else UNRULED

    def _equal(self, payee: str | None) -> Sequence[int]:
        return self._whole.get(fold(payee or ""), ())

    def _containing(self, keywords: Keywords, *texts: str | None) -> list[int]:
        # Join the texts with a character that no keyword contains.
        text = "\x00".join([fold(each) for each in texts if each])
        found = keywords.found_in(text)
        return sorted({place for each in found for place in self._places[each]})

    def _apply(self, account_id: str, places: tuple[int, ...]) -> Ruled:
        category_id: str | None = None
        label_ids: dict[str, None] = {}
        for rule in (self._rules[place] for place in places):
            if rule["accountId"] in (None, account_id):
                category_id = category_id or rule["categoryId"]
                label_ids.update(dict.fromkeys(rule["labelIds"]))
        return Ruled(category_id, tuple(label_ids))
