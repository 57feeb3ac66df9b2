"""Random imports, manual edits, splits, joins, removals and undos against a plain model.

After each step the sums, balances and counts of the API are those of the model.
"""

import copy
import random
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ChangeRefused, Entry, Statement
from finance_api.ledger.changing import changing
from finance_api.ledger.edits.records import add_record, change_records, remove_records
from finance_api.ledger.edits.splits import Part, join_parts, split_record
from finance_api.ledger.undo import undo
from finance_api.values.number import decimal_text
from finance_api.values.time import DAY_SECONDS
from support.nightly import count
from support.service import Client
from support.statements import OFX_ACCOUNT, Reader

CATEGORIES = ("Food", "Home")
DIFFERENCE = "difference"
#: By part: its amount in ten-thousandths, and its category. A record that is not split is one part.
Parts = dict[Any, tuple[int, str | None]]


class Books:
    """A user's records, and the model: transaction of the bank -> the parts of its record."""

    def __init__(self, client: Client, chance: random.Random) -> None:
        self.client, self.chance = client, chance
        client.load(
            *(
                {"reserved_model_type": "Category", "sourceId": name, "name": name}
                for name in CATEGORIES
            )
        )
        self.stated = [self.amount() for _ in range(5)]
        self.model: dict[int, Parts] = {}
        #: Transaction -> the last amount that a file stated for its record.
        self.known: dict[int, int] = {}
        #: Transactions whose records were deleted: no file brings them back.
        self.gone: set[int] = set()
        #: Transactions whose amounts were set manually, or whose records were moved far away.
        self.own: set[int] = set()
        self.past: list[Any] = []

    def amount(self) -> int:
        """Return an amount that no other step uses."""
        return self.chance.choice([-1, 1, -1]) * self.chance.randint(1, 10**7)

    def step(self) -> None:
        before = copy.deepcopy((self.model, self.known, self.gone, self.own))
        number = self.newest()
        split = [self.split, self.split, self.join, self.categorise, self.remove]
        manual = [self.enter, self.set_amount, self.set_day]
        self.chance.choice([self.bring, self.bring, self.bring, *split, *manual, self.undo])()
        if self.newest() > number:
            self.past.append(before)
        elif self.newest() == number:
            assert (self.model, self.known, self.gone, self.own) == before

    def newest(self) -> int:
        """Return the number of the newest entry that is not undone."""
        with self.session(dry_run=True) as session:
            return max((e.number for e in session.history if e.undone_at is None), default=0)

    def session(self, action: str | None = "edit", *, dry_run: bool = False) -> Any:
        client = self.client
        now = client.service.clock.now()
        email = client.user.email
        return changing(client.service.backend, email, now, action=action, dry_run=dry_run)

    def rows(self, number: int) -> list[dict[str, Any]]:
        rows = self.client.get("records", payee=f"eq.T{number}", limit=100).json["records"]
        assert len(rows) == len(self.model[number])
        return list(rows)

    # -- the steps

    def bring(self) -> None:
        """Import some transactions, one perhaps with a corrected amount."""
        chance = self.chance
        numbers = sorted(chance.sample(range(5), chance.randint(1, 5)))
        if chance.random() < 0.5:
            self.stated[chance.choice(numbers)] = self.amount()
        entries = [
            Entry(n + 1, n * DAY_SECONDS, self.stated[n], bank_id=f"F{n}", payee=f"T{n}")
            for n in numbers
        ]
        reader = Reader("ofx", (Statement(OFX_ACCOUNT), entries))
        self.client.statement(reader, ids="stable")
        for n in (n for n in numbers if n not in self.gone | self.own):
            stated = self.stated[n]
            parts = self.model.setdefault(n, {0: (stated, None)})
            if len(parts) == 1:
                self.model[n] = {0: (stated, next(iter(parts.values()))[1])}
            elif self.known[n] != stated:
                own = [amount for key, (amount, _) in parts.items() if key != DIFFERENCE]
                _, category = parts.pop(DIFFERENCE, (0, None))
                if rest := stated - sum(own):
                    parts[DIFFERENCE] = (rest, category)
            self.known[n] = stated

    def split(self) -> None:
        if not self.model:
            return
        number = self.chance.choice(list(self.model))
        total = sum(amount for amount, _ in self.model[number].values())
        amounts = [self.amount() for _ in range(self.chance.randint(1, 3))]
        amounts.append(total - sum(amounts))
        chosen = [(a, self.chance.choice([*CATEGORIES, None])) for a in amounts]
        with self.session() as session:
            ids = {row["name"]: row["id"] for row in session.categories.rows.values()}
            parts = [Part(a, values={"categoryId": ids[c] if c else None}) for a, c in chosen]
            split_record(session, self.rows(number)[0]["id"], parts)
        self.model[number] = dict(enumerate(chosen))

    def join(self) -> None:
        split = [n for n, parts in self.model.items() if len(parts) > 1]
        if not split:
            return
        number = self.chance.choice(split)
        with self.session() as session:
            join_parts(session, self.rows(number)[-1]["id"])
        parts = self.model[number].values()
        categories = {category for _, category in parts}
        category = categories.pop() if len(categories) == 1 else None
        self.model[number] = {0: (sum(amount for amount, _ in parts), category)}

    def categorise(self) -> None:
        if not self.model:
            return
        number = self.chance.choice(list(self.model))
        row, name = self.chance.choice(self.rows(number)), self.chance.choice(CATEGORIES)
        with self.session() as session:
            ids = {each["name"]: each["id"] for each in session.categories.rows.values()}
            change_records(session, [row["id"]], {"categoryId": ids[name]})
        parts = self.model[number]
        found = (decimal_text(round(row["amount"] * 10_000)), row["category"])
        key = next(k for k, (a, c) in parts.items() if (decimal_text(a), c) == found)
        parts[key] = (parts[key][0], name)

    def remove(self) -> None:
        if not self.model:
            return
        number = self.chance.choice(list(self.model))
        rows = self.rows(number)
        if len(rows) > 1:
            with pytest.raises(ChangeRefused, match="add up to"), self.session() as session:
                remove_records(session, [rows[0]["id"]])
        with self.session() as session:
            remove_records(session, [row["id"] for row in rows])
        del self.model[number]
        self.own.discard(number)
        self.gone.add(number)

    def enter(self) -> None:
        """Add a record manually."""
        number = 100 + len(self.model) + len(self.gone)
        amount = self.amount()
        with self.session() as session:
            values = {
                "accountId": next(iter(session.accounts.rows), None),
                "recordDate": self.chance.randint(0, 40) * DAY_SECONDS,
                "amount": amount,
                "payee": f"T{number}",
            }
            if values["accountId"] is None or number in self.model:
                return
            add_record(session, values)
        self.model[number] = {0: (amount, None)}
        self.own.add(number)

    def whole_record(self) -> tuple[int, str] | None:
        """Return a transaction whose record is not split, and the record's id."""
        numbers = [n for n, parts in self.model.items() if len(parts) == 1]
        if not numbers:
            return None
        number = self.chance.choice(numbers)
        (row,) = self.rows(number)
        return None if row["splitId"] else (number, row["id"])

    def set_amount(self) -> None:
        if (chosen := self.whole_record()) is None:
            return
        number, row_id = chosen
        ((_, category),) = self.model[number].values()
        amount = self.amount()
        with self.session() as session:
            change_records(session, [row_id], {"amount": amount})
        self.model[number] = {0: (amount, category)}
        self.own.add(number)

    def set_day(self) -> None:
        """Change the day of a record, perhaps by so much that it becomes another record."""
        if (chosen := self.whole_record()) is None:
            return
        number, row_id = chosen
        day = self.chance.choice([number + 3, 40, 300])
        with self.session() as session:
            change_records(session, [row_id], {"recordDate": day * DAY_SECONDS})
        if day > number + 3:
            self.own.add(number)

    def undo(self) -> None:
        if not self.past:
            return
        number = self.newest()
        with self.session(None) as session:
            undo(session, number)
        self.model, self.known, self.gone, self.own = self.past.pop()

    # -- what is compared

    def check(self) -> None:
        sums: defaultdict[str | None, int] = defaultdict(int)
        counts: defaultdict[str | None, int] = defaultdict(int)
        for parts in self.model.values():
            for amount, category in parts.values():
                sums[category] += amount
                counts[category] += 1
        groups = self.client.get("records/summary", groupBy="category").json["groups"]
        assert {g["category"]: round(g["net"] * 10_000) for g in groups} == sums
        assert {g["category"]: g["count"] for g in groups} == counts
        for row in self.client.get("accounts").json["accounts"]:
            assert round(row["balance"] * 10_000) == sum(sums.values())
            assert row["recordCount"] == sum(counts.values())
        total = self.client.get("records", limit=1, withTotal="true").json["total"]
        assert total == sum(counts.values())
        whole_ids = {row["splitId"] for n in self.model for row in self.rows(n)} - {None}
        for row_id in whole_ids:
            assert self.client.get(f"records/{row_id}").status_int == 410


@pytest.mark.nightly
def test_sums_are_those_of_a_plain_model(service):
    @settings(
        max_examples=count(3, 400),
        derandomize=count(True, False),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(seed=st.integers(0, 2**32 - 1))
    def check(seed):
        books = Books(service.client(), random.Random(seed))
        for _ in range(count(15, 25)):
            books.step()
            books.check()

    check()
