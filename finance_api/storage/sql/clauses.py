"""Conditions and order -> SQL.

What a query asks is split in two: its shape, from which the text of a statement follows, and the
values that are names to it. So the statements of one shape are built once, however often the
shape is asked for.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    and_,
    bindparam,
    case,
    false,
    literal_column,
    type_coerce,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction

from finance_api.query.model import Condition, Operator, SortKey, Span
from finance_api.query.parse import MAX_LIST_OPERANDS
from finance_api.storage.sql.columns import LIST_TYPES, CodePointText, PackedList
from finance_api.storage.sql.tables import DataTable
from finance_api.values.number import MAX_UNITS
from finance_api.values.text import fold

# These have no type: to a boolean one SQLAlchemy would add "= 1" for SQLite, which then would use
# no index.


class has_text(GenericFunction[Any]):  # noqa: N801 (a SQL function's name)
    """Whether the first text contains the second, by code points; no character is special."""

    inherit_cache = True


@compiles(has_text, "sqlite")
def _has_text_sqlite(element: Any, compiler: SQLCompiler, **options: Any) -> str:
    return f"(instr({compiler.process(element.clauses, **options)}) > 0)"


@compiles(has_text, "postgresql")
def _has_text_postgresql(element: Any, compiler: SQLCompiler, **options: Any) -> str:
    return f"(strpos({compiler.process(element.clauses, **options)}) > 0)"


class has_any_text(GenericFunction[Any]):  # noqa: N801 (a SQL function's name)
    """Whether the first text contains one of the texts of the second, a JSON list."""

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


class is_one_of(GenericFunction[Any]):  # noqa: N801 (a SQL function's name)
    """Whether the first text equals one of the texts of the second, a JSON list."""

    inherit_cache = True


@compiles(is_one_of, "sqlite")
def _is_one_of_sqlite(element: Any, compiler: SQLCompiler, **options: Any) -> str:
    text, wanted = (compiler.process(clause, **options) for clause in element.clauses)
    return f"({text} IN (SELECT value FROM json_each({wanted})))"


@compiles(is_one_of, "postgresql")
def _is_one_of_postgresql(element: Any, compiler: SQLCompiler, **options: Any) -> str:
    text, wanted = (compiler.process(clause, **options) for clause in element.clauses)
    return f"({text} = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST({wanted} AS jsonb)))))"


@dataclass(frozen=True, slots=True)
class Predicate:
    """The shape of a condition: which field, and how it is compared with how many values.

    operator: null, not_null, never, present, equal, from, to, within, in, one_of, true, false,
    contains, contains_folded, has, has_any.
    number: of values, where the operator allows several.
    """

    field: str
    operator: str
    number: int = 1


def shape_of(condition: Condition) -> tuple[Predicate, tuple[Any, ...]]:
    """The condition's shape, and the values that go with it."""
    name, operator, operand = condition.field.name, condition.operator, condition.operand
    is_list = condition.field.kind.is_list
    if operator is Operator.IS_NULL:
        return Predicate(name, "null"), ()
    if operator is Operator.NOT_NULL:
        return Predicate(name, "not_null"), ()
    if isinstance(operand, Span):
        return _span_predicate(name, condition.bounds())
    if isinstance(operand, bool):
        return Predicate(name, "true" if operand else "false"), ()
    if operator is Operator.ANY_OF:
        assert isinstance(operand, tuple)
        if is_list:
            return _element_predicate(condition, operand)
        if len(operand) == 1:
            return Predicate(name, "equal"), operand
        if len(operand) <= MAX_LIST_OPERANDS:
            # So that SQLite sees how many there are, and looks each of them up.
            return Predicate(name, "in", len(operand)), operand
        return Predicate(name, "one_of"), (json.dumps(operand),)
    assert isinstance(operand, str)
    if operator is Operator.CONTAINS_I:
        return Predicate(name, "contains_folded"), (fold(operand),)
    if operator is Operator.CONTAINS:
        return Predicate(name, "contains"), (operand,)
    return (
        _element_predicate(condition, (operand,))
        if is_list
        else (Predicate(name, "equal"), (operand,))
    )


