"""Finds rows that repeat the sum of other rows, and rows that are the parts of another row."""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, combinations, groupby, product
from operator import add, itemgetter
from typing import NamedTuple

from finance_api.importers.clauses import Topic, clause
from finance_api.importers.csv.cells import text_of
from finance_api.importers.csv.vocabulary import CLOSING, OPENING, TOTAL, without_numbers
from finance_api.importers.interface import ImportRefused

#: The marks of parts, and how a cell begins that may have one, or mark a whole.
MARKS = ("-", "*")
MARKED = frozenset((*MARKS, "- ", "* ", "--"))
#: A category such as "--Split--" marks a whole.
_is_split = re.compile(r"-- ?split( transaction)? ?--", re.IGNORECASE).fullmatch


def marks_parts(text: str) -> bool:
    """Return whether a cell may mark a part of another row, or a row that has parts."""
    text = text.strip()
    return text[:2] in MARKED and (text[:2] != "--" or _is_split(text) is not None)


@dataclass
class Doubt:
    """A dated row with an amount, whose text has a word for a total.

    column, text: its text, and where it stands. is_named: whether the text says nothing else. asks:
    whether to ask about the row.
    """

    column: int
    text: str
    is_named: bool
    asks: bool


Money = Mapping[int, int]


class MoneyRow(NamedTuple):
    """A row with its amounts, each by its place."""

    line: int
    cells: list[str]
    money: Money

    @property
    def net(self) -> int:
        """What comes in, less what goes out."""
        total = 0
        for place, units in self.money.items():
            total += place * units if place else units
        return total


def chained(rows: Iterable[MoneyRow], stating: Container[int]) -> dict[int, tuple[str, list[str]]]:
    """Return line -> kind and cells of the rows that state a balance, if each is the sum of the
    balance and the rows before it; else nothing.

    stating: the lines of these rows. The kind is OPENING or CLOSING at the ends of the rows, else
    TOTAL.
    """
    chain: dict[int, list[str]] = {}
    is_one: dict[int, bool] = {}
    steps: list[tuple[int, int]] = []
    total = before = first = line = 0
    for row in rows:
        line, units = row.line, row.net
        first = first or line
        if line not in stating:
            total += units
            continue
        if chain:
            steps.append((units - before, total))
        chain[line] = row.cells
        is_one[line] = len(row.money) == 1
        before, total = units, 0
    for way, top, bottom in ((1, OPENING, CLOSING), (-1, CLOSING, OPENING)):
        if any(step for step, _ in steps) and all(step == way * of for step, of in steps):
            # A row with both a debit and a credit sums up both, the opening balance included.
            ends = {at: kind for at, kind in ((first, top), (line, bottom)) if is_one.get(at)}
            return {at: (ends.get(at, TOTAL), cells) for at, cells in chain.items()}
    return {}


def sums_in(rows: Iterable[MoneyRow], doubts: Mapping[int, Doubt]) -> Iterator[int]:
    """Yield the lines of rows that are totals: the last rows, whose text says nothing else, and
    which are the sum of at least two rows above; and rows with a debit and a credit that are the
    sums of both. Change which doubts ask: the sums of rows above, and first rows that are the sum
    of all below.
    """
    whole, before = Counter[int](), Counter[int]()
    count = start = 0
    last: list[int] = []
    both: list[int] = []
    tops: dict[int, Money] = {}
    for line, _, money in rows:
        doubt = doubts.get(line)
        if doubt is not None and not whole:
            tops[line] = money
        is_both = len(money) > 1 and all(money.values())
        if doubt is not None:
            part = {place: units - before[place] for place, units in whole.items()}
            sums = (count, whole), (count - start, part)
            if any(rows_above > 1 and is_sum(money, of) for rows_above, of in sums):
                doubt.asks = True
                last.append(line)
                both += [line] if is_both else []
                before, start = whole.copy(), count
                continue
            if is_both and not doubt.asks:
                raise ImportRefused(clause(Topic.BOTH_SIDES), line)
        last.clear()
        whole.update(money)
        count += 1
    for line, money in tops.items():
        below = {place: units - money.get(place, 0) for place, units in whole.items()}
        doubts[line].asks |= count > 2 and is_sum(money, below)
    kinds = {(d.column, without_numbers(d.text)) for d in doubts.values() if d.asks}
    for doubt in doubts.values():
        # Other months of the same kind of sum may have a single row.
        doubt.asks |= (doubt.column, without_numbers(doubt.text)) in kinds
    for line in dict.fromkeys((*both, *last)):
        if doubts[line].is_named:
            doubts[line].asks = False
            yield line


