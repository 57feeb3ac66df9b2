"""A user whose data changes at random, in every way in which data can change."""

import io
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

from finance_api.importers.interface import BankBalance, ChangeRefused, Entry
from finance_api.ledger.balances import settle_balances, settle_bank_balances
from finance_api.ledger.changing import changing
from finance_api.ledger.derivation import derive, rederive_records
from finance_api.ledger.edits.objects import add_object, remove_object, set_object
from finance_api.ledger.edits.record_file import record_file
from finance_api.ledger.edits.records import edit_records, remove_records, void_duplicates
from finance_api.ledger.edits.rules import APPLY, add_rule, apply_rules
from finance_api.ledger.edits.splits import Part, find_split, join_parts, split_record
from finance_api.ledger.edits.transfers import find_transfers, link_records, unlink_records
from finance_api.ledger.orders import ImportReport
from finance_api.ledger.session import LedgerSession, Pair
from finance_api.resources import ACCOUNTS, BUDGETS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.field import Resource
from finance_api.values import Row
from finance_api.values.time import DAY_SECONDS
from support.ledger import Person, account, an_id, document, record
from support.statements import Bank, statement

ACCOUNT_NUMBERS = (1, 2)
CATEGORY_NUMBERS = (101, 102)
LABEL_NUMBERS = (201, 202)
RECORD_NUMBERS = range(301, 309)
DAYS = 9
#: The action of edits that split records or join parts.
SPLIT = "split"
PAYEES = ["Shop", "Café", "Rent", "Bakery"]


