"""Finds what each column of a table is, from its heading and its first rows."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations

from finance_api.importers.clauses import Clause, Role, Says, Topic, clause
from finance_api.importers.csv.amounts import DECIMAL_MARKS, number_pattern, plain_number, shape_of
from finance_api.importers.csv.balances import orders_of
from finance_api.importers.csv.cells import money_text
from finance_api.importers.csv.dates import EPOCH, EXCEL, UNIX, DateForm
from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.mapping import POSITIVE, Columns, Mapping
from finance_api.importers.csv.table import is_account, is_amount, is_date
from finance_api.importers.csv.vocabulary import (
    BOOKED,
    CLOSING,
    DIRECTIONS,
    NOT_MONEY,
    YES_OR_NO,
    currency_in,
    folded,
    named_balance,
    role_fit,
)
from finance_api.importers.interface import Choice, Questions, quoted
from finance_api.importers.options import ImportOptions
from finance_api.resources.currencies import mark_of

#: At most this many columns are examined.
_MOST_COLUMNS = 200
#: At most this many columns are proposed for one role.
_MOST_PROPOSED = 6
BY_HEADING, ONLY, BY_BALANCE = (
    "its heading says so",
    "the only one of its kind",
    "the balances follow from it",
)
_TIME = re.compile(r"[0-2]?[0-9]:[0-5][0-9](:[0-5][0-9])?")
#: Excel's number of a day from about 1970 to 2030, perhaps with a time.
_SERIAL = re.compile(r"(2[5-9]|3[0-9]|4[0-7])[0-9]{3}([.,][0-9]+)?")
_DAY = re.compile(r"[0-3]?[0-9](\.|[-/ .]{1,2}([01]?[0-9]|[^\W\d_]{3,9})\.?)")


class Column:
    """A column. texts: the trimmed cell of each row. filled: the texts that are not blank."""

    def __init__(self, index: int, heading: str, texts: Sequence[str]) -> None:
        self.index = index
        self.heading = heading
        has_numbers = any(text[-1:].isdigit() for text in texts)
        self.texts = [money_text(text) for text in texts] if has_numbers else texts
        self.filled = [text for text in self.texts if text]

    def fit(self, role: str) -> int:
        """Return how well the heading fits the role, see `role_fit`."""
        return role_fit(role, self.heading)

    @cached_property
    def values(self) -> frozenset[str]:
        return frozenset(folded(text) for text in self.filled)

    @property
    def is_full(self) -> bool:
        return len(self.filled) == len(self.texts)

    @cached_property
    def is_date(self) -> bool:
        return self._most(is_date) or (
            max(self.fit(role) for role in ("booked", "date", "value")) > 0
            and any(self._most(form.fullmatch) for form in (_SERIAL, _DAY, EPOCH))
        )

    @cached_property
    def is_time(self) -> bool:
        return self._most(_TIME.fullmatch)

    @cached_property
    def is_number(self) -> bool:
        return not self.is_date and self._most(is_amount)

    @cached_property
    def is_text(self) -> bool:
        return bool(self.filled) and not (self.is_date or self.is_time or self.is_number)

    @cached_property
    def has_decimals(self) -> bool:
        return any("." in text or "," in text for text in self.filled)

    @cached_property
    def is_signed(self) -> bool:
        written = [shape_of(text) for text in self.filled]
        return any(each is not None and (each.negative or each.side) for each in written)

    @cached_property
    def is_zero(self) -> bool:
        return not any(digit in text for text in self.filled for digit in "123456789")

    @cached_property
    def are_currencies(self) -> bool:
        marks = [mark_of(text) for text in self.values]
        return bool(marks) and all(mark is not None and mark.currency for mark in marks)

    @cached_property
    def are_accounts(self) -> bool:
        return self._most(is_account)

    def _most(self, test: Callable[[str], object]) -> bool:
        """Return whether two thirds or more of the filled cells pass: footer cells may fail."""
        misses = sum(not test(text) for text in self.filled)
        return len(self.filled) > misses and misses * 3 <= len(self.filled)


class Numbers:
    """Reads columns of numbers, in millionths. A cell that is blank or not a number is None."""

    def __init__(self, columns: Sequence[Column]) -> None:
        cells = [text for column in columns for text in column.filled]
        for mark in DECIMAL_MARKS:
            self._pattern = number_pattern(mark, None)
            if sum(self._read(text) is None for text in cells) * 3 <= len(cells):
                break
        self._known: dict[int, list[int | None]] = {}

    def of(self, column: Column) -> list[int | None]:
        if column.index not in self._known:
            self._known[column.index] = [self._read(text) for text in column.texts]
        return self._known[column.index]

    def _read(self, text: str) -> int | None:
        written = shape_of(text)
        number = None if written is None else plain_number(written.digits, self._pattern)
        if written is None or number is None:
            return None
        whole, _, fraction = number.partition(".")
        units = int(f"{whole}{fraction[:6]:0<6}")
        return -units if written.negative else units

    def run(self, amounts: Sequence[Column], balance: Column) -> bool:
        """Return whether the balance changes by the size of each row's amount."""
        rows = zip(self.of(balance), *map(self.of, amounts), strict=True)
        found = [
            (0, sum(abs(each or 0) for each in sizes), after)
            for after, *sizes in rows
            if after is not None and any(each is not None for each in sizes)
        ]
        return len(found) > 2 and len({row[1] for row in found}) > 1 and bool(orders_of(found))

    def follows(self, balance: Column, credit: Column, debit: Column) -> bool:
        """Return whether the balance rises by one column, and falls by the other one."""
        rows = zip(*map(self.of, (balance, credit, debit)), strict=True)
        found = [
            (0, abs(one or 0) - abs(other or 0), after)
            for after, one, other in rows
            if after is not None
        ]
        return len(found) > 2 and bool(orders_of(found, int))

    def take_turns(self, one: Column, other: Column) -> bool:
        """Return whether both columns have money, but never in the same row."""
        pairs = list(zip(self.of(one), self.of(other), strict=True))
        filled = {(bool(a), bool(b)) for a, b in pairs} - {(False, False)}
        return filled == {(True, False), (False, True)}

    def agree(self, one: Column, *others: Column) -> bool:
        """Return whether ``one`` is the sum of ``others`` in each row, all without signs."""
        rows = zip(self.of(one), *map(self.of, others), strict=True)
        return all(abs(a or 0) == sum(abs(each or 0) for each in rest) for a, *rest in rows)

    def span(self, money: Sequence[Column], before: Column, after: Column) -> bool:
        """Return whether two columns always differ by the amounts, all without signs."""
        rows = zip(*map(self.of, (before, after, *money)), strict=True)
        return all(
            None not in (one, other)
            and abs((other or 0) - (one or 0)) == sum(abs(each or 0) for each in rest)
            for one, other, *rest in rows
        )


