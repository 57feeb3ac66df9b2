"""Random histories of imports, edits and undos, on every storage."""

import random
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ImportRefused
from finance_api.ledger.balances import Balances
from finance_api.ledger.bank_balances import settle_bank_balances
from finance_api.ledger.derivation import derive, rederive_records
from finance_api.ledger.session import LedgerSession, changing
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, RECORDS
from finance_api.values import Row
from support.ledger import Person, account, an_id, document, record
from support.made_statements import statement
from support.nightly import count

pytestmark = pytest.mark.nightly

ACCOUNT_NUMBERS = (1, 2)
CATEGORY_NUMBERS = (101, 102)
LABEL_NUMBERS = (201, 202)
RECORD_NUMBERS = range(301, 309)


class Household:
    """A person, and changes of the person's books by a source of chance."""

    def __init__(self, person: Person, chance: random.Random) -> None:
        self.person = person
        self.chance = chance

    def change(self) -> None:
        work = self.chance.choice(
            [self.import_native, self.import_native, self.import_statement]
            + [self.import_statement, self.edit_records, self.edit_documents]
        )
        # Such as a record of an account that there is not.
        with suppress(ImportRefused):
            work()

    def import_native(self) -> None:
        chance = self.chance
        rows: list[dict[str, Any]] = []
        for number in chance.sample(ACCOUNT_NUMBERS, chance.randint(0, 2)):
            name = chance.choice(["giro", "cash"])
            initial = chance.choice([0, 0, 100])
            rows.append(account(number, name=f"{name} {number}", initialBalance=initial))
        for number in chance.sample(CATEGORY_NUMBERS, chance.randint(0, 2)):
            rows.append(document("Category", number, name=chance.choice("ab")))
        for number in chance.sample(LABEL_NUMBERS, chance.randint(0, 2)):
            rows.append(document("Label", number, name=chance.choice("ab")))
        if chance.random() < 0.3:
            rows.append(document("Budget", 401, categoryIds=[an_id(chance.choice([101, 102]))]))
        sources = chance.sample(["s1", "s2", "s3", None, None, None, None, None], 8)
        for number in chance.sample(RECORD_NUMBERS, chance.randint(0, 6)):
            rows.append(
                record(
                    number,
                    accountId=an_id(chance.choice(ACCOUNT_NUMBERS)),
                    amount=Decimal(chance.randint(-3, 3)),
                    recordDate=f"1970-01-0{chance.randint(1, 9)}",
                    categoryId=chance.choice([None, *map(an_id, CATEGORY_NUMBERS)]),
                    labelIds=[an_id(n) for n in LABEL_NUMBERS if chance.random() < 0.3],
                    recordState=chance.choice([None, "void"]),
                    sourceId=sources[number - RECORD_NUMBERS[0]],
                )
            )
        self.person.native(*rows)

    def import_statement(self) -> None:
        chance = self.chance
        first = chance.randint(0, 8)
        days = sorted(chance.choices(range(first, first + 3), k=chance.randint(0, 4)))
        entries = [(day, chance.randint(-3, 3) * 10_000) for day in days]
        opening = chance.choice([None, (first - 1, chance.randint(-2, 2) * 10_000)])
        closing = chance.choice([None, (first + 2, chance.randint(-2, 2) * 10_000)])
        key = chance.choice(["1", "2", "new"])
        name = chance.choice([None, None, "giro 1"])
        made = statement(*entries, opening=opening, closing=closing, key=key)
        self.person.statement(made, account_name=name)

    def edit_records(self) -> None:
        chance = self.chance

        def work(session: LedgerSession) -> None:
            rows = session.storage.data.scan_rows(session.user.id, RECORDS)
            chosen = chance.sample(rows, min(len(rows), chance.randint(1, 3)))
            balances, changed, gone = Balances(), [], []
            for row in chosen:
                if chance.random() < 0.3:
                    gone.append(row)
                    balances.note(row, None)
                    continue
                after = {**row, "setByHand": ("payee",), "payee": f"hand {chance.random()}"}
                after["recordState"] = chance.choice(["void", row["recordState"]])
                derive(session, after)
                balances.note(row, after)
                changed.append((row, after))
            session.note_changes(RECORDS, changed)
            new_rows = [after for _, after in changed]
            session.storage.data.put_rows(session.user.id, RECORDS, new=(), changed=new_rows)
            session.delete(RECORDS, gone)
            settle_bank_balances(session, balances.touched)
            balances.settle(session)
            session.close(records_changed=bool(chosen))

        self.edit(work)

    def edit_documents(self) -> None:
        chance = self.chance

        def work(session: LedgerSession) -> None:
            used = {
                row_id
                for row in session.storage.data.scan_rows(session.user.id, RECORDS)
                for row_id in (row["accountId"], row["categoryId"], *row["labelIds"])
            }
            for budget in session.row_set(BUDGETS).rows.values():
                used |= set(budget["categoryIds"])
            for resource in (ACCOUNTS, CATEGORIES):
                for row in list(session.row_set(resource).rows.values()):
                    if chance.random() < 0.3:
                        session.row_set(resource).put({**row, "name": f"hand {chance.random()}"})
                    elif chance.random() < 0.3 and resource is ACCOUNTS:
                        by_hand = {"initialBalance": 70_000, "setByHand": ("initialBalance",)}
                        by_hand["ownInitialBalance"] = None
                        session.accounts.put({**row, **by_hand})
                    elif chance.random() < 0.5 and row["id"] not in used:
                        session.row_set(resource).remove(row["id"])
            changed = rederive_records(session)
            settle_bank_balances(session, list(session.accounts.rows))
            Balances().settle(session)
            session.close(records_changed=changed)

        self.edit(work)

    def edit(self, work: Callable[[LedgerSession], None]) -> None:
        person = self.person
        now = person.clock.now()
        with changing(person.backend, person.user.email, now, action="edit") as session:
            work(session)

    @property
    def live(self) -> list[int]:
        return [e.number for e in self.person.history() if e.undone_at is None]


