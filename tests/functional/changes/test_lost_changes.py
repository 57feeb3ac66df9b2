"""A restore or failover loses changes, while programs go on reading from a server.

The next change then has the number of the lost change.
"""

import http.client
import json
import random
import re
import threading
import time
from contextlib import contextmanager

import pytest
from sqlalchemy import create_engine, make_url, text

from finance_api.auth.personal_tokens import issue_token
from finance_api.auth.user_accounts import make_user
from finance_api.storage.interface import unit_of_work
from finance_api.storage.sql.backend import SqlBackend
from support.command import Command
from support.native_rows import account, budget, record, uid
from support.nightly import count
from support.process import ServerProcess
from support.service import native_line

ANNA = "anna@example.org"
PATHS = (
    "records",
    "records?limit=1&withTotal=true",
    "records?note=contains-i.STATE",
    "records?sortBy=note",
    f"records/by-id?id={uid('Record', 1)}",
    "accounts",
    "budgets",
)
REQUESTS = count(200, 1_000)
ROUNDS = count(2, 3)
#: How long the client waits between its requests.
PAUSE_SECONDS = count(0.005, 0)
_STATE = re.compile(r"state-\d+")


class World:
    """A server, the state of its user's data, and the clients that read it. Each state of the data
    is a name that all rows contain.
    """

    def __init__(self, directory, url):
        self.command = Command(directory, {"sqlalchemy.url": url})
        self.backup = str(directory / "finance.backup")
        backend = SqlBackend(url)
        with unit_of_work(backend) as storage:
            now = int(time.time())
            user = make_user(storage, ANNA, premium=True, password=None, now=now)
            self.token = issue_token(storage, user, name="x", now=now)
        backend.close()
        limits = {"finance_api.ratelimit.public": "1000000/hour", "sqlalchemy.url": url}
        self.server = ServerProcess(directory, settings=limits)
        #: The states that the data may have: one, or two while it changes.
        self.history = [{"nothing"}]
        self.wrong = []
        self.numbers = {}
        self.statuses = {200: 0, 304: 0, 503: 0}
        self._ended = threading.Event()
        self._known = {path: {} for path in PATHS}

    # -- changes

    @contextmanager
    def to(self, state):
        (before,) = self.history[-1]
        self.history.append({before, state})
        yield
        self.history.append({state})

    def load(self, state):
        rows = (account(name=state), record(1, note=state), budget(name=state, currencyCode="EUR"))
        data = "".join(map(native_line, rows))
        with self.to(state):
            self.command.done("import", ANNA, self.command.file("rows.ndjson", data))

    def ask_on(self, requests):
        """Wait until this many more requests got data, or one got a wrong response."""
        wanted = self.answered + requests
        deadline = time.monotonic() + 120
        while self.answered < wanted and not self.wrong:
            assert self._asking.is_alive() and time.monotonic() < deadline, self.server.said
            time.sleep(0.01)

    @property
    def answered(self):
        return self.statuses[200] + self.statuses[304]

    # -- requests

    @contextmanager
    def asking(self):
        self.server.wait()
        self._asking = threading.Thread(target=self._ask)
        self._asking.start()
        try:
            yield
        finally:
            self._ended.set()
            self._asking.join(60)
            self.server.stop()
        assert self.wrong == []

    def _ask(self):
        chance = random.Random(1)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        while not self._ended.wait(PAUSE_SECONDS):
            path = chance.choice(PATHS)
            # A tag of any state that was ever seen, even of a lost one.
            tag = chance.choice(["", *self._known[path]])
            begun = len(self.history) - 1
            headers = {"Authorization": f"Bearer {self.token}", "If-None-Match": tag}
            connection.request("GET", f"/v1/api/{path}", headers=headers)
            response = connection.getresponse()
            body = response.read().decode()
            possible = set().union(*self.history[begun:])
            self.statuses[response.status] += 1
            if response.status == 503:
                assert int(response.headers["Retry-After"]) >= 1
                continue
            shown = self._known[path][tag] if response.status == 304 else set(_STATE.findall(body))
            if not shown <= possible or len(shown) != 1:
                self.wrong.append((path, response.status, shown, possible))
            if response.status == 200:
                self._known[path][response.headers["ETag"]] = shown
                number = response.headers["X-Last-Data-Change-Rev"]
                self.numbers.setdefault(number, set()).update(shown)
                json.loads(body)
        connection.close()


@pytest.mark.nightly
@pytest.mark.parametrize("database", count(["sqlite"], ["sqlite", "postgresql"]))
def test_after_a_restore_nothing_of_what_it_lost_is_answered(
    tmp_path, new_settings, database, figures
):
    world = World(tmp_path, new_settings(database)["sqlalchemy.url"])
    world.load("state-0")
    with world.asking():
        world.ask_on(REQUESTS // 10)
        world.command.done("backup", world.backup)
        for number in range(1, ROUNDS + 1):
            world.load(f"state-{number}")
            world.ask_on(REQUESTS // (2 * ROUNDS))
            with world.to("state-0"):
                world.command.done("restore", world.backup, "--yes")
            world.ask_on(REQUESTS // (2 * ROUNDS))
    # All lost changes had the same number.
    assert world.numbers["2"] == {f"state-{n}" for n in range(1, ROUNDS + 1)}
    assert world.statuses[304] > REQUESTS // 10
    figures(f"{database}: {world.answered} answers, 0 wrong; 503: {world.statuses[503]}")


@pytest.mark.nightly
def test_after_a_failover_nothing_of_what_it_lost_is_answered(
    tmp_path, new_postgresql_url, figures
):
    """A copy that lags behind takes the database's place, as after a failover."""
    url = make_url(new_postgresql_url())
    world = World(tmp_path, url.render_as_string(hide_password=False))
    server = create_engine(url.set(database="postgres"), isolation_level="AUTOCOMMIT")

    def run(*statements):
        """Replace it while nobody is connected or can connect."""
        with server.connect() as connection:
            closed = f"ALTER DATABASE {url.database} WITH ALLOW_CONNECTIONS false"
            connection.execute(text(closed))
            end = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = :d"
            connection.execute(text(end), {"d": url.database})
            for statement in statements:
                connection.execute(text(statement))
            opened = f"ALTER DATABASE {url.database} WITH ALLOW_CONNECTIONS true"
            connection.execute(text(opened))

    world.load("state-0")
    with world.asking():
        for number in range(1, ROUNDS + 1):
            run(f"CREATE DATABASE behind TEMPLATE {url.database}")
            (kept,) = world.history[-1]
            world.load(f"state-{number}")
            world.ask_on(REQUESTS // (2 * ROUNDS))
            with world.to(kept):
                run(
                    f"ALTER DATABASE {url.database} RENAME TO lost_{number}_{url.database}",
                    f"ALTER DATABASE behind RENAME TO {url.database}",
                )
            world.ask_on(REQUESTS // (2 * ROUNDS))
    server.dispose()
    assert world.numbers["2"] == {f"state-{n}" for n in range(1, ROUNDS + 1)}
    figures(f"{world.answered} answers, 0 wrong; 503: {world.statuses[503]}")
