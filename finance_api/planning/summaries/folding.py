"""Folds the storage's sums into groups by the dimensions of a summary; sorts and fills them."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from operator import itemgetter
from typing import Any, cast

from finance_api.planning.counted import is_received
from finance_api.planning.summaries import reading
from finance_api.planning.summaries.comparing import GroupKey, TimeKeys, bounds_of
from finance_api.query.dimensions import HOUR, Dimension
from finance_api.query.evaluate import matches
from finance_api.query.operators import Operator
from finance_api.query.sums import Sums
from finance_api.resources.common import INCOME
from finance_api.resources.field import names_of
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import RecordSum
from finance_api.values import Row
from finance_api.values.time import MAX_SECONDS, MIN_SECONDS, end_of


@dataclass(slots=True)
class Group(Sums):
    """A group's sums.

    converted: those of the records that could be converted. missing: by currency, the number of
    the others.
    """

    converted: Sums = field(default_factory=Sums)
    missing: dict[str, int] = field(default_factory=dict)

    @property
    def has_amounts(self) -> bool:
        """Whether any record was converted, or no record needed it."""
        return bool(self.converted.count or not self.missing)


def _add(total: Sums, added: RecordSum, *, is_income: bool, received: bool) -> None:
    total.count += added.number
    if is_income:
        total.income += added.amount
    else:
        total.expense += added.amount
    if received:
        total.received += added.amount
    total.first = added.first if total.first is None else min(total.first, added.first)
    total.last = added.last if total.last is None else max(total.last, added.last)


Groups = dict[GroupKey, Group]


class Folder:
    """Folds the sums that a reader reads into groups.

    overlapping: whether any record so far belongs to several groups.
    totals: the sums of all records that are counted so far, by currency.
    everything: the sums of all records on the days of the query, by currency, if a column needs
    them.
    oldest, newest: dates of the oldest and newest record so far, whether it could be converted or
    not; None if there are no records.
    number, timeless: how many records there are so far, and how many without a time of day if the
    query groups by hour.
    expected: the net of the payments to come by currency, if a column needs it.
    """

    def __init__(self, reader: reading.SummaryReader) -> None:
        self.reader, self.query = reader, reader.query
        self._times = TimeKeys(self.query)
        self.overlapping = False
        self.totals: defaultdict[str, Sums] = defaultdict(Sums)
        self.everything: Mapping[str, Sums] = {}
        self.oldest: int | None = None
        self.newest: int | None = None
        self.number = self.timeless = 0
        self.expected: Mapping[str, int] = {}
        #: For each dimension, a function that turns a value into the columns that show it.
        self.members: list[Callable[[Any], Row]] = [
            cache(partial(self._members_of, dimension)) for dimension in self.query.group_by
        ]

    def _members_of(self, dimension: Dimension, value: Any) -> Row:
        shown = self.reader.shown(dimension, value)
        return dict(zip(names_of(dimension.fields), shown, strict=True))

    def fold(self, found: reading.StoredSums) -> Groups:
        names = self.query.names
        type_at = names.index("recordType")
        hour_at = names.index(HOUR) if HOUR in names else None
        category_at = names.index("categoryId") if self.query.by_flow else None
        keys_of = self._keys_by(names)
        groups: defaultdict[GroupKey, Group] = defaultdict(Group)
        for key, sums in in_time(found):
            of_record = keys_of(key)
            self.overlapping |= len(of_record) > 1
            self.oldest = sums.first if self.oldest is None else min(self.oldest, sums.first)
            self.newest = sums.last if self.newest is None else max(self.newest, sums.last)
            converted = self.reader.converted(key, sums)
            self.number += sums.number
            if hour_at is not None and key[hour_at] is None:
                self.timeless += sums.number
            missing = sums.number - (0 if converted is None else converted.number)
            counted = converted if self.query.merges else sums
            is_income = key[type_at] == INCOME
            received = is_income
            if category_at is not None:
                kind = self.reader.categories.kind_of(key[category_at])
                received = is_received(kind, key[type_at])
            add = partial(_add, is_income=is_income, received=received)
            if counted is not None:
                add(self.totals[of_record[0][0]], counted)
            for group_key in of_record:
                group = groups[group_key]
                if counted is not None:
                    add(group, counted)
                if converted is not None:
                    add(group.converted, converted)
                if missing and self.query.convert_to:
                    group.missing[key[0]] = group.missing.get(key[0], 0) + missing
            reading.check_groups(self.query, len(groups))
        return dict(groups)

    def _keys_by(self, names: tuple[str, ...]) -> Callable[[GroupKey], list[GroupKey]]:
        """Return a function that turns stored values of ``names`` into the keys of their groups."""
        dimensions = [
            (names.index(dimension.source), cache(partial(self.reader.values, dimension)))
            for dimension in self.query.group_by
        ]

        merged = self.query.merged_currency

        def keys(stored: GroupKey) -> list[GroupKey]:
            found: list[GroupKey] = [(merged or stored[0],)]
            for place, values_of in dimensions:
                values = values_of(stored[place])
                found = [(*key, value) for key in found for value in values]
            return found

        return keys

    def add_amounts(self, groups: Groups) -> None:
        """Give the groups the amounts of their records, if a column needs them."""
        if not self.query.by_amount:
            return
        keys_of = self._keys_by(self.query.amount_names)
        for stored, amounts in in_time(self.reader.amounts.items()):
            for key in keys_of(stored):
                groups[key].amounts += amounts

    def sort(self, groups: Groups) -> list[tuple[GroupKey, Group]]:
        orders = [cache(partial(self.reader.order, each)) for each in self.query.group_by]

        def order(key: GroupKey) -> GroupKey:
            currency, *values = key
            return currency, *[of(value) for of, value in zip(orders, values, strict=True)]

        keyed = [(order(group[0]), group) for group in in_time(groups.items())]
        return [group for _, group in sorted(keyed, key=itemgetter(0))]

    def fill(self, groups: Groups) -> Groups:
        """Add an empty group for each period without records, from the first period to the last."""
        others = {self._times.at(key, None) for key in groups or self._empty_keys()}
        if not others:
            return groups
        empty: Groups = {}
        for second in in_time(self._asked_periods()):
            empty |= {self._times.at(key, second): Group() for key in others}
            reading.check_groups(self.query, len(empty))
        return empty | groups

    def _empty_keys(self) -> list[GroupKey]:
        """Return keys for groups without records, in the currencies that the conditions name.

        If they name no currency, use the user's base currency, or else that of most accounts.
        """
        values = [dimension.usual for dimension in self.query.group_by]
        if self.query.merges:
            return list(product([self.query.convert_to], *values))
        codes = [row["currencyCode"] for row in self.reader.accounts.values()]
        usual = max(sorted(set(codes)), key=codes.count, default=None)
        on_currency = [c for c in self.reader.conditions if c.field.name == "currencyCode"]
        asked = {
            code
            for condition in on_currency
            if condition.operator is Operator.ANY_OF
            for code in cast("tuple[str, ...]", condition.operand)
            if matches({"currencyCode": code}, on_currency)
        }
        base: str | None = self.query.base_currency or usual
        codes = sorted(asked) or ([] if base is None else [base])
        return list(product(codes, *values))

    def _asked_periods(self) -> Iterator[int | None]:
        """Yield a moment (in seconds) within each period to fill; None if there are no periods.

        If the conditions leave an end open, use the oldest or newest record, or else today.
        """
        periods = [period for _, period in self.query.periods]
        if not periods:
            yield None
            return
        at, last = bounds_of(self.reader.conditions)
        today = self.query.today
        if at == MIN_SECONDS:
            at = min(last, today) if self.oldest is None else self.oldest
        if last == MAX_SECONDS:
            last = max(at, today) if self.newest is None else self.newest
        while at <= last:
            yield at
            at = min(end_of(period, at) for period in periods)
