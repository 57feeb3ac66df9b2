"""Plans an undo: which entries it undoes, and which later entries prevent it."""

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.report import title_of
from finance_api.ledger.edits.rules import APPLY
from finance_api.ledger.references import references_in
from finance_api.ledger.session import IMPORT, LedgerSession, own_values
from finance_api.ledger.splits import get_stated, title_of_whole
from finance_api.ledger.undo.past import Key, Past
from finance_api.resources import ACCOUNTS, BY_NAME, RECORDS, RESOURCES, SPLITS, referred_by
from finance_api.resources.field import Resource
from finance_api.storage.interface import BeforeImage, HistoryEntry
from finance_api.values import Row
from finance_api.values.text import message
from finance_api.values.time import DAY_SECONDS

#: A refusal names up to this many rows.
_NAMED_ROWS = 10
#: Fields of an account that any later statement may set.
_OF_STATEMENTS = ("statementKeys", "bankAccountNumber", "updatedAt")


class UndoBlocked(ChangeRefused):
    """A refusal because of later entries. blockers: these entries, each with what it did.

    can_keep: whether an undo can keep the rows of some of them.
    """

    def __init__(self, entry: HistoryEntry, blockers: list["_Blocker"], reasons: list[str]) -> None:
        parts = (
            f"entry {blocker.entry.number} ({blocker.entry.action}) {reason}"
            for blocker, reason in zip(blockers, reasons, strict=True)
        )
        are_by_hand = [blocker.is_by_hand for blocker in blockers]
        super().__init__(
            f"later entries changed the same data as entry {entry.number}: {'; '.join(parts)}",
            ways=("with_later", "keep_changed") if all(are_by_hand) else ("with_later",),
        )
        self.blockers = [(b.entry, message(r)) for b, r in zip(blockers, reasons, strict=True)]
        self.can_keep = any(are_by_hand)


@dataclass
class _Blocker:
    """A later entry that prevents an undo.

    reasons: reasons other than ``rows``. rows: the rows that both entries changed, as they were
    before the later entry.
    """

    entry: HistoryEntry
    reasons: list[str] = field(default_factory=list)
    rows: dict[Key, Row | None] = field(default_factory=dict)

    @property
    def is_by_hand(self) -> bool:
        """Whether the entry is a manual edit, whose rows an undo can keep."""
        return self.entry.action not in (IMPORT, APPLY) and not self.reasons


def plan_undo(
    session: LedgerSession, past: Past, number: int, *, with_later: bool, keep_changed: bool
) -> list[HistoryEntry]:
    """Return the entries to undo, newest first; see `undo`. Raises ChangeRefused."""
    entry = next((e for e in session.history if e.number == number), None)
    if entry is None:
        raise ChangeRefused(f"there is no entry {number} in the history")
    if entry.undone_at is not None:
        raise ChangeRefused(f"entry {number} is already undone")
    planned = {number: entry}
    open_entries = [entry]
    while open_entries:
        each = open_entries.pop()
        if each.pruned:
            raise ChangeRefused(
                f"entry {each.number} is too old to be undone: finance_api.imports.keep_days is "
                f"{session.keep_days}"
            )
        later = _Later(session, past, each, planned.keys())
        found = [b for b in later.blockers() if b.entry.number not in planned]
        in_the_way = [b.entry for b in found if not (keep_changed and b.is_by_hand)]
        if in_the_way and not with_later:
            raise later.refusal(found)
        if in_the_way:
            planned |= {blocker.number: blocker for blocker in in_the_way}
            # Without these, a row may be missing that an entry planned before needs.
            open_entries = list(planned.values())
    return [planned[n] for n in sorted(planned, reverse=True)]