@dataclass
class Inferred:
    """The decisions made from a file's content.

    columns: field -> its inferred columns. statuses: columns that say which rows are transactions.
    positive, date_format: as in `Mapping`. explained: columns known to add nothing to the amounts.
    reasons: a line for each decision. questions: questions about columns with several possible
    roles; until a question is answered, its first answer is used.
    """

    columns: Columns = field(default_factory=dict)
    statuses: tuple[int, ...] = ()
    positive: str | None = None
    date_format: str | None = None
    explained: set[int] = field(default_factory=set)
    reasons: list[Clause | str] = field(default_factory=list)
    questions: Questions = field(default_factory=Questions)


class OpenColumns:
    """The columns of a table while roles are inferred for them, with its headings and first rows.

    A column gets a role by its heading, because it is the only one of its kind, or because the
    balances change by its amounts. If two columns are possible, the user is asked.

    all: every column. free: columns without a role. known: columns that the user named, or whose
    heading is the name of a field. by_name: the fields whose column has such a heading.
    numbers: the numbers in the columns. user_mapping: the user's options. found: what was inferred.
    """

    def __init__(
        self,
        headings: Headings,
        rows: Sequence[Sequence[str]],
        known: Columns,
        user_mapping: Mapping,
        ignored: frozenset[int],
    ) -> None:
        """ignored: indexes of columns that get no role."""
        self.headings = headings
        self.all = [
            Column(index, headings.text(index), [row[index].strip() for row in rows])
            for index in range(min(headings.width, _MOST_COLUMNS))
        ]
        self.known = known
        self.user_mapping = user_mapping
        self.by_name = frozenset(known.keys() - user_mapping.named.keys())
        self.found = Inferred(explained=set(ignored))
        taken = {index for indexes in known.values() for index in indexes} | ignored
        self.free = [column for column in self.all if column.index not in taken]
        self.numbers = Numbers([column for column in self.all if column.is_number])

    def name(self, column: Column) -> str:
        return self.headings.named(column.index)

    def take(self, role: str, column: Column, reason: str | None) -> None:
        """Give a column the role. reason: why; None if the user is asked about it."""
        self.found.columns[role] = (*self.found.columns.get(role, ()), column.index)
        self.free.remove(column)
        if reason is not None:
            says = clause(Says.COLUMN_IS, role=Role(role), column=self.name(column), reason=reason)
            self.found.reasons.append(says)

    def explain(self, *columns: Column) -> None:
        """Note that these columns add nothing to the amounts."""
        self.found.explained |= {column.index for column in columns}

    def has(self, *roles: str) -> bool:
        return any(role in self.known or role in self.found.columns for role in roles)

    def of(self, *roles: str) -> list[Column]:
        """Return the columns of these roles, among the columns that are examined."""
        columns = self.known | self.found.columns
        indexes = [index for role in roles for index in columns.get(role, ())]
        return [self.all[index] for index in indexes if index < len(self.all)]

    def ask(self, role: str, fact: Clause, readings: Sequence[tuple[Choice, Columns]]) -> None:
        """Ask which reading is right; meanwhile, take the columns of the first reading."""
        choices = [choice for choice, _ in readings[:_MOST_PROPOSED]]
        self.found.questions.ask(fact, *choices, line=self.headings.line, of=role)
        for name, (index,) in readings[0][1].items():
            self.take(name, self.all[index], None)

    def reading(self, *parts: tuple[str, Column]) -> tuple[Choice, Columns]:
        changes: ImportOptions
        names = [self.name(column) for _, column in parts]
        if parts[0][0] == "debit":
            changes = {"debit": names[0], "credit": names[1], **POSITIVE}
        else:
            fields = (name for name, _ in parts)
            changes = {"columns": {f: (name,) for f, name in zip(fields, names, strict=True)}}
        places = tuple(
            clause(Says.FIELD_IN, field=name, column=self.name(column)) for name, column in parts
        )
        columns: Columns = {name: (column.index,) for name, column in parts}
        return Choice(changes, clause(Says.BOTH, both=places)), columns


