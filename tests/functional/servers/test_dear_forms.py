"""Dear forms of one user, eight at once, leave health, sign-in, API and pages to other users.

Every route that takes a form is asked: `FORMS` in `support/dear_forms.py` says what makes it dear.
"""

import http.client
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

import psutil
import pytest
from webob import Request

from support.browser import LOGIN, PASSWORD, new_token, new_user
from support.clock import HeldClock
from support.dear_forms import FORMS, DearWorlds, Sent
from support.forms import post_routes
from support.html import csrf_of
from support.native_rows import account, record
from support.nightly import NIGHTLY
from support.process import ServerProcess
from support.service import Service

AT_ONCE = 8
#: Every answer to another user comes within this time, health within a second.
MOST_SECONDS, MOST_SECONDS_OF_HEALTH = 10, 1
#: How long the data is locked at most, in seconds of the processor.
MOST_SECONDS_OF_LOCK = 0.5


@pytest.fixture(scope="module")
def service(new_settings: Callable[[str], dict[str, str]]) -> Iterator[Service]:
    found = Service("sqlite", new_settings("sqlite"))
    yield found
    found.stop()


@pytest.fixture(scope="module")
def worlds(service: Service) -> DearWorlds:
    return DearWorlds(service)


def answered(service: Service, sent: Sent) -> int:
    request = Request.blank(sent.path, method="POST", body=sent.body, headers=sent.headers)
    status: int = request.get_response(service.app).status_int
    return status


def is_right(status: int) -> bool:
    """Whether a form may have this status if others like it are sent at once: only one can win."""
    return status in (200, 303, 503) or 400 <= status < 500


def test_each_form_has_dear_data(service: Service) -> None:
    assert sorted(FORMS) == post_routes(service)


@pytest.mark.nightly
@pytest.mark.parametrize("route", FORMS)
def test_eight_equal_forms_at_once_are_done_or_refused(
    worlds: DearWorlds, service: Service, route: str
) -> None:
    sent = worlds.sent(route)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        statuses = list(pool.map(lambda n: answered(service, sent), range(AT_ONCE)))
    assert 200 in statuses or 303 in statuses, statuses
    assert all(map(is_right, statuses)), statuses


