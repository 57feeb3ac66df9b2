"""An account of the file: whose days the file covers, and what is known of it."""

from dataclasses import dataclass, field

from finance_api.importers.interface import Statement
from finance_api.ledger.matching.learned import REUSED, STABLE, Cover, Learned
from finance_api.ledger.matching.source_ids import Scope
from finance_api.ledger.matching.stated import Content, Said, own_content
from finance_api.values import Row

#: Ids are known to be stable once this many rows came again with the same one.
_ROWS_THAT_SHOW_STABLE_IDS = 3


@dataclass(eq=False)
class KnownAccount:
    """An account of the user's to which statements of the file go.

    is_new: whether the file makes it. is_repeat: whether this very file
    was imported before.
    learned: of earlier files. ids: how the bank's ids behave, as the user says now.
    statements, scopes, covers: those of the file, of their source ids and days, by their numbers.
    again: how many entries of earlier files this one has with the same id and content.
    shows_reuse: whether this file shows that the bank uses ids again.
    is_of_several: whether statements of several bank accounts go to it.
    """

    id: str
    name: str
    is_new: bool
    is_repeat: bool
    learned: Learned
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
        """Whether the file has some of a day, and all of it."""
        found = self._coverage.get(day)
        if found is None:
            covers = self.covers.values()
            found = any(c.holds(day) for c in covers), any(c.holds_all_of(day) for c in covers)
            self._coverage[day] = found
        return found

    def is_stored_whole(self, day: int) -> bool:
        """Whether an earlier file of this source had all of the day."""
        return any(cover.holds_all_of(day) for cover in self.learned.covers)

    def as_made(self, row: Row, bank_id: str | None, content: Content | None = None) -> Said:
        """The values that the record's source stated, where nothing else is noted.

        content: the record's own, unless it is known to have been another one.
        """
        number = row["importId"]
        return Said(
            bank_id,
            content or own_content(row),
            as_of=self.learned.as_of.get(number),
            texts=self.learned.texts.get(number),
        )

    @property
    def known_stable(self) -> bool:
        """Whether earlier files or the user show that ids are stable."""
        if self.ids is not None:
            return self.ids == STABLE
        shown = self.learned.again >= _ROWS_THAT_SHOW_STABLE_IDS
        return self.learned.ids == STABLE or (self.learned.ids is None and shown)

    @property
    def stable(self) -> bool:
        """Whether this file or an earlier one, or the user, shows that ids are stable."""
        if self.ids is not None or self.reused or self.known_stable:
            return self.known_stable
        return self.learned.again + self.again >= _ROWS_THAT_SHOW_STABLE_IDS

    @property
    def reused(self) -> bool:
        if self.ids is not None:
            return self.ids == REUSED
        return self.shows_reuse or self.learned.ids == REUSED

    @property
    def said(self) -> bool:
        """Whether the user has said how ids behave."""
        return self.ids is not None or (self.learned.said and self.learned.ids is not None)
