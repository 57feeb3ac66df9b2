"""Declarations of services that are refused."""

import pytest

from finance_api.api.service import Service


def test_a_saved_question_cannot_ask_an_endpoint_without_rows():
    with pytest.raises(TypeError, match="/labels/count: a saved question needs"):
        Service("/labels/count", print, "Counts.", response=None, is_savable=True)
