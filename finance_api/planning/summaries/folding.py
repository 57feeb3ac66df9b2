"""Folds the storage's sums into groups by the dimensions of a summary; sorts and fills them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from operator import itemgetter
from typing import Any, cast

from finance_api.planning.conversion import converted_field, no_rate
from finance_api.planning.flows import is_received
from finance_api.planning.summaries.declaration import Dimension, SummaryQuery
from finance_api.planning.summaries.reading import Converted, SummaryReader, Sums, check_groups
from finance_api.query.evaluate import in_order, matches
from finance_api.query.model import RANGES, Operator
from finance_api.resources.common import INCOME
from finance_api.resources.field import names_of
from finance_api.resources.records import RECEIVED, SPENT
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import RecordSum, Storage
from finance_api.values import Row
from finance_api.values.time import MAX_SECONDS, MIN_SECONDS, Period, end_of, start_of


@dataclass(frozen=True)
class Summary:
    """A page of the groups: rows of the query's columns.

    left_out: the number of records that met the conditions but were left out, by reason.
    overlapping: whether any record belongs to several groups.
    not_converted: by currency, the days without a rate, one entry for each record.
    is_empty: whether no record is in any group.
    """

    groups: list[Row]
    has_more: bool
    left_out: dict[str, int]
    overlapping: bool
    not_converted: dict[str, list[int]]
    is_empty: bool


#: The currency and a value of each dimension: an id, a text or the first second of a period.
GroupKey = tuple[Any, ...]


@dataclass(slots=True)
class _Group:
    """A group's sums. first, last: None if it has no records."""

    count: int = 0
    income: int = 0
    expense: int = 0
    received: int = 0
    first: int | None = None
    last: int | None = None
    converted_count: int = 0
    converted_income: int = 0
    converted_expense: int = 0
    converted_received: int = 0

    def add(
        self, sums: RecordSum, converted: Converted, *, is_income: bool, received: bool
    ) -> None:
        self.count += sums.number
        self.converted_count += converted[1]
        if is_income:
            self.income += sums.amount
            self.converted_income += converted[0]
        else:
            self.expense += sums.amount
            self.converted_expense += converted[0]
        if received:
            self.received += sums.amount
            self.converted_received += converted[0]
        self.first = sums.first if self.first is None else min(self.first, sums.first)
        self.last = sums.last if self.last is None else max(self.last, sums.last)


_Groups = dict[GroupKey, _Group]


def summarize(storage: Storage, user_id: int, query: SummaryQuery) -> Summary:
    """Return the page of groups that the query asks for. Raises SummaryTooLarge."""
    reader = SummaryReader(storage, user_id, query)
    folder = _Folder(reader, query)
    end = query.offset + query.limit
    groups: list[tuple[GroupKey, _Group]] = []
    for sums in reader.read():
        folded = folder.fold(sums)
        groups += folder.sort(folder.fill(folded) if query.fill else folded)
        check_groups(len(groups))
        if len(groups) > end:
            break
    if query.sort:
        rows = in_order([folder.row(*group) for group in in_time(groups)], query.sort)
        page = rows[query.offset : end]
    else:
        page = [folder.row(*group) for group in groups[query.offset : end]]
    not_converted = dict(sorted(reader.not_converted.items()))
    is_empty = not any(group.count for _, group in groups)
    has_more, overlapping = len(groups) > end, folder.overlapping
    return Summary(page, has_more, reader.left_out, overlapping, not_converted, is_empty)