def _best(role: str, columns: Sequence[Column]) -> list[Column]:
    """Return the columns whose headings fit the role best; none if no heading fits."""
    most = max((column.fit(role) for column in columns), default=0)
    return [column for column in columns if column.fit(role) == most > 0]


_MONEY = ("amount", "debit", "credit", "balance")
_FOREIGN = ("operation", "original", "original currency")
#: Up to this many columns of numbers are tried as amounts, or as a balance that changes by them.
_MOST_TRIED = 8


def _find_money(open_: OpenColumns) -> None:
    all_ = [c for c in open_.free if c.is_number and (c.has_decimals or not c.fit("account"))]
    numbers = [column for column in all_ if not (column.fit("rate") or column.fit("limit"))]
    open_.explain(*(column for column in all_ if column not in numbers))
    if any(column.has_decimals for column in numbers):
        # Numbers without decimals are counts and ids, unless the whole heading names money.
        numbers = [c for c in numbers if c.has_decimals or max(map(c.fit, _MONEY)) == 2]
    if not _find_own(open_) and not open_.has("amount", "debit") and numbers:
        _find_amounts(open_, numbers)
    if open_.has("amount", "debit"):
        _find_balance(open_, [column for column in numbers if column in open_.free])
        _find_others(open_, [column for column in numbers if column in open_.free])


