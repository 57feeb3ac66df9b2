"""Two users whose rows have equal ids, dates and texts, and all reads and writes of one user."""

from dataclasses import replace
from itertools import product

from psycopg.errors import CardinalityViolation, InvalidRowCountInResultOffsetClause
from sqlalchemy.exc import IntegrityError

from finance_api.query.model import not_all
from finance_api.query.words import parse_words
from finance_api.resources import ACCOUNTS, LABELS, PUBLIC_RESOURCES, RECORDS, RESOURCES
from finance_api.storage.errors import StorageError
from finance_api.storage.interface import (
    AuditAction,
    BeforeImage,
    DataState,
    HistoryEntry,
    Jwt,
    Proposed,
    ProposedPair,
    Question,
    QuestionLink,
    Session,
    Token,
    Upload,
    UploadState,
    User,
)
from finance_api.storage.sql.tables import metadata
from finance_api.storage.testing import Unit, make_id, make_row
from finance_api.storage.testing.owned import make_link, make_question
from finance_api.storage.testing.units import make_query, make_token

DAY = 86_400
OTHERS = [resource for resource in RESOURCES if resource is not RECORDS]
WITH_JSON = [each for each in OTHERS if each.path and not each.computed_fields]
#: Errors that occur if a query finds rows of the other user, and the next query does not find them.
FAULTS = (
    StorageError,
    LookupError,
    IntegrityError,
    CardinalityViolation,
    InvalidRowCountInResultOffsetClause,
)


def query(resource, sort=None, *, limit=4, total=False, **options):
    return make_query(resource, sort, limit=limit, with_total=total, **options)


def queries():
    for resource in WITH_JSON:
        for offset in (0, 2):
            yield query(resource, offset=offset, total=True)
        yield query(resource, limit=100, id=f"{make_id(1)},{make_id(2)}")
    bounds = ({}, {"recordDate": "gte.1970-01-10"}, {"recordDate": "lt.1970-01-20"})
    for bound in (*bounds, {"recordDate": ["gte.1970-01-10", "lt.1970-01-20"]}):
        for offset in (0, 1, 3, 7, 11, 30, 60):
            yield query(RECORDS, offset=offset, total=offset == 3, **bound)
        yield query(RECORDS, limit=100, **bound)
        for text in ("contains.ommon", "contains-i.COMMON", "contains-i.rare", "contains.Rare"):
            for offset in (0, 5):
                yield query(RECORDS, offset=offset, note=text, **bound)
        for text in ("contains.Twin", "contains-i.twin", "contains-i.tw", "contains.Tw"):
            yield query(RECORDS, limit=100, payee=text, **bound)
        yield query(RECORDS, payee="contains-i.pay", note="contains-i.rare", **bound)
        yield query(RECORDS, payee="contains-i.É", **bound)
        yield query(RECORDS, payee="contains-i.é", note="contains-i.é", **bound)
        yield query(RECORDS, payee="contains.Twin", limit=1, **bound)
        for text in ("contains-i.once", "contains.once", "contains.ONCE"):
            yield query(RECORDS, note=text, **bound)
    # There is no anchor before the oldest date.
    yield query(RECORDS, offset=4, limit=2, recordDate="lt.1970-01-03")
    for words in ("twin", "theirs", "99", "0.0017", "0.005"):
        for sort, total in product(("-recordDate", "+amount"), (True, False)):
            yield replace(query(RECORDS, sort, total=total), conditions=parse_words(words))
    for sort in ("+amount", "-payee", "+recordDate"):
        yield query(RECORDS, sort, total=True)
        yield query(RECORDS, sort, offset=20, limit=100)


