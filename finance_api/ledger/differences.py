"""The differences between a user's records and what files brought of them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from finance_api.ledger.brought import as_stored, read_brought
from finance_api.ledger.session import UserRows
from finance_api.ledger.splits import deleted_among
from finance_api.query.model import Condition, any_of, condition_on
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS, SPLITS
from finance_api.resources.records import BROUGHT
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS

#: The facts of one statement.
Facts = dict[str, Any]


class Difference(NamedTuple):
    """How much more a record, or several, have on a day than files brought.

    day: its first second. number, made_by: the numbers of the imports that brought them and that
    created them. is_new: whether no file brought them. before, now: what files brought, and what is
    stored; None: nothing.
    """

    day: int
    number: int
    is_new: bool
    before: int | None
    now: int | None
    made_by: int

    @property
    def change(self) -> int:
        return (self.now or 0) - (self.before or 0)

    @property
    def corrections(self) -> tuple[tuple[int, int], ...]:
        """By import, what to add to the sums of stored records to get those of files."""
        return (self.made_by, -(self.now or 0)), (self.number, self.before or 0)


def undone_numbers(owned: UserRows) -> set[int]:
    """Return the numbers of the entries of the history that are undone."""
    return {entry.number for entry in owned.history if entry.undone_at is not None}


def list_differences(
    owned: UserRows, account_ids: Collection[str], further: Iterable[Facts] = ()
) -> dict[str, list[Difference]]:
    """Return the differences of these accounts, by account, each list in the order of days.

    What an undone import brought counts as added by hand if it was kept, unless a later file brings
    it again. further: facts that are not in the history yet.
    """
    found: defaultdict[str, list[Difference]] = defaultdict(list)
    if not account_ids:
        return found
    undone = undone_numbers(owned)
    facts = chain(*(entry.facts for entry in owned.live), further)
    restated = {i for fact in facts for i in fact.get("restated", ())}
    differing = Condition(BROUGHT, Operator.NOT_NULL, None)
    for resource in (RECORDS, SPLITS):
        for page in owned.pages(resource, differing):
            wholes = [row["id"] for row in page if resource is SPLITS]
            deleted = deleted_among(owned, wholes)
            for row in page:
                if row["importId"] not in undone or row["id"] in restated:
                    for account_id, difference in _differences(row, row["id"] in deleted):
                        found[account_id].append(difference)
    if undone:
        for account_id, difference in _kept(owned, account_ids, undone, restated):
            found[account_id].append(difference)
    return {i: sorted(found[i], key=lambda each: each.day) for i in account_ids if i in found}


def _differences(row: Row, is_deleted: bool) -> Iterator[tuple[str, Difference]]:
    """Yield the differences of a record or whole, each with its account."""
    brought, stored, made_by = read_brought(row), as_stored(row), row["importId"] or 0
    before = None if brought is None else brought.counted
    now = None if is_deleted else stored.counted
    number = made_by if brought is None or brought.number is None else brought.number
    if brought is not None and (brought.account_id, brought.day) == (stored.account_id, stored.day):
        yield stored.account_id, Difference(stored.day, number, False, before, now, made_by)
        return
    if brought is not None:
        yield brought.account_id, Difference(brought.day, number, False, before, None, made_by)
    if now is not None:
        yield stored.account_id, Difference(stored.day, number, brought is None, None, now, made_by)


def _kept(
    owned: UserRows, account_ids: Collection[str], undone: set[int], restated: set[str]
) -> Iterator[tuple[str, Difference]]:
    """Yield the sums of what only undone imports brought, each with its account."""
    made = condition_on(RECORDS, "importId", Operator.ANY_OF, tuple(sorted(undone)))
    names = ["accountId", "recordDate", "importId"]
    conditions = [any_of("accountId", account_ids), made]
    sums: defaultdict[tuple[str, int, int], int] = defaultdict(int)
    found = owned.storage.data.sum_by(owned.user.id, names, conditions)
    for (account_id, time, number), each in found.items():
        sums[account_id, time - time % DAY_SECONDS, number] += each.amount
    again = [*owned.get_rows(RECORDS, restated).values()] if sums else []
    wholes = owned.get_rows(SPLITS, restated) if sums else {}
    deleted = deleted_among(owned, wholes)
    again += [row for row_id, row in wholes.items() if row_id not in deleted]
    for row in again:
        stored = as_stored(row)
        if row["importId"] in undone:
            sums[stored.account_id, stored.day, row["importId"]] -= stored.counted
    for (account_id, day, number), total in sums.items():
        if total:
            yield account_id, Difference(day, number, True, None, total, number)
