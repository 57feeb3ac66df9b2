"""Dear forms of one user, eight at once, leave health, sign-in, API and pages to other users."""

import http.client
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import psutil
import pytest

from support.browser import LOGIN, PASSWORD, new_token, new_user
from support.html import csrf_of
from support.native_rows import account, category, record, record_rule, uid
from support.nightly import NIGHTLY
from support.process import ServerProcess
from support.service import Service

FORMS = 8
#: Every answer to another user comes within this time, health within a second.
MOST_SECONDS, MOST_SECONDS_OF_HEALTH = 10, 1


def rows(records=1_500, rules=1_000, keywords=50):
    """Return rows that are dear to match: a file of about 1.8 MB."""
    yield account()
    yield category()
    for n in range(1, records + 1):
        yield record(n, payee=f"merchant {n} {'street ' * 10}", note=f"note {n} {'word ' * 100}")
    for n in range(1, rules + 1):
        words = [f"keyword {n} number {k}" for k in range(keywords)]
        yield record_rule(n, keywords=words, categoryId=uid("Category", 1))


class Browser:
    """A browser without scripts, which speaks to a server process."""

    def __init__(self, server):
        self.server, self.cookies = server, {}

    def ask(self, method, path, fields=None, headers=None):
        """Return the status and the text."""
        sent = {"Host": "localhost", "Sec-Fetch-Site": "same-origin", **(headers or {})}
        sent["Cookie"] = "; ".join(f"{k}={v}" for k, v in self.cookies.items())
        body = None if fields is None else urlencode(fields)
        if body is not None:
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=300)
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            for line in response.headers.get_all("Set-Cookie") or ():
                name, _, value = line.partition(";")[0].partition("=")
                self.cookies[name] = value
            return response.status, response.read().decode()
        finally:
            connection.close()

    def sign_in(self, user):
        token = csrf_of(self.ask("GET", LOGIN)[1])
        form = {"email": user.email, "password": PASSWORD, "csrf_token": token}
        return self.ask("POST", LOGIN, form)[0]


def seconds_of_processor(server):
    process = psutil.Process(server.process.pid)
    times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
    return sum(each.user + each.system for each in times)


@pytest.mark.nightly
@pytest.mark.skipif(not NIGHTLY, reason="measures seconds: by night only")
@pytest.mark.parametrize(
    ("storage", "ini"), [("sqlite", "development.ini"), ("postgresql", "production.ini")]
)
def test_dear_forms_leave_everything_else_to_others(tmp_path, new_settings, figures, storage, ini):
    settings = new_settings(storage)
    service = Service(storage, settings)
    rich, poor = new_user(service), new_user(service)
    service.load(rich, list(rows()))
    service.load(poor, [account(), record()])
    token = {"Authorization": f"Bearer {new_token(service, poor)}"}
    given = {
        "sqlalchemy.url": settings["sqlalchemy.url"],
        "finance_api.allowed_hosts": "localhost",
        "finance_api.require_https": "false",
        "finance_api.jwt.keys": "",
    }
    server = ServerProcess(tmp_path, ini=ini, settings=given).wait("/__heartbeat__")
    sender, other = Browser(server), Browser(server)
    # Not with the service, whose clock stands still.
    assert (sender.sign_in(rich), other.sign_in(poor)) == (303, 303)
    form = {"csrf_token": csrf_of(sender.ask("GET", "/rules/apply")[1])}
    asked = {
        "health": lambda: Browser(server).ask("GET", "/__lbheartbeat__")[0],
        "sign-in": lambda: Browser(server).sign_in(poor),
        "API": lambda: other.ask("GET", "/v1/api/records", headers=token)[0],
        "page": lambda: other.ask("GET", "/records")[0],
    }
    slowest, statuses = defaultdict(float), defaultdict(Counter)
    is_over = threading.Event()

    def watch(name):
        while not is_over.is_set():
            started = time.perf_counter()
            statuses[name][asked[name]()] += 1
            slowest[name] = max(slowest[name], time.perf_counter() - started)
            time.sleep(0.1)

    try:
        with ThreadPoolExecutor(FORMS + len(asked)) as pool:
            watching = [pool.submit(watch, name) for name in asked]
            before, started = seconds_of_processor(server), time.perf_counter()
            sent = [pool.submit(sender.ask, "POST", "/rules/apply", form) for _ in range(FORMS)]
            answers = Counter(each.result()[0] for each in sent)
            seconds = time.perf_counter() - started
            is_over.set()
            for each in watching:
                each.result()
            used = seconds_of_processor(server) - before
    finally:
        server.stop()
        service.stop()
    said = ", ".join(f"{k} {slowest[k]:.2f} s {dict(statuses[k])}" for k in asked)
    figures(
        f"{storage}, {ini}: {FORMS} previews {dict(answers)} in {seconds:.1f} s, "
        f"{used:.1f} s of processor; slowest: {said}"
    )
    assert slowest["health"] <= MOST_SECONDS_OF_HEALTH
    assert max(slowest.values()) <= MOST_SECONDS
    for found in statuses.values():
        assert not [status for status in found if status >= 400], statuses