def repeated_sums(rows: Iterable[tuple[int, str, int]]) -> list[int]:
    """Return the lines of the rows of a kind, of which each is the sum of all rows since the one
    before, or of all rows above: at least two, or the last of several rows. [] if there is no such
    kind.

    rows: line, kind and money of each row.
    """
    sums: dict[str, list[int]] = {}
    others: set[str] = set()
    several: set[str] = set()
    # Kind -> index of its last row, the money of all rows up to it, and of this kind's rows.
    before: dict[str, tuple[int, int, int]] = {}
    total, index, kind = 0, 0, ""
    for index, (line, kind, units) in enumerate(rows):
        start, since, own = before.get(kind, (-1, 0, 0))
        is_total = units in (total - since, total - own)
        total += units
        before[kind] = index, total, own + units
        if units and is_total:
            sums.setdefault(kind, []).append(line)
            several |= {kind} if index - start > 2 else set()
        elif units:
            others.add(kind)
    single = kind if index > 2 else None
    found = (sums[k] for k in sums if k in several - others and (len(sums[k]) > 1 or k == single))
    return sorted(next(found, []))


def ends_in_both_sums(money: Sequence[int]) -> bool:
    """Return whether the last two rows are the sums of what comes in, and of what goes out, in the
    rows above.
    """
    above, last = money[:-2], sorted(map(abs, money[-2:]))
    both = [sum(way * units for units in above if way * units > 0) for way in (1, -1)]
    return len(above) > 2 and all(both) and sorted(both) == last


def may_have_sums(money: Sequence[int]) -> bool:
    """Return whether any row is the sum of all rows above it, or of all rows below it."""
    above, below = accumulate(money), accumulate(reversed(money))
    pairs = chain(zip(money[1:], above, strict=False), zip(money[-2::-1], below, strict=False))
    return any(units == total for units, total in pairs if units)


def parts_in(rows: Iterable[MoneyRow], column: int, mark: str) -> tuple[list[int], str]:
    """Return the lines of the marked rows, if all of them are the parts of the row above them, or
    all of the row below them: if they add up to it, and any row has several parts. Also return
    which it is, "above" or "below".
    """
    lines: list[int] = []
    above = below = True
    whole, waiting, has_several = 0, 0, False
    for is_part, run in groupby(rows, lambda r: f"{r.cells[column].strip()} "[:2] == f"{mark} "):
        if not is_part:
            beside = [row.net for row in run]
            below = below and (not waiting or waiting == beside[0])
            whole, waiting = beside[-1], 0
            continue
        parts = {row.line: row.net for row in run}
        waiting = sum(parts.values())
        above = above and waiting == whole
        if not waiting or not (above or below):
            return [], ""
        has_several |= len(parts) > 1
        lines += parts
    below = below and not waiting
    return (lines, "above" if above else "below") if has_several and (above or below) else ([], "")


#: At most this many rows of a day are compared with the row above or below them.
_MOST_PARTS = 20


def may_have_parts(rows: Iterable[tuple[object, int]]) -> bool:
    """Return whether any row is the sum of the rows of its day directly above or below it, at least
    two. rows: day and money of each row.
    """
    of_day: deque[int] = deque(maxlen=_MOST_PARTS)
    last: object = None
    for day, units in rows:
        if day != last:
            of_day.clear()
        last, above, with_this = day, 0, units
        for count, each in enumerate(reversed(of_day)):
            above += each
            if units and ((count and above == units) or (count and each == with_this)):
                return True
            with_this += each
        of_day.append(units)
    return False


def unmarked_parts(rows: Iterable[tuple[int, str, str, int]]) -> list[int]:
    """Return the lines of the rows of a kind, if all of them always add up to the row of their day
    directly above them, or always to the one below, and anywhere several do; else [].

    rows: line, day, kind and money of each row.
    """
    runs = [[*run] for _, run in groupby(rows, key=itemgetter(1, 2))]
    none = [(0, "", "", 0)]
    lines: defaultdict[str, list[int]] = defaultdict(list)
    sides: defaultdict[str, set[str]] = defaultdict(lambda: {"above", "below"})
    several = set()
    for before, run, after in zip([none, *runs], runs, [*runs[1:], none], strict=False):
        _, day, kind, _ = run[0]
        total = sum(units for *_, units in run)
        beside = ("above", before[-1]), ("below", after[0])
        sides[kind] &= {side for side, (_, d, _, u) in beside if total and (d, u) == (day, total)}
        lines[kind] += [line for line, *_ in run]
        several |= {kind} if len(run) > 1 else set()
    return next((lines[kind] for kind in lines if kind in several and sides[kind]), [])


@dataclass
class Splits:
    """Rows that are marked as split, and the rows beside them that have their day and sum.

    parts: lines of these rows. without_parts: lines of split rows that no rows beside them add up
    to. doubtful: lines of split rows with rows of another payee beside them. marks: their cells.
    """

    parts: list[int] = field(default_factory=list)
    without_parts: list[int] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)


def splits_in(
    rows: Iterable[MoneyRow], column: int, days: Sequence[int], payees: Sequence[int]
) -> Splits:
    """Return the rows that the column marks as split. days, payees: the columns with these."""
    all_ = []
    for row in rows:
        mark = _is_split(row.cells[column].strip())
        texts = text_of(row.cells, days), text_of(row.cells, payees)
        all_.append((row.line, mark.string if mark else "", *texts, row.net))
    below, above = _splits_above_parts(all_), _splits_above_parts(all_[::-1])
    return min(below, above, key=lambda found: len(found.without_parts))


