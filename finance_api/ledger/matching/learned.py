"""Facts about an account from earlier imports that are not undone."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from finance_api.storage.interface import HistoryEntry
from finance_api.values.time import DAY_SECONDS

REUSED, STABLE = "reused", "stable"


class Cover(NamedTuple):
    """The days, by their numbers, that a statement covers.

    first_rows, last_rows: digests of what it has of its first and last day.
    """

    first: int
    last: int
    first_rows: str | None = None
    last_rows: str | None = None

    def holds(self, day: int) -> bool:
        return self.first <= day <= self.last

    def holds_all_of(self, day: int) -> bool:
        """A statement may begin or end in the middle of a day."""
        return self.first < day < self.last


@dataclass
class Learned:
    """The facts about one account and source.

    covers: of its statements. others: those of other sources, by source.
    ids: how the bank's ids behave: REUSED, STABLE, None: not known; said: by the user.
    again: how many entries of earlier files came again with the same id and content.
    texts, as_of: of the account's statements, by the number of the import. files: their SHA-256.
    """

    covers: list[Cover] = field(default_factory=list)
    others: defaultdict[str, list[Cover]] = field(default_factory=lambda: defaultdict(list))
    ids: str | None = None
    said: bool = False
    again: int = 0
    texts: dict[int, str] = field(default_factory=dict)
    as_of: dict[int, int | None] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)


def facts_of(history: Iterable[HistoryEntry]) -> Iterable[tuple[HistoryEntry, dict[str, Any]]]:
    """Yield the facts of all statements, oldest first."""
    for entry in history:
        if entry.undone_at is None:
            for fact in entry.facts:
                yield entry, fact


#: The facts of an account's statements, with the entries of their imports.
FactsBefore = list[tuple[HistoryEntry, dict[str, Any]]]


def facts_by_account(history: Iterable[HistoryEntry]) -> defaultdict[str, FactsBefore]:
    facts: defaultdict[str, FactsBefore] = defaultdict(list)
    for entry, fact in facts_of(history):
        facts[fact["accountId"]].append((entry, fact))
    return facts


def learned(facts: FactsBefore, source: str) -> Learned:
    found = Learned()
    for entry, fact in facts:
        if fact.get("first") is not None:
            days = fact["first"] // DAY_SECONDS, fact["last"] // DAY_SECONDS
            cover = Cover(*days, fact.get("firstRows"), fact.get("lastRows"))
            of = found.covers if fact.get("source") == source else found.others[fact["source"]]
            of.append(cover)
        if fact.get("source") != source:
            continue
        if "texts" in fact:
            found.texts[entry.number] = fact["texts"]
        found.as_of[entry.number] = fact.get("asOf")
        found.again += fact.get("again", 0)
        digest = entry.details.get("file", {}).get("sha256")
        if digest is not None:
            found.files.add(digest)
        if fact.get("ids") is not None:
            found.ids = fact["ids"]
            found.said = entry.details.get("options", {}).get("ids") is not None
    return found


def remembered_options(
    history: Iterable[HistoryEntry], names: Mapping[str, str], heading: str, account: str | None
) -> Mapping[str, Any] | None:
    """See `importers.interface.Remembered`. names: of the accounts, by id."""
    latest = None
    for _, fact in facts_of(history):
        options = fact.get("options") or {}
        called = (names.get(fact["accountId"]), fact.get("key"), options.get("account"))
        if options.get("heading") == heading and (account is None or account in called):
            latest = options
    return latest
