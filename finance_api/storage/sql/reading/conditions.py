"""Filters and sort orders as SQL.

A query consists of a shape, which determines the text of the SQL, and the values to bind. So the
SQL of a shape is built only once, however often it is used.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from finance_api.query.kinds import MAX_LIST_OPERANDS
from finance_api.query.model import Condition, SortKey, Span
from finance_api.query.operators import PARTED, RANGES, Operator
from finance_api.resources.field import Kind
from finance_api.storage.sql.bulk import json_elements
from finance_api.storage.sql.data_tables import SEPARATORS, ConditionTable, pack
from finance_api.storage.sql.parameters import USER
from finance_api.storage.sql.tables import CodePointText
from finance_api.values.number import MAX_UNITS
from finance_api.values.text import plain


@dataclass(frozen=True, slots=True)
class Predicate:
    """The shape of a condition: a field, an operator and the number of values to compare with.

    operator: is_null, not_null, never, eq, le, ge, between, in, in_json (one JSON list), is_true,
    is_false, has_any (whether a JSON list has one of the row's ids), word; or the prefix of an
    operator in `PARTED`, or in `SEARCHES`, for any of the texts.
    number: the number of values, if the operator accepts several.
    negated: whether to match rows whose value is present and does not match.
    or_missing: whether rows without a value match, too, if it is negated.
    absolute: whether to compare a number without its sign.
    parts: for the operators in `PARTED`, the shapes of their parts.
    """

    field: str
    operator: str
    number: int = 1
    negated: bool = False
    or_missing: bool = False
    absolute: bool = False
    parts: tuple["Predicate", ...] = ()


def shape_of(condition: Condition) -> tuple[Predicate, tuple[Any, ...]]:
    """Return the condition's shape, and its values."""
    if condition.operator in PARTED:
        parts = [shape_of(part) for part in condition.parts]
        predicates = tuple([predicate for predicate, _ in parts])
        parted = Predicate(condition.field.name, condition.operator.prefix, parts=predicates)
        return parted, tuple([value for _, values in parts for value in values])
    negated, or_missing = condition.operator.is_negated, condition.operator is Operator.NE_OR_NULL
    compared = condition.positive()
    operator, values = _SHAPES[compared.operator](compared)
    number = len(values) if operator == "in" or condition.field.kind.is_list else 1
    predicate = Predicate(
        condition.field.name, operator, number, negated, or_missing, condition.absolute
    )
    return predicate, values


def _equality(condition: Condition) -> tuple[str, tuple[Any, ...]]:
    """Return the predicate's operator and values, for one operand or several."""
    operand: Any = condition.operand
    if isinstance(operand, Span):
        return _range(condition.bounds())
    if isinstance(operand, bool):
        return "is_true" if operand else "is_false", ()
    operands = operand if isinstance(operand, tuple) else (operand,)
    if not operands:
        return "never", ()
    if condition.field.kind.is_list:
        if len(operands) == 1 or condition.field.kind is Kind.TEXT_LIST:
            separator = SEPARATORS[condition.field.kind]
            return Operator.CONTAINS.prefix, tuple(
                [pack([str(element)], separator) for element in operands]
            )
        return "has_any", (json.dumps(operands),)
    if len(operands) == 1:
        return "eq", operands
    if len(operands) <= MAX_LIST_OPERANDS:
        # Bind each value as a parameter, so that SQLite knows how many there are and looks up each.
        return "in", operands
    return "in_json", (json.dumps(operands),)


def _range(bounds: tuple[int, int] | None) -> tuple[str, tuple[Any, ...]]:
    if bounds is None:
        return "never", ()
    low, high = bounds
    if low == high:
        return "eq", (low,)
    match low == -MAX_UNITS, high == MAX_UNITS:
        case True, True:
            return "not_null", ()
        case True, False:
            return "le", (high,)
        case False, True:
            return "ge", (low,)
    return "between", (low, high)


@dataclass(frozen=True, slots=True)
class OrderKey:
    """The shape of a sort key."""

    field: str
    descending: bool
    equals: str | None
    nullable: bool


def order_keys(sort: Iterable[SortKey]) -> tuple[OrderKey, ...]:
    """Return the shapes of the sort keys."""
    # A field that always has a value is not nullable here, so that an index in this order is used.
    return tuple(
        [
            OrderKey(k.field.name, k.descending, k.equals, k.field.nullable and k.equals is None)
            for k in sort
        ]
    )


def shape_and_values(
    conditions: Iterable[Condition], **others: Any
) -> tuple[tuple[Predicate, ...], dict[str, Any]]:
    """Return the shapes of conditions, and their values under the names of `BindNames`.

    others: further values to bind.
    """
    parts = [shape_of(condition) for condition in conditions]
    values = values_by_name([value for _, given in parts for value in given])
    return tuple([predicate for predicate, _ in parts]), values | others


class BindNames:
    """The parameter names of a query, in order: p0, p1 ..."""

    def __init__(self) -> None:
        self._count = 0

    def parameter(self, type_: Any = CodePointText) -> sa.ColumnElement[Any]:
        name = f"p{self._count}"
        self._count += 1
        return sa.bindparam(name, type_=type_)


def values_by_name(values: Iterable[Any]) -> dict[str, Any]:
    """Return the values under the names of `BindNames`."""
    return {f"p{number}": value for number, value in enumerate(values)}


def _listed_ids(database: str, packed: sa.ColumnElement[Any]) -> sa.ColumnElement[str]:
    """Return the ids of a packed list, as a column of a new table."""
    separator = SEPARATORS[Kind.ID_LIST]
    if database == "sqlite":
        listed = sa.func.replace(sa.func.trim(packed, separator), separator, '","')
        return sa.func.json_each('["' + listed + '"]').table_valued("value").c.value
    return sa.func.string_to_table(packed, separator).column_valued()


def _place(
    database: str, text: sa.ColumnElement[Any], part: sa.ColumnElement[Any]
) -> sa.ColumnElement[int]:
    """Return where the part begins in the text, in code points from 1; 0 if it does not occur.

    Every character stands for itself.
    """
    find = {"sqlite": sa.func.instr, "postgresql": sa.func.strpos}[database]
    return find(text, part, type_=sa.BigInteger)


def has_text(
    database: str, text: sa.ColumnElement[Any], part: sa.ColumnElement[Any]
) -> sa.ColumnElement[bool]:
    """Whether the text contains the part."""
    return _place(database, text, part) > sa.literal_column("0")


def begins_with(
    database: str, text: sa.ColumnElement[Any], part: sa.ColumnElement[Any]
) -> sa.ColumnElement[bool]:
    """Whether the text begins with the part."""
    return _place(database, text, part) == sa.literal_column("1")


@dataclass(frozen=True)
class Search:
    """How to look for a text.

    is_there: whether a text meets the operator. folded: whether both texts are folded.
    in_list: what to look for in a packed list instead, anywhere: made of the text and the list's
    separator.
    """

    is_there: Callable[
        [str, sa.ColumnElement[Any], sa.ColumnElement[Any]], sa.ColumnElement[bool]
    ] = has_text
    folded: bool = False
    in_list: Callable[[str, str], str] = lambda text, separator: text


SEARCHES: Mapping[Operator, Search] = {
    Operator.CONTAINS: Search(),
    Operator.CONTAINS_I: Search(folded=True),
    Operator.STARTS_WITH_I: Search(
        begins_with, folded=True, in_list=lambda text, separator: separator + text
    ),
}
_SEARCHES_BY_PREFIX = {operator.prefix: search for operator, search in SEARCHES.items()}


def _search(condition: Condition) -> tuple[str, tuple[Any, ...]]:
    operator, kind = condition.operator, condition.field.kind
    search, text = SEARCHES[operator], operator.value.prepared(condition.operand)
    if not kind.is_list:
        return operator.prefix, (text, plain(str(condition.operand)))
    anywhere = Operator.CONTAINS_I if search.folded else Operator.CONTAINS
    return anywhere.prefix, (search.in_list(text, SEPARATORS[kind]),)


#: By operator, the function that returns the operator of a condition's predicate, and its values.
#: The values of EITHER are those of its parts.
_SHAPES: Mapping[Operator, Callable[[Condition], tuple[str, tuple[Any, ...]]]] = {
    **dict.fromkeys((Operator.EQ, Operator.NE, Operator.NE_OR_NULL, Operator.ANY_OF), _equality),
    **dict.fromkeys(SEARCHES, _search),
    **dict.fromkeys(RANGES[1:], lambda condition: _range(condition.bounds())),
    Operator.IS_NULL: lambda _: ("is_null", ()),
    Operator.NOT_NULL: lambda _: ("not_null", ()),
    Operator.WORD: lambda condition: ("word", (condition.operand,)),
    **dict.fromkeys(PARTED, lambda _: ("", ())),
}


def check_operators(known: Collection[Operator]) -> None:
    """Raise TypeError if an operator has no SQL."""
    if missing := [operator.name for operator in Operator if operator not in known]:
        raise TypeError(f"{__name__} has no SQL for the operator {', '.join(missing)}")


check_operators(_SHAPES)


def searches_texts(predicates: Iterable[Predicate]) -> bool:
    """Whether any predicate searches texts, which takes much longer than comparing values."""
    return any(
        p.operator == "word" or p.operator in _SEARCHES_BY_PREFIX or searches_texts(p.parts)
        for p in predicates
    )


def user_rows(
    database: str, table: ConditionTable, predicates: Iterable[Predicate]
) -> list[sa.ColumnElement[bool]]:
    """Return clauses that select the user's rows matching all predicates."""
    names = BindNames()
    given = list(predicates)
    clauses = [_clause(database, table, predicate, names) for predicate in given]
    if any(_is_by_ids(database, predicate) for predicate in given):
        # With a plus sign, SQLite looks up the ids; else it would read an index of all rows.
        return [sa.literal_column(f"+{table.user_id}") == USER, *clauses]
    return [table.user_id == USER, *clauses]


def _is_by_ids(database: str, predicate: Predicate) -> bool:
    is_list = predicate.field == "id" and predicate.operator in ("in", "in_json")
    return database == "sqlite" and is_list and not predicate.negated


def _clause(
    database: str, table: ConditionTable, predicate: Predicate, names: BindNames
) -> sa.ColumnElement[bool]:
    if predicate.operator == "word":
        word = names.parameter()
        return sa.or_(*[has_text(database, column, word) for column in table.plain.values()])
    parts = [_clause(database, table, part, names) for part in predicate.parts]
    if predicate.operator == Operator.NOT_ALL.prefix:
        # SQLite evaluates no more parts than it needs to if this is TRUE, not 1.
        return sa.and_(*parts).is_not(sa.literal_column("TRUE"))
    if predicate.operator == Operator.EITHER.prefix:
        return sa.or_(sa.false(), *parts)
    if _is_by_ids(database, predicate):
        return _has_rowid(table, predicate, names)
    holds = _holds(database, table, predicate, names)
    if not predicate.negated:
        return holds
    if predicate.or_missing:
        missing = _holds(database, table, Predicate(predicate.field, "is_null"), names)
        return sa.or_(missing, sa.not_(holds))
    present = _holds(database, table, Predicate(predicate.field, "not_null"), names)
    return sa.and_(present, sa.not_(holds))


def _holds(
    database: str, table: ConditionTable, predicate: Predicate, names: BindNames
) -> sa.ColumnElement[bool]:
    column: sa.ColumnElement[Any] = table.columns[predicate.field]
    if predicate.absolute:
        column = sa.func.abs(column, type_=column.type)
    is_list = predicate.field in table.lists
    if search := _SEARCHES_BY_PREFIX.get(predicate.operator):
        text = table.folded[predicate.field] if search.folded else column
        parts = [names.parameter() for _ in range(predicate.number)]
        if is_list:
            return sa.or_(*[search.is_there(database, text, part) for part in parts])
        plain_text, plain_part = table.plain.get(predicate.field), names.parameter()
        if database == "sqlite" and plain_text is not None:
            return sa.and_(
                search.is_there(database, plain_text, plain_part),
                search.is_there(database, _looked_up(table, text), *parts),
            )
        return search.is_there(database, text, *parts)
    if predicate.operator in ("is_null", "not_null") and predicate.field == "note":
        # It is missing where the note is, and SQLite has it in an index.
        column = table.plain.get("note", column)
    match predicate.operator:
        case "is_null":
            return column == sa.literal_column("''") if is_list else column.is_(None)
        case "not_null":
            return column != sa.literal_column("''") if is_list else column.is_not(None)
        case "never":
            return sa.false()
        case "is_true" | "is_false":
            return column.is_(predicate.operator == "is_true")
        case "has_any":
            # Look up the row's few ids among the operands, not each operand among the ids.
            wanted = sa.select(json_elements(database, names.parameter()).c.value)
            listed = _listed_ids(database, column)
            return sa.and_(column != sa.literal_column("''"), sa.exists().where(listed.in_(wanted)))
    return _compared(database, column, predicate, names)


def _looked_up(table: ConditionTable, column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Return the column of the same row as a subquery, for the rows whose plain text matches.

    Plain forms are made character by character: if a text contains another text, its plain form
    contains the other's plain form. SQLite has plain texts in an index, so it reads only that.
    """
    whole = column.table.alias("whole")
    is_same = whole.c.user_id == USER, whole.c.id == table.columns["id"]
    return sa.select(whole.c[column.name]).where(*is_same).scalar_subquery()


def _has_rowid(
    table: ConditionTable, predicate: Predicate, names: BindNames
) -> sa.ColumnElement[bool]:
    """Whether the row is one of those with the ids, each looked up in the index of ids."""
    rows = table.columns["id"].table
    whole = rows.alias("whole")
    rowid: sa.ColumnElement[int] = sa.literal_column(f"{rows.name}.rowid")
    one: sa.Select[Any] = sa.select(sa.literal_column("whole.rowid"))
    ids = [names.parameter() for _ in range(predicate.number)]
    json_list = ids[0] if predicate.operator == "in_json" else sa.func.json_array(*ids)
    listed = json_elements("sqlite", json_list)
    own = one.where(whole.c.user_id == USER, whole.c.id == listed.c.value).scalar_subquery()
    return rowid.in_(sa.select(own).select_from(listed))


def _compared(
    database: str, column: sa.ColumnElement[Any], predicate: Predicate, names: BindNames
) -> sa.ColumnElement[bool]:
    """Compare the column with one value, with a range (two values), or with several values."""
    match predicate.operator:
        case "eq":
            return column == names.parameter(column.type)
        case "le":
            return column <= names.parameter(column.type)
        case "ge":
            return column >= names.parameter(column.type)
        case "between":
            low, high = names.parameter(column.type), names.parameter(column.type)
            return sa.and_(column >= low, column <= high)
        case "in":
            return column.in_([names.parameter(column.type) for _ in range(predicate.number)])
        case "in_json":
            listed: sa.ColumnElement[Any] = json_elements(database, names.parameter()).c.value
            # PostgreSQL returns the elements of a list as texts.
            is_number = isinstance(column.type, sa.BigInteger)
            return column.in_(sa.select(sa.cast(listed, sa.BigInteger) if is_number else listed))
    raise AssertionError(f"`_holds` has no SQL for the operator {predicate.operator}")


def ordering(
    database: str, table: ConditionTable, keys: Sequence[OrderKey], predicates: Iterable[Predicate]
) -> list[sa.ColumnElement[Any]]:
    """Return the ORDER BY: missing values last in both directions, then ties by id.

    predicates: the predicates that select the rows to sort.
    """
    # SQLite would choose an index in this order, and look up each record for the columns that the
    # index lacks. Only the index by date has most columns, so hide the order of the others.
    fields = {key.field for key in keys[:1]} | {"id"}
    hidden = database == "sqlite" and "recordDate" not in fields and _fields(predicates) - fields
    ordered = [_ordered(table, key, is_hidden=bool(hidden)) for key in keys]
    return [*ordered, table.columns["id"].asc()]


def _fields(predicates: Iterable[Predicate]) -> set[str]:
    """Return the fields that the predicates compare."""
    found: set[str] = set()
    for predicate in predicates:
        found |= _fields(predicate.parts) or {predicate.field}
    return found


def _ordered(table: ConditionTable, key: OrderKey, *, is_hidden: bool) -> sa.ColumnElement[Any]:
    """Return one key's part of the ORDER BY.

    is_hidden: whether to hide from the database that an index has this order.
    """
    column: sa.ColumnElement[Any] = table.columns[key.field]
    if is_hidden:
        column = sa.func.coalesce(column, sa.null(), type_=column.type)
    if key.equals is not None:
        column = sa.case((column == key.equals, 1), else_=0)
    ordered = column.desc() if key.descending else column.asc()
    return ordered.nulls_last() if key.nullable else ordered
