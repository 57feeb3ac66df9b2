"""Converted amounts in what the internal API lists."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from finance_api.api.data_request import Reading
from finance_api.planning.conversion import CONVERTED, converted_fields, with_converted
from finance_api.resources.field import Resource, names_of
from finance_api.resources.naming import snake_case
from finance_api.resources.wire import RowEncoder
from finance_api.values import Row

CONVERT_TO = "convert_to"


@cache
def _encoder_of(resource: Resource) -> RowEncoder:
    fields = converted_fields(CONVERTED[resource])
    return RowEncoder(fields, keys=[snake_case(name) for name in names_of(fields)])


def conversions(
    reading: Reading, resource: Resource, rows: Sequence[Row], target: str | None
) -> list[dict[str, Any]]:
    """For each row the members about its converted amount, for orjson; none without a target."""
    if target is None or resource not in CONVERTED:
        return [{} for _ in rows]
    converted = with_converted(reading.storage, resource, rows, target, reading.today)
    return [_encoder_of(resource).document(row) for row in converted]
