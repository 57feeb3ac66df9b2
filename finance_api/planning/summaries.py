"""Summaries of records: sums by what they have in common.

Nothing is added across currencies: every group is of one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import islice
from operator import itemgetter
from typing import Any, TypeVar, cast

from finance_api.planning.categories import CategoryTree
from finance_api.planning.conversion import (
    CONVERSION_ERROR,
    CONVERTED_CURRENCY,
    Conversion,
    converted_field,
    no_rate,
)
from finance_api.planning.counted import NO_TRANSFERS, excluded_accounts
from finance_api.query.evaluate import in_order, matches
from finance_api.query.model import RANGES, Condition, Operator, SortKey, condition_on
from finance_api.query.records import any_of, dated
from finance_api.resources import ACCOUNTS, CATEGORIES, LABELS, RECORDS
from finance_api.resources.common import EXAMPLE_ID, INCOME
from finance_api.resources.field import Field, Kind, names_of
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import RecordSum, Storage, TooManySums
from finance_api.values import Row
from finance_api.values.periods import Period, end_of, period_text, start_of
from finance_api.values.time import DAY_SECONDS, MAX_SECONDS, MIN_SECONDS

T = TypeVar("T")

#: Names that records have of others, and the ids that they follow from.
_IDS_OF = {"accountName": "accountId", "category": "categoryId"}

#: 2026-01-01
_EXAMPLE_DAY = 1_767_225_600

#: What a summary leaves out, unless it is to include it.
LEFT_OUT = ("void", "transfers", "excluded")

#: At least so many groups may be expected of each value of a dimension, if there is another one.
_GROUPS_OF_VALUE = 50

#: About so many records are read at a time.
_PART = 50_000

#: The most groups that a summary may have, and sums that they may be made of: they take 10 to 20
#: microseconds each.
MAX_GROUPS = 25_000


#: The most amounts that a summary may convert: each takes about 5 microseconds.
MAX_CONVERTED = 100_000


class SummaryTooLarge(Exception):
    """A summary would cost too much; the message says why, and what to ask for instead.

    parameter: the one to change, None: one of those that make the groups.
    """

    def __init__(self, message: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


def _field(name: str, kind: Kind, meaning: str, example: Any, **options: Any) -> Field:
    return Field(name=name, kind=kind, meaning=meaning, example=example, **options)


def _sum(name: str, meaning: str, example: float, **options: Any) -> Field:
    return _field(name, Kind.NUMBER, meaning, example, nullable=False, **options)


@dataclass(frozen=True)
class Dimension:
    """Something that groups can have in common.

    of: the name for `DataReader.sum_by` that it follows from.
    fields: the columns that show it, the name before the id.
    """

    name: str
    of: str
    fields: tuple[Field, ...]
    period: Period | None = None


def _dimensions() -> Iterator[Dimension]:
    for name, of, what, example in (
        ("account", "accountId", "account", "Current account"),
        ("category", "categoryId", "category", "Groceries"),
        ("topCategory", "categoryId", "topmost category above", "Living"),
        ("label", "labelIds", "label", "household"),
    ):
        name_of = _field(name, Kind.TEXT, f"Name of the {what}.", example)
        id_of = _field(f"{name}Id", Kind.ID, f"Id of the {what}.", EXAMPLE_ID)
        yield Dimension(name, of, (name_of, id_of))
    group = _field("categoryGroup", Kind.TEXT, "Group of the category.", "Living")
    yield Dimension("categoryGroup", "categoryId", (group,))
    for name in ("payee", "recordType", "paymentType", "recordState"):
        yield Dimension(name, name, (RECORDS[name],))
    for period in Period:
        of = "recordDate" if period in (Period.DAY, Period.WEEK) else "month"
        text = period_text(period, _EXAMPLE_DAY)
        field = _field(period.value, Kind.TEXT, f"The {period}.", text, nullable=False)
        yield Dimension(period.value, of, (field,), period)


#: What records can be grouped by, by name.
DIMENSIONS: Mapping[str, Dimension] = {dimension.name: dimension for dimension in _dimensions()}

_CURRENCY = RECORDS["currencyCode"]
_PERIOD_START = _field(
    "periodStart", Kind.DATE, "The period's first day.", "2026-01-01", nullable=False
)
_SUMS = (
    _sum("count", "How many records.", 12, decimals=0),
    _sum("income", "Sum of the amounts of income.", 0),
    _sum("expense", "Sum of the amounts of expenses, negative.", -412.5),
    _sum("net", "income and expense together.", -412.5),
    _field("firstDate", Kind.DATE, "Day of the first record.", "2026-01-02"),
    _field("lastDate", Kind.DATE, "Day of the last record.", "2026-01-30"),
)


#: The sums of converted amounts; count: of how many records.
_CONVERTED = (
    CONVERTED_CURRENCY,
    _sum("convertedCount", "How many records could be converted.", 12, decimals=0),
    *map(converted_field, ("income", "expense", "net")),
    CONVERSION_ERROR,
)


@dataclass(frozen=True)
class SummaryQuery:
    """conditions: of the records. include: of LEFT_OUT. sort: by columns; then in order.

    convert_to: the currency of further sums. today, base_currency: the user's, for filling.
    """

    conditions: tuple[Condition, ...] = ()
    group_by: tuple[Dimension, ...] = ()
    include: frozenset[str] = frozenset()
    fill: bool = False
    sort: tuple[SortKey, ...] = ()
    limit: int = 100
    offset: int = 0
    convert_to: str | None = None
    today: int = 0
    base_currency: str | None = None

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """What each group shows, in this order."""
        of_dimensions = [field for dimension in self.group_by for field in dimension.fields]
        start = [_PERIOD_START] if self.periods else []
        converted = () if self.convert_to is None else _CONVERTED
        return (_CURRENCY, *of_dimensions, *start, *_SUMS, *converted)

    @cached_property
    def periods(self) -> tuple[tuple[int, Period], ...]:
        """The places of periods in `group_by`, and which they are."""
        return tuple((at, d.period) for at, d in enumerate(self.group_by) if d.period is not None)


@dataclass(frozen=True)
class Summary:
    """A page of the groups: rows of the query's columns.

    left_out: the number of records that met the conditions and were left out, by reason.
    overlapping: whether a record stands in several groups.
    not_converted: by currency, the days of the records of which there is no rate, each once for
    each record.
    """

    groups: list[Row]
    has_more: bool
    left_out: dict[str, int]
    overlapping: bool
    not_converted: dict[str, list[int]]


#: The currency, and a value of each dimension: an id, a text, the first second of a period.
GroupKey = tuple[Any, ...]


@dataclass(slots=True)
class _Sums:
    """first, last: None where there are no records."""

    count: int = 0
    income: int = 0
    expense: int = 0
    first: int | None = None
    last: int | None = None
    converted_count: int = 0
    converted_income: int = 0
    converted_expense: int = 0

    def add(self, found: RecordSum, converted: tuple[int, int], *, is_income: bool) -> None:
        """converted: the sum of the amounts that could be converted, and how many these are."""
        self.count += found.number
        self.converted_count += converted[1]
        if is_income:
            self.income += found.amount
            self.converted_income += converted[0]
        else:
            self.expense += found.amount
            self.converted_expense += converted[0]
        if self.first is None or found.first < self.first:
            self.first = found.first
        if self.last is None or found.last > self.last:
            self.last = found.last


#: A sum, and of how many records it is.
_NOTHING = (0, 0)

#: Sums of records, by the values of the names that they were asked for.
_Found = Iterable[tuple[tuple[Any, ...], RecordSum]]


def summarize(storage: Storage, user_id: int, query: SummaryQuery) -> Summary:
    """Raises SummaryTooLarge."""
    return _Summarizing(storage, user_id, query).summary()


class _Summarizing:
    """One summary in the making."""

    def __init__(self, storage: Storage, user_id: int, query: SummaryQuery) -> None:
        self._storage = storage
        self._user_id = user_id
        self._query = query
        self._accounts = {row["id"]: row for row in storage.data.scan_rows(user_id, ACCOUNTS)}
        self._excluded = self._excluded_accounts()
        self._conditions = self._by_ids(query.conditions)
        self._left_out = dict.fromkeys(LEFT_OUT, 0)
        self._overlapping = False
        self._not_converted: defaultdict[str, list[int]] = defaultdict(list)
        #: Of the oldest and of the newest record that meets the conditions, and how many do.
        self._dates: tuple[int, int] | None = None
        self._number = 0

    @cached_property
    def _categories(self) -> CategoryTree:
        return CategoryTree(self._storage.data.scan_rows(self._user_id, CATEGORIES))

    @cached_property
    def _labels(self) -> dict[str, str]:
        labels = self._storage.data.scan_rows(self._user_id, LABELS)
        return {row["id"]: row["name"] for row in labels}

    def _excluded_accounts(self) -> frozenset[str]:
        if "excluded" in self._query.include:
            return frozenset()
        return excluded_accounts(self._accounts.values(), self._query.conditions)

    def _by_ids(self, conditions: Iterable[Condition]) -> list[Condition]:
        """The conditions on names of accounts and categories as such on their ids."""
        found = []
        for condition in conditions:
            name = condition.field.name
            if name not in _IDS_OF:
                found.append(condition)
            elif condition.operator is Operator.IS_NULL:
                found.append(condition_on(RECORDS, _IDS_OF[name], Operator.IS_NULL))
            else:
                rows = self._accounts if name == "accountName" else self._categories.rows
                wanted = (i for i, row in rows.items() if matches({name: row["name"]}, [condition]))
                found.append(any_of(_IDS_OF[name], wanted))
        return found

    def summary(self) -> Summary:
        query = self._query
        end = query.offset + query.limit
        groups: list[tuple[GroupKey, _Sums]] = []
        for found in self._found():
            folded = self._folded(found)
            if query.fill:
                folded = self._filled(folded)
            groups += self._sorted(folded)
            _check_number(len(groups))
            if len(groups) > end:
                break
        if query.sort:
            rows = in_order([self._row(*group) for group in in_time(groups)], query.sort)
            page = rows[query.offset : end]
        else:
            page = [self._row(*group) for group in groups[query.offset : end]]
        not_converted = dict(sorted(self._not_converted.items()))
        return Summary(page, len(groups) > end, self._left_out, self._overlapping, not_converted)

    # -- reading

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """What the sums are asked for by: the currency first, and the type."""
        of_dimensions = (dimension.of for dimension in self._query.group_by)
        return tuple(dict.fromkeys(["currencyCode", *of_dimensions, "recordType"]))

    def _found(self) -> Iterator[_Found]:
        """The sums of what is not left out: one part of the groups after the other, in order.

        What is left out is counted when the first part is there.
        """
        data, counted = self._storage.data, self._counted
        at_once = not (self._is_divided or self._excluded)
        of_payees = any(condition.field.name == "payee" for condition in counted)
        if at_once or of_payees or not data.has_sums(self._names, counted):
            yield self._not_left_out(self._names)
            return
        self._not_left_out(())
        for part in self._parts():
            conditions = [*counted, *part]
            yield self._sums(self._names, conditions, with_void=self._with_void).items()

    @cached_property
    def _with_void(self) -> bool:
        return "void" in self._query.include

    @cached_property
    def _counted(self) -> list[Condition]:
        """The conditions, and those of not being left out; but for void records."""
        counted = list(self._conditions)
        if "transfers" not in self._query.include:
            counted.append(NO_TRANSFERS)
        if self._excluded:
            counted.append(any_of("accountId", self._accounts.keys() - self._excluded))
        return counted

    def _not_left_out(self, names: tuple[str, ...]) -> _Found:
        """The sums by ``names`` of what is not left out; counts the rest."""
        kept: dict[tuple[Any, ...], RecordSum] = {}
        of_account = ["accountId"] if self._excluded else []
        flags = tuple(dict.fromkeys([*names, "isVoid", "isTransfer", *of_account]))
        sums = self._sums(flags, self._conditions, with_void=True)
        if sums:
            firsts, lasts = zip(*((each.first, each.last) for each in sums.values()), strict=True)
            self._dates = min(firsts), max(lasts)
            self._number = sum(each.number for each in sums.values())
        void_at, transfer_at = flags.index("isVoid"), flags.index("isTransfer")
        account_at = flags.index("accountId") if of_account else 0
        width = len(names)
        for key, found in in_time(sums.items()):
            reason = self._reason(key[void_at], key[transfer_at], key[account_at])
            if reason is None:
                of_names = key[:width]
                kept[of_names] = kept[of_names].joined(found) if of_names in kept else found
            else:
                self._left_out[reason] += found.number
        return kept.items()

    def _sums(
        self, names: tuple[str, ...], conditions: Sequence[Condition], *, with_void: bool
    ) -> dict[tuple[Any, ...], RecordSum]:
        sum_by = self._storage.data.sum_by
        try:
            return sum_by(self._user_id, names, conditions, with_void=with_void, most=MAX_GROUPS)
        except TooManySums:
            raise _too_many_groups() from None

    def _reason(self, is_void: bool, is_transfer: bool, account_id: str) -> str | None:
        """Why such records are left out; the first of several reasons."""
        include = self._query.include
        if is_void and "void" not in include:
            return "void"
        if is_transfer and "transfers" not in include:
            return "transfers"
        return "excluded" if account_id in self._excluded else None

    @property
    def _is_divided(self) -> bool:
        """Whether a page may need a part of the groups only."""
        query = self._query
        if len(query.group_by) < 2 or query.sort or query.fill or query.convert_to:
            return False
        first = query.group_by[0]
        return first.period is not None or first.name in ("account", "category", "topCategory")

    def _parts(self) -> Iterator[list[Condition]]:
        """Conditions that divide the records into parts, in the order of their groups.

        A page at the beginning then needs the first parts only. One part where that is not so.
        """
        if not self._is_divided:
            yield []
            return
        first = self._query.group_by[0]
        if first.period is not None:
            parts = list(self._parts_by_time(first.period))
        else:
            parts = list(self._parts_by_id(first))
        for currency in sorted({row["currencyCode"] for row in self._accounts.values()}):
            for part in parts:
                yield [any_of("currencyCode", [currency]), *part]

    def _parts_by_id(self, dimension: Dimension) -> Iterator[list[Condition]]:
        name = dimension.of
        known = self._accounts if name == "accountId" else self._categories.rows
        on_it = [c for c in self._conditions if c.field.name == name]
        ids: defaultdict[Any, list[str]] = defaultdict(list)
        for row_id in known:
            if matches({name: row_id}, on_it):
                ids[self._value(dimension, row_id)].append(row_id)
        values = sorted(ids, key=partial(self._order_of, dimension))
        for some in _growing(values, self._query.limit):
            yield [any_of(name, (row_id for value in some for row_id in ids[value]))]
        yield [condition_on(RECORDS, name, Operator.IS_NULL)]

    def _parts_by_time(self, period: Period) -> Iterator[list[Condition]]:
        if self._dates is None:
            return
        at, last = self._dates
        starts = []
        while at <= last:
            starts.append(start_of(period, at))
            at = end_of(period, at)
        for some in _growing(starts, self._query.limit):
            yield [dated(some[0], end_of(period, some[-1]))]

    # -- conversion

    @cached_property
    def _converted(self) -> dict[tuple[Any, ...], tuple[int, int]]:
        """By `_names`, of other currencies: the sum of what could be converted, and of how many.

        Every amount is rounded by itself, so that no sum of them could be converted.
        """
        target = self._query.convert_to
        currencies = {row["currencyCode"] for row in self._accounts.values()} - {target}
        if target is None or not currencies:
            return {}
        names = tuple(dict.fromkeys([*self._names, "recordDate"]))
        width, day_at = len(self._names), names.index("recordDate")
        counted = [*self._counted, any_of("currencyCode", currencies)]
        if self._number > MAX_CONVERTED:
            sums = self._sums((), counted, with_void=self._with_void)
            if sum(each.number for each in sums.values()) > MAX_CONVERTED:
                raise SummaryTooLarge(
                    f"more than {MAX_CONVERTED:,} amounts would be converted: ask for a shorter "
                    "time, or leave it out",
                    "convertTo",
                )
        list_amounts = partial(self._storage.data.list_amounts, self._user_id, names)
        found: dict[tuple[Any, ...], tuple[int, int]] = {}
        for part in self._parts_by_number():
            amounts = list_amounts([*counted, *part], with_void=self._with_void)
            conversion = Conversion(self._storage, target, {row[day_at] for row in amounts})
            for row in in_time(amounts):
                key, currency, day = row[:width], row[0], row[day_at]
                converted = conversion.convert(row[-1], currency, day)
                if converted is None:
                    self._not_converted[currency].append(day)
                else:
                    amount, number = found.get(key, _NOTHING)
                    found[key] = amount + converted, number + 1
        return found

    def _parts_by_number(self) -> Iterator[list[Condition]]:
        """Conditions that divide the records by their dates, so that each part fits in memory."""
        if self._dates is None or self._number <= _PART:
            yield []
            return
        first, last = self._dates
        step = (last - first) // (self._number // _PART + 1) + 1
        for at in range(first, last + 1, step):
            yield [dated(at, at + step)]

    def _converted_sum(self, key: tuple[Any, ...], sums: RecordSum) -> tuple[int, int]:
        if key[0] == self._query.convert_to:
            return sums.amount, sums.number
        return self._converted.get(key, _NOTHING)

    # -- groups

    def _value(self, dimension: Dimension, found: Any) -> Any:
        """The value of a dimension that is told apart, by that of ``dimension.of``."""
        if found is None:
            return None
        match dimension.name:
            case "topCategory":
                return self._categories.top_of(found)
            case "categoryGroup":
                return self._categories.group_of(found)
        return found if dimension.period is None else start_of(dimension.period, found)

    def _shown(self, dimension: Dimension, value: Any) -> tuple[Any, ...]:
        """The values of the dimension's fields."""
        if value is None:
            return (None,) * len(dimension.fields)
        match dimension.name:
            case "account":
                return self._accounts[value]["name"], value
            case "category" | "topCategory":
                return self._categories.rows[value]["name"], value
            case "label":
                return self._labels[value], value
        return (value if dimension.period is None else period_text(dimension.period, value),)

    @cached_property
    def _members(self) -> list[Callable[[Any], Row]]:
        """Of each dimension: the members of a row, by value."""

        def members(dimension: Dimension, value: Any) -> Row:
            return dict(zip(names_of(dimension.fields), self._shown(dimension, value), strict=True))

        return [cache(partial(members, dimension)) for dimension in self._query.group_by]

    def _order_of(self, dimension: Dimension, value: Any) -> tuple[Any, ...]:
        """Missing values last, names by code point."""
        if value is None:
            return (True,)
        return False, *((value,) if dimension.period else self._shown(dimension, value))

    def _sorted(self, groups: dict[GroupKey, _Sums]) -> list[tuple[GroupKey, _Sums]]:
        orders = [cache(partial(self._order_of, each)) for each in self._query.group_by]

        def order(group: tuple[GroupKey, _Sums]) -> tuple[Any, ...]:
            currency, *values = group[0]
            return currency, *[of(value) for of, value in zip(orders, values, strict=True)]

        keyed = [(order(group), group) for group in in_time(groups.items())]
        return [group for _, group in sorted(keyed, key=itemgetter(0))]

    def _folded(self, found: _Found) -> dict[GroupKey, _Sums]:
        """The sums of the query's groups."""
        type_at = self._names.index("recordType")
        dimensions = [
            (self._names.index(dimension.of), cache(partial(self._values, dimension)))
            for dimension in self._query.group_by
        ]
        converts = self._query.convert_to is not None
        groups: defaultdict[GroupKey, _Sums] = defaultdict(_Sums)
        for key, sums in in_time(found):
            of_record: list[GroupKey] = [(key[0],)]
            for place, of in dimensions:
                of_record = [(*group, value) for group in of_record for value in of(key[place])]
            self._overlapping |= len(of_record) > 1
            converted = self._converted_sum(key, sums) if converts else _NOTHING
            is_income = key[type_at] == INCOME
            for group in of_record:
                groups[group].add(sums, converted, is_income=is_income)
            _check_number(len(groups))
        return dict(groups)

    def _values(self, dimension: Dimension, found: Any) -> tuple[Any, ...]:
        """The values of the dimension that a record has: one, or its labels."""
        if dimension.name == "label":
            return found or (None,)
        return (self._value(dimension, found),)

    def _filled(self, groups: dict[GroupKey, _Sums]) -> dict[GroupKey, _Sums]:
        """With a group for each period from the first to the last that is asked for."""
        places = [at + 1 for at, _ in self._query.periods]
        others = dict.fromkeys(_blanked(key, places) for key in groups or self._empty_keys)
        periods = list(islice(self._asked_periods(groups), MAX_GROUPS + 1))
        _check_number(len(periods) * len(others))
        filled = {}
        for other in others:
            for starts in periods:
                key = list(other)
                for place, start in zip(places, starts, strict=True):
                    key[place] = start
                filled[tuple(key)] = _Sums()
        return filled | groups

    @property
    def _empty_keys(self) -> list[GroupKey]:
        """Those of the groups if no record matches: of the currencies that are asked for.

        Else of the user's base currency, or that of the most accounts.
        """
        codes = [row["currencyCode"] for row in self._accounts.values()]
        usual = max(sorted(set(codes)), key=codes.count, default=None)
        base = self._query.base_currency or usual
        on_currency = [c for c in self._conditions if c.field.name == "currencyCode"]
        named: set[Any] = set()
        for condition in on_currency:
            if condition.operator is Operator.ANY_OF:
                named.update(cast("tuple[str, ...]", condition.operand))
        asked = sorted(code for code in named if matches({"currencyCode": code}, on_currency))
        blank = (None,) * len(self._query.group_by)
        return [(code, *blank) for code in asked or [base] if code is not None]

    def _asked_periods(self, groups: dict[GroupKey, _Sums]) -> Iterator[tuple[int, ...]]:
        """The beginnings of the query's periods.

        Where no date is asked for, from the first or to the last record; without records, today.
        """
        periods = [period for _, period in self._query.periods]
        if not periods:
            yield ()
            return
        firsts = [sums.first for sums in groups.values() if sums.first is not None]
        lasts = [sums.last for sums in groups.values() if sums.last is not None]
        at, last = MIN_SECONDS, MAX_SECONDS
        for condition in self._conditions:
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

    def _row(self, key: GroupKey, sums: _Sums) -> Row:
        currency, *values = key
        row = {"currencyCode": currency}
        for members, value in zip(self._members, values, strict=True):
            row |= members(value)
        if self._query.periods:
            # Of several, the shortest begins last.
            row["periodStart"] = max(values[at] for at, _ in self._query.periods)
        row |= {
            "count": sums.count,
            "income": sums.income,
            "expense": sums.expense,
            "net": sums.income + sums.expense,
            # Groups are sorted by these, which are shown without the time of day.
            "firstDate": _day(sums.first),
            "lastDate": _day(sums.last),
        }
        if self._query.convert_to is not None:
            income, expense = sums.converted_income, sums.converted_expense
            converted: tuple[int | None, ...] = (income, expense, income + expense)
            if sums.count and not sums.converted_count:
                converted = (None, None, None)
            missing = sums.count - sums.converted_count
            error = None
            if missing:
                days = f"the days of {missing} of {sums.count} records"
                error = no_rate(currency, self._query.convert_to, days)
            shown = (self._query.convert_to, sums.converted_count, *converted, error)
            row |= zip(names_of(_CONVERTED), shown, strict=True)
        return row


def _growing(values: Sequence[T], limit: int) -> Iterator[Sequence[T]]:
    """The values in parts, each twice as long as the one before; the first for a page, perhaps."""
    at, number = 0, max(2, limit // _GROUPS_OF_VALUE)
    while at < len(values):
        yield values[at : at + number]
        at, number = at + number, number * 2


def _check_number(groups: int) -> None:
    if groups > MAX_GROUPS:
        raise _too_many_groups()


def _too_many_groups() -> SummaryTooLarge:
    return SummaryTooLarge(
        f"there are more than {MAX_GROUPS:,} groups: ask for fewer dimensions or a shorter time"
    )


def _day(at: int | None) -> int | None:
    return None if at is None else at - at % DAY_SECONDS


def _blanked(key: GroupKey, places: Iterable[int]) -> GroupKey:
    blanked = list(key)
    for place in places:
        blanked[place] = None
    return tuple(blanked)
