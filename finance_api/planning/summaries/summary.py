"""Answers a summary: reads, folds, compares, filters and sorts its groups."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from operator import itemgetter

from finance_api.planning.conversion import converted_field, no_rates
from finance_api.planning.hints import find_left_out
from finance_api.planning.summaries.comparing import (
    Comparison,
    GroupKey,
    TimeKeys,
    bounds_of,
    is_date,
    with_end,
)
from finance_api.planning.summaries.declaration import COMPARED, SummaryQuery
from finance_api.planning.summaries.folding import Folder, Group, Groups
from finance_api.planning.summaries.left import expected_nets
from finance_api.planning.summaries.reading import SummaryReader, check_groups
from finance_api.query.evaluate import in_order, matches
from finance_api.query.model import Condition, Span, dated
from finance_api.query.sums import Sums, Surroundings
from finance_api.resources.currencies import CURRENCIES
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.number import MAX_UNITS, ratio_units
from finance_api.values.time import MAX_SECONDS, MIN_SECONDS, Period, end_of, start_of


@dataclass(frozen=True)
class Summary:
    """A page of groups. groups: rows with the query's columns.

    group_count: the number of groups on all pages; None if counting them would take too long.
    left_out: the number of records that met the conditions but were left out, by reason.
    overlapping: whether any record belongs to several groups.
    not_converted: by currency, the days without a rate, one entry for each record.
    is_empty: whether no record is in any group. hints: sentences about groups that were left out.
    """

    groups: list[Row]
    has_more: bool
    group_count: int | None
    left_out: dict[str, int]
    overlapping: bool
    not_converted: dict[str, list[int]]
    is_empty: bool
    hints: list[str]


def summarize(storage: Storage, user_id: int, query: SummaryQuery) -> Summary:
    """Return the page of groups that the query asks for. Raises ParametersRefused."""
    query = with_end(query)
    folder = _folder(storage, user_id, query)
    if any(column.by_payments for column in query.sums):
        folder.expected = expected_nets(storage, user_id, query)
    end = query.offset + query.limit
    hints: list[str] = []
    if query.needs_all:
        every = list(in_time(_all_rows(storage, user_id, folder)))
        rows = _meeting(every, query.having)
        nouns, form = ("group", "groups"), "having={}.is.null"
        asked = query.having
        hints += find_left_out(nouns, asked, asked, lambda c: len(_meeting(every, c)), form)
        rows = [*_best(query, rows)] if query.top else in_order(rows, query.sort)
        count: int | None = len(rows)
        has_more = len(rows) > end
        rows = rows[query.offset : end]
    else:
        groups, count = _first_groups(folder, end)
        measures = Measures(folder, groups)
        has_more = len(groups) > end
        page = groups[query.offset : end]
        rows = [_shown(folder, key, measures.row(key, group)) for key, group in page]
    hints += _hints(folder, rows)
    not_converted = dict(sorted(folder.reader.not_converted.items()))
    return Summary(
        rows,
        has_more,
        count,
        folder.reader.left_out,
        folder.overlapping,
        not_converted,
        is_empty=folder.newest is None,
        hints=hints,
    )


def _folder(storage: Storage, user_id: int, query: SummaryQuery) -> Folder:
    """Return a folder of the query's groups, with the sums of all records on its days."""
    folder = Folder(SummaryReader(storage, user_id, query))
    if any(column.by_everything for column in query.sums):
        names = ("recordDate", "currencyCode")
        kept = tuple([each for each in query.conditions if each.field.name in names])
        target = query.merged_currency
        unfiltered = replace(query, conditions=kept, group_by=(), convert_to=target)
        excluded = folder.reader.excluded
        everything = Folder(SummaryReader(storage, user_id, unfiltered, excluded))
        for sums in everything.reader.read():
            everything.fold(sums)
        folder.everything = {} if everything.reader.not_converted else everything.totals
    return folder