def _span_predicate(name: str, bounds: tuple[int, int] | None) -> tuple[Predicate, tuple[Any, ...]]:
    if bounds is None:
        return Predicate(name, "never"), ()
    low, high = bounds
    if low == high:
        return Predicate(name, "equal"), (low,)
    if low == -MAX_UNITS:
        return (
            (Predicate(name, "present"), ())
            if high == MAX_UNITS
            else (Predicate(name, "to"), (high,))
        )
    return (
        (Predicate(name, "from"), (low,))
        if high == MAX_UNITS
        else (Predicate(name, "within"), (low, high))
    )


def _element_predicate(
    condition: Condition, elements: tuple[str, ...]
) -> tuple[Predicate, tuple[Any, ...]]:
    """Whether a packed list has one of the elements."""
    separator = LIST_TYPES[condition.field.kind].separator
    wanted = [separator + element + separator for element in elements]
    if len(wanted) == 1:
        return Predicate(condition.field.name, "has"), (wanted[0],)
    return Predicate(condition.field.name, "has_any"), (json.dumps(wanted),)


@dataclass(frozen=True, slots=True)
class OrderKey:
    """The shape of a sort key."""

    field: str
    descending: bool
    equals: str | None
    nullable: bool


def order_key(key: SortKey) -> OrderKey:
    # Left out where nothing can be missing, so that an index in this order can be used.
    nullable = key.field.nullable and key.equals is None
    return OrderKey(key.field.name, key.descending, key.equals, nullable)


class BindNames:
    """The names that the values of a statement are names to, in their order: p0, p1 ..."""

    def __init__(self) -> None:
        self._count = 0

    def parameter(self, type_: Any) -> ColumnElement[Any]:
        name = f"p{self._count}"
        self._count += 1
        return bindparam(name, type_=type_)


def values_by_name(values: Iterable[Any]) -> dict[str, Any]:
    """The values as `BindNames` names them."""
    return {f"p{number}": value for number, value in enumerate(values)}


def clauses(
    table: DataTable, predicates: Iterable[Predicate], names: BindNames
) -> list[ColumnElement[bool]]:
    """One clause for each predicate; all of them must hold."""
    return [_clause(table, predicate, names) for predicate in predicates]


def _clause(table: DataTable, predicate: Predicate, names: BindNames) -> ColumnElement[bool]:
    column = table.columns[predicate.field]
    is_list = isinstance(column.type, PackedList)
    text = type_coerce(column, CodePointText)
    match predicate.operator:
        case "null":
            return text == literal_column("''") if is_list else column.is_(None)
        case "not_null":
            return text != literal_column("''") if is_list else column.is_not(None)
        case "never":
            return false()
        case "present":
            return column.is_not(None)
        case "equal":
            return column == names.parameter(column.type)
        case "from":
            return column >= names.parameter(column.type)
        case "to":
            return column <= names.parameter(column.type)
        case "within":
            return and_(
                column >= names.parameter(column.type), column <= names.parameter(column.type)
            )
        case "in":
            return column.in_([names.parameter(column.type) for _ in range(predicate.number)])
        case "one_of":
            return is_one_of(column, names.parameter(CodePointText))
        case "true" | "false":
            return column.is_(predicate.operator == "true")
        case "contains_folded":
            return has_text(table.folded[predicate.field], names.parameter(CodePointText))
        case "contains" | "has":
            return has_text(text, names.parameter(CodePointText))
        case "has_any":
            return has_any_text(text, names.parameter(CodePointText))
    raise AssertionError(predicate.operator)


def ordering(table: DataTable, keys: Sequence[OrderKey]) -> list[ColumnElement[Any]]:
    """The ORDER BY: missing values last in both directions, ties by id."""
    found: list[ColumnElement[Any]] = []
    for key in keys:
        column: ColumnElement[Any] = table.columns[key.field]
        if key.equals is not None:
            column = case((column == key.equals, 1), else_=0)
        ordered = column.desc() if key.descending else column.asc()
        found.append(ordered.nulls_last() if key.nullable else ordered)
    found.append(table.columns["id"].asc())
    return found
