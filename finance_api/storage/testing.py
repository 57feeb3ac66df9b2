"""What every storage passes: `StorageConformance`.

An implementation outside this project holds itself to the contract by inheriting it::

    class TestMine(StorageConformance):
        @pytest.fixture
        def backend(self):
            return MyBackend()

``backend`` is ready for use and empty. Needs pytest.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import transaction

from finance_api.query.model import Condition, Operator, Query, SortKey, Span
from finance_api.query.parse import parse_conditions, parse_sort
from finance_api.resources import ACCOUNTS, RECORDS, RESOURCES
from finance_api.resources.field import Kind, Resource
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import (
    DataState,
    Jwt,
    RecordSum,
    Session,
    Storage,
    StorageBackend,
    Token,
    User,
)
from finance_api.values import Row
from finance_api.values.ids import new_id
from finance_api.values.number import MAX_UNITS


def make_id(number: int) -> str:
    """Ids in the order of their numbers."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def make_row(resource: Resource, number: int, **values: Any) -> Row:
    """A whole row with something in every field that cannot be empty."""
    row: Row = {}
    for field in resource.kept_fields:
        value = field.default
        if value is None and not field.nullable:
            value = _SOMETHING[field.kind](field.choices)
        row[field.name] = value
    return {**row, "id": make_id(number), **values}


_SOMETHING: dict[Kind, Callable[[tuple[str, ...]], Any]] = {
    Kind.TEXT: lambda choices: "text",
    Kind.NUMBER: lambda choices: 0,
    Kind.DATE: lambda choices: 0,
    Kind.DATETIME: lambda choices: 0,
    Kind.ID: lambda choices: make_id(0xABC),
    Kind.CHOICE: lambda choices: choices[0],
    Kind.BOOLEAN: lambda choices: False,
    Kind.TEXT_LIST: lambda choices: (),
    Kind.ID_LIST: lambda choices: (),
}


class Unit:
    """A backend with one user, and short ways to write and read that user's rows."""

    def __init__(self, backend: StorageBackend, name: str = "one") -> None:
        self.backend = backend
        with self.writing() as storage:
            self.user = add_user(storage, f"{name}@example.org")

    @contextmanager
    def writing(self) -> Iterator[Storage]:
        tm = transaction.TransactionManager(explicit=True)
        with tm:
            yield self.backend.connect(tm, writing=True)

    @contextmanager
    def reading(self) -> Iterator[Storage]:
        tm = transaction.TransactionManager(explicit=True)
        with tm:
            yield self.backend.connect(tm)

    def put(self, resource: Resource, *rows: Row) -> None:
        with self.writing() as storage:
            storage.put_rows(self.user.id, resource, new=rows, changed=())

    def ids(self, resource: Resource, *conditions: Condition, sort: str = "+id") -> list[int]:
        """The numbers of the rows that meet the conditions, in order."""
        query = Query(resource, conditions, parse_sort(resource, sort), limit=100)
        with self.reading() as storage:
            rows = storage.list_rows(self.user.id, query).rows
        return [int(row["id"][:8], 16) for row in rows]

    def found(self, resource: Resource, name: str, *texts: str) -> list[int]:
        """The numbers of the rows that the grammar's conditions on one field select."""
        field = resource.get_field(name)
        assert field is not None
        return self.ids(resource, *(c for text in texts for c in parse_conditions(field, text)))


def add_user(storage: Storage, email: str) -> User:
    return storage.add_user(
        uuid=new_id(), email=email, premium=True, password_hash=None, created_at=1_000
    )


def make_token(user: User, number: int, **values: Any) -> Token:
    token = {
        "id": make_id(number),
        "user_id": user.id,
        "name": f"token {number}",
        "sha256": f"{number:064x}",
        "start": "fin_abcd",
        "scopes": None,
        "created_at": number,
    }
    return Token(**{**token, **values})


