"""Finds the columns of money: the amount or its two sides, the balance, and what adds nothing."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, compress, groupby, permutations, product
from operator import itemgetter

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv.balances import orders_of
from finance_api.importers.csv.guess.column import BY_HEADING, NETS, ONLY, Column, OpenColumns, best
from finance_api.importers.csv.vocabulary import (
    CLOSING,
    currency_in,
    looks_like_card,
    named_balance,
)
from finance_api.importers.interface import Choice, currency_code

#: Field -> which way its amounts go; 0: as their signs say.
_WAYS = {"amount": 0, "debit": -1, "credit": 1}
_MONEY = tuple(_WAYS)
_FOREIGN = ("operation", "original", "original currency")
_OF_OPERATION = ("amount", "original", "own")
_OTHERS = ("balance", "fee", "rate", "limit")
#: Up to this many columns of numbers are tried as amounts, or as a balance that changes by them.
_MOST_TRIED = 8
_TWO = "of two amounts, one is the account's own money, the other that of the operation"
_BY_BALANCE = "the balances follow from it"


def find_money(open_: OpenColumns) -> None:
    all_ = [c for c in open_.free if c.is_number and (c.has_decimals or not c.fit("account"))]
    numbers = [column for column in all_ if not (column.fit("rate") or column.fit("limit"))]
    shares = [column for column in open_.all if column.fit("quantity") == 2 and column.filled]
    of_shares = [c for c in shares if c.fit("amount") < 2]
    others = [c for c in numbers if c.fit("price") < 2 and c not in of_shares]
    money = [column for column in (*others, *open_.of("amount")) if column.fit("amount") == 2]
    if shares and money:
        # If only the value has signs, it may be the amount.
        has_signs = any(column.is_signed for column in money)
        numbers = [c for c in numbers if c in others or (c.is_signed and not has_signs)]
    open_.explain(*(column for column in all_ if column not in numbers))
    if any(column.has_decimals for column in numbers):
        # Numbers without decimals are counts and ids, unless the whole heading names money.
        named = (*_MONEY, "balance", "fee")
        numbers = [c for c in numbers if c.has_decimals or max(map(c.fit, named)) == 2]
    own = open_.named("amount")
    if own and (all(_sides(numbers)) or _signed_copies(own[0], numbers)):
        open_.release("amount", "currency")
        numbers = [*own, *numbers]
    _find_net(open_, [*open_.named("amount"), *numbers][:_MOST_TRIED])
    if not _find_own(open_) and not open_.has("amount", "debit") and numbers:
        _find_amounts(open_, numbers)
    spent = [column for column in open_.of("amount") if column.fit("spent") == 2]
    if spent and sum((units or 0) < 0 for units in spent[0].numbers) * 2 < len(spent[0].filled):
        open_.positive = "out"
    if open_.has("amount", "debit"):
        _find_balance(open_, [column for column in numbers if column in open_.free])
        _find_others(open_, [column for column in numbers if column in open_.free])


def _find_net(open_: OpenColumns, numbers: Sequence[Column]) -> None:
    """Take the amount that is always another one less a fee: what the fee lowers comes in."""
    signed = [column for column in numbers if column.is_signed and column.fit("amount")]
    fees = [column for column in numbers if column.fit("fee") and not column.is_zero]
    found = [
        (net, gross, fee)
        for (net, gross), fee in product(permutations(signed, 2), fees)
        if all((n or 0) == (g or 0) - _size([f]) for n, g, f in _rows(net, gross, fee))
    ]
    if len(found) == 1 and not (open_.user_mapping.named.keys() & {"amount", "debit"}):
        open_.release("amount")
        net, gross, fee = found[0]
        open_.take("amount", net, "it is another amount less the fee")
        open_.explain(gross, fee)
        open_.positive = "in"


def _find_amounts(open_: OpenColumns, numbers: Sequence[Column]) -> None:
    blank = [column for column in open_.free if not column.filled]
    plain = [column for column in numbers if not _is_other(column)]
    debits, credits_ = _sides([*plain, *blank])
    if len(debits) > len(credits_) > 0:
        # "Charges" beside two sides are fees.
        debits = [column for column in debits if not column.fit("fee")] or debits
    plain = [column for column in plain if column not in (*debits, *credits_)]
    named = best("amount", plain)
    partners = [column for column in (debits or credits_) if column.filled]
    is_alone = len(partners) == len(debits + credits_) == 1
    # The missing side is the column that has money where the known side has none.
    turns = [column for column in plain if is_alone and _take_turns(partners[0], column)]
    if len(turns) == 1:
        debits, credits_ = (debits or turns), (credits_ or turns)
        named = [column for column in named if column not in turns]
    # A column of the other side may have amounts that cannot be read.
    opposite = [c for c in open_.free if c.fit("credit" if debits else "debit")]
    if len(debits) == len(credits_) == 1 and (debits[0].filled or credits_[0].filled):
        _take_sides(open_, debits[0], credits_[0], named)
    elif len(debits) == len(credits_) > 1 and not named:
        _take_pair(open_, list(zip(debits, credits_, strict=True)))
    elif is_alone and not plain and not opposite:
        _take_side(open_, partners[0], "out" if debits else "in")
    elif not _take_running(open_, numbers, named):
        if len(named) == 1:
            # An unknown heading may have the same amounts with signs.
            named += _signed_copies(named[0], [c for c in plain if c not in named])
        named = _without_copies(open_, _in_own_currency(open_, named))
        others = named or plain
        if len(named) == 1 or (len(others) == 1 and not debits + credits_):
            open_.take("amount", others[0], BY_HEADING if named else ONLY)
        elif others and (named or not debits + credits_):
            offered = [*others, *(column for column in plain if column not in others)]
            pairs = [pair for pair in combinations(offered, 2) if _are_sides(*pair)]
            sides = [pair for each in pairs for pair in permutations(each)]
            readings = [[("debit", a), ("credit", b)] for a, b in sides]
            readings += [[("amount", each)] for each in offered if each.is_full or not pairs]
            open_.ask("amount", Topic.AMOUNT_COLUMNS, *readings)


def _sides(columns: Sequence[Column]) -> list[list[Column]]:
    """Return the columns of money going out, and of money coming in, judging by their headings."""
    columns = [column for column in columns if not column.fit("way") and column.fit("amount") < 2]
    return [
        [c for c in best(one, columns) if c.fit(one) > c.fit(other)]
        for one, other in (("debit", "credit"), ("credit", "debit"))
    ]


def _take_running(open_: OpenColumns, numbers: Sequence[Column], named: Sequence[Column]) -> bool:
    """Take the columns by which a balance changes; return whether any were taken.

    Takes none if exactly one heading names the amount, or if several choices are possible.
    """
    tried = numbers[:_MOST_TRIED]
    if len(named) == 1:
        return False
    turns = (pair for pair in permutations(named or tried, 2) if _take_turns(*pair))
    triples = ((out, in_, balance) for out, in_ in turns for balance in tried)
    sides = {
        (out, in_): balance
        for out, in_, balance in triples
        if _follows(balance, _moved((in_, 1), (out, -1)))
    }
    likely = [column for column in named or tried if not _is_other(column)]
    pairs = permutations(tried, 2)
    running = {amount for amount, b in pairs if amount in likely and _runs([amount], b)}
    if len(sides) == 1:
        ((debit, credit), balance) = sides.popitem()
        own = ("debit", debit), ("credit", credit)
        if _may_be_owed(open_, debit, credit):
            owed = ("debit", credit), ("credit", debit), ("balance", balance)
            open_.ask(
                "amount",
                Topic.AMOUNT_COLUMNS,
                own,
                owed,
                columns=tuple(map(open_.name, (debit, credit))),
            )
            return True
        open_.take_all(own, _BY_BALANCE)
    elif len(running) == 1:
        open_.take("amount", running.pop(), _BY_BALANCE)
    return open_.has("amount", "debit")


def _may_be_owed(open_: OpenColumns, debit: Column, credit: Column) -> bool:
    """Return whether a balance that falls by ``debit`` may be what is owed on a card: it may rise
    where money goes out. Most banks write what goes out first.
    """
    rows = list(zip(open_.sample, _rows(credit, debit), strict=True))
    sides = [[cells for cells, amounts in rows if amounts[place]] for place in (0, 1)]
    is_turned = open_.table.headings is None and debit.index > credit.index
    return is_turned or looks_like_card(open_.user_mapping.account or "", *sides)


def _take_sides(open_: OpenColumns, debit: Column, credit: Column, named: Sequence[Column]) -> None:
    """Take both sides; or the amount that repeats them, if its signs are theirs. Ask if it does
    not repeat them.
    """
    amount = named[0] if len(named) == 1 and not _runs([debit, credit], named[0]) else None
    sides = ("debit", debit), ("credit", credit)
    codes = sorted(_codes(open_), key=lambda column: len(column.values))
    if amount and len(codes) == 2 and _differ_by_currency(codes, [amount], [debit, credit]):
        # The amounts are those of the operations, as on cards.
        roles = "currency", "originalAmount", "originalCurrencyCode"
        open_.take_all((*sides, *zip(roles, (codes[0], amount, codes[1]), strict=True)))
    elif amount is not None and not _agree(amount, debit, credit):
        names = {name: open_.name(column) for name, column in (("amount", amount), *sides)}
        open_.ask("amount", Topic.AMOUNT_OR_SIDES, sides, [("amount", amount)], **names)
    elif amount is not None and amount.is_signed and _is_net(amount, credit, debit):
        open_.take("amount", amount)
        open_.positive = "in"
        open_.explain(debit, credit, like=[amount])
    else:
        if amount is not None:
            open_.explain(amount, like=[debit, credit])
        open_.take_all(sides)


def _take_side(open_: OpenColumns, side: Column, way: str) -> None:
    """Take a side without the other one; if some of its amounts have a minus, ask what it means."""
    open_.take("amount", side)
    if not side.is_signed:
        open_.positive = way
    elif open_.user_mapping.positive is None:
        out = Choice({"positive": "out"}, clause(Says.POSITIVE_OUT))
        in_ = Choice({"positive": "in"}, clause(Says.POSITIVE_IN))
        choices = (out, in_) if way == "out" else (in_, out)
        fact = clause(Topic.SIDE_WITH_SIGNS, column=open_.name(side))
        open_.questions.ask(fact, *choices, line=open_.headings.line)


def _take_pair(open_: OpenColumns, pairs: Sequence[tuple[Column, Column]]) -> None:
    """Take one of several pairs of debit and credit: the first, if all are equal, or the only one
    that a balance follows; else ask.
    """
    followed = [
        pair
        for pair in pairs
        if any(_follows(c, _moved((pair[0], -1), (pair[1], 1))) for c in open_.free)
    ]
    if all([*_rows(*pair)] == [*_rows(*pairs[0])] for pair in pairs):
        _take_sides(open_, *pairs[0], ())
        for pair in pairs[1:]:
            open_.explain(*pair, like=pairs[0])
    elif len(followed) == 1:
        _take_sides(open_, *followed[0], ())
        codes = _codes(open_)
        if len(codes) == len(pairs):
            open_.take("currency", codes[pairs.index(followed[0])])
        open_.explain(*(column for pair in pairs for column in pair if pair not in followed))
    else:
        readings = ([("debit", debit), ("credit", credit)] for debit, credit in pairs)
        open_.ask("amount", Topic.PAIRS, *readings)


def _codes(open_: OpenColumns) -> list[Column]:
    """Return the columns that have a currency in each row."""
    return [column for column in open_.free if column.are_currencies and column.is_full]


def _without_copies(open_: OpenColumns, columns: list[Column]) -> list[Column]:
    """Return the columns without those that repeat another one, perhaps without its signs."""
    kept: list[Column] = []
    for column in sorted(columns, key=lambda column: not column.is_signed):
        copied = [each for each in kept if _agree(column, each)]
        copied = [c for c in copied if not column.is_signed or column.numbers == c.numbers]
        if copied:
            open_.explain(column, like=copied[:1])
        else:
            kept.append(column)
    return [column for column in columns if column in kept]


def _in_own_currency(open_: OpenColumns, columns: list[Column]) -> list[Column]:
    """Return only the column whose heading states the user's currency, if others state others, and
    have money in the same rows.
    """
    codes = [currency_in(column.heading) for column in columns]
    if None in codes or codes.count(open_.user_mapping.currency) != 1:
        return columns
    own = columns[codes.index(open_.user_mapping.currency)]
    if not all(_have_both(_size([a]), _size([b])) for c in columns for a, b in _rows(own, c)):
        return columns
    for column in columns:
        if column is not own:
            open_.explain(column, like=[own], repeats=[_have_both])
    return [own]


def _is_other(column: Column) -> bool:
    """Return whether the heading names money other than the row's amount, such as a balance."""
    return column.fit("amount") < 2 and any(map(column.fit, ("balance", "fee", "original")))


