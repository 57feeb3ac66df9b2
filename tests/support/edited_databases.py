"""Books of programs that keep them in SQLite, in which somebody works."""

import gzip
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import count as numbers
from typing import Any

from support.actual import HOUSEHOLD, database_in
from support.books import BOOKS


class DatabaseBook:
    """A book of SQLite, changed with the SQL that its program would run.

    edits: the functions of which each edit calls one.
    """

    edits: tuple[Callable[[Any], None], ...]

    def __init__(self, seed: int, database: bytes) -> None:
        self._random = random.Random(seed)
        self._numbers = numbers()
        self._data = database

    def file(self) -> bytes:
        return self._data

    def edit(self) -> None:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as self._database:
            self._database.deserialize(self._data)
            self._random.choice(self.edits)(self)
            self._data = self._database.serialize()

    def _new_id(self) -> str:
        return f"{next(self._numbers):032}"

    def _run(self, sql: str, *values: Any) -> list[Any]:
        return self._database.execute(sql, values).fetchall()

    def _any(self, rows: str, *values: Any) -> Any:
        """Return the values of one of the rows that SQL selects after SELECT."""
        return self._random.choice(self._run(f"SELECT {rows} ORDER BY 1", *values))

    def _insert(self, table: str, **values: Any) -> None:
        places = ", ".join("?" * len(values))
        self._run(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({places})", *values.values())

    def _cents(self) -> int:
        return self._random.choice((1, -1)) * self._random.randrange(1, 9_999)

    def _day(self) -> int:
        return int(f"20260{self._random.randrange(1, 4)}1{self._random.randrange(10)}")


class ActualBook(DatabaseBook):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, database_in(HOUSEHOLD))

    def _any_account(self) -> str:
        return str(self._any("id FROM accounts WHERE NOT tombstone")[0])

    def _any_category(self) -> str:
        return str(self._any("id FROM categories WHERE NOT tombstone")[0])

    def _any_payee(self) -> str:
        return str(self._any("id FROM payees WHERE NOT tombstone AND transfer_acct IS NULL")[0])

    def _any_plain(self) -> Any:
        """Return a transaction that is neither a split nor half of a transfer."""
        return self._any(
            "id, acct, amount, date FROM transactions WHERE NOT tombstone AND NOT isParent "
            "AND NOT isChild AND transferred_id IS NULL AND NOT starting_balance_flag"
        )

    def _values(self) -> dict[str, Any]:
        draw = self._random
        return {
            "date": self._day(),
            "description": self._any_payee(),
            "notes": draw.choice((None, "a note", "#food", "with #a #b")),
            "category": draw.choice((None, self._any_category())),
            "cleared": draw.randrange(2),
        }

    def add(self) -> None:
        own = {"id": self._new_id(), "acct": self._any_account(), "amount": self._cents()}
        self._insert("transactions", **own, **self._values())

    def add_transfer(self) -> None:
        halves = [self._new_id(), self._new_id()]
        accounts = self._run("SELECT id FROM accounts WHERE NOT tombstone ORDER BY id")
        amount, day = self._cents(), self._day()
        category = self._random.choice((None, self._any_category()))
        chosen = self._random.sample([account for (account,) in accounts], 2)
        for place, account in enumerate(chosen):
            (payee,) = self._any("id FROM payees WHERE transfer_acct = ?", chosen[1 - place])
            self._insert(
                "transactions",
                id=halves[place],
                transferred_id=halves[1 - place],
                acct=account,
                amount=amount if place else -amount,
                date=day,
                description=payee,
                category=None if place else category,
            )

    def change(self) -> None:
        values = {**self._values(), "amount": self._cents()}
        pairs = ", ".join(f"{name} = ?" for name in values)
        self._run(
            f"UPDATE transactions SET {pairs} WHERE id = ?", *values.values(), self._any_plain()[0]
        )

    def categorise(self) -> None:
        (row,) = self._any("id FROM transactions WHERE NOT tombstone AND NOT isParent")
        self._run("UPDATE transactions SET category = ? WHERE id = ?", self._any_category(), row)

    def delete(self) -> None:
        (row, half) = self._any("id, transferred_id FROM transactions WHERE NOT tombstone")
        gone = "id = ? OR parent_id = ? OR id = ?"
        self._run(f"UPDATE transactions SET tombstone = 1 WHERE {gone}", row, row, half)

    def split(self) -> None:
        whole, account, amount, day = self._any_plain()
        first = self._cents()
        self._run("UPDATE transactions SET isParent = 1 WHERE id = ?", whole)
        for part in (first, amount - first):
            own = {"id": self._new_id(), "parent_id": whole, "isChild": 1, "acct": account}
            self._insert("transactions", **own, **{**self._values(), "date": day}, amount=part)

    def join(self) -> None:
        for (whole,) in self._run("SELECT id FROM transactions WHERE isParent AND NOT tombstone"):
            self._run("UPDATE transactions SET isParent = 0 WHERE id = ?", whole)
            self._run("UPDATE transactions SET tombstone = 1 WHERE parent_id = ?", whole)
            return

    def rename(self) -> None:
        table = self._random.choice(("accounts", "categories", "category_groups", "payees"))
        (row,) = self._any(f"id FROM {table} WHERE NOT tombstone")
        self._run(f"UPDATE {table} SET name = ? WHERE id = ?", f"Name {self._new_id()}", row)

    def hide(self) -> None:
        table, flag = self._random.choice((("accounts", "closed"), ("categories", "hidden")))
        (row,) = self._any(f"id FROM {table} WHERE NOT tombstone")
        self._run(f"UPDATE {table} SET {flag} = NOT {flag} WHERE id = ?", row)

    def add_category(self) -> None:
        new = self._new_id()
        (group,) = self._any("id FROM category_groups WHERE NOT tombstone")
        self._insert("categories", id=new, name=f"Name {new}", cat_group=group)
        self._insert("category_mapping", id=new, transferId=new)

    def merge_categories(self) -> None:
        gone, kept = self._any_category(), self._any_category()
        if gone != kept:
            self._run("UPDATE categories SET tombstone = 1 WHERE id = ?", gone)
            mapped = "UPDATE category_mapping SET transferId = ? WHERE transferId = ?"
            self._run(mapped, kept, gone)

    def merge_payees(self) -> None:
        gone, kept = self._any_payee(), self._any_payee()
        if gone != kept:
            self._run("UPDATE payees SET tombstone = 1 WHERE id = ?", gone)
            self._run("UPDATE payee_mapping SET targetId = ? WHERE targetId = ?", kept, gone)

    def assign(self) -> None:
        category = self._any_category()
        month = self._random.randrange(202601, 202604)
        self._run("DELETE FROM zero_budgets WHERE month = ? AND category = ?", month, category)
        own = {"id": f"{month}-{category}", "month": month, "category": category}
        self._insert("zero_budgets", **own, amount=abs(self._cents()), carryover=0)

    edits = (
        *(add, add, add_category, add_transfer, assign, categorise, change, delete, hide, join),
        *(merge_categories, merge_payees, rename, split),
    )