def _find_amounts(open_: OpenColumns, numbers: Sequence[Column]) -> None:
    blank = [column for column in open_.free if not column.filled]
    plain = [column for column in numbers if not _is_other(column)]
    debits, credits_ = _sides([*plain, *blank])
    plain = [column for column in plain if column not in (*debits, *credits_)]
    named = _best("amount", plain)
    partners = [column for column in (debits or credits_) if column.filled]
    if len(partners) == len(debits + credits_) == 1:
        # The missing side is the column that has money where the known side has none.
        turns = [c for c in plain if open_.numbers.take_turns(partners[0], c)]
        if len(turns) == 1:
            debits, credits_ = (debits or turns), (credits_ or turns)
            named = [column for column in named if column not in turns]
    # A column of the other side may have amounts that cannot be read.
    opposite = [c for c in open_.free if c.fit("credit" if debits else "debit")]
    if len(debits) == len(credits_) == 1 and (debits[0].filled or credits_[0].filled):
        _find_sides(open_, debits[0], credits_[0], named)
    elif len(debits) == len(credits_) > 1 and not named:
        _find_pair(open_, list(zip(debits, credits_, strict=True)))
    elif len(partners) == len(debits + credits_) == 1 and not plain and not opposite:
        _find_side(open_, partners[0], "out" if debits else "in")
    elif not _find_running(open_, numbers, named):
        if all(open_.numbers.of(column) == open_.numbers.of(named[0]) for column in named):
            open_.explain(*named[1:])
            named = named[:1]
        others = named or plain
        if len(named) == 1 or (len(others) == 1 and not debits + credits_):
            open_.take("amount", others[0], BY_HEADING if named else ONLY)
        elif others and (named or not debits + credits_):
            _ask_for_amount(open_, others)


def _sides(columns: Sequence[Column]) -> list[list[Column]]:
    """Return the columns of money going out, and of money coming in, judging by their headings."""
    columns = [column for column in columns if not column.fit("way")]
    return [
        [c for c in _best(one, columns) if c.fit(one) > c.fit(other)]
        for one, other in (("debit", "credit"), ("credit", "debit"))
    ]


def _find_running(open_: OpenColumns, numbers: Sequence[Column], named: Sequence[Column]) -> bool:
    """Take the columns by which a balance changes; return whether any were taken.

    Takes none if exactly one heading names the amount, or if several choices are possible.
    """
    tried = numbers[:_MOST_TRIED]
    if len(named) == 1:
        return False
    if not named:
        sides = [
            (out, in_)
            for out, in_, balance in permutations(tried, 3)
            if open_.numbers.take_turns(out, in_) and open_.numbers.follows(balance, in_, out)
        ]
        if len(set(sides)) == 1:
            open_.take("debit", sides[0][0], BY_BALANCE)
            open_.take("credit", sides[0][1], BY_BALANCE)
            return True
    running = {
        amount.index: amount
        for amount, balance in permutations(tried, 2)
        if amount in (named or tried)
        and not _is_other(amount)
        and open_.numbers.run([amount], balance)
    }
    if len(running) == 1:
        (amount,) = running.values()
        open_.take("amount", amount, BY_BALANCE)
    return len(running) == 1


def _find_sides(open_: OpenColumns, debit: Column, credit: Column, named: Sequence[Column]) -> None:
    sides = ("debit", debit), ("credit", credit)
    amount = named[0] if len(named) == 1 else None
    if amount is not None and open_.numbers.agree(amount, debit, credit):
        if amount.is_signed:
            open_.take("amount", amount, BY_HEADING)
            open_.explain(debit, credit)
            return
        open_.explain(amount)
    elif amount is not None:
        open_.ask(
            "amount",
            clause(
                Topic.AMOUNT_OR_SIDES,
                amount=open_.name(amount),
                debit=open_.name(debit),
                credit=open_.name(credit),
            ),
            [open_.reading(*sides), open_.reading(("amount", amount))],
        )
        return
    for role, column in sides:
        open_.take(role, column, BY_HEADING)


def _find_side(open_: OpenColumns, side: Column, way: str) -> None:
    """Take a side without the other one; if some of its amounts have a minus, ask what it means."""
    open_.take("amount", side, BY_HEADING)
    if not side.is_signed:
        open_.found.positive = way
    elif open_.user_mapping.positive is None:
        choices = [
            Choice({"positive": "out"}, clause(Says.POSITIVE_OUT)),
            Choice({"positive": "in"}, clause(Says.POSITIVE_IN)),
        ]
        open_.found.questions.ask(
            clause(Topic.SIDE_WITH_SIGNS, column=open_.name(side)),
            *(choices if way == "out" else choices[::-1]),
            line=open_.headings.line,
        )


