"""The records that a rule matches, whatever other rules do: their number, texts and the newest."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from finance_api.ledger.edits.rules import SEARCHED_BY_RULES
from finance_api.ledger.session import UserRows
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, Query, SortKey, any_of, condition_on, either
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.resources.records import WORDS
from finance_api.storage.interface import TooManySums
from finance_api.values import Row
from finance_api.values.text import TextError, clean, fold

_MOST_GROUPS = 20_000
_NAMED = condition_on(RECORDS, "payee", Operator.NOT_NULL)
#: The fields that rules search: the payee, and those that one search of the records reads.
_SEARCHES = (SEARCHED_BY_RULES[:1], SEARCHED_BY_RULES[1:])
_NEWEST_FIRST = (SortKey(RECORDS["recordDate"], descending=True),)
#: Category, payee and further texts -> the number of records.
_Groups = dict[tuple[Any, ...], int]


@dataclass
class Matches:
    """The records that a rule matches. count: their number.

    without: the number of them without a category. texts: the texts that match, each once.
    """

    count: int = 0
    without: int = 0
    texts: dict[str, None] = field(default_factory=dict)


class RuleSearch:
    """Searches for the keywords of a rule. account_id: the only account that the rule is for."""

    def __init__(self, owned: UserRows, account_id: str | None = None) -> None:
        self._owned = owned
        self._on_account = [] if account_id is None else [any_of("accountId", [account_id])]

    def find_matches(
        self, keywords: Collection[str], *, whole_payee: bool = False
    ) -> Matches | None:
        """Return the matches; None if they have too many different texts to count."""
        found, words = Matches(), set(map(fold, keywords))

        def is_matched(text: str) -> bool:
            folded = fold(text)
            return folded in words if whole_payee else any(word in folded for word in words)

        for names in _searches(whole_payee=whole_payee):
            try:
                groups = self.groups(names, keywords)
            except TooManySums:
                return None
            for (category, payee, *others), number in groups.items():
                having = [text for text in (payee, *others) if text and is_matched(text)]
                # Records whose payee matches were counted by it.
                if having and ("payee" in names or payee not in having):
                    found.count += number
                    found.without += number if category is None else 0
                    found.texts |= dict.fromkeys(having)
        return found

    def newest(
        self, keywords: Collection[str], most: int, *, whole_payee: bool = False
    ) -> Sequence[Row]:
        """Return the newest matches. keywords: with whole_payee, in the case of the payees."""
        names = [name for names in _searches(whole_payee=whole_payee) for name in names]
        parts = (
            [any_of(name, keywords) for name in names]
            if whole_payee
            else _containing(names, keywords)
        )
        query = Query(RECORDS, (either(WORDS, parts), *self._on_account), _NEWEST_FIRST, most)
        return self._owned.storage.data.list_rows(self._owned.user.id, query).rows

    def groups(self, names: tuple[str, ...], keywords: Collection[str]) -> _Groups:
        """Return how many records have a keyword in one of the fields, by category, payee and these
        fields.

        Raises TooManySums.
        """
        having = either(WORDS, _containing(names, keywords))
        if not having.parts:
            return {}
        if names == ("payee",) and self._payees is not None:
            return {
                key: n for key, n in self._payees.items() if matches({"payee": key[1]}, [having])
            }
        return self._counted(("categoryId", *dict.fromkeys(("payee", *names))), having)

    @cached_property
    def _payees(self) -> _Groups | None:
        """How many records have each payee, by category; None if there are too many groups.

        The storage has these sums, so it need not search in the records.
        """
        with suppress(TooManySums):
            return self._counted(("categoryId", "payee"), _NAMED)
        return None

    def _counted(self, columns: tuple[str, ...], condition: Condition) -> _Groups:
        conditions = [condition, *self._on_account]
        sums = self._owned.storage.data.sum_by(
            self._owned.user.id, columns, conditions, with_void=True, most=_MOST_GROUPS
        )
        return {key: each.number for key, each in sums.items()}


def _searches(*, whole_payee: bool) -> Sequence[tuple[str, ...]]:
    """Return the fields to search, those together that one search reads."""
    if not whole_payee:
        return _SEARCHES
    return [(name,) for name in SEARCHED_BY_RULES if name != "note"]


def _containing(names: Collection[str], keywords: Collection[str]) -> list[Condition]:
    cleaned = []
    for keyword in keywords:
        with suppress(TextError):
            cleaned.append(clean(keyword))
    return [
        condition_on(RECORDS, name, Operator.CONTAINS_I, text)
        for name in names
        for text in cleaned
        if text
    ]