@dataclass
class _Later:
    """The live entries after an entry that is to be undone. planned: all that are to be undone."""

    _session: LedgerSession
    _past: Past
    _entry: HistoryEntry
    _planned: Set[int]

    def __post_init__(self) -> None:
        later = self._past.later(self._entry.number)
        self._later = {number: _Blocker(self._past.live[number]) for number in later}

    def blockers(self) -> list[_Blocker]:
        if not self._later:
            return []
        self._note_same_days(self._entry.facts)
        for number, image in self._past.changed_later(self._entry.number):
            if image.resource is not ACCOUNTS or self._is_changed(image, number):
                key = image.resource.name, image.row_id
                self._later[number].rows.setdefault(key, image.row)
        for resource in RESOURCES:
            for page in self._past.images(self._entry.number, resource):
                if resource is RECORDS:
                    self._look_at_records(page)
                if resource in (RECORDS, SPLITS):
                    self._look_for_added_again(page)
                self._look_for_missing(resource, page)
        return [blocker for blocker in self._later.values() if blocker.reasons or blocker.rows]

    def _note_same_days(self, facts: list[dict[str, Any]]) -> None:
        """Note later entries that cover one of the days in the facts."""
        for blocker in self._later.values():
            for account_id in _same_days(facts, blocker.entry.facts):
                account = self._session.accounts.rows.get(account_id)
                name = account["name"] if account else "an account that no longer exists"
                blocker.reasons.append(f"covers the same days of {name}")

    def _is_changed(self, account: BeforeImage, number: int) -> bool:
        """Return whether the later entry changed more of the account than any statement can."""
        after = self._past.after(number, ACCOUNTS, account.row_id)
        if account.row is None or after is None:
            return True
        before, after = own_values(ACCOUNTS, account.row), own_values(ACCOUNTS, after)
        return any(before[n] != after[n] for n in before if n not in _OF_STATEMENTS)

    def _look_at_records(self, page: list[BeforeImage]) -> None:
        """Note later entries that cover days of records that the undone entry created.

        If an undo kept a deleted record, it counts as created by its deletion.
        """
        stored = get_stated(self._session, [image.row_id for image in page])
        made = [stored[i.row_id] for i in page if i.row is None and i.row_id in stored]
        days = {(row["accountId"], row["recordDate"] // DAY_SECONDS * DAY_SECONDS) for row in made}
        self._note_same_days([{"accountId": i, "first": day, "last": day} for i, day in days])

    def _look_for_added_again(self, page: list[BeforeImage]) -> None:
        """Note later entries that added one of the page's records again."""
        stored = self._session.get_rows(RECORDS, [image.row_id for image in page])
        for image in page:
            row = stored.get(image.row_id)
            number = row and row["importId"]
            if row and number in self._later and image.row and image.row["importId"] != number:
                reason = f"added {self._title(RECORDS, row)} again"
                self._later[number].reasons.append(reason)

    def _look_for_missing(self, resource: Resource, page: list[BeforeImage]) -> None:
        """Note later entries that removed a row that one of the images refers to."""
        for missing, row_id in {key for image in page for key in self._missing(resource, image)}:
            for number, blocker in self._later.items():
                image = self._past.image_of(number, missing, row_id)
                if image is not None and image.row is not None:
                    name = image.row.get("name")
                    blocker.reasons.append(f"removed the {missing.model_type} {name}")

    def _missing(self, resource: Resource, image: BeforeImage) -> Iterator[tuple[Resource, str]]:
        """Yield the rows that an image refers to and that will not exist after the undo."""
        for each, row_id in references_in(resource, image.row or {}):
            referred = referred_by(each)
            known = self._session.row_set(referred).rows
            if row_id not in known or (referred.name, row_id) in self._made_again:
                yield referred, row_id

    @cached_property
    def _made_again(self) -> set[Key]:
        """Accounts, categories and others that planned entries created."""
        planned = self._planned & self._later.keys()
        return set[Key]().union(*map(self._past.made_by, planned))

    def refusal(self, blockers: list[_Blocker]) -> UndoBlocked:
        return UndoBlocked(self._entry, blockers, [self._reason(each) for each in blockers])

    def _reason(self, blocker: _Blocker) -> str:
        reasons = list(dict.fromkeys(blocker.reasons))[:_NAMED_ROWS]
        if blocker.rows:
            reasons.append(f"changed {self._named(blocker.rows)}")
        return " and ".join(reasons)

    def _named(self, rows: dict[Key, Row | None]) -> str:
        texts = []
        for name, row_id in sorted(rows)[:_NAMED_ROWS]:
            resource = BY_NAME[name]
            now = self._session.get_rows(resource, [row_id]).get(row_id)
            text = self._title(resource, now or rows[name, row_id])
            texts.append(text if now else f"{text} (no longer exists)")
        more = len(rows) - len(texts)
        return ", ".join(texts) + (f" and {more} more" if more else "")

    def _title(self, resource: Resource, row: Row | None) -> str:
        if row is None:
            return f"the {resource.word}"
        if resource in (RECORDS, SPLITS):
            return f"the record {title_of_whole(self._session, row)}"
        return f"the {resource.word} {title_of(resource, row)}"


def _same_days(facts: list[dict[str, Any]], later: list[dict[str, Any]]) -> list[str]:
    """Return the accounts for which both lists of facts cover the same day."""
    covers, others = (
        [fact for fact in each if None not in (fact.get("first"), fact.get("last"))]
        for each in (facts, later)
    )
    return list(
        dict.fromkeys(
            one["accountId"]
            for one in covers
            for other in others
            if one["accountId"] == other["accountId"]
            and one["first"] <= other["last"]
            and other["first"] <= one["last"]
        )
    )