def _find_own(open_: OpenColumns) -> bool:
    """Take the amount in the account's currency, if that of the operation stands beside it.

    Returns whether there are such columns; asks if it is not clear which are the account's.
    """
    by_name = open_.named("amount", "currency")
    others = open_.known.keys() - open_.by_name
    if not {"amount", "debit", "currency", "sign"}.isdisjoint(others):
        return False
    columns = sorted([*open_.free, *by_name], key=lambda column: column.index)
    codes = [column for column in columns if column.are_currencies and column.is_full]
    amounts = [c for c in columns if c.is_full and c.is_number and any(map(c.fit, _OF_OPERATION))]
    amounts = [c for c in amounts if not (c.is_zero or any(map(c.fit, _OTHERS)))]
    amounts = [c for c in amounts if c.has_decimals or c.fit("account") < 2]
    if len(amounts) != 2 or open_.user_mapping.unmapped & {"currency", "amount"}:
        return False
    if len(codes) == 1:
        return _find_original(open_, amounts, codes[0])
    if len(codes) != 2 or not _differ_by_currency(codes, amounts[:1], amounts[1:]):
        return False
    open_.release("amount", "currency")
    pairs = list(zip(amounts, codes, strict=True))
    evidence = {pair: _is_own(pair, open_.user_mapping.currency) for pair in pairs}
    pairs.sort(key=evidence.__getitem__, reverse=True)
    roles = "amount", "currency", "originalAmount", "originalCurrencyCode"
    readings = [list(zip(roles, (*a, *b), strict=True)) for a, b in permutations(pairs)]
    if len({*evidence.values()}) == 1:
        names = tuple(open_.name(amount) for amount, _ in pairs)
        open_.ask("amount", Topic.OWN_AMOUNT, *readings, columns=names)
    else:
        open_.take_all(readings[0], _TWO)
    return True