def _find_pair(open_: OpenColumns, pairs: Sequence[tuple[Column, Column]]) -> None:
    """Take one of several pairs of debit and credit: the first, if all are equal; else ask."""
    numbers = {tuple(tuple(open_.numbers.of(side)) for side in pair) for pair in pairs}
    if len(numbers) == 1:
        _find_sides(open_, *pairs[0], ())
        open_.explain(*(side for pair in pairs[1:] for side in pair))
        return
    open_.ask(
        "amount",
        clause(Topic.PAIRS, columns=tuple(open_.name(side) for pair in pairs for side in pair)),
        [open_.reading(("debit", debit), ("credit", credit)) for debit, credit in pairs],
    )


def _is_other(column: Column) -> bool:
    """Return whether the heading names money other than the row's amount, such as a balance."""
    return column.fit("amount") < 2 and any(map(column.fit, ("balance", "fee", "original")))


def _find_own(open_: OpenColumns) -> bool:
    """Take the amount in the account's currency, if that of the operation stands beside it.

    Returns whether there are such columns; asks if it is not clear which are the account's.
    """
    by_name = {name: open_.of(name)[0] for name in ("amount", "currency") if name in open_.by_name}
    if not {"amount", "debit", "currency", "sign"}.isdisjoint(open_.known.keys() - by_name.keys()):
        return False
    columns = sorted([*open_.free, *by_name.values()], key=lambda column: column.index)
    codes = [column for column in columns if column.are_currencies and column.is_full]
    amounts = [
        column
        for column in columns
        if column.is_number
        and column.is_full
        and (column.fit("amount") or column.fit("original") or column.fit("own"))
        and (column.has_decimals or column.fit("account") < 2)
        and not any(map(column.fit, ("balance", "fee", "rate", "limit")))
    ]
    if len(amounts) != 2 or not codes or open_.user_mapping.unmapped & {"currency", "amount"}:
        return False
    if len(codes) == 1:
        # The account's currency is in no column.
        pairs: list[tuple[Column, ...]] = [
            part
            for own, other in permutations(amounts)
            if own.fit("own") or _settles(open_, own, other, codes[0])
            for part in ((own,), (other, codes[0]))
        ]
        is_open = len(pairs) != 2 or len(codes[0].values) < 2
    else:
        pairs = list(zip(amounts, codes, strict=False))
        is_open = len(codes) != 2 or not _differ_by_currency(open_, *pairs)
    if is_open:
        return False
    pairs.sort(key=lambda pair: _is_own(pair, open_.user_mapping.currency), reverse=True)
    best_, other = (_is_own(pair, open_.user_mapping.currency) for pair in pairs)
    for name, column in by_name.items():
        del open_.known[name]
        open_.free.append(column)
    roles = ("amount", "currency"), ("originalAmount", "originalCurrencyCode")
    readings = [
        [
            part
            for names, pair in zip(roles, order, strict=True)
            for part in zip(names, pair, strict=False)
        ]
        for order in (pairs, pairs[::-1])
    ]
    if best_ == other:
        names = tuple(open_.name(amount) for amount, *_ in pairs)
        open_.ask(
            "amount",
            clause(Topic.OWN_AMOUNT, columns=names),
            [open_.reading(*parts) for parts in readings],
        )
    else:
        for role, column in readings[0]:
            open_.take(role, column, "the account's own money" if role == "amount" else None)
    return True


def _is_own(pair: Sequence[Column], currency: str | None) -> tuple[bool, ...]:
    """Return what shows that an amount and its currency are the account's, the best first."""
    own = len(pair) == 1 or any(column.fit("own") for column in pair)
    foreign = any(max(map(column.fit, _FOREIGN)) for column in pair)
    codes = {text.upper() for text in pair[-1].filled}
    return own or not foreign, own and not foreign, codes == {currency}, len(codes) == 1


def _differ_by_currency(open_: OpenColumns, one: Sequence[Column], other: Sequence[Column]) -> bool:
    """Return whether amounts are equal in the rows with equal currencies, and only some are."""
    amounts = zip(*(open_.numbers.of(amount) for amount, _ in (one, other)), strict=True)
    codes = zip(*(texts.texts for _, texts in (one, other)), strict=True)
    rows = [(a, b, first == second) for (a, b), (first, second) in zip(amounts, codes, strict=True)]
    are_equal = all(abs(a or 0) == abs(b or 0) for a, b, is_same in rows if is_same)
    return are_equal and not all(is_same for *_, is_same in rows)


