"""Mirrors read changes while the data changes. Whenever one has read all, it equals the lists."""

import random
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api.auth.personal_tokens import issue_token
from finance_api.importers.interface import ChangeRefused
from support.household import Household
from support.ledger import Person, an_id, document
from support.mirror import TYPES, Mirror
from support.nightly import count
from support.service import Client

pytestmark = pytest.mark.nightly

#: Around midnight in one of the time zones.
HOURS = (0, 1, 7, 11, 20)
ZONES = ("UTC", "Pacific/Auckland", "America/Los_Angeles")


class Life:
    """Make a random change to a person's data."""

    def __init__(self, service, seed):
        self.service, self.chance = service, random.Random(seed)
        self.person = Person(service.backend, service.clock)
        self.household = Household(self.person, self.chance)

    def client(self):
        now, user = self.service.clock.now(), self.person.user
        token = self.service.change(lambda s: issue_token(s, user, name="mirror", now=now))
        return Client(self.service, user, token)

    def go_on(self):
        """Do one random thing, which may change nothing."""
        change = self.household.change
        work = self.chance.choice(
            [change, change, change, self.undo, self.import_documents, self.wait, self.move]
        )
        work()

    def undo(self):
        live = self.household.live
        if live:
            options = {n: self.chance.random() < 0.5 for n in ("with_later", "keep_changed")}
            with suppress(ChangeRefused):
                self.person.undo(self.chance.choice(live), **options)

    def import_documents(self):
        """Import types that the household seldom or never changes."""
        chance = self.chance
        amount = chance.randint(1, 3)
        rows = [
            document("Budget", 402, type="BUDGET_CUSTOM", currencyCode="EUR", limitAmount=amount),
            document("Budget", 403, type="BUDGET_CUSTOM", currencyCode="EUR", endDate="2026-03-19"),
            document("Goal", 501, targetAmount=10, savedAmount=amount),
            document("Goal", 502, name=chance.choice("ab")),
            document("StandingOrder", 601, startDate="2026-01-01", recurrenceRule="FREQ=DAILY"),
            document("StandingOrder", 602, startDate="2026-03-19"),
            document("RecordRule", 701, keywords=[chance.choice("ab")]),
            document("Category", 101, name="a", kind=chance.choice(["income", "expense"])),
            document("Category", 103, name="c", parentId=an_id(101)),
        ]
        # Refused if what a row refers to is not there.
        with suppress(ChangeRefused):
            self.person.native(*chance.sample(rows, chance.randint(1, len(rows))))

    def wait(self):
        self.service.clock.advance(self.chance.choice(HOURS) * 3_600)

    def move(self):
        zone = self.chance.choice(ZONES)
        self.service.change(lambda s: s.users.update(self.person.user.id, time_zone=zone))


@given(seed=st.integers(0, 2**32 - 1), steps=st.integers(1, 12))
@settings(max_examples=count(5, 500), deadline=None, suppress_health_check=list(HealthCheck))
def test_a_mirror_holds_what_the_lists_show_whenever_it_is_through(service, seed, steps):
    life = Life(service, seed)
    chance, client = life.chance, life.client()
    some = tuple(path for path in TYPES if chance.random() < 0.4) or ("records",)
    mirrors = [Mirror(client), Mirror(client), Mirror(client, some)]
    for _ in range(steps):
        life.go_on()
        for mirror in mirrors:
            for _ in range(chance.choice([0, 0, 1, 2, 9])):
                mirror.read_page(chance.choice([1, 2, 3, 7, 1_000]))
                if mirror.is_through:
                    mirror.check()
    for mirror in (*mirrors, Mirror(client)):
        mirror.read_all(chance.randint(1, 30))
        mirror.check()
