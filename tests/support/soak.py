"""Programs that read for a long time, and writers, while servers fail.

Each response must be the model's for that user at the revision that the response states.
"""

import gzip
import http.client
import itertools
import math
import random
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

from webob import Request
from webtest import TestApp

from finance_api.storage.interface import User
from support.browser import Visitor, location
from support.command import Command
from support.html import forms
from support.mirror import Mirror
from support.process import ServerProcess
from support.rounds import (
    EDITED,
    NOTE,
    OFTEN,
    PATHS,
    Model,
    digest,
    is_internal,
    mirror_rows,
    place_at,
    rows,
)
from support.service import Client, native_line
from support.uploads import post_file

#: A fault excuses requests until this long after its end: the circuit breaker probes once a second.
_SETTLING_SECONDS = 5
_PATIENCE_SECONDS = 60
#: A connection that was idle this long is not used again: the server closes it after 10.
_IDLE_SECONDS = 5
#: The probability that a reader closes its connection after a response.
_LEAVING = 1 / 200
#: How long a reader waits between its requests once all are answered.
_RESTING_SECONDS = 0.1
_DAY_SECONDS = 86_400
#: Headers of a connection, which a WSGI application must not send, or that the server adds.
_OF_CONNECTION = ("connection", "transfer-encoding", "server", "date")


@dataclass
class Person:
    """A user, with tokens and a browser. revision: the newest that anybody has seen."""

    name: str
    user: User
    tokens: Iterator[str]
    jwt: str
    visitor: Visitor
    revision: int = 1
    mirror: Mirror | None = None
    #: Exports and uploads of one user are refused while another one runs.
    transfer: threading.Lock = field(default_factory=threading.Lock)

    def headers(self, path: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.jwt if is_internal(path) else next(self.tokens)}"}


@dataclass
class Fault:
    """kind: database, redis or worker. end: infinite while it lasts. last: the last excused 503."""

    kind: str
    end: float = math.inf
    last: float = 0