def _settles(open_: OpenColumns, own: Column, original: Column, codes: Column) -> bool:
    """Return whether ``own`` states the account's currency, and rows in this currency have the same
    amount in both columns.
    """
    currency = currency_in(own.heading)
    rows = zip(open_.numbers.of(own), open_.numbers.of(original), codes.texts, strict=True)
    return currency == (open_.user_mapping.currency or currency) is not None and all(
        one == other for one, other, code in rows if code.upper() == currency
    )


def _ask_for_amount(open_: OpenColumns, columns: Sequence[Column]) -> None:
    readings = [open_.reading(("amount", column)) for column in columns]
    if len(columns) == 2 and open_.numbers.take_turns(*columns):
        readings = [
            open_.reading(("debit", one), ("credit", other)) for one, other in permutations(columns)
        ]
    open_.ask(
        "amount", clause(Topic.AMOUNT_COLUMNS, columns=tuple(map(open_.name, columns))), readings
    )


def _find_balance(open_: OpenColumns, numbers: Sequence[Column]) -> None:
    if open_.has("balance"):
        return
    available = [column for column in numbers if column.fit("available")]
    if any(column.fit("balance") == 2 for column in numbers if column not in available):
        open_.explain(*available)
        numbers = [column for column in numbers if column not in available]
    money = open_.of(*_MONEY[:3])
    are_whole = not any(column.has_decimals for column in money)
    running = [
        column
        for column in numbers
        if (column.has_decimals or are_whole) and open_.numbers.run(money, column)
    ]
    balances = [c for c in numbers if c in running or named_balance(c.heading)]
    pairs = [pair for pair in combinations(balances, 2) if open_.numbers.span(money, *pair)]
    if len(pairs) == 1:
        # The balances before and after each row; either may be read.
        before, after = sorted(pairs[0], key=lambda c: named_balance(c.heading) == CLOSING)
        open_.explain(before)
        open_.take("balance", after, "it is the balance of another column and the amount")
        return
    named = _best("balance", running) or _best("balance", numbers)
    if len(named) > 1 and len({tuple(open_.numbers.of(column)) for column in named}) == 1:
        open_.explain(*named[1:])
        named = named[:1]
    if len(named) == 1 and (named[0] in running or named[0].fit("balance") == 2):
        open_.take("balance", named[0], BY_HEADING)
    elif len(running) == 1:
        open_.take("balance", running[0], "each balance follows from the one before and the amount")


def _find_others(open_: OpenColumns, numbers: Sequence[Column]) -> None:
    """Mark columns of money that add nothing to the amount; `asking` asks about the others."""
    money, balance = open_.of(*_MONEY[:3]), open_.of("balance")
    runs = bool(balance) and open_.numbers.run(money, balance[0])
    sides = [column for column in numbers if column.fit("debit") or column.fit("credit")]
    if len(sides) == 2 and open_.numbers.agree(money[0], *sides):
        # These two columns repeat the amounts.
        open_.explain(*sides)
    for column in numbers:
        if column.index in open_.found.explained:
            continue
        if column.is_zero or open_.numbers.agree(column, *money):
            open_.explain(column)
        elif column.fit("original") and not open_.has("originalAmount"):
            codes = _best("original currency", open_.free)
            if len(codes) == 1 and not open_.has("originalCurrencyCode"):
                open_.take("originalAmount", column, BY_HEADING)
                open_.take("originalCurrencyCode", codes[0], BY_HEADING)
            open_.explain(column)
        elif runs and column.fit("fee"):
            # The balances do not include this fee.
            open_.explain(column)


#: A column with more different cells than this is neither a status nor a direction.
_FEW = 20

_DAYS = ("booked", "date", "value")
#: Forms of dates without a year.
_YEARLESS = "DD.MM.|DD.MM|DD/MM|MM/DD|DD-MM|MM-DD|DD MMM|DD. MMM|MMM DD|DD-MMM|DD/MMM".split("|")

#: The length of the date that begins a text, before the time.
_DAY_LENGTH = 10


