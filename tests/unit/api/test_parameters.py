"""A schema visits the parameters that a request gives; the others have the values made at start."""

import colander
import pytest

from finance_api.api.endpoint import Endpoint
from finance_api.api.parameters import ListSchema, ObjectSchema
from finance_api.api.public.changes import ChangesSchema
from finance_api.api.public.summary import SummarySchema
from finance_api.api.validation import ParameterSchema, read_parameters
from finance_api.resources import RECORDS
from finance_api.resources.common import EXAMPLE_ID
from finance_api.wallet.parameters import IdsSchema
from finance_api.wallet.records import records

RECORDS_OF_WALLET = Endpoint(records).schema
SCHEMAS = [
    ListSchema(RECORDS),
    SummarySchema(),
    ChangesSchema(),
    ObjectSchema(RECORDS),
    IdsSchema(2),
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: type(schema).__name__)
def test_the_values_are_those_of_colanders_own_mapping(schema: ParameterSchema) -> None:
    given = {"id": [EXAMPLE_ID]} if isinstance(schema, IdsSchema) else {}
    assert schema.deserialize(given) == colander.Mapping().deserialize(schema, given)


def test_all_faults_come_together_and_only_valid_parameters_have_values() -> None:
    values, faults = read_parameters(ListSchema(RECORDS), "limit=0&offset=3&amount=x&foo=1")
    assert [name for name, _ in faults] == ["foo", "limit", "amount"]
    assert values["offset"] == 3
    assert not {"limit", "amount", "foo"} & values.keys()


@pytest.mark.parametrize(
    ("schema", "query_string", "fault"),
    [
        (
            ListSchema(RECORDS),
            "amount=" + ",".join(["lt.0"] * 11),
            ("amount", "has 11 conditions; at most 10 are allowed on one field"),
        ),
        (
            RECORDS_OF_WALLET,
            "payee=" + "&payee=".join(["eq.a"] * 11),
            ("payee", "has 11 conditions; at most 10 are allowed on one field"),
        ),
        (
            SummarySchema(),
            "having=" + "&having=".join(["net.lt.0"] * 11),
            ("having", "has 11 conditions; at most 10 are allowed"),
        ),
        (
            SummarySchema(),
            "groupBy=month,category,payee,account",
            ("groupBy", "has 4 dimensions; at most 3 are allowed"),
        ),
    ],
)
def test_the_number_of_values_is_limited(
    schema: ParameterSchema, query_string: str, fault: tuple[str, str]
) -> None:
    assert read_parameters(schema, query_string)[1] == [fault]
    assert all(node.validator is not None for node in schema.children if node.name == fault[0])


def test_a_condition_that_wallet_adds_does_not_count() -> None:
    values, faults = read_parameters(RECORDS_OF_WALLET, "payee=" + "&payee=".join(["eq.a"] * 10))
    assert not faults
    assert len(values["payee"]) == 11