def _find_original(open_: OpenColumns, amounts: Sequence[Column], codes: Column) -> bool:
    """Take two amounts and the only currencies, if these are those of the original amounts: if
    nothing says which are, ask. Return whether they may be.
    """
    orders = list(permutations(amounts))
    clear = [(a, b) for a, b in orders if a.fit("own") or _settles(open_, a, b, codes)]
    clear = clear if len(clear) == 1 < len(codes.values) else []
    possible = clear or [(a, b) for a, b in orders if _may_be_original(a, b, codes)]
    if not possible:
        return False
    open_.release("amount", "currency")
    own, original = possible[0]
    reading = [("amount", own), ("originalAmount", original), ("originalCurrencyCode", codes)]
    equal, _ = _by_equality(own, original, codes)
    if clear:
        open_.take_all(reading, _TWO)
    elif equal and open_.user_mapping.currency in (None, *equal):
        (open_.currency,) = equal
        open_.take_all(reading, _TWO)
    else:
        of_own = [("amount", own), ("currency", codes)]
        names = tuple(map(open_.name, (own, original)))
        open_.ask("amount", Topic.OWN_AMOUNT, reading, of_own, columns=names)
    return True


def _may_be_original(own: Column, original: Column, codes: Column) -> bool:
    """Return whether the only currencies may be those of the original amounts: no currency has
    both rows in which the amounts are equal and rows in which they differ.
    """
    if not original.fit("original") or own.fit("original") or codes.fit("original currency"):
        return False
    if any(column.fit("own") for column in (own, original, codes)):
        return False
    equal, others = _by_equality(own, original, codes)
    is_open = currency_in(own.heading) not in others and equal.isdisjoint(others)
    return is_open and bool(others) and len(equal) < 2