def _find_dates(open_: OpenColumns, period: str | None) -> None:
    """Find the columns of dates. period: the statement's days, as in 2026-01-01..2026-01-31."""
    dates = [column for column in open_.free if column.is_date]
    if not open_.has("recordDate") and dates:
        _find_record_date(open_, dates)
    _take_best(open_, "valueDate", "value", [c for c in open_.free if c.is_date])
    record = open_.of("recordDate")
    if len(record) == 1:
        texts = record[0].filled
        times = [column for column in open_.free if column.is_time and column.fit("time")]
        if len(times) == 1 and not any(":" in text for text in texts):
            open_.found.columns["recordDate"] = (record[0].index, times[0].index)
            open_.free.remove(times[0])
        if texts and not any(map(is_date, texts)):
            names = [EXCEL, UNIX] if any(map(record[0].fit, _DAYS)) else []
            names += [f"{form} {period}" for form in _YEARLESS if period]
            _find_form(open_, texts, names)


def _take_best(open_: OpenColumns, role: str, words: str, columns: Sequence[Column]) -> None:
    """Take the column whose heading fits these words best, unless several fit equally."""
    columns = _best(words, columns)
    if not open_.has(role) and len(columns) == 1:
        open_.take(role, columns[0], BY_HEADING)


def _find_record_date(open_: OpenColumns, dates: Sequence[Column]) -> None:
    if len({tuple(text[:_DAY_LENGTH] for text in column.texts) for column in dates}) == 1:
        # All these columns have the same days.
        dates = _best("booked", dates)[:1] or _best("date", dates)[:1] or dates[:1]
    others = [column for column in dates if column.fit("value") < 2] or dates
    exact = [column for column in others if column.fit("booked") == 2]
    exact = exact or [column for column in others if column.fit("date") == 2]
    if len(dates) == 1:
        by_heading = max(dates[0].fit("booked"), dates[0].fit("date"))
        open_.take("recordDate", dates[0], BY_HEADING if by_heading else ONLY)
    elif len(exact) == 1 or len(others) == 1:
        open_.take("recordDate", (exact or others)[0], BY_HEADING)
    else:
        names = tuple(map(open_.name, others))
        open_.ask(
            "recordDate",
            clause(Topic.DATE_COLUMNS, columns=names),
            [open_.reading(("recordDate", column)) for column in others],
        )


def _find_form(open_: OpenColumns, texts: Sequence[str], names: Sequence[str]) -> None:
    """Find the form of dates that are Excel's day numbers or have no year."""
    read = {
        tuple(days): form.name
        for form in map(DateForm.compile, reversed(names))
        if None not in (days := [form.read(text) for text in texts])
    }
    if len(read) == 1:
        (open_.found.date_format,) = read.values()
        open_.found.reasons.append(f"dates are read as {open_.found.date_format}")


def _find_currency(open_: OpenColumns) -> None:
    _take_best(open_, "currency", "currency", [c for c in open_.free if c.are_currencies])


def _find_statuses(open_: OpenColumns) -> None:
    texts = open_.of(*({"payee", "note"} & open_.by_name))
    open_.found.statuses = tuple(
        column.index for column in (*open_.free, *texts) if _is_status(column)
    )


def _is_status(column: Column) -> bool:
    """Return whether the heading names a status, or all words do and one means "not booked"."""
    if not column.filled or column.is_date or len(column.values) > _FEW:
        return False
    fit = column.fit("status")
    if column.values <= YES_OR_NO:
        return fit > 0
    known = column.values & (BOOKED | NOT_MONEY)
    if not column.is_text or fit == 2:
        return column.is_text
    return (fit > 0 and column.is_full and bool(known)) or (
        column.values == known and bool(known & NOT_MONEY)
    )


def _find_direction(open_: OpenColumns) -> None:
    """Find the column that says which way unsigned amounts go."""
    amounts = open_.of("amount")
    given = open_.user_mapping.sign or open_.user_mapping.positive
    if not amounts or amounts[0].is_signed or given:
        return
    words = [
        column
        for column in open_.free
        if column.index not in open_.found.statuses
        and column.filled
        and column.is_full
        and column.values <= DIRECTIONS.keys()
    ]
    # Prefer columns with both directions; a column with only one direction needs a fitting heading.
    words = [column for column in words if len(set(_ways(column))) == 2] or [
        column for column in words if column.fit("way")
    ]
    if words and all(_ways(column) == _ways(words[0]) for column in words):
        open_.take("sign", words[0], "each of its words says whether money comes in or goes out")
        open_.explain(*words[1:])