class Locks:
    """Measures how long the storage's writing units of work last, in seconds: wall, processor."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self.longest = (0.0, 0.0)
        write = service.backend.write

        def begun(tm: Any, **options: Any) -> Any:
            storage = write(tm, **options)
            began = time.thread_time(), time.perf_counter()

            def ended(is_stored: bool) -> None:
                used = time.thread_time() - began[0], time.perf_counter() - began[1]
                self.longest = max(self.longest, used)

            tm.get().addAfterCommitHook(ended)
            return storage

        monkeypatch.setattr(service.backend, "write", begun)


@pytest.mark.nightly
@pytest.mark.skipif(not NIGHTLY, reason="measures seconds: by night only")
@pytest.mark.parametrize("storage", ["sqlite", "postgresql"])
def test_no_form_locks_the_data_for_long(
    new_settings: Callable[[str], dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    figures: Callable[[str], None],
    storage: str,
) -> None:
    service = Service(storage, new_settings(storage))
    worlds, longest = DearWorlds(service), {}
    for route in FORMS:
        sent = worlds.sent(route)
        with monkeypatch.context() as patched:
            locks = Locks(service, patched)
            assert answered(service, sent) in (200, 303), route
        longest[route] = locks.longest
    service.stop()
    for route, (used, seconds) in longest.items():
        print(f"{route:28} {used:6.3f} {seconds:6.3f}")
    route = max(longest, key=lambda route: longest[route])
    used, seconds = longest[route]
    figures(f"{storage}: {route} {seconds:.2f} s, of them {used:.2f} s of the processor")
    assert used <= MOST_SECONDS_OF_LOCK, route


# -- a server


class Browser:
    """A browser without scripts, which speaks to a server process."""

    def __init__(self, server: ServerProcess) -> None:
        self.server, self.cookies = server, dict[str, str]()

    def ask(
        self, method: str, path: str, fields: Any = None, headers: Any = None
    ) -> tuple[int, str]:
        """Return the status and the text."""
        sent = {"Host": "localhost", "Sec-Fetch-Site": "same-origin", **(headers or {})}
        sent["Cookie"] = "; ".join(f"{k}={v}" for k, v in self.cookies.items())
        body = None if fields is None else urlencode(fields)
        if body is not None:
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        response, text = asked(self.server, method, path, body, sent)
        for line in response.headers.get_all("Set-Cookie") or ():
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        return response.status, text

    def sign_in(self, user: Any) -> int:
        token = csrf_of(self.ask("GET", LOGIN)[1])
        form = {"email": user.email, "password": PASSWORD, "csrf_token": token}
        return self.ask("POST", LOGIN, form)[0]


def asked(
    server: ServerProcess, method: str, path: str, body: Any, headers: dict[str, str]
) -> tuple[http.client.HTTPResponse, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response, response.read().decode()
    finally:
        connection.close()


def seconds_of_processor(server: ServerProcess) -> float:
    """Return the seconds of all processes, also of those that have ended."""
    process = psutil.Process(server.process.pid)
    times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
    return float(sum(sum(each[:4]) for each in times))


class Others:
    """Other users, who ask for health, sign in, ask the API and load pages all the time."""

    def __init__(self, server: ServerProcess, service: Service) -> None:
        user, guest = new_user(service), new_user(service)
        service.load(user, [account(), record()])
        token = {"Authorization": f"Bearer {new_token(service, user)}"}
        browser = Browser(server)
        assert browser.sign_in(user) == 303
        self.asked = {
            "health": lambda: Browser(server).ask("GET", "/__lbheartbeat__")[0],
            # Another user, whose new sessions end older ones.
            "sign-in": lambda: Browser(server).sign_in(guest),
            "page": lambda: browser.ask("GET", "/records")[0],
            "API": lambda: browser.ask("GET", "/v1/api/records", headers=token)[0],
        }
        self.slowest: defaultdict[str, float] = defaultdict(float)
        self.statuses: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self._is_over = threading.Event()
        self._pool = ThreadPoolExecutor(len(self.asked))
        self._watching = [self._pool.submit(self._watch, name) for name in self.asked]

    def _watch(self, name: str) -> None:
        while not self._is_over.is_set():
            started = time.perf_counter()
            self.statuses[name][self.asked[name]()] += 1
            self.slowest[name] = max(self.slowest[name], time.perf_counter() - started)
            time.sleep(0.1)

    def taken(self) -> dict[str, Counter[int]]:
        """Return the statuses since the last call."""
        taken, self.statuses = self.statuses, defaultdict(Counter)
        return dict(taken)

    def stop(self) -> None:
        self._is_over.set()
        for each in self._watching:
            each.result()
        self._pool.shutdown()


@pytest.mark.nightly
@pytest.mark.skipif(not NIGHTLY, reason="measures seconds: by night only")
@pytest.mark.parametrize(
    ("storage", "ini"), [("sqlite", "development.ini"), ("postgresql", "production.ini")]
)
def test_dear_forms_leave_everything_else_to_others(
    tmp_path: Any,
    new_settings: Callable[[str], dict[str, str]],
    figures: Callable[[str], None],
    storage: str,
    ini: str,
) -> None:
    settings = new_settings(storage)
    # The server has its own clock: sessions must not have ended for it.
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    service = Service(storage, settings, HeldClock(now))
    given = {
        "sqlalchemy.url": settings["sqlalchemy.url"],
        "finance_api.allowed_hosts": "localhost",
        "finance_api.require_https": "false",
        "finance_api.jwt.keys": service.key_file,
        "finance_api.ratelimit.public": "1000000/hour",
    }
    server = ServerProcess(tmp_path, ini=ini, settings=given).wait("/__heartbeat__")
    worlds, faults, total = DearWorlds(service), [], Counter[str]()
    others = Others(server, service)
    print(f"{'route':26} processor  all s  " + "  ".join(f"{n:>7}" for n in others.asked))
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for route in FORMS:
                sent = worlds.sent(route)
                others.slowest.clear()
                before, started = seconds_of_processor(server), time.perf_counter()
                sending = [
                    pool.submit(asked, server, "POST", sent.path, sent.body, sent.headers)
                    for _ in range(AT_ONCE)
                ]
                statuses = Counter(each.result()[0].status for each in sending)
                seconds = time.perf_counter() - started
                # What was asked meanwhile is answered.
                time.sleep(0.5)
                used = seconds_of_processor(server) - before
                slowest = dict(others.slowest)
                for name, longest in slowest.items():
                    total[name] = max(total[name], longest)  # type: ignore[assignment]
                row = "  ".join(f"{slowest.get(name, 0):7.2f}" for name in others.asked)
                print(f"{route:26} {used:9.2f} {seconds:6.1f}  {row}  {dict(statuses)}")
                if not all(map(is_right, statuses)) or not {200, 303} & statuses.keys():
                    faults.append(f"{route}: {dict(statuses)}")
                if slowest.get("health", 0) > MOST_SECONDS_OF_HEALTH:
                    faults.append(f"{route}: health after {slowest['health']:.2f} s")
                if max(slowest.values(), default=0) > MOST_SECONDS:
                    faults.append(f"{route}: {slowest}")
                for name, answers in others.taken().items():
                    if [status for status in answers if status >= 400]:
                        faults.append(f"{route}: {name} {dict(answers)}")
    finally:
        others.stop()
        server.stop()
        service.stop()
    figures(f"{storage}, {ini}: slowest {', '.join(f'{n} {total[n]:.2f} s' for n in total)}")
    assert not faults, "\n".join(faults)
