"""Reading data: every statement here is names to the user."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Text,
    cast,
    func,
    literal_column,
    select,
    true,
)

from finance_api.query.model import Condition, Query
from finance_api.resources import RECORDS
from finance_api.resources.field import Resource, names_of
from finance_api.resources.records import VOID
from finance_api.storage.interface import Page, RecordSum
from finance_api.storage.sql.clauses import (
    BindNames,
    clauses,
    order_key,
    ordering,
    shape_of,
    values_by_name,
)
from finance_api.storage.sql.fetching import Fetching
from finance_api.storage.sql.tables import DATA_TABLES, DataTable
from finance_api.values import Row

# SQLite's SUM of 64-bit integers fails when it overflows: high and low halves are summed apart.
_HALF_BITS = 32
_SHIFT: ColumnElement[int] = literal_column(str(_HALF_BITS))
_LOW_HALF: ColumnElement[int] = literal_column(str(2**_HALF_BITS - 1))


#: From here on the rows of a page are chosen first, and then read.
_FAR_OFFSET = 1_000


def rows_of_user(
    table: DataTable, user_id: int, conditions: Sequence[Condition] = ()
) -> tuple[list[ColumnElement[bool]], dict[str, Any]]:
    """What every statement on a data table is restricted by, and the values names in it."""
    parts = [shape_of(condition) for condition in conditions]
    restriction = clauses(table, [predicate for predicate, _ in parts], BindNames())
    values = values_by_name([value for _, given in parts for value in given])
    return [table.user_id == user_id, *restriction], values


class DataReading(Fetching):
    def list_rows(self, user_id: int, query: Query) -> Page:
        self.begin_snapshot()
        table = DATA_TABLES[query.resource.name]
        restriction, values = rows_of_user(table, user_id, query.conditions)
        order = ordering(table, [order_key(key) for key in query.sort])
        page = (
            select(*table.listed)
            .where(*restriction)
            .order_by(*order)
            .limit(query.limit + 1)
            .offset(query.offset)
        )
        if query.offset >= _FAR_OFFSET:
            # What is passed over is sorted without its columns.
            chosen = page.with_only_columns(table.columns["id"]).subquery("chosen")
            page = (
                select(*table.listed)
                .where(table.user_id == user_id, table.columns["id"].in_(select(chosen.c.id)))
                .order_by(*order)
            )
        found = self.data.execute(page, values).all()
        total = None
        if query.with_total:
            total = self.data.execute(
                select(func.count()).select_from(table.table).where(*restriction), values
            ).scalar_one()
        names = names_of(query.resource.listed_fields)
        rows = [dict(zip(names, row, strict=True)) for row in found[: query.limit]]
        return Page(rows, len(found) > query.limit, total)

    def get_rows(self, user_id: int, resource: Resource, ids: Collection[str]) -> dict[str, Row]:
        rows = self._rows_of_keys(user_id, resource, "id", ids)
        return {row["id"]: row for row in rows}

    def get_rows_by_source(
        self, user_id: int, resource: Resource, source: str, source_ids: Collection[str]
    ) -> dict[str, Row]:
        condition = DATA_TABLES[resource.name].columns["source"] == source
        rows = self._rows_of_keys(user_id, resource, "sourceId", source_ids, condition)
        return {row["sourceId"]: row for row in rows}

    def _rows_of_keys(
        self,
        user_id: int,
        resource: Resource,
        key: str,
        values: Collection[str],
        *conditions: ColumnElement[bool],
    ) -> list[Row]:
        """The rows whose unique ``key`` is one of ``values``: a look-up in its index for each."""
        self.begin_snapshot()
        table = DATA_TABLES[resource.name]
        restriction = [table.user_id == user_id, *conditions]
        column = table.columns[key]
        if self.data.dialect.name == "postgresql":
            # Written as a loop. PostgreSQL knows nothing yet of rows that this transaction has
            # written, takes them for few, and would read all of them for each IN.
            array = func.unnest(cast(list(values), ARRAY(Text)))
            wanted = array.table_valued("value").render_derived(name="wanted")
            found = select(*table.kept).where(*restriction, column == wanted.c.value)
            one = found.limit(1).lateral()
            statement = select(one).select_from(wanted.join(one, true()))
        else:
            statement = select(*table.kept).where(*restriction, column.in_(values))
        names = names_of(resource.persisted_fields)
        return [dict(zip(names, row, strict=True)) for row in self.data.execute(statement)]

    def scan_rows(
        self,
        user_id: int,
        resource: Resource,
        *,
        conditions: Sequence[Condition] = (),
        after_id: str = "",
        limit: int | None = None,
    ) -> list[Row]:
        self.begin_snapshot()
        table = DATA_TABLES[resource.name]
        restriction, values = rows_of_user(table, user_id, conditions)
        found = self.data.execute(
            select(*table.kept)
            .where(*restriction, table.columns["id"] > after_id)
            .order_by(table.columns["id"])
            .limit(limit),
            values,
        )
        names = names_of(resource.persisted_fields)
        return [dict(zip(names, row, strict=True)) for row in found]

    def sum_records(self, user_id: int, conditions: Sequence[Condition]) -> RecordSum:
        self.begin_snapshot()
        table = DATA_TABLES[RECORDS.name]
        amount = table.columns["amount"]
        restriction, values = rows_of_user(table, user_id, conditions)
        high, low, count = self.data.execute(
            select(
                func.sum(amount.bitwise_rshift(_SHIFT)),
                func.sum(amount.bitwise_and(_LOW_HALF)),
                func.count(),
            ).where(*restriction, table.columns["recordState"].is_distinct_from(VOID)),
            values,
        ).one()
        return RecordSum((int(high or 0) << _HALF_BITS) + int(low or 0), count)
