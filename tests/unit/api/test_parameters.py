"""A schema visits the parameters that a request gives; the others have the values made at start."""

import colander
import pytest

from finance_api.api.parameters import ObjectSchema, Parameter, ParameterSchema, read_parameters
from finance_api.api.public.changes import ChangesSchema
from finance_api.api.public.records import RecordsSchema
from finance_api.api.public.summary import SummarySchema
from finance_api.resources import RECORDS
from finance_api.resources.common import EXAMPLE_ID
from finance_api.wallet.parameters import IdsSchema

SCHEMAS = [RecordsSchema(), SummarySchema(), ChangesSchema(), ObjectSchema(RECORDS), IdsSchema(2)]


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    deserialize = Parameter.deserialize

    def noted(node: Parameter, cstruct: object) -> object:
        names.append(node.name)
        return deserialize(node, cstruct)

    monkeypatch.setattr(Parameter, "deserialize", noted)
    return names


def test_a_parameter_that_is_not_given_is_not_visited(visited: list[str]) -> None:
    read_parameters(RecordsSchema(), "amount=lt.0&limit=2")
    assert visited == ["limit", "amount"]


def test_a_required_parameter_is_visited_even_if_it_is_not_given(visited: list[str]) -> None:
    _, faults = read_parameters(IdsSchema(2), "limit=2")
    assert visited == ["limit", "id"]
    assert [name for name, _ in faults] == ["id"]


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: type(schema).__name__)
def test_the_values_are_those_of_colanders_own_mapping(schema: ParameterSchema) -> None:
    given = {"id": [EXAMPLE_ID]} if isinstance(schema, IdsSchema) else {}
    assert schema.deserialize(given) == colander.Mapping().deserialize(schema, given)


def test_all_faults_come_together_and_only_valid_parameters_have_values() -> None:
    values, faults = read_parameters(RecordsSchema(), "limit=0&offset=3&amount=x&foo=1")
    assert [name for name, _ in faults] == ["foo", "limit", "amount"]
    assert values["offset"] == 3
    assert not {"limit", "amount", "foo"} & values.keys()