def _by_equality(own: Column, original: Column, codes: Column) -> tuple[set[str], set[str]]:
    """Return the currencies of rows with equal amounts, and those of the other rows."""
    found: tuple[set[str], set[str]] = set(), set()
    for (one, other), code in zip(_rows(own, original), codes.texts, strict=True):
        if one or other:
            found[_size([one]) != _size([other])].add(currency_code(code))
    return found


def _is_own(pair: tuple[Column, Column], currency: str | None) -> tuple[bool, ...]:
    """Return what shows that an amount and its currency are the account's, the best first."""
    own = any(column.fit("own") for column in pair)
    foreign = any(max(map(column.fit, _FOREIGN)) for column in pair)
    codes = {text.upper() for text in pair[-1].filled}
    return own or not foreign, own and not foreign, codes == {currency}, len(codes) == 1


def _differ_by_currency(
    codes: Sequence[Column], one: Sequence[Column], other: Sequence[Column]
) -> bool:
    """Return whether money is equal in the rows with equal currencies, and only some are."""
    are_same = [first == second for first, second in zip(*(c.texts for c in codes), strict=True)]
    rows = zip(_rows(*one), _rows(*other), are_same, strict=True)
    are_equal = all(_size(a) == _size(b) for a, b, is_same in rows if is_same)
    return are_equal and not all(are_same)