class GnucashBook(DatabaseBook):
    def __init__(self, seed: int) -> None:
        book = (BOOKS / "gnucash-household.sqlite.gz").read_bytes()
        super().__init__(seed, gzip.decompress(book))

    def _account(self, *kinds: str) -> str:
        """Return an account in which nothing else is."""
        marks = ", ".join("?" * len(kinds))
        parents = "SELECT parent_guid FROM accounts WHERE parent_guid IS NOT NULL"
        of_kind = f"guid FROM accounts WHERE account_type IN ({marks}) AND commodity_scu = 100"
        return str(self._any(f"{of_kind} AND guid NOT IN ({parents})", *kinds)[0])

    def _money(self) -> str:
        return self._account("BANK", "CASH", "CREDIT", "LIABILITY")

    def _category(self) -> str:
        return self._account("INCOME", "EXPENSE")

    def _any_split(self, condition: str) -> Any:
        return self._any(
            "splits.guid, tx_guid, value_num FROM splits JOIN accounts "
            "ON accounts.guid = account_guid WHERE commodity_scu = 100 "
            f"AND reconcile_state != 'v' AND {condition}"
        )

    def _any_category_split(self) -> Any:
        return self._any_split("account_type IN ('INCOME', 'EXPENSE')")

    def _put_split(self, transaction: str, account: str, cents: int) -> None:
        self._insert(
            "splits",
            guid=self._new_id(),
            tx_guid=transaction,
            account_guid=account,
            memo=self._random.choice(("", "a memo")),
            action="",
            reconcile_state=self._random.choice("ncy"),
            value_num=cents,
            value_denom=100,
            quantity_num=cents,
            quantity_denom=100,
        )

    def _set_amount(self, split: str, cents: int) -> None:
        money = "value_num = ?, value_denom = 100, quantity_num = ?, quantity_denom = 100"
        self._run(f"UPDATE splits SET {money} WHERE guid = ?", cents, cents, split)

    def add(self) -> None:
        new, cents, other = self._new_id(), self._cents(), self._cents()
        legs = {
            "shopping": [(self._category(), cents)],
            "split": [(self._category(), cents), (self._category(), other)],
            "transfer": [(self._money(), cents)],
            "several": [(self._money(), cents), (self._category(), other)],
        }[self._random.choice(("shopping", "split", "transfer", "several"))]
        (currency,) = self._any("guid FROM commodities WHERE mnemonic = 'EUR'")
        own = {"guid": new, "currency_guid": currency, "num": "", "description": "New"}
        self._insert("transactions", **own, post_date="2026-01-01 10:59:00", enter_date="")
        self._insert("slots", obj_guid=new, name="date-posted", slot_type=10, gdate_val="20260101")
        for account, value in [(self._money(), -sum(value for _, value in legs)), *legs]:
            self._put_split(new, account, value)

    def delete(self) -> None:
        _, gone, _ = self._any_split("1")
        for table, name in (("transactions", "guid"), ("splits", "tx_guid"), ("slots", "obj_guid")):
            self._run(f"DELETE FROM {table} WHERE {name} = ?", gone)

    def change(self) -> None:
        split, changed, _ = self._any_split("1")
        payee = self._random.choice(("Shop", "Rent", ""))
        self._run("UPDATE transactions SET description = ? WHERE guid = ?", payee, changed)
        day = "UPDATE slots SET gdate_val = ? WHERE name = 'date-posted' AND obj_guid = ?"
        self._run(day, str(self._day()), changed)
        state = self._random.choice("ncy")
        self._run("UPDATE splits SET reconcile_state = ? WHERE guid = ?", state, split)

    def change_amount(self) -> None:
        """Move some money from one split of a transaction to another one."""
        split, changed, cents = self._any_split("1")
        other, _, others = self._any_split(f"tx_guid = '{changed}'")
        if other != split:
            moved = self._cents()
            self._set_amount(split, cents + moved)
            self._set_amount(other, others - moved)

    def categorise(self) -> None:
        split, *_ = self._any_category_split()
        new = "UPDATE splits SET account_guid = ? WHERE guid = ?"
        self._run(new, self._category(), split)

    def split(self) -> None:
        split, changed, cents = self._any_category_split()
        self._set_amount(split, cents - 7)
        self._put_split(changed, self._category(), 7)

    def join(self) -> None:
        split, changed, cents = self._any_category_split()
        other, _, others = self._any_split(f"tx_guid = '{changed}'")
        if other != split and len(self._run("SELECT 1 FROM splits WHERE tx_guid = ?", changed)) > 2:
            self._set_amount(other, cents + others)
            self._run("DELETE FROM splits WHERE guid = ?", split)

    def rename(self) -> None:
        account = self._random.choice((self._money, self._category))()
        new = f"Name {self._new_id()}"
        self._run("UPDATE accounts SET name = ? WHERE guid = ?", new, account)

    def hide(self) -> None:
        account = self._random.choice((self._money, self._category))()
        self._run("UPDATE accounts SET hidden = NOT hidden WHERE guid = ?", account)

    def move(self) -> None:
        """Put a category below another one, or beside it."""
        account, other = self._category(), self._category()
        (parent,) = self._any("parent_guid FROM accounts WHERE guid = ?", other)
        if account != other:
            above = self._random.choice((other, parent))
            self._run("UPDATE accounts SET parent_guid = ? WHERE guid = ?", above, account)

    def add_category(self) -> None:
        values = "account_type, commodity_guid, commodity_scu, non_std_scu, parent_guid"
        new = self._new_id()
        self._run(
            f"INSERT INTO accounts (guid, name, {values}, hidden, placeholder) "
            f"SELECT ?, ?, {values}, 0, 0 FROM accounts WHERE guid = ?",
            *(new, f"Name {new}", self._category()),
        )

    def merge(self) -> None:
        """Delete a category, whose splits go to another one."""
        gone, kept = self._category(), self._category()
        if gone != kept:
            new = "UPDATE splits SET account_guid = ? WHERE account_guid = ?"
            self._run(new, kept, gone)
            self._run("DELETE FROM accounts WHERE guid = ?", gone)

    def assign(self) -> None:
        (amount,) = self._any("id FROM budget_amounts")
        cents = abs(self._cents())
        self._run("UPDATE budget_amounts SET amount_num = ? WHERE id = ?", cents, amount)

    edits = (
        *(add, add, add_category, assign, categorise, change, change_amount, delete, hide, join),
        *(merge, move, rename, split),
    )
