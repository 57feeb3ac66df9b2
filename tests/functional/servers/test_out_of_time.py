"""Wherever the time of a request ends, the answer is a 503 with its sentence, or the usual one."""

from functools import partial
from threading import Thread

import mdurl
import pytest

from finance_api.http.surfaces import is_page
from finance_api.runtime import time_limit as limits
from finance_api.runtime.time_limit import TookTooLong
from finance_api.storage.errors import StorageUnavailable
from finance_api.web import guides
from functional.servers.test_dear_requests import asked
from support.browser import new_token
from support.forms import FormsWorld, post_routes
from support.nightly import count
from support.service import Service

SENTENCE = "took longer than 5 s"
#: How often the time is read before it ends: each number by night, some by day.
READINGS = count([0, 1, 3, 9, 40], range(100_000))


class Ending:
    """A clock that stands still for a number of readings; then each is ten seconds later."""

    def __init__(self, still):
        self.left, self.now = still, 0.0

    def monotonic(self):
        self.left -= 1
        self.now += 10 * (self.left < 0)
        return self.now


def faults_of(name, send, monkeypatch):
    """Yield what is wrong about the answers when the time ends after each number of readings."""
    for number in READINGS:
        clock = Ending(number)
        with monkeypatch.context() as patch:
            patch.setattr(limits, "time", clock)
            response = send()
        if response.status_int == 503 and SENTENCE in response.text:
            continue
        if response.status_int >= 500:
            yield f"{name}, reading {number}: {response.status} {response.text[-300:]}"
        elif clock.left >= 0:
            return


@pytest.fixture(scope="module")
def made(new_settings):
    settings = {**new_settings("sqlite"), "finance_api.cache.max_bytes": "0"}
    settings["finance_api.ratelimit.public"] = "1000000/hour"
    settings["finance_api.ratelimit.internal"] = "1000000/hour"
    service = Service("sqlite", settings)
    yield service
    service.stop()


@pytest.mark.nightly
def test_a_request_whose_time_ends_anywhere_is_a_503(made, monkeypatch):
    world, faults = FormsWorld(made), []
    bearer = f"Bearer {new_token(made, world.user)}"
    jwt = f"Bearer {made.jwt(world.user)}"
    for path in asked(made.app.registry):
        headers = {"Authorization": jwt if path.startswith("/internal") else bearer}
        if is_page(path.partition("?")[0]):
            headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in world.visitor.cookies.items())}
        made.web.reset()
        send = partial(made.web.get, path, headers=headers, status="*", expect_errors=True)
        faults += faults_of(path, send, monkeypatch)
    assert faults == []


@pytest.mark.nightly
def test_a_form_whose_time_ends_anywhere_is_a_503(made, monkeypatch):
    shared, faults = FormsWorld(made), []
    for route in post_routes(made):
        world = FormsWorld(made) if route.startswith(("settings.", "import")) else shared
        faults += faults_of(route, partial(world.prepared(route), status=None), monkeypatch)
    assert faults == []


def test_the_first_errors_of_several_threads_at_once_all_link_to_their_guide(made, monkeypatch):
    """Parsing a guide fills a table of mdurl: another thread must not read it half filled."""
    answers = []

    def ask():
        answers.append(made.web.get("/v1/api/nothing", status="*", expect_errors=True))

    class Table(dict):
        def __setitem__(self, key, filled_later):
            super().__setitem__(key, filled_later)
            other = Thread(target=ask)
            others.append(other)
            other.start()
            other.join(1)

    others = []
    monkeypatch.setattr(mdurl._encode, "encode_cache", Table())
    for cached in (guides._parsed, guides.error_guide):
        cached.cache_clear()
    ask()
    for other in others:
        other.join()
    assert len(others) == 1
    assert [(each.status_int, each.json["help"]) for each in answers] == [
        (401, "/docs/guides/errors#401-unauthorized")
    ] * 2


@pytest.mark.parametrize("error", [StorageUnavailable("away"), TookTooLong()])
def test_an_error_page_that_cannot_read_is_a_503(made, monkeypatch, error):
    def fail(request):
        raise error

    world = FormsWorld(made)
    send = world.prepared("record.new")
    monkeypatch.setattr("finance_api.web.errors.keep_of_ended_session", fail)
    world.visitor.cookies.clear()
    assert send(status=None).status_int == 503
