"""Random histories of imports, edits and undos, on every storage."""

import random
import re
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ChangeRefused
from finance_api.resources import ACCOUNTS, CATEGORIES, RECORDS
from support.household import SPLIT, Household
from support.ledger import Person
from support.nightly import count

pytestmark = pytest.mark.nightly


def by_hand(person: Person) -> dict[tuple[str, str], str]:
    """Manual edits: payees, names and initial balances, different each time."""
    found = {}
    for resource, name in ((RECORDS, "payee"), (ACCOUNTS, "name"), (CATEGORIES, "name")):
        for row in person.rows(resource):
            if (row[name] or "").startswith("hand"):
                found[row["id"], name] = row[name]
    for row in person.rows(ACCOUNTS):
        if "initialBalance" in row["setByHand"]:
            found[row["id"], "initialBalance"] = str(row["initialBalance"])
    return found


STORAGES = pytest.mark.parametrize("storage", ["memory", "sqlite", "postgresql"])
histories = given(seed=st.integers(0, 2**32 - 1), steps=st.integers(1, 8))
checked = settings(
    max_examples=count(4, 1_000), deadline=None, suppress_health_check=list(HealthCheck)
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
        with pytest.raises(ChangeRefused, match="already undone"):
            person.undo(1) if person.history() else refuse()

    check()


def household_of(backend, seed, steps):
    """Return a household after this many changes."""
    household = Household(Person(backend), random.Random(seed))
    for _ in range(steps):
        household.change()
    return household


def refuse():
    raise ChangeRefused("all is already undone")


@STORAGES
def test_undo_in_any_order_never_loses_what_a_hand_changed(backends, storage):
    @checked
    @histories
    @example(seed=14484691, steps=5)
    @example(seed=10511, steps=8)
    def check(seed, steps):
        chance = random.Random(seed)
        person = Person(backends(storage))
        household = Household(person, chance)
        #: For each value, the entry with the manual edit. Rows that the undo of this entry kept
        #: belong to a later one.
        numbers: dict[tuple[tuple[str, str], str], int] = {}
        for _ in range(steps):
            household.change()
            live = household.live
            for item in by_hand(person).items():
                numbers.setdefault(item, live[-1])
            if not live or chance.random() < 0.4:
                continue
            number = chance.choice(live)
            options = {name: chance.random() < 0.5 for name in ("with_later", "keep_changed")}
            before = person.everything(), person.revision, by_hand(person)
            try:
                report = person.undo(number, **options)
            except ChangeRefused as refused:
                assert number != live[-1]
                assert re.search(rf"entry {number}\b", str(refused))
                assert not options["with_later"]
                assert (person.everything(), person.revision, by_hand(person)) == before
                continue
            finally:
                person.audit()
            assert household.live == [n for n in live if n not in report.entries]
            if not options["with_later"]:
                assert report.entries == [number]
            person.check_dump()
            after = by_hand(person)
            for key, text in after.items():
                if key[1] == "initialBalance":
                    assert numbers[key, text] in household.live
            undone = [e for e in person.history() if e.number in report.entries]
            for key, text in before[2].items():
                if key not in after and any(entry.action == SPLIT for entry in undone):
                    # The record is gone: its parts have its values now, or the other way round.
                    continue
                if numbers[key, text] in household.live:
                    assert after[key] == text

    check()


@STORAGES
def test_undo_of_later_entries_in_any_order_leaves_what_the_earlier_ones_say(backends, storage):
    """Some rounds keep later manual edits, and undo these edits afterwards, with their rows."""

    @checked
    @histories
    def check(seed, steps):
        chance = random.Random(seed)
        person = Person(backends(storage))
        household = Household(person, chance)
        states = [person.everything()]
        for _ in range(steps):
            household.change()
            states += [person.everything()] * (len(household.live) - len(states) + 1)
        stays = chance.choice([0, chance.randrange(len(states))])
        while (left := household.live) != list(range(1, stays + 1)):
            for number in chance.sample(left[stays:], len(left) - stays):
                keep_changed, with_later = chance.random() < 0.6, chance.random() < 0.2
                with suppress(ChangeRefused):
                    person.undo(number, keep_changed=keep_changed, with_later=with_later)
                person.audit()
            assert household.live != left, "none of them could be undone"
        assert person.everything() == states[stays]

    check()


def _counted(report):
    """Return the report without the new records, which name the import that created them."""
    return replace(report, new=[])


@STORAGES
def test_a_file_that_was_undone_comes_in_again_as_at_first(backends, storage):
    imported = set()

    @checked
    @histories
    def check(seed, steps):
        household = household_of(backends(storage), seed, steps)
        person = household.person
        for work in (
            household.import_native,
            household.import_statement,
            household.import_download,
        ):
            state = household.chance.getstate()
            outcomes = []
            for _ in range(2):
                household.chance.setstate(state)
                try:
                    entries = len(person.history())
                    report = work()
                except ChangeRefused as refused:
                    outcomes.append(str(refused))
                    continue
                rows = person.everything()
                if len(person.history()) > entries:
                    outcomes.append((_counted(report), person.history()[-1].details))
                    person.undo()
                else:
                    outcomes.append((_counted(report), rows))
            assert outcomes[0] == outcomes[1]
            if not isinstance(outcomes[0], str):
                imported.add(work.__name__)

    check()
    assert imported == {"import_native", "import_statement", "import_download"}