def _settles(open_: OpenColumns, own: Column, original: Column, codes: Column) -> bool:
    """Return whether ``own`` states the account's currency, and rows in this currency have the same
    amount in both columns.
    """
    currency = currency_in(own.heading)
    is_own = currency is not None and open_.user_mapping.currency in (None, currency)
    return is_own and currency not in _by_equality(own, original, codes)[1]


def _find_balance(open_: OpenColumns, numbers: Sequence[Column]) -> None:
    if open_.has("balance"):
        return
    money = open_.of(*_MONEY)
    are_whole = not any(column.has_decimals for column in money)
    running = [c for c in numbers if (c.has_decimals or are_whole) and _runs(money, c)]
    available = [column for column in numbers if column.fit("available")]
    own = [column for column in numbers if column not in available]
    if any(column in running or column.fit("balance") == 2 for column in own):
        open_.explain(*available)
        numbers, running = own, [column for column in running if column in own]
    balances = [c for c in numbers if c in running or named_balance(c.heading)]
    pairs = [pair for pair in combinations(balances, 2) if _span(money, *pair)]
    if len(pairs) == 1:
        # The balances before and after each row; either may be read.
        before, after = sorted(pairs[0], key=lambda c: named_balance(c.heading) == CLOSING)
        open_.explain(before)
        open_.take("balance", after, "it is the balance of another column and the amount")
        return
    of_days = [c for c in numbers if c not in running and c.fit("balance") and _ends_days(open_, c)]
    open_.explain(*of_days)
    # A balance that never changes is not one of each row.
    numbers = [c for c in numbers if c not in of_days]
    numbers = [c for c in numbers if len(c.values) > 1 or len(c.filled) < 2]
    named = _without_copies(open_, best("balance", running) or best("balance", numbers))
    if len(named) == 1 and (named[0] in running or named[0].fit("balance") == 2):
        open_.take("balance", named[0])
    elif len(running) == 1:
        open_.take("balance", running[0], "each balance follows from the one before and the amount")


def _find_others(open_: OpenColumns, numbers: Sequence[Column]) -> None:
    """Mark columns of money that add nothing to the amount; `unread` asks about the others."""
    money, balance = open_.of(*_MONEY), open_.of("balance")
    runs = bool(balance) and _runs(money, balance[0])
    fees = best("fee", numbers) if balance and not runs else []
    fees = [column for column in fees if _follows(balance[0], _moved(*_ways(open_), (column, -1)))]
    if len(fees) == 1:
        open_.take("fee", fees[0], "the balances follow only with it")
    sides = [column for column in numbers if column.fit("debit") or column.fit("credit")]
    if len(sides) == 2 and _agree(money[0], *sides):
        # These two columns repeat the amounts.
        open_.explain(*sides, like=money[:1])
    for one, other in combinations(numbers, 2):
        rows = [[each or 0 for each in row] for row in _rows(money[0], one, other)]
        # Without signs, columns that take turns may say which way money goes.
        has_both = money[0].is_signed or any(a and b for _, a, b in rows)
        if has_both and all(units == a + b for units, a, b in rows):
            # The amount is the sum of these.
            open_.explain(one, other)
    for column in numbers:
        if column.index in open_.explained or column not in open_.free:
            continue
        # If balances follow from the amounts, they do not include a fee beside them. The first or
        # the last row is not compared.
        is_apart = runs and column.fit("fee") and any(column.numbers[1:-1])
        copied = next((each for each in ([], money, balance) if _agree(column, *each)), None)
        is_original = column.fit("original") and not open_.has("originalAmount")
        if copied is not None or is_original or is_apart:
            open_.explain(column, like=None if is_original or is_apart else copied)
        codes = best("original currency", open_.free)
        has_code = len(codes) == 1 and not open_.has("originalCurrencyCode")
        if is_original and has_code and copied is None:
            open_.take("originalAmount", column)
            open_.take("originalCurrencyCode", codes[0])


def _rows(*columns: Column) -> Iterator[tuple[int | None, ...]]:
    return zip(*(column.numbers for column in columns), strict=True)


def _size(units: Iterable[int | None]) -> int:
    return sum(abs(each or 0) for each in units)


