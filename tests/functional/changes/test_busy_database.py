"""Commands, pages and imports that change one user's data at the same time.

Whatever meets between deciding and storing, the data are those of the changes one after the other,
in the order in which they were stored: nothing is lost, doubled or half-written, and no page is a
500. The tests repeat the changes in that order for another user, and compare everything stored.
"""

import io
import random
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from finance_api.cli.editing import change
from finance_api.importers.interface import ChangeRefused
from finance_api.importers.ofx.importer import OfxImporter
from finance_api.ledger.edits.objects import set_object
from finance_api.ledger.edits.records import change_records, remove_records, void_duplicates
from finance_api.ledger.edits.rules import APPLY, add_rule, apply_rules
from finance_api.ledger.edits.splits import Part, split_record
from finance_api.ledger.edits.transfers import link_records, unlink_records
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder, StatementOptions
from finance_api.ledger.rehearsal import Rehearsal
from finance_api.ledger.session import LedgerSession
from finance_api.ledger.undo import undo
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS, RESOURCES
from finance_api.storage.errors import StorageLocked
from finance_api.storage.interface import Proposed, reading
from finance_api.web.page import KEPT
from support.browser import Visitor, new_user, signed_in
from support.ledger import account, an_id, document, ofx_file, ofx_statement, record
from support.nightly import by_day_on, count
from support.service import Service, native_line

NUMBERS = range(301, 309)
#: Ids and tags that differ between users: random ones, and those made from the user's own id.
_OWN = re.compile(
    "[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|tag=-?[0-9]+"
)


class Someone:
    """A user, with a browser and the command."""

    def __init__(self, service: Service) -> None:
        self.service, self.user = service, new_user(service)
        rule = document("RecordRule", 1, keywords=["shop"], categoryId=an_id(11))
        service.load(
            self.user,
            [
                *(account(n, name=f"giro {n}") for n in (1, 2)),
                *(document("Category", n, name=name) for n, name in ((11, "Food"), (12, "Home"))),
                rule,
                *(
                    record(n, accountId=an_id(1 + n % 2), payee=f"Shop {n}", amount=n % 4 * 2 - 3)
                    for n in NUMBERS
                ),
            ],
        )
        self._cli = SimpleNamespace(
            backend=service.backend,
            clock=service.clock,
            settings={"finance_api.imports.keep_days": 400},
            require_persistence=lambda: None,
        )

    def browser(self) -> Visitor:
        return signed_in(self.service, self.user)

    def command(self, action: str | None, work: Callable[[LedgerSession], Any]) -> None:
        change(self._cli, self.user.email, action, work, dry_run=False)  # type: ignore[arg-type]

    def file(self, text: str, importer: Any = None) -> None:
        options = StatementOptions(account_name="giro 1" if importer else None)
        order = ImportOrder(
            self.user.email,
            io.BytesIO(text.encode()),
            importer,
            now=self.service.clock.now(),
            options=options,
        )
        import_file(self.service.backend, order)

    def post(self, visitor: Visitor, path: str, **fields: str) -> None:
        response = visitor.post(path, {**fields, "csrf_token": visitor.csrf()})
        assert response.status_int in (200, 303, 400, 404, 409, 503), response.text
        if KEPT in parse_qs(urlsplit(response.location or "").query):
            raise ChangeRefused("the page shows the form again")

    def everything(self) -> list[list[str]]:
        """Return everything that a change stores, without values that are the user's own."""
        user_id = self.user.id
        with reading(self.service.backend) as storage:
            entries = storage.ledger.list_entries(user_id)
            images = [
                image
                for entry in entries
                for image in storage.ledger.scan_before(user_id, entry.number, limit=999)
            ]
            proposals = [
                p
                for kind in Proposed
                for p in storage.ledger.list_proposals(user_id, kind, limit=999)
            ]
            state = storage.data.get_state(user_id)
            rows = [storage.data.scan_rows(user_id, resource) for resource in RESOURCES]
        stored = [*rows, entries, images, proposals, [state]]
        return [sorted(_OWN.sub("?", repr(each)) for each in group) for group in stored]


#: A change, which does the same for each user.
Change = Callable[[Someone, Visitor], None]


def changes(chance: random.Random, number: int) -> list[Change]:
    return [drawn(chance) for _ in range(number)]