class _Folder:
    """Makes groups of sums. overlapping: whether any record so far belongs to several groups."""

    def __init__(self, reader: SummaryReader, query: SummaryQuery) -> None:
        self._reader = reader
        self._query = query
        self._columns = names_of(query.columns)
        self.overlapping = False
        #: For each dimension, a function that returns a value's part of a row.
        self._members: list[Callable[[Any], Row]] = [
            cache(partial(self._members_of, dimension)) for dimension in query.group_by
        ]

    def _members_of(self, dimension: Dimension, value: Any) -> Row:
        shown = self._reader.shown(dimension, value)
        return dict(zip(names_of(dimension.fields), shown, strict=True))

    def fold(self, found: Sums) -> _Groups:
        names = self._query.names
        type_at = names.index("recordType")
        category_at = names.index("categoryId") if self._query.by_flow else None
        dimensions = [
            (names.index(dimension.source), cache(partial(self._reader.values, dimension)))
            for dimension in self._query.group_by
        ]
        groups: defaultdict[GroupKey, _Group] = defaultdict(_Group)
        for key, sums in in_time(found):
            of_record: list[GroupKey] = [(key[0],)]
            for place, values_of in dimensions:
                values = values_of(key[place])
                of_record = [(*group, value) for group in of_record for value in values]
            self.overlapping |= len(of_record) > 1
            converted = self._reader.converted(key, sums)
            is_income = key[type_at] == INCOME
            received = is_income
            if category_at is not None:
                received = is_received(self._reader.kind_of(key[category_at]), key[type_at])
            for group in of_record:
                groups[group].add(sums, converted, is_income=is_income, received=received)
            check_groups(len(groups))
        return dict(groups)

    def sort(self, groups: _Groups) -> list[tuple[GroupKey, _Group]]:
        orders = [cache(partial(self._reader.order, each)) for each in self._query.group_by]

        def order(key: GroupKey) -> GroupKey:
            currency, *values = key
            return currency, *[of(value) for of, value in zip(orders, values, strict=True)]

        keyed = [(order(group[0]), group) for group in in_time(groups.items())]
        return [group for _, group in sorted(keyed, key=itemgetter(0))]

    def fill(self, groups: _Groups) -> _Groups:
        """Add an empty group for each period without records, from the first period to the last."""
        places = [at + 1 for at, _ in self._query.periods]
        blank = [None] * len(places)
        others = {_replaced(key, places, blank) for key in groups or self._empty_keys()}
        if not others:
            return groups
        empty: _Groups = {}
        for starts in in_time(self._asked_periods(groups)):
            empty |= {_replaced(key, places, starts): _Group() for key in others}
            check_groups(len(empty))
        return empty | groups

    def _empty_keys(self) -> list[GroupKey]:
        """Return keys for groups without records, in the currencies that the conditions name.

        Without any, uses the user's base currency, or else the currency of the most accounts.
        """
        codes = [row["currencyCode"] for row in self._reader.accounts.values()]
        usual = max(sorted(set(codes)), key=codes.count, default=None)
        on_currency = [c for c in self._reader.conditions if c.field.name == "currencyCode"]
        asked = {
            code
            for condition in on_currency
            if condition.operator is Operator.ANY_OF
            for code in cast("tuple[str, ...]", condition.operand)
            if matches({"currencyCode": code}, on_currency)
        }
        blank = (None,) * len(self._query.group_by)
        base: str | None = self._query.base_currency or usual
        codes = sorted(asked) or ([] if base is None else [base])
        return [(code, *blank) for code in codes]

    def _asked_periods(self, groups: _Groups) -> Iterator[tuple[int, ...]]:
        """Yield the first seconds of the periods to fill.

        An end without a date condition is the first or last record; without records, today.
        """
        periods = [period for _, period in self._query.periods]
        if not periods:
            yield ()
            return
        firsts = [group.first for group in groups.values() if group.first is not None]
        lasts = [group.last for group in groups.values() if group.last is not None]
        at, last = MIN_SECONDS, MAX_SECONDS
        for condition in self._reader.conditions:
            if condition.field.name == "recordDate" and condition.operator in RANGES:
                low, high = condition.bounds() or (at, last)
                at, last = max(at, low), min(last, high)
        today = self._query.today
        if at == MIN_SECONDS:
            at = min(firsts, default=min(last, today))
        if last == MAX_SECONDS:
            last = max(lasts, default=max(at, today))
        while at <= last:
            yield tuple([start_of(period, at) for period in periods])
            at = min(end_of(period, at) for period in periods)

    def row(self, key: GroupKey, group: _Group) -> Row:
        currency, *values = key
        row = {"currencyCode": currency}
        for members, value in zip(self._members, values, strict=True):
            row |= members(value)
        if self._query.periods:
            # If there are several periods, this is the shortest one, which begins last.
            row["periodStart"] = max(values[at] for at, _ in self._query.periods)
        row |= {
            "count": group.count,
            **_amounts(group.income, group.expense, group.received),
            # Groups are sorted by these dates, so they have no time of day, as in the answer.
            "firstDate": None if group.first is None else start_of(Period.DAY, group.first),
            "lastDate": None if group.last is None else start_of(Period.DAY, group.last),
        }
        if self._query.convert_to is not None:
            row |= _converted_row(group, currency, self._query.convert_to)
        return {name: row[name] for name in self._columns}


def _amounts(income: int, expense: int, received: int) -> dict[str, int]:
    net = income + expense
    names = ("income", "expense", "net", SPENT, RECEIVED)
    return dict(zip(names, (income, expense, net, received - net, received), strict=True))


def _converted_row(group: _Group, currency: str, target: str) -> Row:
    amounts: Mapping[str, int | None] = _amounts(
        group.converted_income, group.converted_expense, group.converted_received
    )
    error = None
    if missing := group.count - group.converted_count:
        error = no_rate(currency, target, f"the days of {missing} of {group.count} records")
        if not group.converted_count:
            amounts = dict.fromkeys(amounts)
    return {
        "convertedCurrencyCode": target,
        "convertedCount": group.converted_count,
        **{converted_field(name).name: amount for name, amount in amounts.items()},
        "conversionError": error,
    }


def _replaced(key: GroupKey, places: Iterable[int], values: Sequence[Any]) -> GroupKey:
    """Return the key with these values at these places."""
    replaced = list(key)
    for place, value in zip(places, values, strict=True):
        replaced[place] = value
    return tuple(replaced)