def _have_both(one: int, other: int) -> bool:
    return bool(one) == bool(other)


def _runs(amounts: Sequence[Column], balance: Column) -> bool:
    """Return whether the balance changes by the size of each row's amount."""
    rows = [row for row in _rows(balance, *amounts) if any(each is not None for each in row[1:])]
    found = [(0, _size(sizes), after) for after, *sizes in rows if after is not None]
    return len(found) > 2 and len({size for _, size, _ in found}) > 1 and bool(orders_of(found))


def runs_through(open_: OpenColumns, rows: Sequence[bool]) -> bool:
    """Return whether the balance changes by the size of each row's amount, also in these rows."""
    money, balance = open_.of(*_MONEY), open_.of("balance")
    if not balance or not any(rows) or not _runs(money, balance[0]):
        return False
    return None not in compress(balance[0].numbers, rows)


def moved_by(open_: OpenColumns) -> Iterator[tuple[Sequence[str], int]]:
    """Yield the cells of all rows, each with its money."""
    ways = _ways(open_)
    columns = [column.index for column, _ in ways]
    for _, cells in open_.table.fitting_rows():
        yield cells, _net(ways, open_.numbers(cells, columns))


def _follows(balance: Column, moved: Iterable[int]) -> bool:
    """Return whether the balance changes by the money of each row."""
    rows = zip(moved, balance.numbers, strict=True)
    found = [(0, units, after) for units, after in rows if after is not None]
    return len(found) > 2 and bool(orders_of(found, int))


def _ways(open_: OpenColumns) -> list[tuple[Column, int]]:
    return [(column, way) for name, way in _WAYS.items() for column in open_.of(name)]


def _moved(*ways: tuple[Column, int]) -> Iterator[int]:
    """Yield the money of each row. ways: columns, and as in `_WAYS`."""
    for units in _rows(*(column for column, _ in ways)):
        yield _net(ways, [each or 0 for each in units])


def _net(ways: Iterable[tuple[Column, int]], units: Iterable[int]) -> int:
    pairs = zip(ways, units, strict=True)
    return sum(way * abs(each) if way else each for (_, way), each in pairs)


def _ends_days(open_: OpenColumns, balance: Column) -> bool:
    """Return whether all rows of a day have one balance, which changes by the money of them all."""
    days = [column.texts for column in open_.of("recordDate")]
    found, most = [], 0
    all_ = zip(*days, _moved(*_ways(open_)), balance.numbers, strict=True)
    for _, rows in groupby(all_, key=itemgetter(*range(len(days)))) if days else ():
        *_, moved, after = zip(*rows, strict=True)
        if len({*after}) > 1 or after[0] is None:
            return False
        found.append((0, sum(moved), after[0]))
        most = max(most, sum(map(bool, moved)))
    return len(found) > 2 and most > 1 and bool(orders_of(found, int))


def _take_turns(one: Column, other: Column) -> bool:
    """Return whether both columns have money, but never in the same row."""
    filled = {(bool(a), bool(b)) for a, b in _rows(one, other)} - {(False, False)}
    return filled == {(True, False), (False, True)}


def _are_sides(one: Column, other: Column) -> bool:
    """Return whether two columns of one currency may be what goes out and what comes in."""
    codes = {currency_in(column.heading) for column in (one, other)}
    return len(codes) == 1 and _take_turns(one, other)


def _agree(one: Column, *others: Column) -> bool:
    """Return whether ``one`` is the sum of ``others`` in each row, all without signs."""
    return all(_size([a]) == _size(rest) for a, *rest in _rows(one, *others))


def _signed_copies(amount: Column, columns: Iterable[Column]) -> list[Column]:
    """Return the columns with the sizes of an amount without signs, and with signs."""
    columns = [] if amount.is_signed else columns
    return [column for column in columns if column.is_signed and _agree(column, amount)]


def _is_net(amount: Column, credit: Column, debit: Column) -> bool:
    """Return whether the amount is what comes in less what goes out."""
    rows = [tuple(each or 0 for each in row) for row in _rows(amount, credit, debit)]
    return any(all(net(in_, out) == units for units, in_, out in rows) for net in NETS)


def _span(money: Sequence[Column], before: Column, after: Column) -> bool:
    """Return whether two columns always differ by the amounts, all without signs."""
    return all(
        one is not None and other is not None and abs(other - one) == _size(rest)
        for one, other, *rest in _rows(before, after, *money)
    )
