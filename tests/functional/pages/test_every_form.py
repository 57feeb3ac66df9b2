"""Every form of a signed-in user takes a place, has the time limit, and computes before it locks.

The forms are found from the routes.
"""

import math
from threading import current_thread, main_thread

import pytest

from finance_api.ledger.derivation import Rules
from finance_api.runtime.bulkhead import BulkheadFull
from finance_api.runtime.time_limit import seconds_left
from support.browser import assert_error_page, dump
from support.forms import FormsWorld, post_routes
from support.html import shown_text
from support.locked_calls import FEW_CALLS, calls_under_lock
from support.native_rows import record
from support.service import Service

RECORDS = 120
#: Routes whose forms end a session, or depend on the state of an upload or of an import: each gets
#: a user of its own.
_ALONE = ("settings.", "import.", "imports.")


class Places:
    """Notes what takes places, and what time limit there is when the storage is read."""

    def __init__(self, service, monkeypatch):
        self.has_place = False
        self.forget()
        bulkhead, backend = service.services.data_requests, service.services.storage
        call, read = bulkhead.call, backend.read

        def noted(function, user, *, is_cheap):
            assert not self.has_place, "a request takes one place at a time"
            self.taken.append(is_cheap)
            self.has_place = True
            try:
                return call(function, user, is_cheap=is_cheap)
            finally:
                self.has_place = False

        def limited(**options):
            # Threads that work on uploads have no limit.
            if current_thread() is main_thread() and seconds_left() == math.inf:
                self.unlimited.append(options)
            return read(**options)

        monkeypatch.setattr(bulkhead, "call", noted)
        monkeypatch.setattr(backend, "read", limited)

    def forget(self):
        self.taken, self.unlimited = [], []


def more():
    """Return records that the rules change: if a form computed with the lock, they would count."""
    return [record(1_000 + n, payee=f"Corner Shop {n}", amount=-n) for n in range(1, RECORDS)]


@pytest.fixture(scope="module")
def made(new_settings):
    service = Service("sqlite", new_settings("sqlite"))
    yield service
    service.stop()


def test_every_form_takes_a_place_has_the_time_limit_and_computes_before_it_locks(
    made, monkeypatch
):
    shared = FormsWorld(made, more())
    places, faults = Places(made, monkeypatch), {}
    for route in post_routes(made):
        world = FormsWorld(made, more()) if route.startswith(_ALONE) else shared
        send = world.prepared(route)
        places.forget()
        with calls_under_lock() as calls:
            response = send()
        # Settings and uploads are quick, no matter how much data there is.
        is_cheap = route.startswith(("settings.", "import.")) or route == "import"
        status = 200 if route == "rules.apply" else 303
        is_right = places.taken == [is_cheap] and not places.unlimited
        if response.status_int != status or not is_right or sum(calls.values()) > FEW_CALLS:
            said = shown_text(response.text)[:300]
            faults[route] = said, places.taken, places.unlimited, calls.most_common(5)
    assert faults == {}


# -- at the limits


def test_a_form_without_a_place_is_told_to_try_again(made, monkeypatch):
    send = FormsWorld(made).prepared("rules.apply")

    def full(*arguments, **options):
        raise BulkheadFull(is_own=True)

    monkeypatch.setattr(made.services.data_requests, "call", full)
    response = send()
    assert_error_page(response, 503)
    assert response.headers["Retry-After"] == "2"
    assert "Your other requests are still running" in response.text


def test_a_form_that_runs_out_of_its_time_changes_nothing_and_says_so(made, monkeypatch):
    world = FormsWorld(made, more())
    send, before = world.prepared("records.rule"), dump(made)

    def late(*arguments):
        monkeypatch.setattr("finance_api.runtime.time_limit.time.monotonic", lambda: math.inf)
        return find(*arguments)

    find = Rules.apply
    monkeypatch.setattr(Rules, "apply", late)
    response = send()
    assert_error_page(response, 503)
    assert "so nothing was changed. Change fewer records at once" in response.text
    assert dump(made) == before
