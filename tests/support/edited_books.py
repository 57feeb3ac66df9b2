"""Books of other programs in which somebody works, as files of these programs."""

import json
import random
from collections.abc import Callable
from itertools import count as numbers
from typing import Any

from support.text_books import Entry


class TextBook:
    """A book of hledger or beancount. printed: returns what the program prints of entries.

    entries: the transactions except the openings, which are initial balances here.
    """

    def __init__(self, seed: int, printed: Callable[..., bytes]) -> None:
        self._random = random.Random(seed)
        self._numbers = numbers()
        self._printed = printed
        self._money = ["Assets:Giro", "Assets:Cash"]
        self._categories = ["Expenses:Food", "Expenses:Fun", "Income:Pay"]
        openings = [(f"{path} 100.00 EUR", "Equity:Opening -100.00 EUR") for path in self._money]
        self._openings = [Entry(legs, "2026-01-01", "Opening") for legs in openings]
        self.entries: list[Entry] = []
        for _ in range(10):
            self.add()

    def file(self) -> bytes:
        return self._printed(*self._openings, *sorted(self.entries, key=lambda each: each.day))

    def edit(self) -> None:
        edits = [self.add, self.add, self.delete, self.copy, self.move, self.change]
        edits += [self.categorise, self.split, self.join, self.rename, self.merge]
        self._random.choice(edits)()

    def _values(self) -> dict[str, str]:
        draw = self._random
        payee = draw.choice(("Shop", "Rent", "Work"))
        return {"day": f"2026-0{draw.randrange(1, 4)}-1{draw.randrange(10)}", "payee": payee}

    def add(self) -> None:
        draw = self._random
        first, second = draw.choice((1, -1)) * draw.randrange(1, 9_999), draw.randrange(1, 9_999)
        paths = draw.sample(self._money, 2)
        legs = {
            "shopping": [(draw.choice(self._categories), first)],
            "split": [(draw.choice(self._categories), each) for each in (first, second)],
            "transfer": [(paths[1], first)],
            "several": [(paths[1], second), (draw.choice(self._categories), first)],
        }[draw.choice(("shopping", "split", "transfer", "several"))]
        paid = (paths[0], -sum(cents for _, cents in legs))
        texts = [f"{path} {cents / 100:.2f} EUR" for path, cents in (paid, *legs)]
        self.entries.append(Entry(tuple(texts), **self._values()))

    def delete(self) -> None:
        if len(self.entries) > 5:
            self.entries.pop(self._random.randrange(len(self.entries)))

    def copy(self) -> None:
        self.entries.append(self._random.choice(self.entries))

    def move(self) -> None:
        """Change the order of the transactions, which nothing depends on."""
        self._random.shuffle(self.entries)

    def change(self) -> None:
        self._replace(lambda entry: entry._replace(**self._values()))

    def categorise(self) -> None:
        category = self._random.choice(self._categories)
        self._replace(lambda entry: _with_last(entry, lambda _, cents: [(category, cents)]))

    def split(self) -> None:
        self._replace(lambda e: _with_last(e, lambda p, cents: [(p, cents - 7), (p, 7)]))

    def join(self) -> None:
        """Put the first part of a split in place of all its parts."""

        def joined(entry: Entry) -> Entry:
            if len(entry.legs) < 3 or entry.legs[1].startswith("Assets"):
                return entry
            path, _, currency = entry.legs[1].split()
            paid = entry.legs[0].split()[1]
            return entry._replace(legs=(entry.legs[0], f"{path} {-float(paid):.2f} {currency}"))

        self._replace(joined)

    def _replace(self, edit: Callable[[Entry], Entry]) -> None:
        place = self._random.randrange(len(self.entries))
        self.entries[place] = edit(self.entries[place])

    def rename(self) -> None:
        paths = self._random.choice((self._money, self._categories))
        place = self._random.randrange(len(paths))
        old, paths[place] = paths[place], f"{paths[place].split(':')[0]}:N{next(self._numbers)}"
        self._put(old, paths[place])

    def merge(self) -> None:
        gone = self._categories.pop(0)
        self._put(gone, self._random.choice(self._categories))
        self._categories.append(f"Expenses:N{next(self._numbers)}")

    def _put(self, old: str, new: str) -> None:
        """Put an account in place of another one, everywhere."""
        for entries in (self._openings, self.entries):
            for place, entry in enumerate(entries):
                legs = [leg.replace(f"{old} ", f"{new} ") for leg in entry.legs]
                entries[place] = entry._replace(legs=tuple(legs))


def _with_last(entry: Entry, edit: Callable[[str, int], list[tuple[str, int]]]) -> Entry:
    """Return an entry with other legs in place of its last one, if that is a category."""
    path, amount, currency = entry.legs[-1].split()
    if path.startswith("Assets"):
        return entry
    legs = edit(path, round(float(amount) * 100))
    texts = (f"{path} {cents / 100:.2f} {currency}" for path, cents in legs)
    return entry._replace(legs=(*entry.legs[:-1], *texts))


