"""The tables, indexes and views of a mirror, and how a row of the API becomes a row of a table."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Field, Kind, Resource
from finance_api.values.number import DECIMALS

#: Types that BI tools recognise. Lists are JSON arrays.
_TYPES = {
    Kind.NUMBER: "REAL",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.DATETIME: "DATETIME",
}
#: Suffix of the columns with exact amounts, in ten-thousandths.
_UNITS = "_units"
#: Names that can become columns, if a newer service sends more fields.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,60}")


def quoted(name: str) -> str:
    return f'"{name}"'


@dataclass(frozen=True)
class Table:
    resource: Resource

    @property
    def name(self) -> str:
        return str(self.resource.path).replace("-", "_")

    @cached_property
    def columns(self) -> Mapping[str, str]:
        """Return the columns that every mirror has, and their types."""
        declared = {f.name: _type(f) for f in self.resource.fields}
        units = {f.name + _UNITS: "INTEGER" for f in self.resource.fields if f.is_money}
        return {**declared, "id": "TEXT PRIMARY KEY", **units}

    @property
    def deletion(self) -> str:
        return f"DELETE FROM {self.name} WHERE id = ?"  # noqa: S608

    def insertion(self, columns: Iterable[str]) -> str:
        columns = list(map(quoted, columns))
        marks = ", ".join("?" * len(columns))
        # The names are declared here or match `_NAME`.
        return f"INSERT OR REPLACE INTO {self.name} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608

    @property
    def definition(self) -> str:
        columns = ", ".join(f"{quoted(name)} {type_}" for name, type_ in self.columns.items())
        return f"CREATE TABLE {self.name} ({columns})"

    def row(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of an object, by column. data: has its numbers as Decimal or int."""
        found: dict[str, Any] = {}
        for name, value in data.items():
            field = self.resource.get_field(name)
            if field is None and not _NAME.fullmatch(name):
                continue
            found[name] = _stored(value, field)
            if field is not None and field.is_money and value is not None:
                found[name + _UNITS] = int(value.scaleb(DECIMALS))
        return found


def _type(field: Field) -> str:
    if field.kind is Kind.NUMBER and not field.decimals:
        return "INTEGER"
    return "DECIMAL(19,4)" if field.is_money else _TYPES.get(field.kind, "TEXT")


def _stored(value: Any, field: Field | None) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=float)
    if field is not None and field.kind is Kind.DATETIME and value is not None:
        # The form that SQLite's functions and SQLAlchemy take; in UTC.
        return value.removesuffix("Z").replace("T", " ")
    return value


TABLES: Mapping[str, Table] = {str(r.path): Table(r) for r in PUBLIC_RESOURCES}

_INDEXES = {
    "records_by_date": "records (recordDate)",
    "records_by_account": "records (accountId, recordDate)",
    "records_by_category": "records (categoryId, recordDate)",
    "records_by_payee": "records (payee)",
}
_VIEWS = {
    # One row for each record, with names. counted: whether sums of the API include it.
    "records_view": """
        WITH RECURSIVE tops (id, name) AS (
            SELECT id, name FROM categories
            WHERE parentId IS NULL OR parentId NOT IN (SELECT id FROM categories)
            UNION ALL
            SELECT categories.id, tops.name FROM categories JOIN tops ON parentId = tops.id
        )
        SELECT recordDate, substr(recordDate, 1, 7) AS month, accountName AS account, amount,
            records.currencyCode, payee, note, category, tops.name AS topCategory,
            (SELECT group_concat(value, ', ') FROM json_each(labels)) AS labels,
            recordType, paymentType, recordState,
            recordState IS NOT 'void' AND transferId IS NULL
                AND coalesce(excludeFromStats, 0) = 0 AS counted,
            amount_units, records.id, accountId, categoryId
        FROM records
        LEFT JOIN accounts ON accounts.id = accountId
        LEFT JOIN tops ON tops.id = categoryId""",
    "monthly_by_category": """
        SELECT month, category, topCategory, currencyCode, count(*) AS count,
            sum(max(amount_units, 0)) / 10000.0 AS income,
            sum(min(amount_units, 0)) / 10000.0 AS expense,
            sum(amount_units) / 10000.0 AS net
        FROM records_view WHERE counted
        GROUP BY month, categoryId, currencyCode""",
    # One row for each label of a record.
    "record_labels": """
        SELECT records.id AS recordId, value AS label FROM records, json_each(labels)""",
}


def drop_statements() -> Iterator[str]:
    for name in _VIEWS:
        yield f"DROP VIEW IF EXISTS {name}"
    for table in TABLES.values():
        yield f"DROP TABLE IF EXISTS {table.name}"


def create_statements() -> Iterator[str]:
    for table in TABLES.values():
        yield table.definition
    for name, columns in _INDEXES.items():
        yield f"CREATE INDEX {name} ON {columns}"
    for name, query in _VIEWS.items():
        yield f"CREATE VIEW {name} AS{query}"
