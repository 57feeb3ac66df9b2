"""Answers a summary: reads, folds, compares, filters and sorts its groups."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from finance_api.planning.summaries.comparing import Comparison, GroupKey, is_date
from finance_api.planning.summaries.declaration import SummaryQuery
from finance_api.planning.summaries.folding import Folder, Group, Groups
from finance_api.planning.summaries.measuring import Measures, compared, converted_row
from finance_api.planning.summaries.reading import SummaryReader, check_groups
from finance_api.query.evaluate import in_order, matches
from finance_api.query.model import Condition, dated
from finance_api.resources.field import names_of
from finance_api.runtime.time_limit import in_time
from finance_api.storage.interface import Storage
from finance_api.values import Row
from finance_api.values.number import MAX_UNITS


@dataclass(frozen=True)
class Summary:
    """A page of the groups: rows of the query's columns.

    group_count: the number of groups on all pages; None if counting them would take long.
    left_out: the number of records that met the conditions but were left out, by reason.
    overlapping: whether any record belongs to several groups.
    not_converted: by currency, the days without a rate, one entry for each record.
    is_empty: whether no record is in any group.
    """

    groups: list[Row]
    has_more: bool
    group_count: int | None
    left_out: dict[str, int]
    overlapping: bool
    not_converted: dict[str, list[int]]
    is_empty: bool


def summarize(storage: Storage, user_id: int, query: SummaryQuery) -> Summary:
    """Return the page of groups that the query asks for. Raises SummaryTooLarge."""
    reader = SummaryReader(storage, user_id, query)
    folder = Folder(reader, query)
    end = query.offset + query.limit
    if query.needs_all:
        rows = list(in_time(_all_rows(storage, user_id, reader, folder)))
        if query.having:
            rows = [row for row in rows if matches(_bounded(row, query.having), query.having)]
        rows = in_order(rows, query.sort)
        count: int | None = len(rows)
        has_more = len(rows) > end
        rows = rows[query.offset : end]
    else:
        groups, count = _first_groups(reader, folder, end)
        measures = Measures(query, folder, groups)
        has_more = len(groups) > end
        page = groups[query.offset : end]
        rows = [_shown(folder, *group, measures.row(*group)) for group in page]
    not_converted = dict(sorted(reader.not_converted.items()))
    return Summary(
        rows,
        has_more,
        count,
        reader.left_out,
        folder.overlapping,
        not_converted,
        is_empty=folder.newest is None,
    )


def _first_groups(
    reader: SummaryReader, folder: Folder, end: int
) -> tuple[list[tuple[GroupKey, Group]], int | None]:
    """Return at least the first ``end`` groups in order, and the number of all groups."""
    groups: list[tuple[GroupKey, Group]] = []
    parts = reader.read()
    for sums in parts:
        groups += folder.sort(folder.fold(sums))
        check_groups(len(groups))
        if len(groups) > end:
            break
    if len(groups) > end and not reader.is_counted:
        return groups, None
    return groups, len(groups) + sum(len(folder.fold(sums)) for sums in parts)


def _all_rows(
    storage: Storage, user_id: int, reader: SummaryReader, folder: Folder
) -> Iterator[Row]:
    """Yield the rows of all groups in their default order."""
    query, groups = folder.query, _all_groups(reader, folder)
    if query.fill:
        groups = folder.fill(groups)
    if query.compare is None:
        ordered = folder.sort(groups)
        measures = Measures(query, folder, ordered)
        for key, group in ordered:
            yield _shown(folder, key, group, measures.row(key, group))
        return
    comparison = Comparison(query, folder.newest)
    before, earlier = _earlier(storage, user_id, query, comparison)
    for key in earlier:
        for later in comparison.later_keys(key):
            groups.setdefault(later, Group())
    for key in groups:
        earlier.setdefault(comparison.earlier_key(key), Group())
    check_groups(len(groups))
    ordered = folder.sort(groups)
    measures = Measures(query, folder, ordered)
    earlier_measures = Measures(before.query, before, before.sort(earlier))
    for key, group in ordered:
        then = comparison.earlier_key(key)
        now = measures.row(key, group)
        changes = compared(query, now, earlier_measures.row(then, earlier[then]))
        yield _shown(folder, key, group, now | changes)


def _all_groups(reader: SummaryReader, folder: Folder) -> Groups:
    # The query is not divided, so there is only one part.
    (sums,) = reader.read()
    groups = folder.fold(sums)
    folder.add_amounts(groups)
    return groups


def _earlier(
    storage: Storage, user_id: int, query: SummaryQuery, comparison: Comparison
) -> tuple[Folder, Groups]:
    others = tuple([condition for condition in query.conditions if not is_date(condition)])
    span = comparison.earlier
    dates = () if span is None else (dated(span.first, span.end),)
    before = replace(query, conditions=(*others, *dates), convert_to=None)
    reader = SummaryReader(storage, user_id, before)
    folder = Folder(reader, before)
    return folder, {} if span is None else _all_groups(reader, folder)


def _shown(folder: Folder, key: GroupKey, group: Group, measured: Row) -> Row:
    query, (currency, *values) = folder.query, key
    row: Row = {"currencyCode": currency}
    for members, value in zip(folder.members, values, strict=True):
        row |= members(value)
    if query.periods:
        # If there are several periods, this is the shortest one, which begins last.
        row["periodStart"] = max(values[at] for at, _ in query.periods)
    row |= measured
    if query.convert_to is not None:
        row |= converted_row(group, currency, query.convert_to)
    return {name: row[name] for name in names_of(query.columns)}


def _bounded(row: Row, conditions: Sequence[Condition]) -> Row:
    """Return the compared columns, with sums beyond 64 bits brought into the range of a Span."""
    names = {condition.field.name for condition in conditions}
    return {
        name: None if row[name] is None else min(max(row[name], -MAX_UNITS), MAX_UNITS)
        for name in names
    }