class YnabPlan:
    """A plan of YNAB. Its objects have ids, which they keep."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._numbers = numbers()
        self._accounts = {"giro": "Giro", "cash": "Cash"}
        self._categories = {name: name for name in ("food", "fun", "rent")}
        self._rows: dict[str, dict[str, Any]] = {}
        self._parts: dict[str, dict[str, Any]] = {}
        self._limits: dict[tuple[str, str], int] = {}
        for _ in range(10):
            self.add()

    def file(self) -> bytes:
        rows = self._rows.values()
        accounts = [
            {
                "id": i,
                "name": name,
                "type": "checking",
                "on_budget": True,
                "balance": sum(row["amount"] for row in rows if row["account_id"] == i),
            }
            for i, name in self._accounts.items()
        ]
        months = [
            {
                "month": month,
                "categories": [
                    {"id": i, "budgeted": limit, "activity": 0}
                    for (of, i), limit in self._limits.items()
                    if of == month
                ],
            }
            for month in sorted({month for month, _ in self._limits})
        ]
        plan = {
            "id": "plan",
            "currency_format": {"iso_code": "EUR"},
            "accounts": accounts,
            "payees": [{"id": name, "name": name} for name in ("Shop", "Work")],
            "category_groups": [{"id": "group", "name": "Living"}],
            "categories": [
                {"id": i, "category_group_id": "group", "name": name}
                for i, name in self._categories.items()
            ],
            "months": months,
            "transactions": list(rows),
            "subtransactions": list(self._parts.values()),
        }
        return json.dumps({"data": {"plan": plan}}).encode()

    def edit(self) -> None:
        edits = [self.add, self.add, self.add_transfer, self.add_category, self.assign]
        edits += [self.delete, self.change, self.split, self.join, self.rename, self.merge]
        self._random.choice(edits)()

    def _new_id(self) -> str:
        return f"id-{next(self._numbers)}"

    def _values(self) -> dict[str, Any]:
        draw = self._random
        return {
            "date": f"2026-0{draw.randrange(1, 4)}-1{draw.randrange(10)}",
            "payee_id": draw.choice(("Shop", "Work", None)),
            "category_id": draw.choice([*self._categories, None]),
            "cleared": draw.choice(("cleared", "uncleared", "reconciled")),
            "flag_color": draw.choice(("red", "blue", None)),
        }

    def _put(self, **values: Any) -> None:
        self._rows[values["id"]] = values

    def add(self) -> None:
        account, amount = self._random.choice(list(self._accounts)), self._random.randrange(-99, 99)
        own = {"id": self._new_id(), "account_id": account, "amount": amount * 1_000 + 10}
        self._put(**own, **self._values())

    def add_transfer(self) -> None:
        ids = [self._new_id(), self._new_id()]
        for number, amount in enumerate((-5_000, 5_000)):
            self._put(
                id=ids[number],
                amount=amount,
                date="2026-02-02",
                account_id=list(self._accounts)[number],
                transfer_account_id=list(self._accounts)[1 - number],
                transfer_transaction_id=ids[1 - number],
            )

    def add_category(self) -> None:
        new = self._new_id()
        self._categories[new] = new

    def assign(self) -> None:
        month = f"2026-0{self._random.randrange(1, 5)}-01"
        category = self._random.choice(list(self._categories))
        self._limits[month, category] = self._random.randrange(1, 9) * 10_000

    def _any(self) -> dict[str, Any]:
        return self._random.choice(list(self._rows.values()))

    def delete(self) -> None:
        row = self._any()
        self._drop_parts(row)
        for gone in (row["id"], row.get("transfer_transaction_id")):
            self._rows.pop(gone, None)
        if not self._rows:
            self.add()

    def change(self) -> None:
        row = self._any()
        if "transfer_account_id" not in row:
            row |= self._values()

    def split(self) -> None:
        row = self._any()
        if "transfer_account_id" in row:
            return
        self._drop_parts(row)
        for amount in (row["amount"] - 3_000, 3_000):
            part, category = self._new_id(), self._random.choice(list(self._categories))
            own = {"id": part, "transaction_id": row["id"]}
            self._parts[part] = {**own, "amount": amount, "category_id": category}

    def join(self) -> None:
        for part in list(self._parts.values())[:1]:
            self._drop_parts(self._rows[part["transaction_id"]])

    def _drop_parts(self, row: dict[str, Any]) -> None:
        for part in [p for p in self._parts.values() if p["transaction_id"] == row["id"]]:
            del self._parts[part["id"]]

    def rename(self) -> None:
        names = self._random.choice((self._accounts, self._categories))
        names[self._random.choice(list(names))] = f"Name {self._new_id()}"

    def merge(self) -> None:
        """Put one category in place of another one, everywhere."""
        if len(self._categories) < 2:
            return
        gone, kept = self._random.sample(list(self._categories), 2)
        del self._categories[gone]
        for row in (*self._rows.values(), *self._parts.values()):
            if row.get("category_id") == gone:
                row["category_id"] = kept
        self._limits = {
            (month, kept if category == gone else category): limit
            for (month, category), limit in self._limits.items()
        }