class Pair:
    """mine: the user whose data is read. The other user is stored first."""

    def __init__(self, backend):
        self.other = Unit(backend, "other")
        self.mine = Unit(backend, "mine")
        for resource in OTHERS:
            rows = (make_row(resource, n, name=f"mine {n}", **source(n)) for n in (1, 2, 4))
            self.mine.put(resource, *rows)
        self.mine.put(RECORDS, *(record(n, "mine") for n in range(1, 41)))
        add_credentials(self.mine, 1, DataState(3, 33))
        add_history(self.mine, 1)
        self.mine.put(ACCOUNTS, make_row(ACCOUNTS, 7))
        with self.mine.writing() as storage:
            storage.data.delete_rows(self.mine.user.id, ACCOUNTS, [make_id(7)])

    def let_other_in(self):
        for resource in OTHERS:
            rows = (make_row(resource, n, name=f"{n} theirs", **source(n)) for n in (1, 2, 3, 5))
            self.other.put(resource, *rows)
        for resource in PUBLIC_RESOURCES:
            self.other.put(resource, make_row(resource, 99))
            with self.other.writing() as storage:
                storage.data.delete_rows(self.other.user.id, resource, [make_id(99)])
        theirs = [record(n, "Theirs") for n in range(1, 71)]
        # Long and missing payees, because a list by payee reads these in parts of their own.
        theirs += [{**record(n, "Theirs"), "payee": p} for n, p in ((71, "z" * 600), (72, None))]
        self.other.put(RECORDS, *({**row, "updatedAt": row["updatedAt"] + 9} for row in theirs))
        add_credentials(self.other, 2, DataState(7, 77))
        add_history(self.other, 2)

    def answers(self):
        """Return the result of every read."""
        return {name: self.answer(read) for name, read in self.reads().items()}

    def answer(self, read):
        with self.mine.reading() as storage:
            try:
                found = read(storage)
            except FAULTS as error:
                return type(error)
        # Two users can be equal although the states of their data differ.
        parts = found if isinstance(found, tuple) else (found,)
        return found, [part.data for part in parts if isinstance(part, User)]

    def reads(self):
        """Return the reads by name."""
        me, user = self.mine.user.id, self.mine.user
        ids = [make_id(n) for n in (1, 3, 5, 39, 60)]
        everything = {"rows_after": (1, "", ""), "deletions_after": (0, "", "")}
        everything |= {"limit": 999, "revisions": [0, 3, 7, 8]}
        rare = query(RECORDS, note="contains-i.rare").conditions
        most = query(RECORDS, amount="gte.0").conditions
        found = {
            "state": lambda s: s.data.get_state(me),
            "sums": lambda s: s.data.sum_by(me, ["accountId"], ()),
            "some sums": lambda s: s.data.sum_by(me, ["accountId"], rare),
            "sums up to": lambda s: s.data.sum_by(me, ["accountId"], rare, most=99),
            "few others": lambda s: s.data.has_few_others(me, most, (not_all(most),)),
            "times": lambda s: s.data.record_times(me),
            # The amounts have no order.
            "amounts": lambda s: sorted(s.data.list_amounts(me, ["accountId"], ())),
            "changes": lambda s: s.data.list_changes(me, PUBLIC_RESOURCES, **everything),
            "an upload": lambda s: s.uploads.get(me, "1"),
            "a piece": lambda s: s.uploads.get_piece(me, "1", 0),
            "a question": lambda s: s.users.get_question(me, make_id(1)),
            "their question": lambda s: s.users.get_question(me, make_id(2)),
            "days": lambda s: s.usage.list_days(me, 0, 100),
            "requests by token": lambda s: s.usage.sum_by_token(me, 0, 100),
            "the user": lambda s: s.users.get(user.email),
            "entries": lambda s: s.ledger.list_entries(me),
            "proposals": lambda s: (
                s.ledger.count_proposals(me, Proposed.TRANSFER),
                s.ledger.list_proposals(me, Proposed.TRANSFER, limit=9),
            ),
            "audit": lambda s: s.audit.list_newest(me),
            "a token": lambda s: s.users.get_owner(Token, f"{1:064x}"),
            "a link": lambda s: s.users.get_owner(QuestionLink, f"{1:064x}"),
            "a session": lambda s: s.users.get_owner(Session, "1"),
        }
        for asked in queries():
            found[f"list {asked}"] = lambda s, q=asked: s.data.list_json(me, q)
            found[f"count {asked}"] = lambda s, q=asked: s.data.count_rows(me, q)
        for each in RESOURCES:
            found[f"JSON of {each}"] = lambda s, r=each: s.data.get_json(me, r, ids)
            found[f"rows of {each}"] = lambda s, r=each: s.data.get_rows(me, r, ids)
            found[f"source of {each}"] = lambda s, r=each: s.data.get_rows_by_source(
                me, r, "bank", ids
            )
            found[f"scan {each}"] = lambda s, r=each: s.data.scan_rows(me, r)
            for total, offset in ((True, 0), (False, 1), (False, 39)):
                asked = query(each, offset=offset, total=total)
                found[f"rows {asked}"] = lambda s, q=asked: s.data.list_rows(me, q)
        found["uploads"] = lambda s: s.uploads.list_by_user(me)
        for kind in (Token, QuestionLink, Jwt, Session, Question):
            found[f"{kind.noun}s"] = lambda s, k=kind: s.users.list_owned(k, me)
        for number in (1, 2):
            found[f"images {number}"] = lambda s, n=number: s.ledger.scan_before(me, n, limit=9)
            found[f"images of labels {number}"] = lambda s, n=number: s.ledger.get_before(
                me, n, LABELS, ids
            )
        for jti, key in product(("1", "11"), ("uuid", "email")):
            found[f"owner of JWT {jti}, {key}"] = lambda s, j=jti, k=key: s.users.get_jwt_owner(
                j, **{k: getattr(user, k)}
            )
        return found

    def effect(self, write, *, looks=True):
        """Return a write's result and the database after it, and roll the write back.

        looks: False to leave out the database, which takes longer than the write.
        """
        try:
            with self.mine.writing() as storage:
                returned = write(storage)
                storage.data.finish()
                connection = storage.data.connection.sqlalchemy
                tables = {
                    table.name: sorted(
                        map(repr, connection.exec_driver_sql(f"SELECT * FROM {table.name}"))
                    )
                    for table in metadata.sorted_tables * looks
                }
                raise Undone
        except Undone:
            return returned, tables
        except FAULTS as error:
            return type(error)

    def writes(self):
        """Return the writes by name."""
        mine, other = self.mine.user.id, self.other.user.id
        gone = [make_id(n) for n in (3, 4, 50)]

        def put(resource, new, changed):
            return lambda s: s.data.put_rows(mine, resource, new=new, changed=changed)

        def put_for_both(storage):
            for user_id in (mine, other):
                new = [record(n, "mine") for n in range(100, 110)]
                storage.data.put_rows(user_id, RECORDS, new=new, changed=new[:0])
            storage.data.put_rows(mine, RECORDS, new=(), changed=new[:5])

        def put_again_for_both(storage):
            for user_id, whose in ((other, "Theirs"), (mine, "mine"), (mine, "mine")):
                same = [record(n, whose) for n in range(1, 11)]
                storage.data.put_rows(user_id, RECORDS, new=(), changed=same)

        found = {
            "lock": lambda s: s.data.lock(mine),
            "set_state": lambda s: s.data.set_state(mine, DataState(4, 44)),
            "change a user": lambda s: s.users.update(mine, premium=False),
            "delete a user": lambda s: s.users.delete(mine),
            "note what is done": lambda s: s.note(mine, AuditAction.EDIT, 9),
            "add usage": lambda s: s.usage.add({(mine, 1, "1"): 5, (mine, 9, ""): 5}),
            "revoke all JWTs": lambda s: s.users.revoke_all(Jwt, mine, 50),
            "delete all sessions": lambda s: s.users.delete_sessions(mine),
            "delete a session": lambda s: s.users.delete_session("1"),
            "note a use of a session": lambda s: s.users.set_used(Session, {"1": 99}),
            "note a use of a link": lambda s: s.users.set_used(QuestionLink, {make_id(1): 99}),
            "revoke a link": lambda s: s.users.revoke(QuestionLink, make_id(1), 50, user_id=mine),
            "note a use of a token": lambda s: s.users.set_used(Token, {make_id(1): 99}),
            "add a JWT": lambda s: s.users.add_owned(Jwt("new", mine, 10, 100)),
            "rebuild": lambda s: s.data.rebuild(mine),
            "records of both": put_for_both,
            "records of both again": put_again_for_both,
            "move a record": put(RECORDS, (), [{**record(5, "mine"), "recordDate": 40 * DAY}]),
            "delete records": lambda s: s.data.delete_rows(mine, RECORDS, gone),
            "put a deleted label": put(LABELS, [make_row(LABELS, 7)], ()),
            "put a deleted account": put(ACCOUNTS, [make_row(ACCOUNTS, 7)], ()),
            "replace proposals": lambda s: s.ledger.replace_proposals(
                mine, Proposed.TRANSFER, 0, 9, [proposal(9)]
            ),
            "forget proposals": lambda s: s.ledger.forget_proposals(
                mine, [make_id(1), make_id(14)]
            ),
            "undo": lambda s: s.ledger.set_undone(mine, 1, 9),
            "prune images": lambda s: s.ledger.prune_before(mine, 15),
            "change an upload": lambda s: s.uploads.change(mine, upload("1", mine), name="x"),
            "work at uploads": lambda s: s.uploads.set_alive([(mine, upload("1", mine))], 99),
            "drop an upload's content": lambda s: s.uploads.drop_content(mine, "1"),
            "delete an upload": lambda s: s.uploads.delete(mine, "1"),
            "change a question": lambda s: s.users.update_owned(
                Question, make_id(1), user_id=mine, name="x"
            ),
            "change their question": lambda s: s.users.update_owned(
                Question, make_id(2), user_id=mine, name="x"
            ),
            "delete a question": lambda s: s.users.delete_question(mine, make_id(1)),
            "delete their question": lambda s: s.users.delete_question(mine, make_id(2)),
            "forget states": lambda s: s.data.forget_states(mine, 35),
            "change a record": put(RECORDS, (), [record(28, "mine")]),
        }
        for n, owner in product((1, 11, 2), (mine, None)):
            found[f"revoke token {n}, {owner}"] = lambda s, n=n, o=owner: s.users.revoke(
                Token, make_id(n), 50, user_id=o
            )
            found[f"revoke JWT {n}, {owner}"] = lambda s, n=n, o=owner: s.users.revoke(
                Jwt, f"{n}", 50, user_id=o
            )
        for resource in RESOURCES:
            rows = [make_row(resource, n, **source(n)) for n in (1, 90)]
            found[f"put {resource.name}"] = put(resource, rows[1:], rows[:1])
            same = make_row(resource, 1, name="mine 1", **source(1))
            found[f"put {resource.name} again"] = put(resource, (), [same])
        return found


