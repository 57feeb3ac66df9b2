"""Rows of the public API: pages of a resource, single objects, exports, tables of sums.

These functions make answers: they know the data and the validated values, but no request.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pyramid.httpexceptions import HTTPException

from finance_api.api.parameters import CONVERT_TO, TRAILER, are_stored
from finance_api.api.validation import Parameters
from finance_api.http.errors import problem
from finance_api.planning.answers import HINTS, REVISION, Answer, Document, Export, Reading
from finance_api.planning.computing import list_computed
from finance_api.planning.conditions import resolved
from finance_api.planning.conversion import CONVERTED, converted_fields, with_converted
from finance_api.planning.hints import MAX_HINTS, find_hints, find_left_out
from finance_api.query.model import Condition, Query, condition_on
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.resources.common import ID
from finance_api.resources.field import Field, Kind, Resource, names_of
from finance_api.serialization.rows import RowEncoder, encoder_of, shown
from finance_api.storage.interface import STREAMED_ROWS, DataState, JsonPage, Page
from finance_api.values import Row


def list_page(resource: Resource, reading: Reading, values: Parameters) -> Answer:
    """Return a page of the resource."""
    asked = values.query(resource)
    query = resolved(asked, values, reading)
    state, rows, lines, page = _read(reading, query, values)
    members, headers = page_members(
        reading, state, query.limit, query.offset, has_more=page.has_more
    )
    total = page.total
    if total is None and page.has_more and reading.is_for_link:
        total = _count(reading, resource, query.conditions)
    if total is not None:
        members["total"] = total
        headers = (*headers, ("X-Total-Count", str(total)))
    has_rows = bool(rows or lines)
    if asked.loose if has_rows else asked.conditions:
        count = partial(_count, reading, resource) if not query.offset else None
        members[HINTS] = partial(
            hints, asked, reading, has_rows=has_rows, conditions=query.conditions, count=count
        )
    columns, table_columns = columns_for(reading, resource, values)
    return Answer(
        state=state,
        name=resource.name,
        columns=columns,
        table_columns=table_columns,
        rows=rows,
        lines=lines,
        resource=resource,
        members=members,
        headers=headers,
        next_offset=members["nextOffset"],
        total=total,
    )


def get_object(resource: Resource, reading: Reading, values: Parameters, row_id: str) -> Document:
    """Return one object, with the same fields as in the list. Raises a 404, or a 410."""
    named = condition_on(resource, "id", Operator.ANY_OF, (row_id,))
    state, rows, lines, _ = _read(reading, Query(resource, (named,), limit=1), values)
    columns, _ = columns_for(reading, resource, values)
    if lines:
        return Document(state, shown(resource, columns, lines))
    if rows:
        return Document(state, RowEncoder(columns).lines(rows))
    raise no_object(resource)


def no_object(resource: Resource) -> HTTPException:
    """Return a 404, the same for an unknown id and for an id of another user."""
    return problem(404, f"There is no {resource.word} with this id.")


def _read(
    reading: Reading, query: Query, values: Parameters
) -> tuple[DataState, list[Row], bytes | None, Page | JsonPage]:
    """Return the state, the rows, or their stored JSON in place of them, and the page.

    Reads stored JSON if it has all columns, and nobody needs the values.
    """
    storage, user_id, resource = reading.storage, reading.user_id, query.resource
    if are_stored(resource, values) and not reading.as_values:
        stored = storage.data.list_json(user_id, query)
        return stored.state, [], stored.lines, stored
    state = reading.get_state()
    page = list_computed(storage, user_id, query, reading.today)
    return state, converted(reading, resource, page.rows, values), None, page


def columns_for(
    reading: Reading, resource: Resource, values: Mapping[str, Any]
) -> tuple[Sequence[Field], Sequence[Field] | None]:
    """Return the columns of an `Answer`, and its table columns.

    JSON has the fields in the order of the resource, with the id.
    """
    chosen, target = values.get("fields"), values.get(CONVERT_TO)
    more = () if target is None else converted_fields(CONVERTED[resource])
    if chosen is None:
        fields = shared_columns(reading, resource.fields)
        return (*fields, *more) if more else fields, None
    names = {ID.name, *names_of(chosen)}
    fields = tuple([field for field in resource.fields if field.name in names])
    return (*fields, *more), (*chosen, *more)


def converted(
    reading: Reading, resource: Resource, rows: list[Row], values: Mapping[str, Any]
) -> list[Row]:
    """Return the rows with their converted amounts, if the client wants these."""
    target = values.get(CONVERT_TO)
    if target is None:
        return rows
    return with_converted(reading.storage, resource, rows, target, reading.today)


def _count(reading: Reading, resource: Resource, conditions: tuple[Condition, ...]) -> int:
    return reading.storage.data.count_rows(reading.user_id, Query(resource, conditions))


def hints(
    query: Query,
    reading: Reading,
    *,
    has_rows: bool,
    conditions: Sequence[Condition] = (),
    count: Callable[[tuple[Condition, ...]], int] | None = None,
    further: Sequence[str] = (),
) -> list[str]:
    """Return hints about an answer. query: the query before it was `resolved`.

    conditions: those of the resolved query. count: see `find_left_out`; None: no such hints.
    further: more hints about rows that were left out.
    """
    found = find_hints(
        reading.storage,
        reading.user_id,
        query.resource,
        query.loose if has_rows else query.conditions,
        may_suggest=not reading.is_for_link,
    )
    # The readers of a link learn nothing about other rows.
    if count is not None and not reading.is_for_link:
        nouns = query.resource.word, str(query.resource.path).replace("-", " ")
        found += [*find_left_out(nouns, query.conditions, conditions, count), *further]
    return found[:MAX_HINTS]


def account_hints(
    reading: Reading, values: Parameters, rows: Sequence[Row]
) -> Callable[[], list[str]]:
    """Return the member with hints of a table whose filters are fields of records."""
    asked = Query(RECORDS, values.conditions)
    return partial(hints, asked, reading, has_rows=bool(rows))


def page_members(
    reading: Reading, state: DataState, limit: int, offset: int, *, has_more: bool
) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """Return the members of a page, and the header that takes their place without an envelope."""
    following = offset + limit if has_more else None
    members: dict[str, Any] = {"limit": limit, "offset": offset, "nextOffset": following}
    if not reading.is_for_link:
        members[REVISION] = state.revision
    return members, (("X-Next-Offset", str(following or "")),)


def table(
    reading: Reading,
    state: DataState,
    name: str,
    columns: Sequence[Field],
    rows: Sequence[Row],
    members: Mapping[str, Any],
    headers: Sequence[tuple[str, str]] = (),
    *,
    instead: str | None = None,
) -> Answer:
    """Return a table without pages. name, members, headers: as in `Answer`.

    instead: the name of the member that forms without an envelope have in place of the rows.
    """
    return Answer(
        state=state,
        name=name,
        columns=shared_columns(reading, columns),
        rows=rows,
        instead=instead,
        members=members,
        headers=headers,
    )


def shared_columns(reading: Reading, columns: Sequence[Field]) -> Sequence[Field]:
    """Return the columns to show; a link shows no ids of objects other than its rows."""
    if not reading.is_for_link:
        return columns
    ids = (Kind.ID, Kind.ID_LIST, Kind.SERIAL)
    return tuple([column for column in columns if column.kind not in ids or column.name == ID.name])


def paged(
    reading: Reading,
    answer: Answer,
    values: Mapping[str, Any],
    *,
    has_more: bool,
    total: int | None = None,
) -> Answer:
    """Return the table with the members and headers of a page. total: as in `Answer`."""
    limit, offset = values["limit"], values["offset"]
    members, headers = page_members(reading, answer.state, limit, offset, has_more=has_more)
    return replace(
        answer,
        members={**answer.members, **members},
        headers=answer.headers if answer.instead is not None else (*headers, *answer.headers),
        next_offset=members["nextOffset"],
        total=total,
    )


def names_by_id(reading: Reading, *resources: Resource) -> dict[str, str | None]:
    """Return the names of all objects of these resources, by id."""
    scan, user_id = reading.storage.data.scan_rows, reading.user_id
    return {row["id"]: row["name"] for each in resources for row in scan(user_id, each)}


# -- exports ------------------------------------------------------------------------------------


def export(resource: Resource, reading: Reading, values: Parameters) -> Export:
    """Begin an export of all rows that match. Its pages read the storage while they are sent."""
    state = reading.get_state()
    asked = Query(resource, values.conditions, values["sortBy"])
    query = resolved(asked, values, reading)
    count = reading.storage.data.count_rows(reading.user_id, query)
    columns, table_columns = columns_for(reading, resource, values)
    return Export(
        state=state,
        count=count,
        name=str(resource.path),
        pages=_pages(reading, query, count),
        resource=resource,
        columns=columns,
        table_columns=table_columns,
        has_trailer=values[TRAILER],
    )


def _pages(reading: Reading, query: Query, count: int) -> Generator[bytes, None, None]:
    """Yield pages like `DataReader.stream_json`, also for resources with computed fields."""
    storage, user_id = reading.storage, reading.user_id
    if not query.resource.computed_fields:
        yield from storage.data.stream_json(user_id, query)
        return
    # Such resources have few rows, and these may be sorted by a computed field.
    query = replace(query, limit=max(1, count))
    rows = list_computed(storage, user_id, query, reading.today).rows
    for start in range(0, len(rows), STREAMED_ROWS):
        yield encoder_of(query.resource).lines(rows[start : start + STREAMED_ROWS])