def _ways(column: Column) -> list[int]:
    return [DIRECTIONS[word] for word in map(folded, column.texts)]


def _find_accounts(open_: OpenColumns) -> None:
    columns = [column for column in open_.free if column.are_accounts]
    others = [
        column
        for column in columns
        if column.fit("other account") or (column.fit("payee") and column.fit("account") < 2)
    ]
    if len(others) == 1 and not open_.has("counterpartyAccount"):
        open_.take("counterpartyAccount", others[0], BY_HEADING)
    own = [c for c in columns if c in open_.free and c.fit("account") == 2 and c.is_full]
    one = [column for column in own if len(column.values) == 1]
    several = [column for column in own if column not in one]
    if open_.has("account", "accountNumber") or len(one) > 1 or len(several) > 1:
        return
    if one:
        open_.take("accountNumber", one[0], "all rows have the same one")
        if several and not open_.has("counterpartyAccount"):
            reason = f"{quoted(open_.name(one[0]))} is the account"
            open_.take("counterpartyAccount", several[0], reason)
    elif several and open_.user_mapping.account is None:
        open_.take("accountNumber", several[0], BY_HEADING)


def _find_texts(open_: OpenColumns) -> None:
    if {"payee", "note"} & open_.user_mapping.named.keys() or open_.user_mapping.no_text:
        return
    texts = [
        column
        for column in open_.free
        if column.is_text
        and column.index not in open_.found.statuses
        and not column.are_currencies
        and not column.are_accounts
        and column.fit("account") < 2
    ]
    payees = _best("payee", [c for c in texts if len(c.values) > 1]) or _best("payee", texts)
    if not open_.has("payee"):
        for column in payees if payees and payees[0].fit("payee") == 2 else payees[:1]:
            open_.take("payee", column, BY_HEADING)
    texts = [column for column in texts if column in open_.free]
    for role in ("category", "reference"):
        named = [column for column in texts if column.fit(role) == 2]
        if len(named) == 1 and len(texts) > 1 and not open_.has(role):
            open_.take(role, named[0], BY_HEADING)
            texts.remove(named[0])
    _find_note(open_, texts)


def _find_note(open_: OpenColumns, texts: Sequence[Column]) -> None:
    """Take all columns whose headings name a note or payee.

    If the file then has neither a payee nor a note, take all columns of free text.
    """
    if open_.has("note") and "note" not in open_.by_name:
        return
    named = [
        column
        for column in texts
        if column.fit("note") or (column.fit("payee") and len(column.values) > 1)
    ]
    if named and open_.has("note"):
        open_.found.columns["note"] = open_.known["note"]
    for column in named:
        open_.take("note", column, BY_HEADING)
    if not open_.has("payee", "note"):
        has_ways = any(column.is_signed for column in open_.of("amount")) or open_.has("debit")
        telling = [column for column in texts if not _is_vocabulary(column, has_ways)]
        for column in telling:
            open_.take("note", column, ONLY if len(telling) == 1 else "it is text")


def _is_vocabulary(column: Column, has_ways: bool) -> bool:
    """Return whether a column has only yes and no, or few words that may say a direction.

    has_ways: whether the amounts have directions of their own.
    """
    if column.values <= YES_OR_NO:
        return True
    is_said = column.fit("way") == 2 and len(column.values) > 1 and not has_ways
    return len(column.values) <= _FEW and (is_said or not column.values.isdisjoint(DIRECTIONS))


def find_open_columns(
    headings: Headings,
    rows: Sequence[Sequence[str]],
    known: Columns,
    user_mapping: Mapping,
    ignored: frozenset[int],
    period: str | None,
) -> Inferred:
    """Find what the columns are that options do not name; see `OpenColumns` for the arguments.

    period: the statement's days, as in 2026-01-31..2026-02-28.
    """
    open_ = OpenColumns(headings, rows, known, user_mapping, ignored)
    _find_dates(open_, period)
    for find in (
        _find_money,
        _find_currency,
        _find_statuses,
        _find_direction,
        _find_accounts,
        _find_texts,
    ):
        find(open_)
    return open_.found