def _best(query: SummaryQuery, rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the best rows of each group. rows: in their default order."""
    fields = [field.name for dimension in query.group_by[:-1] for field in dimension.fields]
    for _, group in groupby(rows, itemgetter("currencyCode", *fields)):
        yield from in_order(group, query.sort)[: query.top]


def _hints(folder: Folder, rows: Iterable[Row]) -> Iterator[str]:
    """Yield sentences about values that the rows lack."""
    query = folder.query
    if folder.timeless:
        yield (
            "Records without a time of day are in groups without an hour: "
            f"{folder.timeless:,} of {folder.number:,}."
        )
    # The income may be among the records that could not be converted.
    columns = () if query.merges and folder.reader.not_converted else query.sums
    for column in columns:
        present: defaultdict[str, bool] = defaultdict(bool)
        for row in rows if column.absence else ():
            present[row["currencyCode"]] |= row[column.name] is not None
        without = [currency for currency, has_value in present.items() if not has_value]
        if without:
            has_filters = any(c.field.name != "recordDate" for c in query.conditions)
            advice = column.absence_filtered if has_filters else ""
            yield column.absence.format(" and ".join(without)) + advice


def count_records(
    storage: Storage, user_id: int, query: SummaryQuery, conditions: tuple[Condition, ...]
) -> int:
    """Return how many records the query would count with these conditions."""
    dated_query = with_end(replace(query, conditions=conditions))
    plain = SummaryQuery(dated_query.conditions, include=query.include, limit=len(CURRENCIES))
    return sum(group["count"] for group in summarize(storage, user_id, plain).groups)


def _first_groups(folder: Folder, end: int) -> tuple[list[tuple[GroupKey, Group]], int | None]:
    """Return at least the first ``end`` groups in order, and the number of all groups."""
    groups: list[tuple[GroupKey, Group]] = []
    parts = folder.reader.read()
    for sums in parts:
        groups += folder.sort(folder.fold(sums))
        check_groups(folder.query, len(groups))
        if len(groups) > end:
            break
    if len(groups) > end and not folder.reader.is_counted:
        return groups, None
    return groups, len(groups) + sum(len(folder.fold(sums)) for sums in parts)


def _all_rows(storage: Storage, user_id: int, folder: Folder) -> Iterator[Row]:
    """Yield the rows of all groups in their default order."""
    query = folder.query
    groups = {(currency,): Group() for currency in folder.expected} | _all_groups(folder)
    comparison = Comparison(query) if query.compare else None
    spans = {} if comparison is None else comparison.spans
    read = {at: _earlier(storage, user_id, query, span) for at, span in spans.items()}
    if comparison is not None:
        for currency, days in read[None][0].reader.not_converted.items():
            folder.reader.not_converted[currency] += days
        for at, (_, found) in read.items():
            later = chain.from_iterable(map(comparison.later_keys, found))
            groups = {key: Group() for key in later if comparison.span_of(key) == at} | groups
    if query.fill:
        groups = folder.fill(groups)
    check_groups(folder.query, len(groups))
    ordered = folder.sort(groups)
    measures = Measures(folder, ordered)
    earlier = {} if comparison is None else _earlier_rows(comparison, read, groups)
    for key, group in ordered:
        now = measures.row(key, group)
        changes = compared(query, now, earlier[key]) if earlier else {}
        yield _shown(folder, key, now | changes)


def _earlier_rows(
    comparison: Comparison, read: Mapping[int | None, tuple[Folder, Groups]], groups: Groups
) -> dict[GroupKey, Row]:
    """Return the columns of the earlier group of each group. read: by the keys of its spans."""
    rows: dict[GroupKey, Row] = {}
    whole, others = read[None]
    keys = {key: comparison.earlier_key(key) for key in groups}
    for at, (own, found) in read.items():
        of_span = {key: then for key, then in keys.items() if comparison.span_of(key) == at}
        earlier = dict.fromkeys(keys.values(), Group()) | others
        earlier |= {then: found.get(then, Group()) for then in of_span.values()}
        # Shares and running sums are those of the whole earlier time.
        own.totals, own.everything = whole.totals, whole.everything
        measures = Measures(own, own.sort(earlier))
        rows |= {key: measures.row(then, earlier[then]) for key, then in of_span.items()}
    return rows


def _all_groups(folder: Folder) -> Groups:
    # The query is not divided, so there is only one part.
    (sums,) = folder.reader.read()
    groups = folder.fold(sums)
    folder.add_amounts(groups)
    return groups


def _earlier(
    storage: Storage, user_id: int, query: SummaryQuery, span: Span | None
) -> tuple[Folder, Groups]:
    others = tuple([condition for condition in query.conditions if not is_date(condition)])
    dates = () if span is None else (dated(span.first, span.end),)
    before = replace(query, conditions=(*others, *dates), convert_to=query.merged_currency)
    folder = _folder(storage, user_id, before)
    return folder, {} if span is None else _all_groups(folder)


def _shown(folder: Folder, key: GroupKey, measured: Row) -> Row:
    query, (currency, *values) = folder.query, key
    row: Row = {"currencyCode": currency}
    for members, value in zip(folder.members, values, strict=True):
        row |= members(value)
    if query.periods:
        # If there are several periods, the shortest one begins last.
        row["periodStart"] = max(values[at] for at, _ in query.periods)
    row |= measured
    return {name: row[name] for name in query.column_names}


def _meeting(rows: list[Row], conditions: tuple[Condition, ...]) -> list[Row]:
    return [row for row in rows if matches(_bounded(row, conditions), conditions)]


def _bounded(row: Row, conditions: Sequence[Condition]) -> Row:
    """Return the columns in the conditions, with sums limited to 64 bits, like the conditions."""
    names = {condition.field.name for condition in conditions}
    return {
        name: None if row[name] is None else min(max(row[name], -MAX_UNITS), MAX_UNITS)
        for name in names
    }


class Measures:
    """Computes the columns of sums.

    folder: the folder that made all groups. groups: all groups in their default order.
    """

    def __init__(self, folder: Folder, groups: Sequence[tuple[GroupKey, Group]]) -> None:
        self._query = folder.query
        self._times = TimeKeys(folder.query)
        self._totals, self._everything = folder.totals, folder.everything
        self._expected = folder.expected
        has_running = any(column.is_running for column in folder.query.sums)
        self._running = self._run(groups) if has_running else {}
        self._first, self._last = self._asked_days(groups)

    def row(self, key: GroupKey, group: Group) -> Row:
        total, running = self._totals[key[0]], self._running.get(key, 0)
        expected = self._expected.get(key[0], 0)
        everything = self._everything.get(key[0], Sums())
        days = partial(self.days, key, group)
        around = Surroundings(total, everything, running, days, expected)
        row: Row = {column.name: column.value(group, around) for column in self._query.sums}
        if self._query.merges and not group.has_amounts:
            row |= dict.fromkeys(row.keys() - {"count"})
        if self._query.convert_to is not None:
            row |= self._converted(group, around, self._query.convert_to)
        return row

    def _converted(self, group: Group, around: Surroundings, target: str) -> Row:
        """Return the amounts that could be converted, and why others could not."""
        error = None
        if missing := sum(group.missing.values()):
            total = group.converted.count + missing
            error = no_rates(group.missing, target, f"{missing:,} of {total:,}")
        amounts = {
            converted_field(column.name).name: column.value(group.converted, around)
            if group.has_amounts
            else None
            for column in self._query.sums
            if column.is_amount
        }
        return {
            "convertedCurrencyCode": target,
            "convertedCount": group.converted.count,
            **amounts,
            "conversionError": error,
        }

    def _run(self, groups: Iterable[tuple[GroupKey, Group]]) -> dict[GroupKey, int]:
        """Return each group's running net, over groups that differ from it only in the period."""
        so_far: defaultdict[GroupKey, int] = defaultdict(int)
        running = {}
        # With weekday before day in groupBy, groups are not in the order of their days.
        for key, group in sorted(groups, key=lambda each: self._times.start(each[0])):
            series = self._times.at(key, None)
            so_far[series] += group.income + group.expense
            running[key] = so_far[series]
        return running

    def _asked_days(self, groups: Sequence[tuple[GroupKey, Group]]) -> tuple[int, int]:
        """Return the first and the last second of the requested period.

        If the query has no first day, the period begins with the oldest record. If it has no last
        day, the last second is MAX_SECONDS.
        """
        first, last = bounds_of(self._query.conditions)
        if first == MIN_SECONDS:
            oldest = min((g.first for _, g in groups if g.first is not None), default=None)
            first = min(self._query.today, last) if oldest is None else oldest
        return first, max(first, last)

    def days(self, key: GroupKey, group: Group) -> tuple[int, int]:
        """Return the first day and the end of a group's period.

        A period that has begun, or has no end, ends today, or with the group's newest record if
        that is later: all its records are counted.
        """
        first, last = self._first, self._last
        if self._times.shortest is not None:
            start = self._times.start(key)
            first, last = max(first, start), min(last, end_of(self._times.shortest, start) - 1)
        if first <= self._query.today or last == MAX_SECONDS:
            elapsed = max(first, self._query.today)
            last = min(last, elapsed if group.last is None else max(elapsed, group.last))
        return start_of(Period.DAY, first), end_of(Period.DAY, last)


def compared(query: SummaryQuery, now: Row, before: Row) -> Row:
    """Return the earlier values of a group's columns, the differences and the percentages."""
    row: Row = {}
    for name in (column.name for column in query.sums if column.name in COMPARED):
        previous, current = before[name], now[name]
        change = None if previous is None or current is None else current - previous
        # A percentage has two decimals, so it is a ratio in ten-thousandths.
        percent = None if change is None else ratio_units(change, abs(previous))
        names = [field.name for field in COMPARED[name]]
        row |= zip(names, (previous, change, percent), strict=True)
    if query.merges and before["conversionError"] is not None:
        earlier = f"in the earlier period {before['conversionError']}"
        row["conversionError"] = "; ".join(filter(None, (now["conversionError"], earlier)))
    return row