@dataclass
class Tally:
    """What has been seen so far. wrong: mistakes; empty at the end of a good soak."""

    total: int
    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    #: Seconds that right responses took, by tenth of the soak.
    seconds: list[list[float]] = field(default_factory=lambda: [[] for _ in range(10)])
    answered: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def fault(self, kind: str) -> Iterator[None]:
        fault = Fault(kind)
        self.faults.append(fault)
        yield
        fault.end = time.monotonic()

    def excuses(self, began: float, *kinds: str) -> bool:
        """Whether there was such a fault since ``began``, or shortly before."""
        return any(
            fault.kind in kinds and fault.end + _SETTLING_SECONDS >= began for fault in self.faults
        )

    @property
    def settled_seconds(self) -> float:
        """Return how long after a database was back the last 503 came."""
        return max((f.last - f.end for f in self.faults if f.last), default=0)

    def right(self, what: str, seconds: float) -> None:
        """Count a response to a reader."""
        with self._lock:
            self.counts[what] += 1
            self.seconds[min(9, self.answered * 10 // self.total)].append(seconds)
            self.answered += 1

    @property
    def share(self) -> float:
        """Return how much of the soak is done."""
        return self.answered / self.total

    def note(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1

    def fail(self, text: str) -> None:
        """Note a mistake. Twenty are enough to stop."""
        print(text, flush=True)
        self.wrong.append(text)
        if len(self.wrong) >= 20:
            self.stopped.set()


class Remote:
    """A server as a WSGI application, so that the helpers for a `Service` can use it."""

    def __init__(self, server: ServerProcess, tally: Tally) -> None:
        self._server, self._tally = server, tally
        self.app = self
        self.web = TestApp(self)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        request = Request(environ)
        with self._server.connect() as connection:
            connection.request(request.method, request.path_qs, request.body, request.headers)
            response = connection.getresponse()
            body = response.read()
        if response.status >= 500 and response.status != 503:
            self._tally.fail(f"{request.path}: {response.status} {body[:600]!r}")
        headers = [
            (name, value)
            for name, value in response.getheaders()
            if name.lower() not in _OF_CONNECTION
        ]
        start_response(f"{response.status} {response.reason}", headers)
        return [body]


class Reader(threading.Thread):
    """A program that sends one request after the other for people in turn, on one connection."""

    def __init__(
        self, server: ServerProcess, model: Model, tally: Tally, people: list[Person], seed: int
    ) -> None:
        super().__init__(daemon=True)
        self._server, self._model, self._tally, self._people = server, model, tally, people
        self._chance = random.Random(seed)
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port)
        #: The newest tag and its revision, by user and path.
        self._tags: dict[tuple[str, str], tuple[str, int]] = {}
        self._used = 0.0
        self.sent = 0

    def run(self) -> None:
        while not self._tally.stopped.is_set():
            began = time.monotonic()
            try:
                self._ask(self._chance.choice(self._people), began)
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                if self._tally.excuses(began, "worker", "database"):
                    self._tally.note("connections broken")
                else:
                    self._tally.fail(f"{error!r} after {time.monotonic() - began:.1f} s")
            except Exception:
                self._tally.fail(traceback.format_exc())
            if self._chance.random() < _LEAVING:
                # The next connection may be to another worker.
                self._connection.close()
            if self._tally.share >= 1:
                # Only the writer has something left to do.
                self._tally.stopped.wait(_RESTING_SECONDS)
        self._connection.close()

    def give_up(self) -> None:
        """Break the connection: a response that broke off has no end."""
        with suppress(AttributeError, OSError):
            self._connection.sock.shutdown(2)

    def _ask(self, person: Person, began: float) -> None:
        path = self._chance.choice(self._chance.choice((OFTEN, PATHS)))
        headers = person.headers(path)
        tag, tagged = self._tags.get((person.name, path), ("", 0))
        if tag and self._chance.random() < 0.5:
            headers["If-None-Match"] = tag
        if self._chance.random() < 0.2:
            headers["Accept-Encoding"] = "gzip"
        least, days = person.revision, {int(time.time()) // _DAY_SECONDS}
        self.sent += 1
        with person.transfer if "/export/" in path else nullcontext():
            if time.monotonic() > self._used + _IDLE_SECONDS:
                self._connection.close()
            status, answered, body = self._server.ask("GET", path, headers, self._connection)
        self._used = time.monotonic()
        seconds = time.monotonic() - began
        if status == 503 and int(answered["Retry-After"]) >= 1:
            self._refused(f"{path}: {body!r}", began)
            return
        if answered.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        days.add(int(time.time()) // _DAY_SECONDS)
        stated = answered.get("X-Last-Data-Change-Rev")
        shown = f"{person.name} {path} {status} at {stated}, {least} was seen"
        # A 404 does not say its revision, and nobody may have seen the newest yet.
        revisions = [int(stated.lstrip("r"))] if stated else [least, least + 1]
        if stated:
            if revisions[0] < least:
                self._tally.fail(f"{shown}: an older revision")
            person.revision = max(person.revision, revisions[0])
        if status == 304:
            is_right = "If-None-Match" in headers and [tagged] == revisions
        else:
            is_right = any(
                self._is_expected(person.name, path, status, body, revision, day)
                for revision, day in itertools.product(revisions, days)
            )
            if status == 200 and "ETag" in answered:
                self._tags[person.name, path] = answered["ETag"], revisions[0]
        if is_right:
            self._tally.right(str(status), seconds)
        else:
            self._tally.fail(f"{shown}, {tagged=}: {body[:600]!r}")

    def _is_expected(
        self, name: str, path: str, status: int, body: bytes, revision: int, day: int
    ) -> bool:
        place = place_at(revision)
        expected, expected_digest = self._model.expected(name, path, place.state, day)
        return status == expected and (status != 200 or digest(body, place) == expected_digest)

    def _refused(self, text: str, began: float) -> None:
        if self._tally.excuses(began, "database"):
            self._tally.note("planned 503")
            self._tally.faults[-1].last = time.monotonic()
            time.sleep(0.05)
        else:
            self._tally.fail(text)


class _NotingClient(Client):
    """Notes the revision of the last response."""

    revision = 0

    def get(self, *arguments: Any, **options: Any) -> Any:
        answer = super().get(*arguments, **options)
        self.revision = int(answer.headers.get("X-Last-Data-Change-Rev", "0"))
        return answer


class Writer(threading.Thread):
    """Changes people's data in turn, by commands and on pages, and keeps a mirror of each."""

    def __init__(
        self,
        remote: Remote,
        command: Command,
        model: Model,
        tally: Tally,
        people: list[Person],
        pause_seconds: float,
    ) -> None:
        super().__init__(daemon=True)
        self._remote, self._command, self._model = remote, command, model
        self._tally, self._pause_seconds = tally, pause_seconds
        self._people = itertools.cycle(people)
        self._by_command = itertools.cycle((False, True))
        self.changes = 0

    def run(self) -> None:
        person = next(self._people)
        while not self._tally.stopped.wait(self._pause_seconds):
            began = time.monotonic()
            try:
                self._mirror(person)
                self._tally.note(self._change(person))
                self.changes += 1
                self._mirror(person)
            except Exception:
                # Without Redis nobody can sign in.
                if not self._tally.excuses(began, "database", "worker", "redis"):
                    self._tally.fail(traceback.format_exc())
                self._tally.note("changes interrupted")
                time.sleep(0.2)
            if place_at(person.revision).state == "first":
                person = next(self._people)

    def _client(self, person: Person) -> _NotingClient:
        return _NotingClient(self._remote, person.user, next(person.tokens))  # type: ignore[arg-type]

    def _revision(self, person: Person) -> int:
        client = self._client(person)
        assert client.get("labels").status_int == 200
        return client.revision

    def _change(self, person: Person) -> str:
        revision = self._revision(person)
        if not person.visitor.is_signed_in():
            person.visitor.sign_in(person.user)
        state, number = place_at(revision)
        if state == "first":
            what = self._import(person, by_command=next(self._by_command))
        elif state == "edited":
            what = self._undo(person, number + 1)
        elif place_at(revision + 1).state == "edited":
            path = f"/records/{EDITED}"
            person.visitor.submit(path, path, status=303, note=NOTE)
            what = "edits"
        else:
            what = self._undo(person, number)
        now = self._revision(person)
        if now != revision + 1:
            self._tally.fail(f"{person.name}: {what} made revision {now} of {revision}")
        person.revision = max(person.revision, now)
        return what

    def _import(self, person: Person, *, by_command: bool) -> str:
        content = "".join(map(native_line, rows(person.name, "imported")))
        if by_command:
            path = self._command.file("soak.ndjson", content)
            outcome = self._command.run("import", person.user.email, path, process=True)
            assert outcome.code == 0, outcome
            return "imports by command"
        visitor = person.visitor
        with person.transfer:
            path = location(post_file(visitor, content.encode(), name="soak.ndjson"))
        self._wait(visitor, path, f"{path}/confirm")
        visitor.submit(path, f"{path}/confirm", status=303)
        self._wait(visitor, path, "")
        return "imports by page"

    def _wait(self, visitor: Visitor, path: str, action: str) -> None:
        """Wait until an upload's page has a form with this action, or no form of a progress."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            page = visitor.get(path).text
            actions = {form.action for form in forms(page)}
            if action in actions if action else "The file is imported." in page:
                return
            assert f"{path}/again" not in actions and time.monotonic() < deadline, page
            time.sleep(0.1)

    def _undo(self, person: Person, number: int) -> str:
        person.visitor.submit(f"/imports/{number}/undo", status=303)
        return "undos"

    def _mirror(self, person: Person) -> None:
        client = self._client(person)
        person.mirror = person.mirror or Mirror(client)
        person.mirror.client = client
        person.mirror.read_all()
        person.mirror.changes.clear()
        place = place_at(client.revision)
        if mirror_rows(person.mirror, place) != self._model.mirrored(person.name, place.state):
            self._tally.fail(f"{person.name}: the mirror of {place} is wrong")
