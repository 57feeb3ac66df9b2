"""Record rules: the category and labels of new records of statement files."""

from dataclasses import dataclass

from finance_api.ledger.session import UserRows
from finance_api.resources import RECORD_RULES
from finance_api.values import Row
from finance_api.values.text import fold


def list_rules(owned: UserRows) -> list[Row]:
    """In the order in which they are asked."""
    rows = owned.row_set(RECORD_RULES).rows.values()
    return sorted(rows, key=lambda row: (row["createdAt"], row["id"]))


@dataclass(frozen=True)
class _Rule:
    keywords: tuple[str, ...]
    account_id: str | None
    category_id: str | None
    label_ids: tuple[str, ...]


class Rules:
    """A user's rules, in the order in which they are asked."""

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
        """The category of the first rule that matches and gives one; the labels of all that match.

        A rule matches if one of its keywords is in the payee or the note, whatever their case.
        """
        if not self._rules:
            return None, ()
        # No keyword has the character between them.
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