def by_hand(person: Person) -> dict[str, Row]:
    """The records that are as a hand left them."""
    rows = person.rows(RECORDS)
    return {row["id"]: row for row in rows if (row["payee"] or "").startswith("hand")}


STORAGES = pytest.mark.parametrize("storage", ["memory", "sqlite", "postgresql"])
histories = given(seed=st.integers(0, 2**32 - 1), steps=st.integers(1, 8))
checked = settings(
    max_examples=count(30, 1_000), deadline=None, suppress_health_check=list(HealthCheck)
)


@STORAGES
def test_undo_of_the_newest_gives_what_was_there_before(backends, storage):
    @checked
    @histories
    def check(seed, steps):
        person = Person(backends(storage))
        household = Household(person, random.Random(seed))
        states = []
        for _ in range(steps):
            before = person.everything(), person.dump()
            household.change()
            person.audit()
            if len(household.live) > len(states):
                states.append(before)
        while states:
            revision = person.revision
            person.undo()
            person.audit()
            assert (person.everything(), person.dump()) == states.pop()
            assert person.revision == revision + 1
        with pytest.raises(ImportRefused, match="taken back"):
            person.undo(1) if person.history() else refuse()

    check()


def refuse():
    raise ImportRefused("nothing to be taken back")


@STORAGES
def test_undo_in_any_order_never_loses_what_a_hand_changed(backends, storage):
    @checked
    @histories
    def check(seed, steps):
        chance = random.Random(seed)
        person = Person(backends(storage))
        household = Household(person, chance)
        for _ in range(steps):
            household.change()
            live = household.live
            if not live or chance.random() < 0.4:
                continue
            number = chance.choice(live)
            actions = {e.number: e.action for e in person.history()}
            options = {name: chance.random() < 0.5 for name in ("with_later", "keep_changed")}
            before = person.everything(), person.revision, by_hand(person)
            try:
                report = person.undo(number, **options)
            except ImportRefused as refused:
                assert number != live[-1]
                assert f"entry {number} " in str(refused)
                assert not options["with_later"]
                assert (person.everything(), person.revision, by_hand(person)) == before
                continue
            finally:
                person.audit()
            assert household.live == [n for n in live if n not in report.entries]
            if not options["with_later"]:
                assert report.entries == [number]
            if options["keep_changed"] and actions[number] == "import":
                assert all(actions[n] == "import" for n in report.entries) or not by_hand(person)
            if not any(actions[n] == "edit" for n in report.entries):
                after = by_hand(person)
                for row_id, row in before[2].items():
                    assert after[row_id]["payee"] == row["payee"]

    check()


@STORAGES
def test_a_file_that_was_taken_back_comes_in_again_as_at_first(backends, storage):
    @checked
    @histories
    def check(seed, steps):
        person = Person(backends(storage))
        household = Household(person, random.Random(seed))
        for _ in range(steps):
            household.change()
        for work in (household.import_native, household.import_statement):
            state = household.chance.getstate()
            outcomes = []
            for _ in range(2):
                household.chance.setstate(state)
                try:
                    entries = len(person.history())
                    work()
                except ImportRefused as refused:
                    outcomes.append(str(refused))
                    continue
                rows = person.everything()
                if len(person.history()) > entries:
                    outcomes.append(person.history()[-1].details)
                    person.undo()
                else:
                    outcomes.append(rows)
            assert outcomes[0] == outcomes[1]

    check()
