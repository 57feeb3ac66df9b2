"""Random exports of a bank's list that changes between them: the records equal the list, or the
import asked a question. The model is the list: the bank's last values of each transaction that was
in a file.
"""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import Entry, ImportRefused
from finance_api.resources import RECORDS
from finance_api.values.time import DAY_SECONDS, date_text
from support.ledger import Person
from support.nightly import count
from support.statements import Bank, day

_FIRST = day("1")
_TEXTS = {
    "Coffee": ["Coffee", "Coffee Berlin", "COFFEE  SHOP", "Cof", "Kaffee"],
    "Tea": ["Tea", "TEA HOUSE", "Tee"],
    "Rent": ["Rent", "Miete"],
}
#: How many days later a bank may date a movement in another file.
_FAR = 7


@dataclass(frozen=True)
class Movement:
    """date: seconds, with a time or without. offset: of the time from UTC."""

    number: int
    kind: str
    date: int
    amount: int
    payee: str | None
    note: str | None = None
    bank_id: str | None = None
    offset: int | None = None

    @property
    def day(self) -> int:
        return self.date // DAY_SECONDS

    @property
    def told(self) -> tuple[int, int, str | None, str | None]:
        return self.date, self.amount, self.payee, self.note

    @property
    def version(self) -> tuple[object, ...]:
        """The values by which files are compared: what a file stated before restores nothing."""
        return self.day, self.amount, (self.payee or "").casefold(), (self.note or "").casefold()


def movements(random: Random, *, timed: bool, has_ids: bool) -> list[Movement]:
    found = []
    for number in range(random.choice([1, 1, 2, 2, 3, 5, 8, 15, 40])):
        kind = random.choice(list(_TEXTS))
        time = random.randrange(60, DAY_SECONDS, 60) if timed else 0
        amount = random.choice([300, 300, 400, 5000, random.randrange(100, 90_000)])
        found.append(
            Movement(
                number,
                kind,
                _FIRST + random.randrange(28) * DAY_SECONDS + time,
                -amount * 100,
                _TEXTS[kind][0],
                random.choice([None, None, "Berlin"]),
                f"F{number}" if has_ids else None,
                3600 if timed else None,
            )
        )
    return found


def changed(random: Random, movement: Movement) -> Movement:
    """Return the movement as the bank states it the next time."""
    change = random.choice(["", "", "text", "side", "day", "offset"])
    if change == "text":
        return replace(movement, payee=random.choice(_TEXTS[movement.kind]))
    if change == "side":
        text = " ".join(filter(None, (movement.payee, movement.note)))
        return replace(movement, payee=None, note=text)
    if change == "day":
        return replace(movement, date=movement.date + random.choice([1, 1, 2, 7]) * DAY_SECONDS)
    if change == "offset" and movement.offset is not None:
        offset = random.choice([0, 3600, 7200])
        return replace(movement, date=movement.date - movement.offset + offset, offset=offset)
    return movement


class Model:
    """The bank's list, and what its files have stated so far.

    exchanges: whether rows exchange their amounts, and change in no other way.
    """

    def __init__(self, listed: list[Movement], *, exchanges: bool) -> None:
        self.exchanges = exchanges
        self.listed = listed
        self.told: dict[int, Movement] = {}
        self.versions: dict[int, set[object]] = {movement.number: set() for movement in listed}

    def export(self, random: Random, first: int, last: int, new_ids: str) -> list[Movement]:
        """Return the movements of some days, some of them changed. A movement changes only if the
        file also covers its earlier day; otherwise nobody could know.
        """
        rows = []
        for movement in self.listed:
            before = self.told.get(movement.number)
            after = movement if self.exchanges else changed(random, movement)
            is_seen = (
                before is None
                or after.day == before.day
                or (
                    abs(after.day - before.day) <= _FAR
                    and all(first <= each <= last for each in (before.day, after.day))
                )
            )
            if not is_seen or self.is_stated(after):
                after = movement
            if first <= after.day <= last:
                if new_ids and after.bank_id and (new_ids == "all" or random.random() < 0.5):
                    # No two movements get the same id.
                    new_id = f"{random.randrange(10**6)}{movement.number:02}"
                    after = replace(after, bank_id=new_id)
                rows.append(after)
        rows.sort(key=lambda movement: movement.date, reverse=random.random() < 0.3)
        return rows

    def is_stated(self, movement: Movement) -> bool:
        """Whether a file stated the values before: of any movement, if amounts are exchanged."""
        of_own = self.versions[movement.number]
        of_all = set[object]().union(*self.versions.values())
        return movement.version in (of_all if self.exchanges else of_own)

    def exchange_amounts(self, random: Random, rows: list[Movement]) -> None:
        """Let two near rows exchange their amounts."""
        before = {row.number: self.told.get(row.number) for row in rows}
        same = [r for r in rows if (old := before[r.number]) and old.version == r.version]
        pairs = [
            (replace(one, amount=other.amount), replace(other, amount=one.amount))
            for one, other in combinations(same, 2)
            if abs(one.day - other.day) <= _FAR and one.amount != other.amount
        ]
        new = [pair for pair in pairs if not any(map(self.is_stated, pair))]
        for row in random.choice(new) if new else ():
            rows[[each.number for each in rows].index(row.number)] = row

    def is_seen_from(self, rows: list[Movement]) -> bool:
        """Whether the days of these rows include the days on which files stated them before."""
        days = [row.day for row in rows]
        before = [self.told[row.number].day for row in rows if row.number in self.told]
        return not before or min(days) <= min(before) <= max(before) <= max(days)

    def take(self, rows: list[Movement]) -> None:
        for row in rows:
            self.listed[row.number] = self.told[row.number] = row
            self.versions[row.number].add(row.version)


@settings(max_examples=count(60, 10_000), suppress_health_check=list(HealthCheck))
@given(random=st.randoms(use_true_random=False))
def test_the_records_are_the_banks_own_list(backends, random):
    person = Person(backends("memory"))
    bank, today = Bank(person, "csv"), _FIRST // DAY_SECONDS
    has_ids = random.random() < 0.6
    new_ids = random.choice(["", "some", "all"])
    listed = movements(random, timed=random.random() < 0.3, has_ids=has_ids)
    model = Model(listed, exchanges=random.random() < 0.3)
    for _ in range(random.randint(2, 4)):
        first, last = today, today + 40
        if random.random() < 0.5:
            first = today + random.randrange(30)
            last = first + random.randrange(35)
        rows = model.export(random, first, last, new_ids)
        if model.exchanges:
            model.exchange_amounts(random, rows)
        entries = [
            Entry(n, m.date, m.amount, m.bank_id, m.payee, m.note, offset=m.offset)
            for n, m in enumerate(rows, 2)
        ]
        days = date_text(first * DAY_SECONDS), date_text(last * DAY_SECONDS)
        if random.random() < 0.5 and model.is_seen_from(rows):
            days = None
        before = person.snapshot()
        try:
            bank.file(*entries, days=days)
        except ImportRefused as refused:
            assert {bool(question.choices) for question in refused.questions} == {True}
            assert person.snapshot() == before
            event("asked")
        else:
            event("taken")
            model.take(rows)
        stored = [
            (r["recordDate"], r["amount"], r["payee"], r["note"]) for r in person.rows(RECORDS)
        ]
        assert Counter(stored) == Counter(movement.told for movement in model.told.values())
    person.audit()
