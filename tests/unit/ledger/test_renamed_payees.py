"""Whatever is renamed, by hand, by rules or by merges, and undone: files add each movement once.

The model is the bank's list: the movements that were in a file which is not undone.
"""

from collections import Counter
from random import Random

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.edits.payees import merge_payees
from finance_api.ledger.edits.records import change_records
from finance_api.ledger.edits.rules import add_rule, apply_rules
from finance_api.ledger.matching.stated import payee_of_file
from finance_api.resources import RECORDS
from support.edits import edited
from support.nightly import count
from support.statements import Bank, entry

FORMATS = ("csv", "ofx", "camt.053", "mt940", "qif")
TEXTS = (
    *("AMZN Mktp DE*2K4LL8", "amzn mktp de*2k4ll8", "Amazon", "AMAZON", "Café", "CAFE", "café"),
    *("Shop", "Pet Shop", "日本の店", "x" * 200, "100%_\\", None),
)
_DAYS = 12


class Household:
    """A bank's list of one account without ids, its files, and what a person does to them."""

    def __init__(self, person, source, seed):
        self.person, self.random = person, Random(seed)
        self.bank = Bank(person, source)
        self.list = [
            (number, self.random.choice(("-5", "-5", "-7", "3")), self.random.choice(TEXTS))
            for number in range(1, _DAYS + 1)
            for _ in range(self.random.choice((0, 1, 1, 2, 3)))
        ]
        self.keywords = [*TEXTS[:-1], "amzn", "shop", "card"]
        self.random.shuffle(self.keywords)
        #: The days in files that are not undone, before each change.
        self.days, self.before = set(), []

    def run(self):
        for _ in range(12):
            step = self.random.choice(
                (
                    *(self.file, self.file, self.file, self.rename, self.merge, self.merge),
                    *(self.rule, self.apply, self.undo),
                )
            )
            step()
            self.check()
            self.person.clock.advance(1)

    def file(self):
        first = self.random.randint(1, _DAYS)
        days = range(first, self.random.randint(first, _DAYS) + 1)
        rows = [self.entry(*row) for row in self.list if row[0] in days]
        if not rows:
            return
        self.changed(lambda: self.bank.file(*rows), self.days | {*days})
        # The same again, and in other words the same statement, add nothing.
        before = self.person.snapshot()
        assert self.bank.file(*rows).created == 0
        assert self.person.snapshot() == before

    def entry(self, number, amount, text):
        # In place of the payee, some banks only have a note.
        return entry(str(number), amount, text, note=None if text else "card payment")

    def changed(self, change, days=None):
        before, length = self.days, len(self.person.history())
        change()
        if len(self.person.history()) > length:
            self.before.append(before)
            self.days = self.days if days is None else days

    def rename(self):
        if rows := self.person.rows(RECORDS):
            ids = [row["id"] for row in self.random.sample(rows, min(len(rows), 3))]
            payee = self.random.choice(TEXTS)
            self.changed(lambda: edited(self.person, change_records, ids, {"payee": payee}))

    def rule(self):
        if not self.keywords:
            return
        keyword = self.keywords.pop()
        payee, whole = self.random.choice(TEXTS[:-1]), self.random.random() < 0.5
        options = {"category": None, "payee": payee, "whole_payee": whole}
        self.changed(lambda: edited(self.person, add_rule, [keyword], **options))

    def merge(self):
        names = {row["payee"] for row in self.person.rows(RECORDS)} - {None}
        if not names:
            return
        old = self.random.sample(sorted(names), min(len(names), self.random.choice((1, 2, 3))))
        into = self.random.choice(TEXTS[:-1])
        try:
            self.changed(lambda: edited(self.person, merge_payees, old, into))
        except ChangeRefused as refused:
            said = str(refused)
            assert ("not the new one" in said and old == [into]) or "remove that rule first" in said
        else:
            left = {row["payee"] for row in self.person.rows(RECORDS)}
            assert not left.intersection({*old} - {into}) and into in left

    def apply(self):
        self.changed(lambda: edited(self.person, apply_rules))
        assert edited(self.person, apply_rules).updated == 0

    def undo(self):
        if self.before:
            self.person.undo()
            self.days = self.before.pop()

    def check(self):
        rows = self.person.rows(RECORDS)
        found = Counter(
            (row["recordDate"], row["amount"], payee_of_file(row), row["note"]) for row in rows
        )
        listed = (self.entry(*row) for row in self.list if row[0] in self.days)
        assert found == Counter((each.date, each.amount, each.payee, each.note) for each in listed)
        for row in rows:
            assert row["originalPayee"] != row["payee"] or row["payee"] is None


@pytest.mark.nightly
@pytest.mark.parametrize("source", FORMATS)
def test_whatever_is_renamed_files_add_each_movement_once(new_person, source):
    for seed in range(count(4, 300)):
        Household(new_person(), source, seed).run()
