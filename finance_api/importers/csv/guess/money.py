"""Finds the columns of a table's amounts, and of the balance that changes by them."""

from collections.abc import Sequence
from itertools import combinations, permutations

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv.guess.columns import (
    BY_BALANCE,
    BY_HEADING,
    ONLY,
    Column,
    OpenColumns,
    best,
)
from finance_api.importers.csv.vocabulary import CLOSING, currency_in, named_balance
from finance_api.importers.interface import Choice

_MONEY = ("amount", "debit", "credit", "balance")
_FOREIGN = ("operation", "original", "original currency")
#: Up to this many columns of numbers are tried as amounts, or as a balance that changes by them.
_MOST_TRIED = 8


def find_money(open_: OpenColumns) -> None:
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
    named = best("amount", plain)
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
        [c for c in best(one, columns) if c.fit(one) > c.fit(other)]
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
    named = best("balance", running) or best("balance", numbers)
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
            codes = best("original currency", open_.free)
            if len(codes) == 1 and not open_.has("originalCurrencyCode"):
                open_.take("originalAmount", column, BY_HEADING)
                open_.take("originalCurrencyCode", codes[0], BY_HEADING)
            open_.explain(column)
        elif runs and column.fit("fee"):
            # The balances do not include this fee.
            open_.explain(column)
