"""Every operator, on every field that has it, means what `query.evaluate` says."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from finance_api.query.evaluate import matches
from finance_api.query.model import Condition, Span, not_all
from finance_api.query.operators import PARTED, RANGES, Operator, operators_of
from finance_api.resources import RECORDS, RESOURCES
from finance_api.resources.field import Field, Kind
from finance_api.storage.interface import StorageBackend
from finance_api.storage.testing.units import (
    OneUser,
    Unit,
    make_full_row,
    make_query,
    make_row,
    numbers_in,
    values_for,
)

#: Kinds of fields whose operand is a list.
_BY_SEVERAL = (Kind.ID, Kind.SERIAL, Kind.ID_LIST, Kind.CHOICE)
#: For each operator, a function that makes an operand from a part of a text.
_PARTS: dict[Operator, Callable[[str], str]] = {
    Operator.CONTAINS: lambda text: text[1:3],
    Operator.CONTAINS_I: lambda text: text[1:3].swapcase(),
    Operator.STARTS_WITH_I: lambda text: text[:3].swapcase(),
}
#: The operators whose operand can be a whole value.
_OF_VALUES = {*RANGES, Operator.NE, Operator.NE_OR_NULL, Operator.ANY_OF}


def condition_with(field: Field, operator: Operator, value: Any) -> Condition:
    """Make the condition that the grammar would make for this value of the field."""
    if operator in (Operator.IS_NULL, Operator.NOT_NULL):
        return Condition(field, operator)
    if value in (None, ()):
        value = values_for(field)[-1]
    operand = max(value, key=len) if isinstance(value, tuple) else value
    if operator is Operator.ANY_OF or field.kind in _BY_SEVERAL:
        equals = Operator.ANY_OF if operator is Operator.EQ else operator
        return Condition(field, equals, (operand,))
    if isinstance(operand, int) and not isinstance(operand, bool):
        operand = Span(operand, operand + 1)
    if operator not in _OF_VALUES:
        assert operator in _PARTS, f"_PARTS has no operand for {operator}"
        operand = _PARTS[operator](operand)
    return Condition(field, operator, operand)


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgresql"])
@pytest.mark.parametrize("read_model", [True, False], ids=["fast", "plain"])
class TestOperators(OneUser):
    @pytest.fixture
    def backend(
        self, new_backend: Callable[..., StorageBackend], kind: str, read_model: bool
    ) -> StorageBackend:
        return new_backend(kind) if kind == "memory" else new_backend(kind, read_model=read_model)

    def test_every_operator_means_what_evaluate_says(self, unit: Unit) -> None:
        tested = {Operator.WORD, *PARTED}
        for resource in RESOURCES:
            fields = [f for f in resource.listed_fields if f in resource.persisted_fields]
            rows = [make_row(resource, 1), full := make_full_row(resource, 2)]
            for number, change in ((3, "x{}".format), (4, str.swapcase)):
                texts = {f.name: change(full[f.name]) for f in fields if f.kind is Kind.TEXT}
                rows.append(make_row(resource, number, **texts))
            unit.put(resource, *rows)
            for field, row in product(fields, rows[:2]):
                for operator in operators_of(field):
                    condition = condition_with(field, operator, row[field.name])
                    expected = [n for n, row in enumerate(rows, 1) if matches(row, [condition])]
                    assert unit.ids(resource, condition) == expected, condition
                    others = [n for n in range(1, len(rows) + 1) if n not in expected]
                    assert unit.ids(resource, not_all([condition])) == others, condition
                    if resource is RECORDS:
                        # In the default order, the SQL storages may read the list.
                        page = unit.list_json(replace(make_query(RECORDS), conditions=(condition,)))
                        assert sorted(numbers_in(page)) == expected, condition
                    tested |= {operator, condition.operator}
        assert tested == set(Operator)
