"""Units of work, and the rows that they read and write."""

import pytest

from finance_api.query.model import Query, condition_on
from finance_api.query.operators import Operator
from finance_api.resources import ACCOUNTS, RECORDS, RESOURCES
from finance_api.resources.field import Resource, names_of
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import DataState
from finance_api.storage.testing.units import (
    OneUser,
    Unit,
    make_full_row,
    make_id,
    make_query,
    make_row,
    make_rows,
)
from finance_api.values.number import MAX_UNITS
from finance_api.values.time import DAY_SECONDS


class RowsConformance(OneUser):
    """Tests reading and writing whole rows by their keys."""

    def test_the_times_of_records_are_grouped_by_account(self, unit: Unit, other: Unit) -> None:
        unit.put(ACCOUNTS, *(make_row(ACCOUNTS, n) for n in (1, 2, 3)))
        rows = make_rows(
            RECORDS,
            accountId=[make_id(1), make_id(1), make_id(1), make_id(2)],
            createdAt=[50, 40, 10, 70],
            updatedAt=[60, 90, 99, 70],
            recordState=[None, "cleared", "void", None],
        )
        unit.put(RECORDS, *rows)
        with unit.reading() as storage:
            found = storage.data.record_times(unit.user.id)
            assert found == {make_id(1): (40, 50, 90), make_id(2): (70, 70, 70)}
            assert storage.data.record_times(other.user.id) == {}

    # -- units of work

    def test_nothing_of_a_failed_unit_of_work_is_kept(self, unit: Unit) -> None:
        with pytest.raises(ZeroDivisionError), unit.writing() as storage:
            storage.data.put_rows(unit.user.id, ACCOUNTS, new=[make_row(ACCOUNTS, 1)], changed=())
            storage.data.set_state(unit.user.id, DataState(1, 1))
            _ = 1 // 0
        assert unit.ids(ACCOUNTS) == []
        page = unit.list_json(Query(ACCOUNTS))
        assert (page.rows, page.state) == ([], unit.user.data)

    def test_a_reader_keeps_the_state_it_began_with(self, unit: Unit) -> None:
        with unit.reading() as reader:
            assert reader.data.get_state(unit.user.id).revision == 0
            with unit.writing() as writer:
                writer.data.lock(unit.user.id)
                new = [make_row(ACCOUNTS, 1)]
                writer.data.put_rows(unit.user.id, ACCOUNTS, new=new, changed=())
                writer.data.set_state(unit.user.id, DataState(1, 2_000))
            assert reader.data.scan_rows(unit.user.id, ACCOUNTS) == []
            assert reader.data.get_state(unit.user.id).revision == 0
        assert unit.ids(ACCOUNTS) == [1]

    def test_the_state_of_the_data_is_each_users_own(self, unit: Unit, other: Unit) -> None:
        with unit.writing() as storage:
            assert storage.data.lock(unit.user.id) == unit.user.data
            changed = DataState(1, 2_000)
            storage.data.set_state(unit.user.id, changed)
        with unit.reading() as storage:
            assert storage.data.get_state(unit.user.id) == changed
            assert storage.data.get_state(other.user.id) == other.user.data
            assert storage.users.get(other.user.email).data == other.user.data
            with pytest.raises(NotFound):
                storage.data.get_state(other.user.id + 1)

    def test_every_state_has_a_tag_of_its_own(self, unit: Unit, other: Unit) -> None:
        states = [unit.user.data, other.user.data, DataState(1, 2_000), DataState(1, 2_000)]
        assert len({state.tag for state in states}) == 4
        for state in states[:2]:
            assert (state.revision, state.changed_at) == (0, 1_000)
        # The greatest and the smallest tag must be stored exactly.
        for tag in (2**63 - 1, -(2**63), 0):
            with unit.writing() as storage:
                storage.data.set_state(unit.user.id, DataState(2, 3_000, tag))
            with unit.reading() as storage:
                assert storage.data.get_state(unit.user.id) == DataState(2, 3_000, tag)
                assert storage.data.list_json(unit.user.id, Query(ACCOUNTS)).state.tag == tag
                assert storage.users.get(unit.user.email).data.tag == tag

    # -- rows

    @pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: r.name)
    def test_rows_come_back_as_they_were_put(self, unit: Unit, resource: Resource) -> None:
        rows = [make_row(resource, 1), make_full_row(resource, 2)]
        unit.put(resource, *rows)
        with unit.reading() as storage:
            assert storage.data.scan_rows(unit.user.id, resource) == rows
            found = storage.data.get_rows(unit.user.id, resource, [make_id(2), make_id(3)])
            assert found == {make_id(2): rows[1]}
        names = names_of(resource.listed_fields)
        assert unit.list_rows(Query(resource)) == [{n: row[n] for n in names} for row in rows]

    def test_changed_rows_replace_what_was_there(self, unit: Unit) -> None:
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 1, name="Éléonore", color="red"))
        changed = make_row(ACCOUNTS, 1, name="Zoë", balance=MAX_UNITS)
        unit.change(ACCOUNTS, changed)
        with unit.reading() as storage:
            assert storage.data.scan_rows(unit.user.id, ACCOUNTS) == [changed]
        for text, numbers in (("contains-i.ZOË", [1]), ("contains-i.éléonore", [])):
            conditions = make_query(ACCOUNTS, name=text).conditions
            assert unit.ids(ACCOUNTS, *conditions) == numbers

    def test_an_id_and_a_source_with_its_id_belong_to_one_row(self, unit: Unit) -> None:
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 1, source="ofx", sourceId="a"))
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 2, source="csv", sourceId="a"))
        for row in (make_row(ACCOUNTS, 3, source="ofx", sourceId="a"), make_row(ACCOUNTS, 1)):
            with pytest.raises(Conflict):
                unit.put(ACCOUNTS, row)
        with unit.reading() as storage:
            found = storage.data.get_rows_by_source(unit.user.id, ACCOUNTS, "ofx", ["a", "b"])
        assert {key: row["id"] for key, row in found.items()} == {"a": make_id(1)}

    def test_rows_are_scanned_in_the_order_of_their_ids(self, unit: Unit) -> None:
        unit.put(ACCOUNTS, *(make_row(ACCOUNTS, n, name=f"{n % 2}") for n in (5, 1, 4, 2, 3)))
        odd = make_query(ACCOUNTS, name="eq.1").conditions
        with unit.reading() as storage:
            page = storage.data.scan_rows(
                unit.user.id, ACCOUNTS, conditions=odd, after_id=make_id(1), limit=1
            )
        assert [row["id"] for row in page] == [make_id(3)]

    def test_records_of_an_import_are_scanned_in_the_order_of_their_ids(
        self, unit: Unit, other: Unit
    ) -> None:
        for each in (unit, other):
            rows = (
                make_row(RECORDS, n, importId=n % 2, recordDate=-n * DAY_SECONDS)
                for n in (5, 1, 4, 2, 3, 7)
            )
            each.put(RECORDS, *rows)
        made = condition_on(RECORDS, "importId", Operator.ANY_OF, (1,))
        with unit.reading() as storage:
            pages = list(storage.data.scan_pages(unit.user.id, RECORDS, 3, conditions=[made]))
        assert [[row["id"] for row in page] for page in pages] == [
            [make_id(1), make_id(3), make_id(5)],
            [make_id(7)],
        ]
        assert pages[1][0]["recordDate"] == -7 * DAY_SECONDS

    def test_no_read_gives_a_row_of_another_user(self, unit: Unit, other: Unit) -> None:
        for resource in RESOURCES:
            other.put(resource, make_row(resource, 1, source="ofx", sourceId="a"))
            with unit.reading() as storage:
                user_id = unit.user.id
                assert storage.data.scan_rows(user_id, resource) == []
                assert storage.data.get_rows(user_id, resource, [make_id(1)]) == {}
                assert storage.data.get_rows_by_source(user_id, resource, "ofx", ["a"]) == {}
                page = storage.data.list_rows(user_id, Query(resource, with_total=True))
                assert (page.rows, page.has_more, page.total) == ([], False, 0)
        with unit.reading() as storage:
            assert storage.data.sum_by(unit.user.id, ["accountId"], ()) == {}

    def test_no_write_touches_a_row_of_another_user(self, unit: Unit, other: Unit) -> None:
        for writer, name in ((unit, "mine"), (other, "theirs")):
            writer.put(ACCOUNTS, make_row(ACCOUNTS, 1, name=name, source="ofx", sourceId="a"))
        unit.change(ACCOUNTS, make_row(ACCOUNTS, 1, name="changed"))
        with other.reading() as storage:
            assert storage.data.scan_rows(other.user.id, ACCOUNTS)[0]["name"] == "theirs"
