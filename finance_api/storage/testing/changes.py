"""Changes: rows by the revision with which what is shown of them changed last, and deletions."""

import pytest

from finance_api.query.model import Query
from finance_api.resources import ACCOUNTS, BUDGETS, LABELS, PUBLIC_RESOURCES, RECORDS, RESOURCES
from finance_api.resources.field import Resource
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Change, ChangeKey, Changes, DataState
from finance_api.storage.testing.units import FULL, OneUser, Unit, make_id, make_row
from finance_api.values import Row

START: ChangeKey = (0, "", "")
#: The resources whose changes are all listed, not only deletions.
LISTED = [resource for resource in PUBLIC_RESOURCES if not resource.computed_fields]


class _Book:
    """A user whose data changes from revision to revision."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.revision = 0

    def change(
        self,
        resource: Resource,
        *,
        new: list[Row] | None = None,
        changed: list[Row] | None = None,
        deleted: list[int] | None = None,
        commits: bool = True,
    ) -> None:
        """commits: whether it makes a revision."""
        user_id = self.unit.user.id
        with self.unit.writing() as storage:
            storage.data.put_rows(user_id, resource, new=new or [], changed=changed or [])
            ids = [make_id(number) for number in deleted or []]
            storage.data.delete_rows(user_id, resource, ids)
            if commits:
                self.revision += 1
                state = DataState(self.revision, self.revision * 10)
                storage.data.set_state(user_id, state)

    def changes(
        self,
        *resources: Resource,
        rows_after: ChangeKey = START,
        deletions_after: ChangeKey = START,
        limit: int = 1_000,
    ) -> list[Change]:
        with self.unit.reading() as storage:
            return storage.data.list_changes(
                self.unit.user.id,
                resources or PUBLIC_RESOURCES,
                rows_after=rows_after,
                deletions_after=deletions_after,
                limit=limit,
            ).changes

    def tags(self, *revisions: int) -> dict[int, int]:
        """Return the remembered tags, by revision."""
        with self.unit.reading() as storage:
            return storage.data.list_changes(
                self.unit.user.id,
                [LABELS],
                rows_after=START,
                deletions_after=START,
                limit=1,
                revisions=revisions,
            ).tags

    def listed(self, *resources: Resource, after: ChangeKey = START) -> list[tuple[int, int, bool]]:
        """Revision, number of the row, and whether it is there."""
        found = self.changes(*resources, rows_after=after, deletions_after=after)
        return [(c.revision, int(c.row_id[:8], 16), c.json is not None) for c in found]


class ChangesConformance(OneUser):
    """The changes a mirror needs to stay equal to the lists."""

    @pytest.mark.parametrize("resource", LISTED, ids=lambda r: r.name)
    def test_a_row_has_the_revision_of_its_newest_change(
        self, unit: Unit, resource: Resource
    ) -> None:
        book = _Book(unit)
        rows = [make_row(resource, n, name=f"{n}", payee=f"{n}") for n in (1, 2, 3)]
        book.change(resource, new=rows)
        assert book.listed() == [(1, 1, True), (1, 2, True), (1, 3, True)]
        book.change(resource, changed=[{**rows[1], "name": "new", "payee": "new"}])
        book.change(resource, deleted=[1, 9])
        assert book.listed() == [(1, 3, True), (2, 2, True), (3, 1, False)]
        # A row that comes again no longer counts as deleted.
        book.change(resource, new=[rows[0]])
        assert book.listed() == [(1, 3, True), (2, 2, True), (4, 1, True)]
        book.change(resource, deleted=[1])
        assert book.listed() == [(1, 3, True), (2, 2, True), (5, 1, False)]
        # In one unit of work: the last word counts.
        with unit.writing() as storage:
            storage.data.put_rows(unit.user.id, resource, new=[rows[0]], changed=())
            storage.data.delete_rows(unit.user.id, resource, [make_id(1), make_id(2)])
            storage.data.put_rows(unit.user.id, resource, new=[rows[1]], changed=())
            storage.data.set_state(unit.user.id, DataState(6, 60))
        assert book.listed() == [(1, 3, True), (6, 1, False), (6, 2, True)]

    @pytest.mark.parametrize("resource", LISTED, ids=lambda r: r.name)
    def test_a_change_shows_what_the_list_shows(self, unit: Unit, resource: Resource) -> None:
        book = _Book(unit)
        full = {f.name: FULL[f.kind](f.choices) for f in resource.persisted_fields}
        book.change(resource, new=[{**full, "id": make_id(2)}, make_row(resource, 1)])
        with unit.reading() as storage:
            page = storage.data.list_json(unit.user.id, Query(resource))
        assert [change.json for change in book.changes(resource)] == page.rows
        assert {change.resource for change in book.changes(resource)} == {resource}

    @pytest.mark.parametrize("resource", LISTED, ids=lambda r: r.name)
    def test_what_nobody_is_shown_is_no_change(self, unit: Unit, resource: Resource) -> None:
        book = _Book(unit)
        row = make_row(resource, 1)
        book.change(resource, new=[row])
        hidden = {f.name: FULL[f.kind](f.choices) for f in resource.hidden}
        for values in (hidden, {"source": "a", "sourceId": "b"}, {}):
            # Twice in one unit of work: what was written by it is known to it.
            with unit.writing() as storage:
                for _ in range(2):
                    changed = [{**row, **values}]
                    storage.data.put_rows(unit.user.id, resource, new=(), changed=changed)
        assert book.listed() == [(1, 1, True)]

    def test_many_rows_that_are_changed_twice_at_once_keep_their_revisions(
        self, unit: Unit
    ) -> None:
        book = _Book(unit)
        rows = [make_row(RECORDS, n, recordDate=n) for n in range(1_200)]
        book.change(RECORDS, new=rows)
        with unit.writing() as storage:
            for values in ({"stated": "a"}, {"stated": "b"}):
                changed = [{**row, **values} for row in rows]
                storage.data.put_rows(unit.user.id, RECORDS, new=(), changed=changed)
            storage.data.put_rows(
                unit.user.id, RECORDS, new=(), changed=[{**rows[7], "payee": "x"}]
            )
            storage.data.set_state(unit.user.id, DataState(2, 20))
        assert book.listed(RECORDS, after=(2, "", "")) == [(2, 7, True)]

    def test_changes_come_in_the_order_of_their_keys(self, unit: Unit) -> None:
        book = _Book(unit)
        for numbers in ((5, 2), (4, 3), (1, 6)):
            for resource in reversed(PUBLIC_RESOURCES):
                book.change(resource, new=[make_row(resource, n) for n in numbers], commits=False)
            book.change(LABELS, deleted=[numbers[0]])
        found = book.changes()
        keys = [change.key for change in found]
        assert keys == sorted(set(keys))
        assert len(keys) == 3 * (2 * len(LISTED))
        assert [c.json is None for c in found].count(True) == 3
        # From every place on, in pages of every size.
        for limit in (1, 2, 5, 100):
            paged: list[Change] = []
            after = START
            while page := book.changes(rows_after=after, deletions_after=after, limit=limit):
                paged += page
                after = page[-1].key
            assert paged == found
        assert book.changes(rows_after=(9, "", "")) == [c for c in found if c.json is None]
        assert book.changes(deletions_after=(9, "", "")) == [c for c in found if c.json]
        for resource in PUBLIC_RESOURCES:
            own = [change for change in found if change.resource is resource]
            assert book.changes(resource) == own

    def test_of_rows_with_computed_fields_there_are_deletions_only(self, unit: Unit) -> None:
        book = _Book(unit)
        book.change(BUDGETS, new=[make_row(BUDGETS, 1), make_row(BUDGETS, 2)])
        assert book.changes(BUDGETS, ACCOUNTS) == []
        book.change(BUDGETS, deleted=[1])
        assert book.changes(BUDGETS, ACCOUNTS) == [Change(2, BUDGETS, make_id(1), None)]

    @pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: r.name)
    def test_a_deleted_row_is_gone_and_its_id_is_free(self, unit: Unit, resource: Resource) -> None:
        other = Unit(unit.backend, "other")
        for each in (unit, other):
            each.put(resource, *(make_row(resource, n, sourceId=f"{n}") for n in (1, 2, 3)))
        with unit.writing() as storage:
            ids = [make_id(3), make_id(1), make_id(9)]
            storage.data.delete_rows(unit.user.id, resource, ids)
        assert unit.ids(resource) == [2]
        assert other.ids(resource) == [1, 2, 3]
        unit.put(resource, make_row(resource, 1, sourceId="3"))
        assert unit.ids(resource) == [1, 2]

    def test_changes_are_each_users_own(self, unit: Unit) -> None:
        book, other = _Book(unit), _Book(Unit(unit.backend, "other"))
        for each, numbers in ((book, (1, 2)), (other, (2, 3))):
            for resource in LISTED:
                each.change(resource, new=[make_row(resource, n) for n in numbers])
        other.change(LABELS, deleted=[2])
        assert {number for _, number, _ in book.listed()} == {1, 2}
        book.change(LABELS, deleted=[1])
        with unit.writing() as storage:
            storage.data.forget_states(book.unit.user.id, 1_000)
        assert book.listed(LABELS) == [(3, 2, True)]
        assert other.listed(LABELS) == [(3, 3, True), (6, 2, False)]
        assert set(other.tags(*range(9))) == set(range(7))

    # -- states

    def test_the_tags_of_states_are_remembered(self, unit: Unit) -> None:
        user_id = unit.user.id
        states = [unit.user.data, *(DataState(n, n * 10) for n in range(1, 5))]
        for state in states[1:]:
            with unit.writing() as storage:
                storage.data.set_state(user_id, state)
        book = _Book(unit)
        assert book.tags(0, 1, 2, 3, 4, 5) == {state.revision: state.tag for state in states}
        assert book.tags(3) == {3: states[3].tag}
        assert book.tags() == {}
        with unit.reading() as storage:
            found = storage.data.list_changes(
                user_id, [LABELS], rows_after=START, deletions_after=START, limit=1
            )
            assert found == Changes(states[-1], {}, [])
            with pytest.raises(NotFound):
                storage.data.list_changes(
                    user_id + 1, [LABELS], rows_after=START, deletions_after=START, limit=1
                )

    def test_what_is_forgotten_is_what_was_followed_before_then(self, unit: Unit) -> None:
        book = _Book(unit)
        book.change(LABELS, new=[make_row(LABELS, n) for n in range(1, 6)])
        for number in (1, 2, 3):
            book.change(LABELS, deleted=[number])
        idle = _Book(Unit(unit.backend, "idle"))

        def remembered(before: int) -> tuple[list[int], list[int]]:
            with unit.writing() as storage:
                storage.data.forget_states(unit.user.id, before)
            deleted = [revision for revision, _, there in book.listed() if not there]
            return sorted(book.tags(*range(9))), deleted

        with unit.reading() as storage:
            # Revision 0 is of the second 1000, when the user was made.
            assert storage.users.list_with_past_states(20) == []
            assert storage.users.list_with_past_states(21) == [unit.user.id]
            assert storage.users.list_with_past_states(2_000) == [unit.user.id]
        assert remembered(10) == ([0, 1, 2, 3, 4], [2, 3, 4])
        assert remembered(11) == ([1, 2, 3, 4], [2, 3, 4])
        assert remembered(31) == ([3, 4], [4])
        # The present state is never forgotten.
        assert remembered(9_999) == ([4], [])
        with unit.writing() as writing:
            writing.data.forget_states(idle.unit.user.id, 9_999)
            assert writing.users.list_with_past_states(9_999) == []
        assert idle.tags(0) == {0: idle.unit.user.data.tag}