def drawn(chance: random.Random) -> Change:
    one, other = (an_id(n) for n in chance.sample(NUMBERS, 2))
    text, entry = f"hand {chance.randrange(10**6)}", chance.randint(1, 6)
    amounts = [chance.randint(-20_000, 20_000) for _ in range(2)]
    lines = [
        (f"202601{10 + n}", f"{chance.choice([-5, 5])}", f"F{n}", f"Shop {n}", text)
        for n in chance.sample(range(9), 3)
    ]
    natives = [record(n, note=text, amount=chance.randint(-9, 9)) for n in (301, 302, 320, 321)]
    edits: dict[str, Callable[[LedgerSession], Any]] = {
        "note": lambda s: change_records(s, [one, other], {"note": text}),
        "remove": lambda s: remove_records(s, [one]),
        "void": lambda s: void_duplicates(s, [one, other]),
        "link": lambda s: link_records(s, one, other),
        "unlink": lambda s: unlink_records(s, [one]),
        "split": lambda s: split_record(s, one, parts(s, one, amounts)),
        "account": lambda s: set_object(s, ACCOUNTS, an_id(1), {"name": text}),
        "balance": lambda s: set_object(s, ACCOUNTS, an_id(2), {"initialBalance": text[5:]}),
        "category": lambda s: set_object(s, CATEGORIES, an_id(11), {"name": text}),
        "rule": lambda s: add_rule(s, ["giro", text], category=an_id(12)),
        APPLY: apply_rules,
    }
    action = chance.choice(list(edits))
    ways: list[Change] = [
        lambda who, _: who.command(action, edits[action]),
        lambda who, _: who.command(action, edits[action]),
        lambda who, _: who.command(None, lambda s: undo(s, entry, keep_changed=True)),
        lambda who, _: who.file("".join(map(native_line, natives))),
        lambda who, _: who.file(ofx_file(ofx_statement(lines)), OfxImporter()),
        lambda who, visitor: who.post(
            visitor, f"/records/{one}/category", category="Home", seen=""
        ),
        lambda who, visitor: who.post(visitor, f"/records/{one}/remove"),
        lambda who, visitor: who.post(visitor, "/rules/apply", do="apply"),
    ]
    return chance.choice(ways)


def parts(session: LedgerSession, row_id: str, amounts: list[int]) -> list[Part]:
    """Return parts that add up to the record."""
    found = session.get_rows(RECORDS, [row_id])
    left = (found[row_id]["amount"] if found else 0) - sum(amounts)
    return [Part(amount, None, {}) for amount in (*amounts, left)]


class Order:
    """Notes the changes of all threads in the order in which they are stored."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stored: list[Change] = []
        self._running = threading.local()
        write = service.backend.write

        def noted(tm: Any, **options: Any) -> Any:
            storage = write(tm, **options)
            # Before the commit, so that no other change can be stored in between.
            if (running := getattr(self._running, "change", None)) is not None:
                tm.get().addBeforeCommitHook(self.stored.append, (running,))
            return storage

        monkeypatch.setattr(service.backend, "write", noted)

    @contextmanager
    def of(self, change: Change) -> Iterator[None]:
        before = getattr(self._running, "change", None)
        self._running.change = change
        try:
            with suppress(StorageLocked):  # another change had the lock for too long
                yield
        except ChangeRefused:
            # A page keeps the form that it refused, which is stored but changes nothing.
            if change in self.stored:
                self.stored.remove(change)
        finally:
            self._running.change = before


@pytest.fixture(scope="module")
def busy(
    request: pytest.FixtureRequest, new_settings: Callable[[str], dict[str, str]]
) -> Iterator[Service]:
    service = Service(request.param, new_settings(request.param))
    yield service
    service.stop()


def repeated(service: Service, order: list[Change]) -> list[list[str]]:
    """Make the changes one after the other for a new user; return everything that is stored."""
    who = Someone(service)
    visitor = who.browser()
    for each in order:
        each(who, visitor)
    return who.everything()


@by_day_on("busy")
@pytest.mark.parametrize("seed", range(count(6, 300)))
def test_what_others_store_between_deciding_and_storing_is_not_lost(
    busy: Service, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    who, others = Someone(busy), changes(chance, 8)
    visitor, other_visitor = who.browser(), who.browser()
    order, begin = Order(busy, monkeypatch), LedgerSession.begin_storing

    def meanwhile(session: LedgerSession) -> None:
        if others and isinstance(session.storage, Rehearsal) and chance.random() < 0.6:
            other = others.pop()
            with order.of(other):
                other(who, other_visitor)
        begin(session)

    monkeypatch.setattr(LedgerSession, "begin_storing", meanwhile)
    for each in changes(chance, 8):
        with order.of(each):
            each(who, visitor)
    monkeypatch.undo()
    assert who.everything() == repeated(busy, order.stored)


@by_day_on("busy")
@pytest.mark.parametrize("seed", range(count(3, 100)))
def test_changes_at_the_same_time_are_stored_as_if_one_followed_the_other(
    busy: Service, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance, who = random.Random(seed), Someone(busy)
    order = Order(busy, monkeypatch)

    def run(own: list[Change], visitor: Visitor) -> None:
        for each in own:
            with order.of(each):
                each(who, visitor)

    threads = 4
    with ThreadPoolExecutor(threads) as pool:
        running = [
            pool.submit(run, changes(chance, 6), visitor)
            for visitor in [who.browser() for _ in range(threads)]
        ]
        for each in running:
            each.result()
    monkeypatch.undo()
    assert order.stored
    assert who.everything() == repeated(busy, order.stored)
