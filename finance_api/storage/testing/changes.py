"""Changes: rows by the revision that last changed their JSON, and deletions."""

import json
from collections.abc import Collection, Iterable

import pytest

from finance_api.query.model import Query
from finance_api.resources import ACCOUNTS, BUDGETS, LABELS, PUBLIC_RESOURCES, RESOURCES
from finance_api.resources.field import Resource
from finance_api.serialization.rows import change_key, change_line
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import ChangeKey, Changes, DataState
from finance_api.storage.testing.json_rows import EACH_WITH_JSON, WITH_JSON
from finance_api.storage.testing.units import (
    OneUser,
    Unit,
    make_full_row,
    make_id,
    make_row,
    number_of,
)
from finance_api.values import Row

_START: ChangeKey = (0, "", "")


class Book:
    """A user's data, which changes from one revision to the next."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.revision = 0

    def change(
        self,
        resource: Resource,
        *,
        new: Iterable[Row] = (),
        changed: Iterable[Row] = (),
        deleted: Iterable[int] = (),
        commits: bool = True,
    ) -> None:
        """Write rows. commits: whether the write makes a revision."""
        user_id = self.unit.user.id
        with self.unit.writing() as storage:
            storage.data.put_rows(user_id, resource, new=[*new], changed=[*changed])
            storage.data.delete_rows(user_id, resource, [make_id(number) for number in deleted])
            if commits:
                self.revision += 1
                storage.data.set_state(user_id, DataState(self.revision, self.revision * 10))

    def read(
        self,
        resources: Collection[Resource] = (),
        rows_after: ChangeKey = _START,
        deletions_after: ChangeKey = _START,
        limit: int = 1_000,
        revisions: Collection[int] = (),
    ) -> Changes:
        with self.unit.reading() as storage:
            return storage.data.list_changes(
                self.unit.user.id,
                [*resources] or PUBLIC_RESOURCES,
                rows_after=rows_after,
                deletions_after=deletions_after,
                limit=limit,
                revisions=revisions,
            )

    def tags(self, *revisions: int) -> dict[int, int]:
        """Return the tags that are still stored, by revision."""
        return self.read([LABELS], limit=1, revisions=revisions).tags

    def listed(
        self, *resources: Resource, after: ChangeKey = _START
    ) -> list[tuple[int, int, bool]]:
        """Return (revision, number of the row, whether the row exists) for each change."""
        changes = map(json.loads, self.read(resources, after, after).lines)
        return [(c["revision"], number_of(c["id"]), c["op"] == "put") for c in changes]


class ChangesConformance(OneUser):
    """Reading changes gives a client what it needs to mirror the lists."""

    @EACH_WITH_JSON
    def test_a_row_has_the_revision_of_its_newest_change(
        self, unit: Unit, resource: Resource
    ) -> None:
        book = Book(unit)
        rows = [make_row(resource, n, name=f"{n}", payee=f"{n}") for n in (1, 2, 3)]
        book.change(resource, new=rows)
        assert book.listed() == [(1, 1, True), (1, 2, True), (1, 3, True)]
        book.change(resource, changed=[{**rows[1], "name": "new", "payee": "new"}])
        book.change(resource, deleted=[1, 9])
        assert book.listed() == [(1, 3, True), (2, 2, True), (3, 1, False)]
        # A row that is added again no longer counts as deleted.
        book.change(resource, new=[rows[0]])
        assert book.listed() == [(1, 3, True), (2, 2, True), (4, 1, True)]
        book.change(resource, deleted=[1])
        assert book.listed() == [(1, 3, True), (2, 2, True), (5, 1, False)]
        # If one unit of work writes a row several times, the last write counts.
        with unit.writing() as storage:
            storage.data.put_rows(unit.user.id, resource, new=[rows[0]], changed=())
            storage.data.delete_rows(unit.user.id, resource, [make_id(1), make_id(2)])
            storage.data.put_rows(unit.user.id, resource, new=[rows[1]], changed=())
            storage.data.set_state(unit.user.id, DataState(6, 60))
        assert book.listed() == [(1, 3, True), (6, 1, False), (6, 2, True)]

    @EACH_WITH_JSON
    def test_a_change_shows_what_the_list_shows(self, unit: Unit, resource: Resource) -> None:
        book = Book(unit)
        book.change(resource, new=[make_full_row(resource, 2), make_row(resource, 1)])
        rows = unit.list_json(Query(resource)).rows
        shown = [change_line((1, resource.name, json.loads(row)["id"]), row) for row in rows]
        assert book.read([resource]).lines == shown

    @EACH_WITH_JSON
    def test_a_change_of_hidden_values_is_not_listed(self, unit: Unit, resource: Resource) -> None:
        book = Book(unit)
        row = make_row(resource, 1)
        book.change(resource, new=[row])
        hidden = {f.name: make_full_row(resource, 1)[f.name] for f in resource.hidden}
        for values in (hidden, {"source": "a", "sourceId": "b"}, {}):
            # Write it twice in one unit of work, which must remember its own writes.
            with unit.writing() as storage:
                for _ in range(2):
                    changed = [{**row, **values}]
                    storage.data.put_rows(unit.user.id, resource, new=(), changed=changed)
        assert book.listed() == [(1, 1, True)]

    def test_changes_come_in_the_order_of_their_keys(self, unit: Unit) -> None:
        book = Book(unit)
        for numbers in ((5, 2), (4, 3), (1, 6)):
            for resource in reversed(PUBLIC_RESOURCES):
                book.change(resource, new=[make_row(resource, n) for n in numbers], commits=False)
            book.change(LABELS, deleted=[numbers[0]])
        found = book.read().lines
        keys = [change_key(line) for line in found]
        assert keys == sorted(set(keys))
        assert len(keys) == 3 * (2 * len(WITH_JSON))
        deletions = [line for line in found if b'"op":"delete"' in line]
        assert len(deletions) == 3
        # Start from every position, and read pages of every size.
        for limit in (1, 2, 5, 100):
            paged: list[bytes] = []
            after = _START
            while page := book.read((), after, after, limit).lines:
                paged += page
                after = change_key(page[-1])
            assert paged == found
        last = (9, "", "")
        assert book.read(rows_after=last).lines == deletions
        assert book.read(deletions_after=last).lines == [c for c in found if c not in deletions]
        for resource in PUBLIC_RESOURCES:
            own = [line for line in found if change_key(line)[1] == resource.name]
            assert book.read([resource]).lines == own

    def test_rows_with_computed_fields_have_deletions_only(self, unit: Unit) -> None:
        book = Book(unit)
        book.change(BUDGETS, new=[make_row(BUDGETS, 1), make_row(BUDGETS, 2)])
        assert book.read([BUDGETS, ACCOUNTS]).lines == []
        book.change(BUDGETS, deleted=[1])
        deletion = change_line((2, BUDGETS.name, make_id(1)), None)
        assert book.read([BUDGETS, ACCOUNTS]).lines == [deletion]

    @pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: r.name)
    def test_a_deleted_row_is_gone_and_its_id_is_free(
        self, unit: Unit, other: Unit, resource: Resource
    ) -> None:
        for each in (unit, other):
            each.put(resource, *(make_row(resource, n, sourceId=f"{n}") for n in (1, 2, 3)))
        with unit.writing() as storage:
            ids = [make_id(3), make_id(1), make_id(9)]
            storage.data.delete_rows(unit.user.id, resource, ids)
        assert unit.ids(resource) == [2]
        assert other.ids(resource) == [1, 2, 3]
        unit.put(resource, make_row(resource, 1, sourceId="3"))
        assert unit.ids(resource) == [1, 2]

    def test_changes_are_each_users_own(self, unit: Unit, other: Unit) -> None:
        book, theirs = Book(unit), Book(other)
        for each, numbers in ((book, (1, 2)), (theirs, (2, 3))):
            for resource in WITH_JSON:
                each.change(resource, new=[make_row(resource, n) for n in numbers])
        theirs.change(LABELS, deleted=[2])
        assert {number for _, number, _ in book.listed()} == {1, 2}
        book.change(LABELS, deleted=[1])
        with unit.writing() as storage:
            storage.data.forget_states(book.unit.user.id, 1_000)
        assert book.listed(LABELS) == [(3, 2, True)]
        assert theirs.listed(LABELS) == [(3, 3, True), (6, 2, False)]
        assert set(theirs.tags(*range(9))) == set(range(7))

    # -- states

    def test_the_tags_of_states_are_remembered(self, unit: Unit) -> None:
        states = [unit.user.data, *(DataState(n, n * 10) for n in range(1, 5))]
        for state in states[1:]:
            with unit.writing() as storage:
                storage.data.set_state(unit.user.id, state)
        book = Book(unit)
        assert book.tags(0, 1, 2, 3, 4, 5) == {state.revision: state.tag for state in states}
        assert book.tags(3) == {3: states[3].tag}
        assert book.read([LABELS]) == Changes(states[-1], {}, [])
        unit.delete()
        with pytest.raises(NotFound):
            book.read([LABELS])

    def test_states_that_were_replaced_before_then_are_forgotten(
        self, unit: Unit, other: Unit
    ) -> None:
        book = Book(unit)
        book.change(LABELS, new=[make_row(LABELS, n) for n in range(1, 6)])
        for number in (1, 2, 3):
            book.change(LABELS, deleted=[number])

        def remembered(before: int) -> tuple[list[int], list[int]]:
            with unit.writing() as storage:
                storage.data.forget_states(unit.user.id, before)
            deleted = [revision for revision, _, there in book.listed() if not there]
            return sorted(book.tags(*range(9))), deleted

        with unit.reading() as storage:
            # Revision 0 is from second 1000, when the user was added.
            for before, user_ids in ((20, []), (21, [unit.user.id]), (2_000, [unit.user.id])):
                assert storage.users.list_with_past_states(before) == user_ids
        assert remembered(10) == ([0, 1, 2, 3, 4], [2, 3, 4])
        assert remembered(11) == ([1, 2, 3, 4], [2, 3, 4])
        assert remembered(31) == ([3, 4], [4])
        # The current state is never deleted.
        assert remembered(9_999) == ([4], [])
        with unit.writing() as writing:
            writing.data.forget_states(other.user.id, 9_999)
            assert writing.users.list_with_past_states(9_999) == []
        assert Book(other).tags(0) == {0: other.user.data.tag}
