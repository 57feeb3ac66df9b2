"""What the headings and first rows of a table say about its columns, where nobody has said it.

A column is known by its heading, because it is the only one of its kind, or because the balances
run by its amounts. What has two readings is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from finance_api.importers.csv.cells import is_date
from finance_api.importers.csv.columns import Columns, Headings
from finance_api.importers.csv.date_form import EXCEL, DateForm
from finance_api.importers.csv.heading_words import currency_in, role_fit
from finance_api.importers.csv.layout import POSITIVE
from finance_api.importers.csv.sample import Column, Numbers
from finance_api.importers.csv.vocabulary import BOOKED, DIRECTIONS, NOT_MONEY, YES_OR_NO, folded
from finance_api.importers.interface import Answer
from finance_api.importers.questions import Questions
from finance_api.importers.texts import listed, quoted

_DAYS = ("booked", "date", "value")
#: Forms of days without a year.
_YEARLESS = tuple(
    "DD.MM. DD.MM DD/MM MM/DD DD-MM MM-DD".split()
    + ["DD MMM", "DD. MMM", "MMM DD", "DD-MMM", "DD/MMM"]
)
#: So many columns are looked at, and so many proposed one instead of the other.
_COLUMNS, _MOST_PROPOSED = 200, 6
#: A column with more different cells than this is neither a status nor a direction.
_FEW = 20
_BY_HEADING, _ONLY, _BY_BALANCE = (
    "its heading says so",
    "the only one of its kind",
    "the balances run by it",
)


@dataclass
class Inferred:
    """columns: what was inferred. statuses: columns that say which rows happened.

    positive, date_format: as in `Layout`. explained: columns that are known to add nothing.
    reasons: a line for each decision. questions: what has several readings; reading goes on under
    the first.
    """

    columns: Columns = field(default_factory=dict)
    statuses: tuple[int, ...] = ()
    positive: str | None = None
    date_format: str | None = None
    explained: set[int] = field(default_factory=set)
    reasons: list[str] = field(default_factory=list)
    questions: Questions = field(default_factory=Questions)


def infer(
    headings: Headings,
    rows: Sequence[Sequence[str]],
    known: Columns,
    *,
    currency: str | None,
    has_direction: bool,
    has_account: bool,
    has_texts: bool,
    period: str | None,
    by_name: frozenset[str],
    ignored: frozenset[int],
) -> Inferred:
    """known: the columns that are given, or have the names of fields.

    has_direction, has_account, has_texts: whether it is given which way money goes, of which
    account all is, and where the texts are.
    period: the days of the statement. by_name: fields whose columns only have their names.
    ignored: columns that say nothing.
    """
    inference = _Inference(headings, rows, known, currency, has_account, period, by_name, ignored)
    return inference.run(has_direction=has_direction, has_texts=has_texts)


class _Inference:
    def __init__(
        self,
        headings: Headings,
        rows: Sequence[Sequence[str]],
        known: Columns,
        currency: str | None,
        has_account: bool,
        period: str | None,
        by_name: frozenset[str],
        ignored: frozenset[int],
    ) -> None:
        self._headings = headings
        self._known = known
        self._currency = currency
        self._found = Inferred(explained=set(ignored))
        texts = headings.texts or [""] * headings.width
        self._all = [
            Column(index, texts[index], [row[index].strip() for row in rows])
            for index in range(min(headings.width, _COLUMNS))
        ]
        self._has_account = has_account
        self._period = period
        self._by_name = by_name
        taken = {index for indexes in known.values() for index in indexes} | ignored
        self._free = [column for column in self._all if column.index not in taken]
        self._numbers = Numbers([column for column in self._all if column.is_number])

    def run(self, *, has_direction: bool, has_texts: bool) -> Inferred:
        self._find_dates()
        self._find_money()
        self._find_currency()
        self._find_statuses()
        if not has_direction:
            self._find_direction()
        self._find_accounts([column for column in self._free if column.are_accounts])
        if not has_texts:
            self._find_texts()
        return self._found

    # -- what is common

    def _name(self, column: Column) -> str:
        return self._headings.named(column.index)

    def _take(self, role: str, column: Column, reason: str) -> None:
        self._found.columns[role] = (*self._found.columns.get(role, ()), column.index)
        self._free.remove(column)
        self._found.reasons.append(f"{role} is {quoted(self._name(column))}: {reason}")

    def _has(self, *roles: str) -> bool:
        return any(role in self._known or role in self._found.columns for role in roles)

    def _best(self, role: str, columns: Sequence[Column]) -> list[Column]:
        """Those of the columns whose headings fit best."""
        fits = [(column.fit(role), column) for column in columns]
        most = max((fit for fit, _ in fits), default=0)
        return [column for fit, column in fits if fit == most > 0]

    def _ask(self, role: str, reason: str, readings: Sequence[tuple[Answer, Columns]]) -> None:
        """Reads on under the first reading."""
        answers = [answer for answer, _ in readings[:_MOST_PROPOSED]]
        self._found.questions.ask(reason, *answers, line=self._headings.line, of=role)
        for name, (index,) in readings[0][1].items():
            self._take(name, self._all[index], "asked for")
            self._found.reasons.pop()

    def _reading(self, *parts: tuple[str, Column]) -> tuple[Answer, Columns]:
        words: list[str] = []
        for name, column in parts:
            is_side = name in ("debit", "credit")
            words += [f"--{name}" if is_side else "--map"]
            words += [self._name(column) if is_side else f"{name}={self._name(column)}"]
        places = (f"{name} is in {quoted(self._name(column))}" for name, column in parts)
        given = POSITIVE if parts[0][0] == "debit" else ()
        columns: Columns = {name: (column.index,) for name, column in parts}
        return Answer(tuple(words), given, ", ".join(places)), columns

    # -- dates

    def _find_dates(self) -> None:
        dates = [column for column in self._free if column.is_date]
        if not self._has("recordDate") and dates:
            self._find_record_date(dates)
        dates = [column for column in self._free if column.is_date]
        values = self._best("value", dates)
        if not self._has("valueDate") and len(values) == 1:
            self._take("valueDate", values[0], _BY_HEADING)
        self._find_time()
        self._find_form()

    def _find_form(self) -> None:
        """The form of days that are numbers of Excel, or without a year."""
        record = self._known.get("recordDate", self._found.columns.get("recordDate", ()))
        texts = self._all[record[0]].filled if record and record[0] < len(self._all) else []
        if not texts or any(map(is_date, texts)):
            return
        names = [EXCEL] if max(role_fit(r, self._all[record[0]].heading) for r in _DAYS) else []
        names += [f"{form} {self._period}" for form in _YEARLESS if self._period]
        forms = [DateForm.compile(name) for name in names]
        read = {
            tuple(days): form.name
            for form in reversed(forms)
            if None not in (days := [form.read(text) for text in texts])
        }
        if len(read) == 1:
            (self._found.date_format,) = read.values()
            self._found.reasons.append(f"dates are read as {self._found.date_format}")

    def _find_record_date(self, dates: Sequence[Column]) -> None:
        others = [column for column in dates if column.fit("value") < 2] or dates
        exact = [column for column in others if column.fit("booked") == 2]
        exact = exact or [column for column in others if column.fit("date") == 2]
        if len(dates) == 1:
            by_heading = max(dates[0].fit("booked"), dates[0].fit("date"))
            self._take("recordDate", dates[0], _BY_HEADING if by_heading else _ONLY)
        elif len(exact) == 1 or len(others) == 1:
            self._take("recordDate", (exact or others)[0], _BY_HEADING)
        else:
            names = listed(map(self._name, others))
            self._ask(
                "recordDate",
                f"the dates are in {names}: name the one that counts with --map recordDate=…",
                [self._reading(("recordDate", column)) for column in others],
            )

    def _find_time(self) -> None:
        record = self._known.get("recordDate", self._found.columns.get("recordDate", ()))
        times = [column for column in self._free if column.is_time and column.fit("time")]
        if len(record) != 1 or len(times) != 1:
            return
        if all(":" not in text for text in self._all[record[0]].filled):
            self._found.columns["recordDate"] = (*record, times[0].index)
            self._free.remove(times[0])

    # -- amounts

    def _find_money(self) -> None:
        numbers = [column for column in self._free if column.is_number and not column.fit("rate")]
        self._found.explained |= {
            column.index for column in self._free if column.is_number and column.fit("rate")
        }
        blank = [column for column in self._free if not column.filled]
        if any(column.has_decimals for column in numbers):
            # Numbers without decimals are counts and ids, but for amounts in full.
            numbers = [
                column
                for column in numbers
                if column.has_decimals
                or max(column.fit(role) for role in ("amount", "debit", "credit", "balance")) == 2
            ]
        if not self._has("amount", "debit") and numbers:
            self._find_amounts(numbers, blank)
        elif self._by_name >= {"amount", "currency"}:
            self._find_settled(numbers)
        numbers = [column for column in numbers if column in self._free]
        if self._has("amount", "debit"):
            self._find_balance(numbers)
            self._find_others([column for column in numbers if column in self._free])

    def _money(self) -> list[Column]:
        names = [name for name in ("amount", "debit", "credit") if self._has(name)]
        columns = self._known | self._found.columns
        return [self._all[index] for name in names for index in columns[name]]

    def _find_amounts(self, numbers: Sequence[Column], blank: Sequence[Column]) -> None:
        plain = [column for column in numbers if not self._is_other(column)]
        sides = [
            [
                column
                for column in self._best(one, [*plain, *blank])
                if column.fit(one) > column.fit(other)
            ]
            for one, other in (("debit", "credit"), ("credit", "debit"))
        ]
        on_sides = [column for side in sides for column in side]
        plain = [column for column in plain if column not in on_sides]
        named = self._best("amount", plain)
        if all(len(side) == 1 for side in sides) and any(column.filled for column in on_sides):
            self._find_sides(on_sides[0], on_sides[1], named)
            return
        if len(named) > 1:
            named = self._without_copies(named)
        if len(named) == 1:
            self._take("amount", named[0], _BY_HEADING)
            return
        running = [
            (column, balance)
            for column in plain
            for balance in numbers
            if balance is not column and self._numbers.run([column], balance)
        ]
        if not named and len(running) == 1:
            self._take("amount", running[0][0], _BY_BALANCE)
            return
        others = named or plain
        if len(others) == 1 and not on_sides:
            self._take("amount", others[0], _ONLY)
        elif others and not (on_sides and not named):
            self._ask_for_amount(others)

    def _find_sides(self, debit: Column, credit: Column, named: Sequence[Column]) -> None:
        amount = named[0] if len(named) == 1 else None
        if amount is not None and self._numbers.agree(amount, debit, credit):
            if amount.is_signed:
                self._take("amount", amount, _BY_HEADING)
                self._found.explained |= {debit.index, credit.index}
                return
            self._found.explained.add(amount.index)
        elif amount is not None:
            self._ask(
                "amount",
                f"the amounts are in {quoted(self._name(amount))}, or in "
                f"{quoted(self._name(debit))} and {quoted(self._name(credit))}: name them with "
                "--map amount=…, or with --debit … and --credit …",
                [
                    self._reading(("debit", debit), ("credit", credit)),
                    self._reading(("amount", amount)),
                ],
            )
            return
        self._take("debit", debit, _BY_HEADING)
        self._take("credit", credit, _BY_HEADING)

    def _is_other(self, column: Column) -> bool:
        """Whether the heading says that it is money, but not what a row moves."""
        return column.fit("amount") < 2 and any(
            column.fit(role) for role in ("balance", "fee", "original")
        )

    def _without_copies(self, named: Sequence[Column]) -> list[Column]:
        """The column that is settled in the account's currency, or one of several that agree."""
        if all(self._numbers.of(column) == self._numbers.of(named[0]) for column in named):
            self._found.explained |= {column.index for column in named[1:]}
            return [named[0]]
        stated = [column for column in named if currency_in(column.heading) is not None]
        own = [c for c in stated if currency_in(c.heading) == self._currency] or stated
        rest = [column for column in named if column not in own]
        codes = [column for column in self._free if column.are_currencies]
        if len(own) == len(rest) == len(codes) == 1 and self._settles(own[0], rest[0], codes[0]):
            self._found.columns["originalAmount"] = (rest[0].index,)
            self._found.columns["originalCurrencyCode"] = (codes[0].index,)
            self._free = [c for c in self._free if c not in (rest[0], codes[0])]
            self._found.reasons.append(
                f"originalAmount is {quoted(self._name(rest[0]))}: {quoted(self._name(own[0]))} "
                f"has the same in {currency_in(own[0].heading)}"
            )
            return own
        return list(named)

    def _find_settled(self, numbers: Sequence[Column]) -> None:
        """The column of the account's currency, beside those that are called amount, currency."""
        (amount,), (currency,) = self._known["amount"], self._known["currency"]
        original, codes = self._all[amount], self._all[currency]
        settled = [
            column
            for column in numbers
            if column.fit("amount")
            and currency_in(column.heading) in (self._currency or currency_in(column.heading),)
            and currency_in(column.heading) is not None
            and len(codes.values) > 1
            and self._settles(column, original, codes)
        ]
        if len(settled) == 1:
            self._found.columns |= {
                "originalAmount": (amount,),
                "originalCurrencyCode": (currency,),
                "currency": (),
            }
            self._take("amount", settled[0], f"it has all in {currency_in(settled[0].heading)}")

    def _settles(self, own: Column, original: Column, codes: Column) -> bool:
        """Whether rows in the account's currency have the same amount in both columns."""
        currency = currency_in(own.heading)
        rows = zip(self._numbers.of(own), self._numbers.of(original), codes.texts, strict=True)
        return all(one == other for one, other, code in rows if code.upper() == currency)

    def _ask_for_amount(self, columns: Sequence[Column]) -> None:
        readings = [self._reading(("amount", column)) for column in columns]
        if len(columns) == 2 and self._numbers.take_turns(*columns):
            one, other = columns
            readings = [
                self._reading(("debit", one), ("credit", other)),
                self._reading(("debit", other), ("credit", one)),
            ]
        self._ask(
            "amount",
            f"the amounts are in {listed(map(self._name, columns))}: name their column with --map "
            "amount=…, or two with --debit … and --credit …",
            readings,
        )

    def _find_balance(self, numbers: Sequence[Column]) -> None:
        if self._has("balance"):
            return
        money = self._money()
        running = [c for c in numbers if c.has_decimals and self._numbers.run(money, c)]
        named = self._best("balance", running) or self._best("balance", numbers)
        if len(named) == 1 and (named[0] in running or named[0].fit("balance") == 2):
            self._take("balance", named[0], _BY_HEADING)
        elif len(running) == 1:
            self._take("balance", running[0], "it runs by the amounts")

    def _find_others(self, numbers: Sequence[Column]) -> None:
        """Money beside the amount: what adds nothing is known, and the rest asked about later."""
        money = self._money()
        balance = self._found.columns.get("balance", self._known.get("balance", ()))
        runs = bool(balance) and self._numbers.run(money, self._all[balance[0]])
        sides = [column for column in numbers if column.fit("debit") or column.fit("credit")]
        if len(sides) == 2 and self._numbers.agree(money[0], *sides):
            # They say the same once more.
            self._found.explained |= {column.index for column in sides}
        for column in numbers:
            if column.index in self._found.explained:
                continue
            if column.is_zero or self._numbers.agree(column, *money):
                self._found.explained.add(column.index)
            elif column.fit("original") and not self._has("originalAmount"):
                codes = self._best("original currency", self._free)
                if len(codes) == 1 and not self._has("originalCurrencyCode"):
                    self._take("originalAmount", column, _BY_HEADING)
                    self._take("originalCurrencyCode", codes[0], _BY_HEADING)
                self._found.explained.add(column.index)
            elif runs and column.fit("fee"):
                # The balances know nothing of it.
                self._found.explained.add(column.index)

    # -- words

    def _find_currency(self) -> None:
        codes = [column for column in self._free if column.are_currencies]
        codes = self._best("currency", codes) or codes
        if not self._has("currency") and len(codes) == 1 and codes[0].fit("currency"):
            self._take("currency", codes[0], _BY_HEADING)

    def _find_statuses(self) -> None:
        self._found.statuses = tuple(column.index for column in self._free if _is_status(column))

    def _find_direction(self) -> None:
        if not self._has("amount"):
            return
        (amount,) = self._money()
        if amount.is_signed:
            balance = self._found.columns.get("balance", self._known.get("balance", ()))
            if balance and self._numbers.direction(amount, self._all[balance[0]]) < 0:
                self._found.positive = "out"
                self._found.reasons.append("positive amounts go out: so the balances run")
            return
        words = [
            column
            for column in self._free
            if column.index not in self._found.statuses
            and len(column.filled) == len(column.texts) > 0
            and column.values <= DIRECTIONS.keys()
            and (column.fit("way") or len({DIRECTIONS[word] for word in column.values}) == 2)
        ]
        if words and all(_ways(column) == _ways(words[0]) for column in words):
            self._take("sign", words[0], "each of its words says which way money goes")
            self._found.explained |= {column.index for column in words[1:]}

    def _find_texts(self) -> None:
        texts = [
            column
            for column in self._free
            if column.is_text
            and column.index not in self._found.statuses
            and not column.are_currencies
        ]
        payees = self._best("payee", texts)
        if not self._has("payee") and payees and (len(payees) == 1 or payees[0].fit("payee") == 2):
            self._take("payee", payees[0], _BY_HEADING)
        texts = [column for column in texts if column in self._free]
        for role in ("category", "reference"):
            named = [column for column in texts if column.fit(role) == 2]
            if len(named) == 1 and len(texts) > 1 and not self._has(role):
                self._take(role, named[0], _BY_HEADING)
                texts.remove(named[0])
        if self._has("note"):
            return
        notes = [column for column in texts if column.fit("note") == 2]
        for column in notes or self._best("note", texts):
            self._take("note", column, _BY_HEADING)
        telling = [
            column
            for column in texts
            if column in self._free
            and not column.values <= YES_OR_NO
            and (len(column.values) > _FEW or not self._may_be_direction(column))
        ]
        if not self._has("payee", "note") and len(telling) == 1:
            self._take("note", telling[0], _ONLY)

    def _may_be_direction(self, column: Column) -> bool:
        is_said = column.fit("way") == 2 and len(column.values) > 1
        return is_said or not column.values.isdisjoint(DIRECTIONS)

    def _find_accounts(self, columns: Sequence[Column]) -> None:
        others = [column for column in columns if column.fit("other account")]
        if len(others) == 1 and not self._has("counterpartyAccount"):
            self._take("counterpartyAccount", others[0], _BY_HEADING)
        own = [c for c in columns if c in self._free and c.fit("account") == 2]
        if self._has("account", "accountNumber") or len(own) != 1:
            return
        if len(own[0].values) == 1 and len(own[0].filled) == len(own[0].texts):
            self._take("accountNumber", own[0], "all rows have the same")
        elif not self._has_account and len(own[0].filled) == len(own[0].texts):
            self._take("accountNumber", own[0], _BY_HEADING)


def _ways(column: Column) -> list[int]:
    return [DIRECTIONS[word] for word in map(folded, column.texts)]


def _is_status(column: Column) -> bool:
    if not column.filled or column.is_date or len(column.values) > _FEW:
        return False
    if column.values <= YES_OR_NO:
        return column.fit("status") > 0
    if not column.is_text:
        return False
    known = column.values & (BOOKED | NOT_MONEY)
    if column.fit("status") == 1:
        return len(column.filled) == len(column.texts) and column.values == known
    return column.fit("status") == 2