class Household:
    """A user's data, and random changes to it. chance: the source of randomness."""

    def __init__(self, person: Person, chance: random.Random) -> None:
        self.person = person
        self.chance = chance
        #: The transactions of the bank account: day, amount and payee.
        self.movements = sorted(
            (chance.randint(0, DAYS), chance.choice([-3, -2, 1, 2]) * 10_000, chance.choice(PAYEES))
            for _ in range(12)
        )

    def change(self) -> None:
        imports = [self.import_native, self.import_statement, self.import_download]
        edits = [self.edit_records, self.edit_documents, self.edit_file, self.edit_by_command]
        work = self.chance.choice([*imports, *imports, self.import_download, *edits, edits[-1]])
        if not self.person.history() and self.chance.random() < 0.7:
            work = self.import_foundation
        # For example, a record whose account does not exist.
        with suppress(ChangeRefused):
            work()

    def import_foundation(self) -> ImportReport:
        """Import the accounts, categories and labels that later files and edits refer to."""
        return self.person.native(
            *(account(n, name=f"giro {n}") for n in ACCOUNT_NUMBERS),
            *(
                document("Category", n, name=name)
                for n, name in zip(CATEGORY_NUMBERS, "ab", strict=True)
            ),
            *(document("Label", n, name=name) for n, name in zip(LABEL_NUMBERS, "ab", strict=True)),
        )

    def import_download(self) -> ImportReport:
        """Import some of the bank's transactions as OFX or CSV, sometimes with a changed payee."""
        chance = self.chance
        bank = Bank(self.person, chance.choice(["ofx", "ofx", "csv"]))
        first = chance.randint(0, DAYS - 2)
        last = chance.randint(first + 2, DAYS)
        as_of = chance.choice([None, chance.randint(1, 5) * DAY_SECONDS])
        part = [(n, *m) for n, m in enumerate(self.movements) if first <= m[0] <= last]
        corrected = chance.choice(part)[0] if part and chance.random() < 0.4 else None
        entries = [
            Entry(
                line=number + 1,
                date=day * DAY_SECONDS,
                amount=amount,
                payee=f"{payee} 2" if number == corrected else payee,
                bank_id=f"F{number}" if bank.source == "ofx" else None,
                category=chance.choice([None, None, "a", "c"]),
            )
            for number, day, amount, payee in part
        ]
        opening = sum(amount for day, amount, _ in self.movements if day < first)
        closing = BankBalance(opening + sum(e.amount for e in entries), last * DAY_SECONDS)
        account_name = chance.choice([None, None, "giro 1"])
        if bank.source == "csv":
            name = account_name or "Checking 100"
            bank.account, account_name = replace(bank.account, key=name, name=name), None
        return bank.file(
            *entries,
            as_of=as_of,
            closing=chance.choice([None, closing]),
            ids=chance.choice([None, "stable"]),
            account_name=account_name,
            link_by_number=chance.random() < 0.3,
        )

    def edit_file(self) -> None:
        """Edit some records by a file with changed cells."""
        chance = self.chance
        rows = self.person.rows(RECORDS)
        lines = ["id,payee,category,recordState"]
        for row in chance.sample(rows, min(len(rows), chance.randint(1, 3))):
            category = chance.choice([row["category"] or "", "a", "b", ""])
            state = chance.choice([row["recordState"] or "", "", "void"])
            lines.append(f"{row['id']},hand {chance.random()},{category},{state}")
        stream = io.BytesIO("\n".join(lines).encode())
        with record_file(stream) as file:
            self.edit(lambda session: edit_records(session, file))

    def edit_by_command(self) -> None:
        chance = self.chance
        ids = [row["id"] for row in self.person.rows(RECORDS)]
        if not ids:
            return
        one, other = chance.choice(ids), chance.choice(ids)

        def name_of(resource: Resource) -> str:
            rows = self.person.rows(resource)
            return str(chance.choice(rows)["id"] if rows else "none")

        number = str(chance.randint(10**5, 10**7))
        works: list[Callable[[LedgerSession], Any]] = [
            lambda s: remove_records(s, [one]),
            lambda s: void_duplicates(s, [one, other]),
            lambda s: link_records(s, one, other),
            lambda s: unlink_records(s, [one]),
            lambda s: find_transfers(s, link=True),
            lambda s: add_rule(s, ["shop"], category=name_of(CATEGORIES)),
            lambda s: add_rule(s, ["a"], category=None, labels=[name_of(LABELS)]),
            lambda s: add_object(s, CATEGORIES, {"name": f"hand {number}"}),
            lambda s: add_object(s, BUDGETS, {"name": f"hand {number}", "categories": "a"}),
            lambda s: set_object(s, ACCOUNTS, name_of(ACCOUNTS), {"initialBalance": number}),
            lambda s: set_object(s, ACCOUNTS, name_of(ACCOUNTS), {"initialBalance": ""}),
            lambda s: set_object(s, ACCOUNTS, name_of(ACCOUNTS), {"name": f"hand {number}"}),
            lambda s: set_object(s, CATEGORIES, name_of(CATEGORIES), {"name": f"hand {number}"}),
            lambda s: remove_object(s, LABELS, name_of(LABELS)),
            lambda s: remove_object(s, ACCOUNTS, name_of(ACCOUNTS), with_records=True),
        ]
        splits: list[Callable[[LedgerSession], Any]] = [
            lambda s: self.split(s, one),
            lambda s: self.split(s, other),
            lambda s: join_parts(s, one),
            lambda s: self.remove_split(s, one),
        ]
        if chance.random() < 0.3:
            self.edit(chance.choice(splits), action=SPLIT)
        elif chance.random() < 0.1:
            everything = chance.random() < 0.5
            self.edit(lambda s: apply_rules(s, recategorise=everything), action=APPLY)
        else:
            self.edit(chance.choice(works))

    def split(self, session: LedgerSession, row_id: str) -> None:
        """Split a record, or change the parts of its split."""
        chance, split = self.chance, find_split(session, row_id)
        found = session.storage.data.get_rows(session.user.id, RECORDS, [row_id])
        if not found:
            return
        left = (found[row_id] if split is None else split.whole)["amount"]
        own = [] if split is None else chance.sample(split.parts, len(split.parts) // 2)
        ids = [*(row["id"] for row in own), *[None] * chance.randint(1, 3)]
        parts = []
        for part_id in ids:
            amount = chance.randint(-20_000, 20_000)
            values = {"note": f"hand {chance.random()}"} if chance.random() < 0.5 else {}
            parts.append(Part(amount, part_id, values))
            left -= amount
        parts[-1] = replace(parts[-1], amount=parts[-1].amount + left)
        split_record(session, row_id, parts)

    def remove_split(self, session: LedgerSession, row_id: str) -> None:
        split = find_split(session, row_id)
        if split is not None:
            remove_records(session, [part["id"] for part in split.parts])

    def import_native(self) -> ImportReport:
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
        return self.person.native(*rows)

    def import_statement(self) -> ImportReport:
        chance = self.chance
        first = chance.randint(0, 8)
        days = sorted(chance.choices(range(first, first + 3), k=chance.randint(0, 4)))
        entries = [(day, chance.randint(-3, 3) * 10_000) for day in days]
        opening = chance.choice([None, (first - 1, chance.randint(-2, 2) * 10_000)])
        closing = chance.choice([None, (first + 2, chance.randint(-2, 2) * 10_000)])
        key = chance.choice(["1", "2", "new"])
        name = chance.choice([None, None, "giro 1"])
        made = statement(*entries, opening=opening, closing=closing, key=key)
        return self.person.statement(made, account_name=name)

    def edit_records(self) -> None:
        chance = self.chance

        def work(session: LedgerSession) -> None:
            rows = session.storage.data.scan_rows(session.user.id, RECORDS)
            rows = [row for row in rows if row["splitId"] is None]
            chosen = chance.sample(rows, min(len(rows), chance.randint(1, 3)))
            pairs: list[Pair] = []
            for row in chosen:
                if chance.random() < 0.3:
                    pairs.append((row, None))
                    continue
                after = {**row, "setByHand": ("payee",), "payee": f"hand {chance.random()}"}
                after["recordState"] = chance.choice(["void", row["recordState"]])
                derive(session, after)
                pairs.append((row, after))
            session.write(RECORDS, pairs)
            settle_bank_balances(session, session.touched)
            settle_balances(session)
            session.close(new_revision=bool(chosen))

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
                        by_hand: Row = {"initialBalance": chance.randint(10**5, 10**9)}
                        by_hand |= {"setByHand": ("initialBalance",), "ownInitialBalance": None}
                        session.accounts.put({**row, **by_hand})
                    elif chance.random() < 0.5 and row["id"] not in used:
                        session.row_set(resource).remove(row["id"])
            rederive_records(session)
            settle_bank_balances(session, list(session.accounts.rows))
            settle_balances(session)
            session.close()

        self.edit(work)

    def edit(self, work: Callable[[LedgerSession], Any], action: str = "edit") -> None:
        person = self.person
        now = person.clock.now()
        with changing(person.backend, person.user.email, now, action=action) as session:
            work(session)

    @property
    def live(self) -> list[int]:
        return [e.number for e in self.person.history() if e.undone_at is None]