class StorageConformance:
    """The tests. No implementation overrides or skips one."""

    @pytest.fixture
    def unit(self, backend: StorageBackend) -> Unit:
        return Unit(backend)

    # -- users and tokens

    def test_users_are_found_by_email_and_listed_in_its_order(self, unit: Unit) -> None:
        with unit.writing() as storage:
            add_user(storage, "a@example.org")
        with unit.reading() as storage:
            assert storage.get_user("one@example.org") == unit.user
            emails = [user.email for user in storage.list_users()]
            assert emails == ["a@example.org", "one@example.org"]
            with pytest.raises(NotFound):
                storage.get_user("two@example.org")

    def test_an_email_belongs_to_one_user(self, unit: Unit) -> None:
        with pytest.raises(Conflict), unit.writing() as storage:
            add_user(storage, "one@example.org")

    def test_users_are_changed(self, unit: Unit) -> None:
        with unit.writing() as storage:
            changed = storage.update_user(unit.user.id, premium=False, enabled=False)
            with pytest.raises(NotFound):
                storage.update_user(unit.user.id + 1, premium=False)
        with unit.reading() as storage:
            assert storage.get_user("one@example.org") == changed
        assert (changed.premium, changed.enabled) == (False, False)

    def test_a_deleted_user_leaves_nothing_behind(self, unit: Unit) -> None:
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 1))
        with unit.writing() as storage:
            storage.add_token(make_token(unit.user, 1))
            other = add_user(storage, "two@example.org")
            storage.put_rows(other.id, ACCOUNTS, new=[make_row(ACCOUNTS, 1)], changed=())
        with unit.writing() as storage:
            storage.delete_user(unit.user.id)
            with pytest.raises(NotFound):
                storage.delete_user(unit.user.id)
        with unit.writing() as storage:
            with pytest.raises(NotFound):
                storage.get_token_owner(make_token(unit.user, 1).sha256)
            again = add_user(storage, "one@example.org")
            assert again.id != unit.user.id
            for user_id in (again.id, unit.user.id):
                assert storage.scan_rows(user_id, ACCOUNTS) == []
            assert len(storage.scan_rows(other.id, ACCOUNTS)) == 1

    def test_tokens_are_found_by_their_digest_with_their_owner(self, unit: Unit) -> None:
        token = make_token(unit.user, 1, scopes=("records", "goals"), expires_at=99)
        with unit.writing() as storage:
            storage.add_token(token)
        with unit.reading() as storage:
            assert storage.get_token_owner(token.sha256) == (token, unit.user)
            with pytest.raises(NotFound):
                storage.get_token_owner("0" * 64)

    def test_tokens_need_a_user(self, unit: Unit) -> None:
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.add_token(make_token(unit.user, 1, user_id=unit.user.id + 1))

    def test_a_user_sees_only_own_tokens_oldest_first(self, unit: Unit) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            for number in (3, 1, 2):
                storage.add_token(make_token(unit.user, number))
            storage.add_token(make_token(other, 4))
        with unit.reading() as storage:
            names = [token.name for token in storage.list_tokens(unit.user.id)]
        assert names == ["token 1", "token 2", "token 3"]

    def test_a_revoked_token_keeps_the_date_of_its_first_revocation(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.add_token(make_token(unit.user, 1))
            storage.revoke_token(make_id(1), 50)
            assert storage.revoke_token(make_id(1), 60).revoked_at == 50
            with pytest.raises(NotFound):
                storage.revoke_token(make_id(2), 60)

    def test_last_use_only_moves_forward(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.add_token(make_token(unit.user, 1))
            storage.set_tokens_used({make_id(1): 70, make_id(9): 70})
            storage.set_tokens_used({make_id(1): 60})
            storage.set_tokens_used({})
        with unit.reading() as storage:
            assert storage.list_tokens(unit.user.id)[0].last_used_at == 70

    def test_a_user_revokes_only_own_tokens(self, unit: Unit) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            storage.add_token(make_token(unit.user, 1))
            storage.add_jwt(Jwt("one", unit.user.id, 10, 100))
            with pytest.raises(NotFound):
                storage.revoke_token(make_id(1), 50, user_id=other.id)
            with pytest.raises(NotFound):
                storage.revoke_jwt("one", 50, user_id=other.id)
            assert storage.list_tokens(unit.user.id)[0].revoked_at is None
            assert storage.list_jwts(unit.user.id)[0].revoked_at is None
            assert storage.revoke_token(make_id(1), 50, user_id=unit.user.id).revoked_at == 50
            assert storage.revoke_jwt("one", 50, user_id=unit.user.id).revoked_at == 50

    # -- JSON Web Tokens

    def test_a_jwt_s_owner_is_found_by_uuid_or_email_and_its_revocation_by_jti(
        self, unit: Unit
    ) -> None:
        with unit.writing() as storage:
            add_user(storage, "two@example.org")
            storage.add_jwt(Jwt("known", unit.user.id, 10, 100))
            storage.add_jwt(Jwt("elsewhere", None, None, 100, revoked_at=50))
        with unit.reading() as storage:
            for key in ({"uuid": unit.user.uuid}, {"email": unit.user.email}):
                for jti, revoked in (("known", False), ("never seen", False), ("elsewhere", True)):
                    assert storage.get_jwt_owner(jti, **key) == (unit.user, revoked)
            for key in ({"uuid": new_id()}, {"email": "three@example.org"}):
                with pytest.raises(NotFound):
                    storage.get_jwt_owner("known", **key)

    def test_a_jti_is_used_once_and_for_a_user_who_is_there(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.add_jwt(Jwt("one", unit.user.id, 10, 100))
            with pytest.raises(Conflict):
                storage.add_jwt(Jwt("one", unit.user.id, 11, 100))
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.add_jwt(Jwt("two", unit.user.id + 1, 10, 100))

    def test_a_revoked_jwt_keeps_the_date_of_its_first_revocation(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.add_jwt(Jwt("one", unit.user.id, 10, 100))
            assert storage.revoke_jwt("one", 50) == Jwt("one", unit.user.id, 10, 100, 50)
            assert storage.revoke_jwt("one", 60).revoked_at == 50
            with pytest.raises(NotFound):
                storage.revoke_jwt("two", 60)
        with unit.reading() as storage:
            assert storage.get_jwt_owner("one", uuid=unit.user.uuid)[1]

    def test_all_jwts_of_one_user_are_revoked_up_to_a_second(self, unit: Unit) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            storage.add_jwt(Jwt("before", unit.user.id, 49, 100))
            storage.add_jwt(Jwt("then", unit.user.id, 50, 100))
            storage.add_jwt(Jwt("after", unit.user.id, 51, 100))
            storage.add_jwt(Jwt("other", other.id, 50, 100))
            storage.revoke_all_jwts(unit.user.id, 50)
            storage.revoke_all_jwts(unit.user.id, 40)
            with pytest.raises(NotFound):
                storage.revoke_all_jwts(other.id + 1, 50)
        with unit.reading() as storage:
            found = [(jwt.jti, jwt.revoked_at) for jwt in storage.list_jwts(unit.user.id)]
            assert found == [("before", 50), ("then", 50), ("after", None)]
            assert storage.get_user(unit.user.email).jwts_revoked_at == 50
            assert storage.get_user(other.email).jwts_revoked_at is None
            assert [jwt.revoked_at for jwt in storage.list_jwts(other.id)] == [None]

    def test_expired_jwts_are_forgotten(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.add_jwt(Jwt("old", unit.user.id, 10, 99, revoked_at=20))
            storage.add_jwt(Jwt("new", unit.user.id, 10, 100, revoked_at=20))
            storage.prune_jwts(100)
        with unit.reading() as storage:
            assert [jwt.jti for jwt in storage.list_jwts(unit.user.id)] == ["new"]
            assert not storage.get_jwt_owner("old", uuid=unit.user.uuid)[1]
            assert storage.get_jwt_owner("new", uuid=unit.user.uuid)[1]

    # -- sessions of the settings pages

    def test_a_session_is_found_by_its_digest_with_its_owner(self, unit: Unit) -> None:
        session = Session("a" * 64, unit.user.id, 10, 20, "Mozilla/5.0")
        with unit.writing() as storage:
            storage.add_session(session)
            storage.add_session(Session("b" * 64, unit.user.id, 11, 11))
        with unit.reading() as storage:
            assert storage.get_session_owner("a" * 64) == (session, unit.user)
            with pytest.raises(NotFound):
                storage.get_session_owner("c" * 64)
            found = storage.list_sessions(unit.user.id)
            assert [s.sha256[0] for s in found] == ["b", "a"]
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.add_session(Session("d" * 64, unit.user.id + 1, 10, 10))

    def test_a_session_is_seen_later_and_later(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.add_session(Session("a" * 64, unit.user.id, 10, 10))
            storage.set_sessions_seen({"a" * 64: 70, "b" * 64: 70})
            storage.set_sessions_seen({"a" * 64: 60})
            storage.set_sessions_seen({})
        with unit.reading() as storage:
            assert storage.list_sessions(unit.user.id)[0].seen_at == 70

    def test_sessions_end_one_by_one_all_at_once_by_age_and_with_their_user(
        self, unit: Unit
    ) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            for n, (user, at) in enumerate(
                ((unit.user, 1), (unit.user, 2), (other, 3), (other, 4))
            ):
                storage.add_session(Session(str(n) * 64, user.id, at, at + 10))

            def left() -> str:
                found = storage.list_sessions(unit.user.id) + storage.list_sessions(other.id)
                return "".join(s.sha256[0] for s in found)

            assert left() == "1032"
            storage.delete_session("0" * 64)
            storage.delete_session("0" * 64)
            assert left() == "132"
            storage.prune_sessions(created_before=4, seen_before=0)
            assert left() == "3"
            storage.prune_sessions(created_before=0, seen_before=14)
            assert left() == "3"
            storage.prune_sessions(created_before=0, seen_before=15)
            assert left() == ""
            storage.add_session(Session("5" * 64, unit.user.id, 1, 1))
            storage.add_session(Session("6" * 64, other.id, 1, 1))
            storage.delete_sessions(unit.user.id)
            assert left() == "6"
            storage.delete_user(other.id)
            assert left() == ""

    # -- usage

    def test_usage_is_added_up_for_each_user_and_day(self, unit: Unit) -> None:
        day = 86_400
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            storage.add_usage({(unit.user.id, 2 * day): 5, (unit.user.id, day): 1})
            storage.add_usage(
                {(unit.user.id, 2 * day): 3, (other.id, day): 7, (other.id + 1, 0): 1}
            )
            storage.add_usage({})
        with unit.reading() as storage:
            user_id = unit.user.id
            assert storage.list_usage(user_id, 0, 9 * day) == [(day, 1), (2 * day, 8)]
            assert storage.list_usage(user_id, day, 2 * day) == [(day, 1)]
            assert storage.list_usage(user_id, 2 * day, 3 * day) == [(2 * day, 8)]
            assert storage.list_usage(other.id, 0, 9 * day) == [(day, 7)]
        with unit.writing() as storage:
            storage.prune_usage(2 * day)
        with unit.reading() as storage:
            assert storage.list_usage(user_id, 0, 9 * day) == [(2 * day, 8)]

    def test_jwts_and_usage_go_with_their_user(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.add_jwt(Jwt("one", unit.user.id, 10, 100))
            storage.add_usage({(unit.user.id, 0): 5})
            storage.delete_user(unit.user.id)
            assert storage.list_jwts(unit.user.id) == []
            assert storage.list_usage(unit.user.id, 0, 1) == []

    # -- units of work

    def test_nothing_of_a_failed_unit_of_work_is_kept(self, unit: Unit) -> None:
        with pytest.raises(ZeroDivisionError), unit.writing() as storage:
            storage.put_rows(unit.user.id, ACCOUNTS, new=[make_row(ACCOUNTS, 1)], changed=())
            storage.set_data_state(unit.user.id, DataState(1, 1))
            _ = 1 // 0
        assert unit.ids(ACCOUNTS) == []
        with unit.reading() as storage:
            assert storage.get_data_state(unit.user.id) == DataState(0, 1_000)

    def test_a_reader_keeps_the_state_it_began_with(self, unit: Unit) -> None:
        with unit.reading() as reader:
            assert reader.get_data_state(unit.user.id).revision == 0
            with unit.writing() as writer:
                writer.lock_data(unit.user.id)
                writer.put_rows(unit.user.id, ACCOUNTS, new=[make_row(ACCOUNTS, 1)], changed=())
                writer.set_data_state(unit.user.id, DataState(1, 2_000))
            assert reader.scan_rows(unit.user.id, ACCOUNTS) == []
            assert reader.get_data_state(unit.user.id).revision == 0
        assert unit.ids(ACCOUNTS) == [1]

    def test_the_state_of_the_data_is_each_users_own(self, unit: Unit) -> None:
        with unit.writing() as storage:
            other = add_user(storage, "two@example.org")
            assert storage.lock_data(unit.user.id) == DataState(0, 1_000)
            storage.set_data_state(unit.user.id, DataState(1, 2_000))
        with unit.reading() as storage:
            assert storage.get_data_state(unit.user.id) == DataState(1, 2_000)
            assert storage.get_data_state(other.id) == DataState(0, 1_000)
            with pytest.raises(NotFound):
                storage.get_data_state(other.id + 1)

    # -- rows

    @pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: r.name)
    def test_rows_come_back_as_they_were_put(self, unit: Unit, resource: Resource) -> None:
        full = {
            field.name: _FULL[field.kind](field.choices)
            for field in resource.kept_fields
            if field.name != "id"
        }
        rows = [make_row(resource, 1), make_row(resource, 2, **full)]
        unit.put(resource, *rows)
        with unit.reading() as storage:
            assert storage.scan_rows(unit.user.id, resource) == rows
            assert storage.get_rows(unit.user.id, resource, [make_id(2), make_id(3)]) == {
                make_id(2): rows[1]
            }
            listed = storage.list_rows(unit.user.id, Query(resource)).rows
        names = [field.name for field in resource.listed_fields]
        assert sorted(listed, key=lambda row: row["id"]) == [
            {name: row[name] for name in names} for row in rows
        ]

    def test_changed_rows_replace_what_was_there(self, unit: Unit) -> None:
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 1, name="Éléonore", color="red"))
        with unit.writing() as storage:
            changed = make_row(ACCOUNTS, 1, name="Zoë", balance=MAX_UNITS)
            storage.put_rows(unit.user.id, ACCOUNTS, new=(), changed=[changed])
        with unit.reading() as storage:
            assert storage.scan_rows(unit.user.id, ACCOUNTS) == [changed]
        assert unit.found(ACCOUNTS, "name", "contains-i.ZOË") == [1]
        assert unit.found(ACCOUNTS, "name", "contains-i.éléonore") == []

    def test_a_new_row_needs_a_new_id(self, unit: Unit) -> None:
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 1))
        with pytest.raises(Conflict):
            unit.put(ACCOUNTS, make_row(ACCOUNTS, 1))

    def test_a_source_and_its_id_belong_to_one_row(self, unit: Unit) -> None:
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 1, source="ofx", sourceId="a"))
        unit.put(ACCOUNTS, make_row(ACCOUNTS, 2, source="csv", sourceId="a"))
        with pytest.raises(Conflict):
            unit.put(ACCOUNTS, make_row(ACCOUNTS, 3, source="ofx", sourceId="a"))
        with unit.reading() as storage:
            found = storage.get_rows_by_source(unit.user.id, ACCOUNTS, "ofx", ["a", "b"])
        assert {key: row["id"] for key, row in found.items()} == {"a": make_id(1)}

    def test_rows_are_scanned_in_the_order_of_their_ids(self, unit: Unit) -> None:
        unit.put(ACCOUNTS, *(make_row(ACCOUNTS, n, name=f"{n % 2}") for n in (5, 1, 4, 2, 3)))
        field = ACCOUNTS.get_field("name")
        assert field is not None
        odd = parse_conditions(field, "eq.1")
        with unit.reading() as storage:
            page = storage.scan_rows(
                unit.user.id, ACCOUNTS, conditions=odd, after_id=make_id(1), limit=1
            )
        assert [row["id"] for row in page] == [make_id(3)]

    def test_no_read_gives_a_row_of_another_user(self, unit: Unit) -> None:
        other = Unit(unit.backend, "other")
        for resource in RESOURCES:
            other.put(resource, make_row(resource, 1, source="ofx", sourceId="a"))
            with unit.reading() as storage:
                user_id = unit.user.id
                assert storage.scan_rows(user_id, resource) == []
                assert storage.get_rows(user_id, resource, [make_id(1)]) == {}
                assert storage.get_rows_by_source(user_id, resource, "ofx", ["a"]) == {}
                page = storage.list_rows(user_id, Query(resource, with_total=True))
                assert (page.rows, page.has_more, page.total) == ([], False, 0)
        with unit.reading() as storage:
            assert storage.sum_records(unit.user.id, ()) == RecordSum(0, 0)

    def test_no_write_touches_a_row_of_another_user(self, unit: Unit) -> None:
        other = Unit(unit.backend, "other")
        for writer, name in ((unit, "mine"), (other, "theirs")):
            writer.put(ACCOUNTS, make_row(ACCOUNTS, 1, name=name, source="ofx", sourceId="a"))
        with unit.writing() as storage:
            changed = make_row(ACCOUNTS, 1, name="changed")
            storage.put_rows(unit.user.id, ACCOUNTS, new=(), changed=[changed])
        with other.reading() as storage:
            assert storage.scan_rows(other.user.id, ACCOUNTS)[0]["name"] == "theirs"

    # -- conditions

    def test_text_compares_by_code_points(self, unit: Unit) -> None:
        names = ("École", "école", "ECOLE", "100% _a\\b", "100x ya/b", "Straße", "STRASSE", "İ")
        unit.put(ACCOUNTS, *(make_row(ACCOUNTS, n, name=name) for n, name in enumerate(names)))
        for text, expected in (
            ("eq.École", [0]),
            ("contains.col", [0, 1]),
            ("contains-i.ÉCOLE", [0, 1]),
            ("contains.%", [3]),
            ("contains._a", [3]),
            ("contains.\\", [3]),
            ("contains-i.% _A\\", [3]),
            ("contains-i.STRASSE", [5, 6]),
            ("contains-i.ß", [5, 6]),
            ("contains-i.i̇", [7]),
            ("eq.", []),
        ):
            assert unit.found(ACCOUNTS, "name", text) == expected, text

    def test_numbers_compare_exactly_up_to_the_last_bit(self, unit: Unit) -> None:
        amounts = (-MAX_UNITS, -101, -100, 0, 9007199254740993001, MAX_UNITS)
        unit.put(RECORDS, *(make_row(RECORDS, n, amount=a) for n, a in enumerate(amounts)))
        for text, expected in (
            ("lt.-0.01000001", [0, 1]),
            ("lte.-0.01", [0, 1, 2]),
            ("eq.900719925474099.3001", [4]),
            ("gt.900719925474099.3001", [5]),
            ("gte.922337203685477.5807", [5]),
            ("gt.922337203685477.5807", []),
            ("gt.-99999999999999999999999", [0, 1, 2, 3, 4, 5]),
            ("lt.-922337203685477.5807", []),
            ("eq.0.00001", []),
        ):
            assert unit.found(RECORDS, "amount", text) == expected, text

    def test_days_are_whole(self, unit: Unit) -> None:
        day = 1_767_225_600  # 2026-01-01T00:00:00Z
        times = (day - 1, day, day + 43_200, day + 86_399, day + 86_400)
        unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=t) for n, t in enumerate(times)))
        for text, expected in (
            ("eq.2026-01-01", [1, 2, 3]),
            ("lt.2026-01-01", [0]),
            ("lte.2026-01-01", [0, 1, 2, 3]),
            ("gt.2026-01-01", [4]),
            ("gte.2026-01-01T12:00:00+00:00", [2, 3, 4]),
            ("eq.2026-01-01T12:00Z", [2]),
            ("gt.9999-12-31", []),
        ):
            assert unit.found(RECORDS, "recordDate", text) == expected, text

    def test_lists_match_by_any_element(self, unit: Unit) -> None:
        labels = ((), ("work",), ("Work", "a,b"), ("wo", "rk"))
        ids = ((), (make_id(1),), (make_id(1), make_id(2)), (make_id(3),))
        unit.put(
            RECORDS,
            *(make_row(RECORDS, n, labels=labels[n], labelIds=ids[n]) for n in range(4)),
        )
        for name, texts, expected in (
            ("labels", ["eq.work"], [1]),
            ("labels", ["contains.or"], [1, 2]),
            ("labels", ["contains-i.WORK"], [1, 2]),
            ("labels", ["contains.work", "contains.a"], []),
            ("labels", ["contains.ork", "eq.a,b"], [2]),
            ("labels", ["is.null"], [0]),
            ("labels", ["is.not_null"], [1, 2, 3]),
            ("labelIds", [make_id(1)], [1, 2]),
            ("labelIds", [f"{make_id(2)},{make_id(3)}"], [2, 3]),
            ("labelIds", [make_id(1), make_id(2)], [2]),
        ):
            assert unit.found(RECORDS, name, *texts) == expected, (name, texts)

    def test_a_missing_value_meets_only_is_null(self, unit: Unit) -> None:
        unit.put(RECORDS, make_row(RECORDS, 1), make_row(RECORDS, 2, payee="x", note="y"))
        assert unit.found(RECORDS, "payee", "is.null") == [1]
        assert unit.found(RECORDS, "payee", "is.not_null") == [2]
        assert unit.found(RECORDS, "payee", "contains.x") == [2]
        assert unit.found(RECORDS, "paymentType", "cash,transfer") == []
        assert unit.found(RECORDS, "categoryId", make_id(1)) == []

    def test_conditions_all_have_to_hold_in_any_order(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, amount=n, payee=f"p{n % 3}") for n in range(9)))
        amount, payee = RECORDS.get_field("amount"), RECORDS.get_field("payee")
        assert amount is not None
        assert payee is not None
        conditions = [
            Condition(amount, Operator.GTE, Span(2, 3)),
            Condition(payee, Operator.EQ, "p2"),
            Condition(amount, Operator.LT, Span(8, 9)),
        ]
        assert unit.ids(RECORDS, *conditions) == [2, 5]
        assert unit.ids(RECORDS, *reversed(conditions)) == [2, 5]

    # -- order and pages

    def test_text_sorts_by_code_point_and_missing_values_come_last(self, unit: Unit) -> None:
        names = ("b", "É", None, "a", "Z", "\U0001f600", "\uffee", None)
        unit.put(RECORDS, *(make_row(RECORDS, n, payee=name) for n, name in enumerate(names)))
        assert unit.ids(RECORDS, sort="+payee") == [4, 3, 0, 1, 6, 5, 2, 7]
        assert unit.ids(RECORDS, sort="-payee") == [5, 6, 1, 0, 3, 4, 2, 7]

    def test_rows_are_ordered_by_whether_a_value_is_the_one_that_counts(self, unit: Unit) -> None:
        states = ("void", None, "cleared", "void", "uncleared", None)
        unit.put(RECORDS, *(make_row(RECORDS, n, recordState=s) for n, s in enumerate(states)))
        field = RECORDS.get_field("recordState")
        assert field is not None
        for descending, expected in ((False, [1, 2, 4, 5, 0, 3]), (True, [0, 3, 1, 2, 4, 5])):
            sort = (SortKey(field, descending, equals="void"),)
            with unit.reading() as storage:
                rows = storage.list_rows(unit.user.id, Query(RECORDS, (), sort)).rows
            assert [int(row["id"][:8], 16) for row in rows] == expected

    def test_equal_rows_are_in_the_order_of_their_ids(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, amount=n // 3) for n in (5, 0, 3, 1, 4, 2)))
        assert unit.ids(RECORDS, sort="-amount") == [3, 4, 5, 0, 1, 2]
        assert unit.ids(RECORDS, sort="-id") == [5, 4, 3, 2, 1, 0]

    def test_page_boundary_keeps_rows_with_equal_dates(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, recordDate=86_400) for n in range(7)))
        sort = parse_sort(RECORDS, "-recordDate")
        seen: list[str] = []
        for offset in (0, 3, 6, 9):
            query = Query(RECORDS, (), sort, limit=3, offset=offset, with_total=True)
            with unit.reading() as storage:
                page = storage.list_rows(unit.user.id, query)
            assert page.has_more == (offset < 6 and offset + 3 < 7)
            assert page.total == 7
            seen += [row["id"] for row in page.rows]
        assert seen == [make_id(n) for n in range(7)]

    @pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: r.name)
    def test_every_scalar_field_sorts_both_ways(self, unit: Unit, resource: Resource) -> None:
        fields = [f for f in resource.listed_fields if f.sortable and f.name != "id"]
        for number, field in enumerate(fields, start=1):
            unit.put(
                resource,
                make_row(resource, number, **{field.name: _FULL[field.kind](field.choices)}),
            )
        everything = set(range(1, len(fields) + 1))
        for field in fields:
            key = SortKey(field)
            for sort in ((key,), (SortKey(field, descending=True),)):
                with unit.reading() as storage:
                    page = storage.list_rows(unit.user.id, Query(resource, (), sort, limit=100))
                numbers = [int(row["id"][:8], 16) for row in page.rows]
                assert set(numbers) == everything
                values = [row[field.name] for row in page.rows if row[field.name] is not None]
                assert values == sorted(values, reverse=sort[0].descending)

    # -- sums

    def test_sums_are_exact_beyond_64_bits_and_leave_void_records_out(self, unit: Unit) -> None:
        amounts = [MAX_UNITS, MAX_UNITS, MAX_UNITS, -1, -MAX_UNITS, -7]
        rows = [make_row(RECORDS, n, amount=a) for n, a in enumerate(amounts)]
        rows += [make_row(RECORDS, 10, amount=5, recordState="void")]
        rows += [make_row(RECORDS, 11, amount=5, recordState="cleared")]
        unit.put(RECORDS, *rows)
        with unit.reading() as storage:
            total = storage.sum_records(unit.user.id, ())
        assert total == RecordSum(sum(amounts) + 5, 7)

    def test_sums_are_of_the_records_that_meet_the_conditions(self, unit: Unit) -> None:
        unit.put(RECORDS, *(make_row(RECORDS, n, amount=n, payee=f"{n % 2}") for n in range(6)))
        payee = RECORDS.get_field("payee")
        assert payee is not None
        with unit.reading() as storage:
            total = storage.sum_records(unit.user.id, parse_conditions(payee, "eq.1"))
        assert total == RecordSum(9, 3)


_FULL: dict[Kind, Callable[[tuple[str, ...]], Any]] = {
    Kind.TEXT: lambda choices: "Ünïcode 😀\ttab\nnewline 'quote' \"double\" %_\\",
    Kind.NUMBER: lambda choices: 9007199254740993001,
    Kind.DATE: lambda choices: 253402214400,
    Kind.DATETIME: lambda choices: -62135596800,
    Kind.ID: lambda choices: make_id(0xFFFFFFFF),
    Kind.CHOICE: lambda choices: choices[-1],
    Kind.BOOLEAN: lambda choices: True,
    Kind.TEXT_LIST: lambda choices: ("b", "a, b", "ß"),
    Kind.ID_LIST: lambda choices: (make_id(2), make_id(1)),
}
