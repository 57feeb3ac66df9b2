"""The accounts of a file: the days it covers of each, and the facts from earlier imports."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from finance_api.importers.interface import Statement
from finance_api.ledger.matching.stated import Content, Scope, StatedValues, own_content
from finance_api.storage.interface import HistoryEntry
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

REUSED, STABLE = "reused", "stable"


class Cover(NamedTuple):
    """The first and last day that a statement covers, as days since 1970-01-01.

    first_rows, last_rows: digests of its entries on the first and last day.
    """

    first: int
    last: int
    first_rows: str | None = None
    last_rows: str | None = None

    def holds(self, day: int) -> bool:
        return self.first <= day <= self.last

    def holds_all_of(self, day: int) -> bool:
        """Excludes the first and last day: a statement may begin or end in the middle of a day."""
        return self.first < day < self.last


@dataclass
class EarlierFacts:
    """The facts from earlier imports about one account and source.

    covers: of its statements. others: of other sources' statements, by source.
    ids: how the bank's ids behave: REUSED, STABLE or None (unknown).
    ids_chosen: the user chose ``ids``.
    again: how many entries of earlier files came again with the same id and content.
    texts, as_of: of the account's statements, by number of the import. files: the files' SHA-256.
    """

    covers: list[Cover] = field(default_factory=list)
    others: defaultdict[str, list[Cover]] = field(default_factory=lambda: defaultdict(list))
    ids: str | None = None
    ids_chosen: bool = False
    again: int = 0
    texts: dict[int, str] = field(default_factory=dict)
    as_of: dict[int, int | None] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)


def facts_of(history: Iterable[HistoryEntry]) -> Iterable[tuple[HistoryEntry, dict[str, Any]]]:
    """Yield the facts of all statements that are not undone, oldest first."""
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


def collect_facts(facts: FactsBefore, source: str) -> EarlierFacts:
    found = EarlierFacts()
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
            found.ids_chosen = entry.details.get("options", {}).get("ids") is not None
    return found


def remembered_options(
    history: Iterable[HistoryEntry], names: Mapping[str, str], heading: str, account: str | None
) -> Mapping[str, Any] | None:
    """See `importers.interface.Remembered`. names: the accounts' names by id."""
    latest = None
    for _, fact in facts_of(history):
        options = fact.get("options") or {}
        called = (names.get(fact["accountId"]), fact.get("key"), options.get("account"))
        if options.get("heading") == heading and (account is None or account in called):
            latest = options
    return latest


#: Ids are considered stable once this many rows came again with the same id.
_ROWS_THAT_SHOW_STABLE_IDS = 3


@dataclass(eq=False)
class KnownAccount:
    """A user's account that statements of the file belong to.

    is_new: this import creates it. is_repeat: exactly this file was imported before.
    earlier: facts from earlier imports. ids: how the bank's ids behave, if the user says so now.
    statements, scopes, covers: the file's statements, the scopes of their source ids, and the days
    they cover, by the statement's index in the file.
    again: how many entries of earlier files this file repeats with the same id and content.
    shows_reuse: this file shows that the bank uses ids again.
    is_of_several: statements of several bank accounts belong to it.
    """

    id: str
    name: str
    is_new: bool
    is_repeat: bool
    earlier: EarlierFacts
    ids: str | None
    statements: dict[int, Statement] = field(default_factory=dict)
    scopes: dict[int, Scope] = field(default_factory=dict)
    covers: dict[int, Cover] = field(default_factory=dict)
    again: int = 0
    shows_reuse: bool = False
    is_of_several: bool = False
    #: Results of `coverage`: many records share a day.
    _coverage: dict[int, tuple[bool, bool]] = field(default_factory=dict)

    @property
    def texts(self) -> str:
        return next(reversed(self.statements.values())).texts

    @property
    def first(self) -> int:
        return min(cover.first for cover in self.covers.values())

    @property
    def last(self) -> int:
        return max(cover.last for cover in self.covers.values())

    def coverage(self, day: int) -> tuple[bool, bool]:
        """Return whether the file covers the day at least partly, and whether it does wholly."""
        found = self._coverage.get(day)
        if found is None:
            covers = self.covers.values()
            found = any(c.holds(day) for c in covers), any(c.holds_all_of(day) for c in covers)
            self._coverage[day] = found
        return found

    def is_stored_whole(self, day: int) -> bool:
        """Return whether an earlier file of this source covered the whole day."""
        return any(cover.holds_all_of(day) for cover in self.earlier.covers)

    def as_made(
        self, row: Row, bank_id: str | None, content: Content | None = None
    ) -> StatedValues:
        """Return the values that the record's source stated, for a record without stored ones.

        content: the stated content, if it is known to differ from the record's.
        """
        number = row["importId"]
        return StatedValues(
            bank_id,
            content or own_content(row),
            as_of=self.earlier.as_of.get(number),
            texts=self.earlier.texts.get(number),
        )

    @property
    def known_stable(self) -> bool:
        """Whether ids are stable, according to the user or earlier files."""
        if self.ids is not None:
            return self.ids == STABLE
        shown = self.earlier.again >= _ROWS_THAT_SHOW_STABLE_IDS
        return self.earlier.ids == STABLE or (self.earlier.ids is None and shown)

    @property
    def stable(self) -> bool:
        """Whether ids are stable, according to the user, earlier files or this file."""
        if self.ids is not None or self.reused or self.known_stable:
            return self.known_stable
        return self.earlier.again + self.again >= _ROWS_THAT_SHOW_STABLE_IDS

    @property
    def reused(self) -> bool:
        if self.ids is not None:
            return self.ids == REUSED
        return self.shows_reuse or self.earlier.ids == REUSED

    @property
    def ids_chosen(self) -> bool:
        """Whether the user has said how ids behave."""
        return self.ids is not None or (self.earlier.ids_chosen and self.earlier.ids is not None)