class Undone(Exception):
    """Raised to roll back a write after looking at its effect."""


def source(number):
    return {"source": "bank", "sourceId": make_id(number)}


def add_credentials(unit, number, state):
    """Add two credentials of each kind."""
    user = unit.user
    with unit.writing() as storage:
        storage.data.set_state(user.id, state)
        for each in (number, number + 10):
            storage.users.add_owned(make_token(user, each))
            storage.users.add_owned(make_link(user, each))
            storage.users.add_owned(Jwt(f"{each}", user.id, 10, 100, 20 if each == 11 else None))
            storage.users.add_owned(Session(f"{each}", user.id, 10, 10))
            storage.usage.add({(user.id, each, f"{each}"): each})
        storage.note(user.id, AuditAction.SIGN_IN, number)
        storage.users.add_owned(make_question(user, number))
        of_both = upload("1", user.id)
        storage.uploads.add(user.id, of_both, [user.email.encode()])


def upload(upload_id, whose):
    return Upload(id=upload_id, name=f"of {whose}", size=1, created_at=10, state=UploadState.READY)


def proposal(number):
    return ProposedPair(Proposed.TRANSFER, make_id(number), make_id(10 + number), number)


def add_history(unit, number):
    """Add two entries, each with an image, and a deleted row."""
    user = unit.user
    with unit.writing() as storage:
        for each in (1, 2):
            entry = {"number": each, "at": each * 10 // number, "action": "import", "by": "page"}
            storage.ledger.add_entry(user.id, HistoryEntry(**entry, revision=each))
            row = {"name": f"of {number}"}
            images = [BeforeImage(LABELS, make_id(n), row) for n in (1, number)]
            storage.ledger.put_before(user.id, each, images)
        storage.data.put_rows(user.id, LABELS, new=[make_row(LABELS, 7)], changed=())
        storage.data.delete_rows(user.id, LABELS, [make_id(7)])
        storage.data.set_state(user.id, DataState(number + 7, number * 10))
        proposals = [proposal(n) for n in (1, 2, 3, 4)]
        storage.ledger.replace_proposals(user.id, Proposed.TRANSFER, 0, 99, proposals)


def record(number, whose):
    # Some texts of the other user differ in case or accents, which only some searches ignore.
    is_mine = whose == "mine"
    return make_row(
        RECORDS,
        number,
        recordDate=(number % 29) * DAY,
        amount=number if is_mine else -number,
        **source(number),
        transferId=make_id(900) if number in (3, 5) else None,
        payee="pay tWIN é" if is_mine else "pay Twin e",
        note=("rare " if number % 13 == 0 else "")
        + ("" if number != 20 else "once " if is_mine else "ONCE ")
        + f"Common {number} "
        + ("é" if is_mine else "e theirs 99"),
    )
