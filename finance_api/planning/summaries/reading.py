"""Reads the sums that a summary is made of, and converts amounts for it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, TypeVar

from finance_api.planning.answers import ParametersRefused
from finance_api.planning.categories import CategoryTree
from finance_api.planning.conversion import Conversion
from finance_api.planning.counted import NO_TRANSFERS, excluded_accounts
from finance_api.planning.summaries.comparing import weekday
from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.query.dimensions import HOUR, WEEKDAY, WEEKDAYS, Dimension
from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, any_of, condition_on, dated, either, not_all
from finance_api.query.operators import Operator
from finance_api.query.sums import LEFT_OUT
from finance_api.resources import RECORDS, referred_by
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import RecordSum, Storage, TooManySums
from finance_api.values import Row
from finance_api.values.time import HOUR_SECONDS, Period, end_of, period_text, start_of

T = TypeVar("T")

#: Maximum number of groups, and of the sums they are made of; each takes 10 to 20 microseconds.
MAX_GROUPS = 25_000
#: If there are at most this many records, all groups are counted, even if a page needs only a few.
MAX_COUNTED = 5_000
#: Fewer records are added up as fast as others are subtracted.
MANY = 20_000
#: Maximum number of amounts to convert; each takes about 5 microseconds.
MAX_CONVERTED = 100_000
#: Maximum number of amounts to take a median of; each takes about a microsecond.
MAX_AMOUNTS = 1_000_000
#: Expect at least this many groups for each value of a dimension, if there is another dimension.
_GROUPS_OF_VALUE = 50
#: Converted amounts by these fields serve several summaries of a page.
_SHARED = ("currencyCode", "recordType", "categoryId", "month")
#: Fields of records that show another row's name, and the fields with that row's id.
_IDS_OF = {"accountName": "accountId", "category": "categoryId"}

#: Each item: stored values of `SummaryQuery.names`, and the sum of the records with these values.
StoredSums = Iterable[tuple[tuple[Any, ...], RecordSum]]


@dataclass
class _Converted:
    """The converted amounts of records of other currencies.

    sums: by the values of some fields. amounts: those that were added up, likewise, if needed.
    without_rate: by currency, the days without a rate, one entry for each record.
    """

    sums: dict[tuple[Any, ...], RecordSum] = field(default_factory=dict)
    amounts: defaultdict[tuple[Any, ...], list[int]] = field(
        default_factory=lambda: defaultdict(list)
    )
    without_rate: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))


def check_groups(query: SummaryQuery, groups: int) -> None:
    """Raise ParametersRefused if there are too many groups."""
    if groups > MAX_GROUPS:
        raise _too_many_groups(query)


def _too_many_groups(query: SummaryQuery) -> ParametersRefused:
    advice = "ask for fewer dimensions or a shorter period"
    name = "fill" if query.fill else "groupBy"
    return ParametersRefused([(name, f"there are more than {MAX_GROUPS:,} groups: {advice}")])


class SummaryReader:
    """Reads the sums of one summary.

    excluded: the ids of accounts to leave out; by default, see `excluded_accounts`.
    left_out: the number of records that met the conditions but were left out, by reason.
    not_converted: by currency, the days without a rate, one entry for each record.
    """

    def __init__(
        self,
        storage: Storage,
        user_id: int,
        query: SummaryQuery,
        excluded: frozenset[str] | None = None,
    ) -> None:
        self._storage = storage
        self._user_id = user_id
        self.query = query
        self._rows: dict[str, dict[str, Row]] = {}
        self.accounts = self._referred("accountId")
        if excluded is None:
            rows = () if "excluded" in query.include else self.accounts.values()
            excluded = excluded_accounts(rows, query.conditions)
        self.excluded = excluded
        self._with_void = "void" in query.include
        self.conditions = [self._on_id(condition) for condition in query.conditions]
        #: The query's conditions, plus conditions that leave out transfers and excluded accounts.
        self._counted = list(self.conditions)
        if "transfers" not in query.include:
            self._counted.append(NO_TRANSFERS)
        if self.excluded:
            self._counted.append(any_of("accountId", self.accounts.keys() - self.excluded))
        self.left_out = dict.fromkeys(LEFT_OUT, 0)
        self.not_converted: defaultdict[str, list[int]] = defaultdict(list)
        #: The amounts that were converted, by `SummaryQuery.amount_names`, if they are merged.
        self._merged: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
        #: The dates of the oldest and newest record that meet the conditions, and their number.
        self._dates: tuple[int, int] | None = None
        #: The number of counted records by currency.
        self._numbers: Counter[str] = Counter()
        #: Whether `read` yields all groups in one part, so that their number is known.
        self.is_counted = True
        self._number = 0

    def _referred(self, field: str) -> dict[str, Row]:
        """Return the accounts, categories or labels that a field of records refers to, by id."""
        if field not in self._rows:
            resource = referred_by(RECORDS[field])
            rows = self._storage.data.scan_rows(self._user_id, resource)
            self._rows[field] = {row["id"]: row for row in rows}
        return self._rows[field]

    @cached_property
    def categories(self) -> CategoryTree:
        return CategoryTree(self._referred("categoryId").values())

    def _on_id(self, condition: Condition) -> Condition:
        """Turn a condition on an account's or category's name into one on its id."""
        name = condition.field.name
        if name not in _IDS_OF:
            return condition
        if condition.operator is Operator.IS_NULL:
            return condition_on(RECORDS, _IDS_OF[name], Operator.IS_NULL)
        rows = self._referred(_IDS_OF[name]).items()
        ids = (row_id for row_id, row in rows if matches({name: row["name"]}, [condition]))
        listed = any_of(_IDS_OF[name], ids)
        if condition.operator is not Operator.NE_OR_NULL:
            return listed
        missing = condition_on(RECORDS, _IDS_OF[name], Operator.IS_NULL)
        return either(listed.field, [listed, missing])

    # -- values of dimensions

    def values(self, dimension: Dimension, stored: Any) -> tuple[Any, ...]:
        """Return the dimension's values for a record: one value, or each of its labels."""
        if dimension.name == "label":
            return stored or (None,)
        return (self._value(dimension, stored),)

    def _value(self, dimension: Dimension, stored: Any) -> Any:
        if stored is None:
            return None
        if dimension.name == "topCategory":
            return self.categories.top_of(stored)
        if dimension.name == "categoryGroup":
            return self.categories.group_of(stored)
        if dimension.name == WEEKDAY:
            return weekday(stored)
        if dimension.name == HOUR:
            return stored // HOUR_SECONDS
        return stored if dimension.period is None else start_of(dimension.period, stored)

    def shown(self, dimension: Dimension, value: Any) -> tuple[Any, ...]:
        """Return the values of the dimension's fields, such as a name and an id."""
        if value is None:
            return (None,) * len(dimension.fields)
        if dimension.period is not None:
            return (period_text(dimension.period, value),)
        if dimension.name == WEEKDAY:
            return value, WEEKDAYS[value - 1]
        has_id = len(dimension.fields) > 1
        return (self._referred(dimension.source)[value]["name"], value) if has_id else (value,)

    def order(self, dimension: Dimension, value: Any) -> tuple[Any, ...]:
        """Return a sort key: missing values last, names by code point."""
        if value is None:
            return (True,)
        return False, *((value,) if dimension.period else self.shown(dimension, value))

    # -- sums

    def read(self) -> Iterator[StoredSums]:
        """Yield the sums of all records that are not left out, by `SummaryQuery.names`, in parts.

        Parts have whole groups, in the order of the groups, so a page near the beginning reads only
        the first parts. `left_out` is complete before the first part.
        """
        names, counted = self.query.names, self._counted
        of_payees = any(condition.field.name == "payee" for condition in counted)
        in_parts = (self._is_divided or self.excluded) and not of_payees
        if not in_parts or not self._storage.data.has_sums(names, counted):
            yield self._read_at_once(names)
            return
        self._read_at_once(("currencyCode",))
        # If there are few records, one part is faster, and allows counting the groups.
        self.is_counted = not self._is_divided or self._number <= MAX_COUNTED
        for part in ([],) if self.is_counted else self._parts():
            yield self._sums(names, [*counted, *part], with_void=self._with_void).items()

    def _read_at_once(self, names: tuple[str, ...]) -> StoredSums:
        """Return the sums by ``names`` of the records to include. Count the records left out.

        names: the currency comes first.
        """
        kept: dict[tuple[Any, ...], RecordSum] = {}
        by_account = ["accountId"] if self.excluded else []
        flags = tuple(dict.fromkeys([*names, "isVoid", "isTransfer", *by_account]))
        sums = self._sums(flags, self.conditions, with_void=True)
        if sums:
            firsts, lasts = zip(*((each.first, each.last) for each in sums.values()), strict=True)
            self._dates = min(firsts), max(lasts)
            self._number = sum(each.number for each in sums.values())
        void_at, transfer_at = flags.index("isVoid"), flags.index("isTransfer")
        account_at = flags.index("accountId") if by_account else 0
        with_transfers = "transfers" in self.query.include
        for key, found in in_time(sums.items()):
            if key[void_at] and not self._with_void:
                self.left_out["void"] += found.number
            elif key[transfer_at] and not with_transfers:
                self.left_out["transfers"] += found.number
            elif key[account_at] in self.excluded:
                self.left_out["excluded"] += found.number
            else:
                self._numbers[key[0]] += found.number
                group = key[: len(names)]
                kept[group] = kept[group].joined(found) if group in kept else found
        return kept.items()

    def _sums(
        self, names: tuple[str, ...], conditions: Sequence[Condition], *, with_void: bool
    ) -> dict[tuple[Any, ...], RecordSum]:
        sum_by = partial(
            self._storage.data.sum_by, self._user_id, names, with_void=with_void, most=MAX_GROUPS
        )
        with suppress(TooManySums):
            if others := self._others(names, conditions):
                sums, less = map(sum_by, others)
                for key, found in less.items():
                    of_key = sums.pop(key)
                    amount, number = of_key.amount - found.amount, of_key.number - found.number
                    if number:
                        sums[key] = of_key._replace(amount=amount, number=number)
                return sums
        try:
            return sum_by(conditions)
        except TooManySums:
            raise _too_many_groups(self.query) from None

    def _others(
        self, names: tuple[str, ...], conditions: Sequence[Condition]
    ) -> tuple[Sequence[Condition], Sequence[Condition]] | None:
        """Return the conditions that stored sums answer, and those of the records to subtract.

        Subtracting them is exact but for dates, and faster if there are many records and most meet
        all conditions. If not, returns None.
        """
        data, user_id = self._storage.data, self._user_id
        stored = [each for each in conditions if data.has_sums(names, [each])]
        searched = [each for each in conditions if each not in stored]
        if self.query.needs_dates or not searched or not data.has_sums(names, stored):
            return None
        sums = data.sum_by(user_id, ("currencyCode",), stored, with_void=True).values()
        whole = sum(each.number for each in sums)
        rest = (*stored, not_all(searched))
        is_faster = whole >= MANY and data.has_few_others(user_id, tuple(conditions), rest)
        return (stored, rest) if is_faster else None

    @cached_property
    def _is_divided(self) -> bool:
        """Return whether to read the groups in parts, because a page may need only some of them."""
        query = self.query
        if len(query.group_by) < 2 or query.needs_all or query.convert_to:
            return False
        first = query.group_by[0]
        return first.period is not None or first.name in ("account", "category", "topCategory")

    def _parts(self) -> Iterator[list[Condition]]:
        """Yield conditions that divide the records into parts, in the order of their groups."""
        first = self.query.group_by[0]
        if first.period is not None:
            parts = list(self._parts_by_time(first.period))
        else:
            parts = list(self._parts_by_id(first))
        for currency in sorted({row["currencyCode"] for row in self.accounts.values()}):
            for part in parts:
                yield [any_of("currencyCode", [currency]), part]

    def _parts_by_id(self, dimension: Dimension) -> Iterator[Condition]:
        name = dimension.source
        on_it = [c for c in self.conditions if c.field.name == name]
        ids: defaultdict[Any, list[str]] = defaultdict(list)
        for row_id in self._referred(name):
            if matches({name: row_id}, on_it):
                ids[self._value(dimension, row_id)].append(row_id)
        values = sorted(ids, key=partial(self.order, dimension))
        for some in _growing(values, self.query.limit):
            yield any_of(name, (row_id for value in some for row_id in ids[value]))
        yield condition_on(RECORDS, name, Operator.IS_NULL)

    def _parts_by_time(self, period: Period) -> Iterator[Condition]:
        if self._dates is None:
            return
        at, last = self._dates
        starts = []
        while at <= last:
            starts.append(start_of(period, at))
            at = end_of(period, at)
        for some in _growing(starts, self.query.limit):
            yield dated(some[0], end_of(period, some[-1]))

    # -- conversion

    def converted(self, key: tuple[Any, ...], sums: RecordSum) -> RecordSum | None:
        """Return the sum of the records that could be converted; None if none could be."""
        return sums if key[0] == self.query.convert_to else self._converted.get(key)

    @cached_property
    def _converted(self) -> dict[tuple[Any, ...], RecordSum]:
        """Return the converted amounts of other currencies, by `SummaryQuery.names`.

        Each amount is rounded separately, so converting sums would give different results.
        """
        target = self.query.convert_to
        currencies = {row["currencyCode"] for row in self.accounts.values()} - {target}
        if target is None or not currencies:
            return {}
        # SQLite checks the conditions in this order: the currency before any words.
        counted = (any_of("currencyCode", currencies), *self._counted)
        self._check_number(
            self._numbers.total() - self._numbers[target],
            MAX_CONVERTED,
            "amounts would be converted: ask for a shorter period, or leave out convertTo",
            "convertTo",
        )
        with_amounts = self.query.merges and self.query.by_amount
        is_shared = set(self.query.names) <= set(_SHARED) and not with_amounts
        names = _SHARED if is_shared else self.query.names
        known = self._storage.data.worked_out
        asked = self._user_id, target, names, counted, self._with_void, with_amounts
        if asked not in known:
            known[asked] = self._convert(target, names, counted, with_amounts=with_amounts)
        found: _Converted = known[asked]
        for currency, days in found.without_rate.items():
            self.not_converted[currency] += days
        for key, amounts in found.amounts.items():
            self._merged[key[: len(self.query.amount_names)]] += amounts
        key_of = itemgetter(*map(names.index, self.query.names))
        sums: dict[tuple[Any, ...], RecordSum] = {}
        for values, each in found.sums.items():
            key = key_of(values)
            sums[key] = sums[key].joined(each) if key in sums else each
        return sums

    def _convert(
        self,
        target: str,
        names: tuple[str, ...],
        conditions: Sequence[Condition],
        *,
        with_amounts: bool,
    ) -> "_Converted":
        """Convert the amount of each record, and add the converted amounts up by these fields.

        names: the currency comes first.
        """
        dates = ("recordDate", "month")
        further = tuple([name for name in names if name not in dates])
        rows = self._storage.data.list_amounts(
            self._user_id, (*further, dates[0]), conditions, with_void=self._with_void
        )
        by_day: defaultdict[tuple[str, int], list[tuple[Any, ...]]] = defaultdict(list)
        for row in in_time(rows):
            by_day[row[0], row[-2]].append(row)
        conversion = Conversion(self._storage, target, {day for _, day in by_day})
        key_of = itemgetter(*map((*further, *dates).index, names))
        found = _Converted()
        by_dates: defaultdict[tuple[Any, ...], dict[tuple[Any, ...], list[int]]] = defaultdict(dict)
        for (currency, day), of_day in in_time(sorted(by_day.items(), key=itemgetter(0))):
            amounts = conversion.convert_all([row[-1] for row in of_day], currency, day)
            if amounts is None:
                found.without_rate[currency] += [day] * len(of_day)
                continue
            both = zip(dates, (day, start_of(Period.MONTH, day)), strict=True)
            at = tuple([value if name in names else None for name, value in both])
            sums = by_dates[at]
            for row, amount in zip(of_day, amounts, strict=True):
                each = sums.get(row[:-2])
                if each is None:
                    each = sums[row[:-2]] = [0, 0, day, day]
                each[0] += amount
                each[1] += 1
                each[3] = day
                if with_amounts:
                    found.amounts[key_of((*row[:-2], *at))].append(amount)
        for at, sums in by_dates.items():
            for values, each in sums.items():
                found.sums[key_of(values + at)] = RecordSum(*each)
        return found

    # -- single amounts

    @cached_property
    def amounts(self) -> dict[tuple[Any, ...], list[int]]:
        """Return the amounts of the counted records, by `SummaryQuery.amount_names`.

        If all currencies are merged, those of other currencies are converted ones.
        """
        counted, found, number = self._counted, self._merged, self._numbers.total()
        if self.query.merged_currency is not None:
            counted = [*counted, any_of("currencyCode", [self.query.merged_currency])]
            number = self._numbers[self.query.merged_currency]
        self._check_number(
            number,
            MAX_AMOUNTS,
            "amounts would be sorted: ask for a shorter period, or leave out median, min and max",
            "columns",
        )
        for *key, amount in self._storage.data.list_amounts(
            self._user_id, self.query.amount_names, counted, with_void=self._with_void
        ):
            found[tuple(key)].append(amount)
        return dict(found)

    def _check_number(self, number: int, most: int, message: str, parameter: str) -> None:
        """Raise ParametersRefused if there are more records than ``most``."""
        if number > most:
            raise ParametersRefused([(parameter, f"more than {most:,} {message}")])


def _growing(values: Sequence[T], limit: int) -> Iterator[Sequence[T]]:
    """Yield parts of the values, each twice as long as the last. The first can fill a page."""
    at, number = 0, max(2, limit // _GROUPS_OF_VALUE)
    while at < len(values):
        yield values[at : at + number]
        at, number = at + number, number * 2
