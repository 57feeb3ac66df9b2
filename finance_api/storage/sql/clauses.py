"""`Query` -> SQL: what the conditions and the order become on a data table."""

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Boolean, ColumnElement, and_, case, false, literal, type_coerce
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction

from finance_api.query.model import Condition, Operator, SortKey, Span
from finance_api.storage.sql.columns import CodePointText, PackedList
from finance_api.storage.sql.tables import DataTable
from finance_api.values.number import MAX_UNITS
from finance_api.values.text import fold


class has_text(GenericFunction[bool]):  # noqa: N801 (a SQL function's name)
    """Whether the first text contains the second, by code points; no character is special."""

    type = Boolean()
    inherit_cache = True


@compiles(has_text, "sqlite")
def _has_text_sqlite(element: Any, compiler: SQLCompiler, **options: Any) -> str:
    return f"(instr({compiler.process(element.clauses, **options)}) > 0)"


@compiles(has_text, "postgresql")
def _has_text_postgresql(element: Any, compiler: SQLCompiler, **options: Any) -> str:
    return f"(strpos({compiler.process(element.clauses, **options)}) > 0)"


class has_any_text(GenericFunction[bool]):  # noqa: N801 (a SQL function's name)
    """Whether the first text contains one of the texts of the second, a JSON list."""

    type = Boolean()
    inherit_cache = True


# One statement however long the list is: SQLite takes no more than 1,000 ORs.
@compiles(has_any_text, "sqlite")
def _has_any_text_sqlite(element: Any, compiler: SQLCompiler, **options: Any) -> str:
    text, wanted = (compiler.process(clause, **options) for clause in element.clauses)
    return (
        f"(EXISTS (SELECT 1 FROM json_each({wanted}) AS wanted "
        f"WHERE instr({text}, wanted.value) > 0))"
    )


@compiles(has_any_text, "postgresql")
def _has_any_text_postgresql(element: Any, compiler: SQLCompiler, **options: Any) -> str:
    text, wanted = (compiler.process(clause, **options) for clause in element.clauses)
    return (
        f"(EXISTS (SELECT 1 FROM jsonb_array_elements_text(CAST({wanted} AS jsonb)) AS wanted "
        f"WHERE strpos({text}, wanted.value) > 0))"
    )


def _contains(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    return has_text(type_coerce(column, CodePointText), literal(text, CodePointText))


def clauses(table: DataTable, conditions: Iterable[Condition]) -> list[ColumnElement[bool]]:
    """One clause for each condition; all of them must hold."""
    return [_clause(table, condition) for condition in conditions]


def _clause(table: DataTable, condition: Condition) -> ColumnElement[bool]:
    column = table.columns[condition.field.name]
    operator, operand = condition.operator, condition.operand
    is_list = condition.field.kind.is_list
    if operator is Operator.IS_NULL:
        return type_coerce(column, CodePointText) == "" if is_list else column.is_(None)
    if operator is Operator.NOT_NULL:
        return type_coerce(column, CodePointText) != "" if is_list else column.is_not(None)
    if isinstance(operand, Span):
        return _within(column, condition.bounds())
    if operator is Operator.ANY_OF:
        assert isinstance(operand, tuple)
        return _any_of(column, operand) if is_list else column.in_(operand)
    if isinstance(operand, bool):
        return column.is_(operand)
    assert isinstance(operand, str)
    if operator is Operator.CONTAINS_I:
        return _contains(table.folded[condition.field.name], fold(operand))
    if operator is Operator.CONTAINS:
        return _contains(column, operand)
    return _any_of(column, (operand,)) if is_list else column == operand


def _any_of(column: ColumnElement[Any], elements: tuple[str, ...]) -> ColumnElement[bool]:
    """Whether a packed list has one of the elements."""
    packed = column.type
    assert isinstance(packed, PackedList)
    wanted = [packed.separator + element + packed.separator for element in elements]
    if len(wanted) == 1:
        return _contains(column, wanted[0])
    return has_any_text(
        type_coerce(column, CodePointText), literal(json.dumps(wanted), CodePointText)
    )


def _within(column: ColumnElement[Any], bounds: tuple[int, int] | None) -> ColumnElement[bool]:
    if bounds is None:
        return false()
    low, high = bounds
    if low == high:
        return column == low
    parts = []
    if low > -MAX_UNITS:
        parts.append(column >= low)
    if high < MAX_UNITS:
        parts.append(column <= high)
    return and_(*parts) if parts else column.is_not(None)


def order(table: DataTable, keys: Iterable[SortKey]) -> list[ColumnElement[Any]]:
    """The ORDER BY: missing values last in both directions, ties by id."""
    ordering: list[ColumnElement[Any]] = []
    for key in keys:
        column: ColumnElement[Any] = table.columns[key.field.name]
        if key.equals is not None:
            column = case((column == key.equals, 1), else_=0)
        ordered = column.desc() if key.descending else column.asc()
        # Left out where nothing can be missing, so that an index in this order can be used.
        missing = key.field.nullable and key.equals is None
        ordering.append(ordered.nulls_last() if missing else ordered)
    ordering.append(table.columns["id"].asc())
    return ordering


__all__ = ["clauses", "order"]