def _splits_above_parts(rows: Iterable[tuple[int, str, str, str, int]]) -> Splits:
    """rows: line, mark, day, payee and money of each row."""
    found = Splits()
    parts: list[int] = []
    left, is_open, is_doubtful, of = 0, False, False, ("", "")
    for line, mark, day, payee, units in rows:
        if mark:
            left, is_open, is_doubtful, of, parts = units, units != 0, False, (day, payee), []
            if is_open:
                found.without_parts.append(line)
                found.marks.append(mark)
        elif is_open and day == of[0]:
            left -= units
            parts.append(line)
            is_doubtful |= payee not in ("", of[1])
            if not left and len(parts) > 1:
                is_open = False
                whole = found.without_parts.pop()
                found.parts += parts
                found.doubtful += [whole] if is_doubtful else []
        else:
            is_open = False
    return found


#: A kind of rows that are not transactions has at most this many in an account.
_MOST_OF_KIND = 3


class Kind:
    """The rows of an account that have the same word in a column.

    first, last: the places of its first and last row. money: what comes in, and what goes out.
    few: its first rows. has_text: whether any row has a text.
    """

    def __init__(self, place: int) -> None:
        self.first = place
        self.last = self.count = 0
        self.money = [0, 0]
        self.few: list[MoneyRow] = []
        self.has_text = False

    def __add__(self, other: "Kind") -> "Kind":
        both = Kind(min(self.first, other.first))
        both.last, both.count = max(self.last, other.last), self.count + other.count
        both.money = [*map(add, self.money, other.money)]
        both.has_text = self.has_text or other.has_text
        return both

    def add(self, place: int, row: MoneyRow, *, has_text: bool) -> None:
        self.last = place
        self.count += 1
        self.money[row.net < 0] += abs(row.net)
        self.has_text |= has_text
        if len(self.few) <= _MOST_OF_KIND:
            self.few.append(row)

    def is_of(self, lines: Container[int]) -> bool:
        return all(row.line in lines for row in self.few)

    def is_beside(self, other: "Kind") -> bool:
        """Return whether these few rows are all above the other ones, or all below."""
        return self.count <= _MOST_OF_KIND and (self.last < other.first or other.last < self.first)


def moving(kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    """Return the kinds that may change a balance: not those between others without any money."""
    first = min(kind.first for kind in kinds.values())
    last = max(kind.last for kind in kinds.values())
    return {
        word: kind
        for word, kind in kinds.items()
        if any(kind.money) or first == kind.first or last == kind.last
    }


def roles_in(kinds: Mapping[str, Kind]) -> list[dict[str, str]]:
    """Return word -> OPENING, CLOSING or TOTAL for the kinds of rows that are not transactions, in
    each way in which opening balance and transactions make the closing balance, and all other rows
    are sums of the transactions.
    """
    found, has_money = [], False
    # A kind of rows without money changes nothing.
    moving = [each for each, kind in kinds.items() if any(kind.money)]
    some = chain.from_iterable(combinations(moving, count) for count in range(1, len(kinds) - 1))
    for words in some:
        kind = sum((kinds[each] for each in words[1:]), kinds[words[0]])
        others = {each: other for each, other in kinds.items() if each not in words}
        has_texts = kind.has_text and not any(other.has_text for other in others.values())
        is_proof = kind.count > 1 or has_texts
        if not is_proof or not all(other.is_beside(kind) for other in others.values()):
            continue
        into, out = kind.money
        net_, sums = into - out, Counter((into, out, abs(into - out)))
        ends = [each for each, other in others.items() if other.count == 1]
        for opening, closing in product(ends, repeat=2):
            before, after = (others[each] for each in (opening, closing))
            is_between = (before.first < kind.first) != (after.first < kind.first)
            totals = [each for each in others if each not in (opening, closing)]
            if (
                is_between
                and before.few[0].net + net_ == after.few[0].net
                # Each sum is stated once by rows of a kind.
                and all(
                    Counter(abs(row.net) for row in others[each].few) <= sums for each in totals
                )
            ):
                has_money |= bool(net_ or after.few[0].net)
                found.append({**dict.fromkeys(totals, TOTAL), opening: OPENING, closing: CLOSING})
    return found if has_money else []


def is_sum(money: Money, of: Money) -> bool:
    """Return whether amounts are the sums of their columns, or one is the sum of all."""
    sizes = {abs(units) for units in money.values()}
    ways = {abs(sum(of.values())), abs(of.get(1, 0) - of.get(-1, 0))}
    return sizes != {0} and (
        all(abs(units) == abs(of.get(place, 0)) for place, units in money.items())
        or (len(money) == 1 and sizes <= ways)
    )
