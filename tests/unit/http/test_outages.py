"""What the log says of requests that are refused for the moment."""

import logging

import pytest
from pyramid import testing

from finance_api.http.errors import outage_of
from finance_api.storage.errors import StorageLocked, StorageUnavailable


@pytest.mark.parametrize(
    ("error", "level"),
    [(StorageLocked(), logging.WARNING), (StorageUnavailable("x"), logging.ERROR)],
)
def test_waiting_for_another_change_is_no_error_in_the_log(caplog, error, level):
    outage = outage_of(error, testing.DummyRequest())
    assert (outage.status, outage.retry_seconds) == (503, 2)
    assert [record.levelno for record in caplog.records] == [level]
