"""An endpoint that lacks a part of its declaration stops the start; the error names it."""

from typing import Any

import pytest
from cornice import Service
from pyramid.config import Configurator
from pyramid.exceptions import ConfigurationError
from pyramid.security import NO_PERMISSION_REQUIRED

from finance_api.api import endpoint
from finance_api.api.openapi.responses import ResponseDescription
from finance_api.api.parameters import page
from finance_api.api.validation import ParameterSchema
from finance_api.serialization.formats import OF_LISTS

PLACE = r"test_endpoint, line \d+: api.answers"


def answer(reading: Any, values: Any) -> None: ...


def register(path: str = "/answers", **changes: Any) -> None:
    """Register a complete endpoint, but for the changes; None removes a part."""
    declared = {
        "schema": ParameterSchema(*page(100)),
        "permission": NO_PERMISSION_REQUIRED,
        "answer": answer,
        "response": ResponseDescription({"type": "object"}),
        **changes,
    }
    service = Service("api.answers", path)

    @service.get(**{name: each for name, each in declared.items() if each is not None})
    def get_answer(request: Any) -> None: ...

    config = Configurator()
    config.include(endpoint)
    config.add_cornice_service(service)
    config.commit()


def test_a_complete_endpoint_is_registered() -> None:
    register()


@pytest.mark.parametrize("part", ["permission", "answer", "response"])
def test_no_part_can_be_left_out(part: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{PLACE} has no {part}"):
        register(**{part: None})


def test_every_parameter_needs_a_description() -> None:
    limit, offset = page(100)
    offset.description = ""
    with pytest.raises(ConfigurationError, match=f"{PLACE}: the parameter offset has no desc"):
        register(schema=ParameterSchema(limit, offset))


def test_an_unknown_argument_stops_the_start() -> None:
    with pytest.raises(ConfigurationError, match="savible"):
        register(savible=True)


def test_a_saved_question_cannot_ask_an_endpoint_without_rows() -> None:
    with pytest.raises(ConfigurationError, match=f"{PLACE}: a saved question needs"):
        register(savable=True)


def test_a_path_takes_suffixes_exactly_if_its_answer_has_rows() -> None:
    with pytest.raises(ConfigurationError, match=f"{PLACE}: the path and the response differ"):
        register(response=ResponseDescription({"type": "object"}, OF_LISTS))
