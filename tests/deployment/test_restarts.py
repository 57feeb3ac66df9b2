"""F3 and F4: no response is lost when a process ends, or when a new one replaces it."""

import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from support.deployment import HSTS, WORKERS, Crowd, Site, SiteClient
from support.locks import locked
from support.nightly import NIGHTLY, count
from support.process import ServerProcess
from support.programs import wait_until

CLIENTS = count(10, 50)
at_night = pytest.mark.skipif(not NIGHTLY, reason="is run at night")
on_postgresql = pytest.mark.parametrize("served", ["postgresql"], indirect=True)


@pytest.mark.nightly
def test_f3_the_end_of_one_of_two_services_loses_no_request(
    served: Site, figures: Callable[[str], None]
) -> None:
    # The guards: "proxy_next_upstream error timeout" and "max_fails=0" in deploy/nginx.conf.
    # Without either of them, some clients get 503.
    rounds = count(1, 20)
    lost = []
    for _ in range(rounds):
        if served.running[0].port != served.ports[0]:
            # End the process on the port that nginx prefers, which gets all requests.
            served.restart()
        (first,) = served.running
        served.start()
        with Crowd(served, CLIENTS, pause_seconds=0) as crowd:
            crowd.wait(CLIENTS)
            served.end(first)
            crowd.wait(CLIENTS)
        lost += crowd.lost
    assert lost == []
    figures(f"{rounds} times {CLIENTS} requests in flight, {len(lost)} lost")


@pytest.mark.nightly
def test_f4_rolling_restarts_lose_no_request(served: Site, figures: Callable[[str], None]) -> None:
    # The guards: as above.
    restarts, requests = count(1, 10), count(150, 10_000)
    with Crowd(served, CLIENTS) as crowd:
        crowd.wait(CLIENTS)
        for _ in range(restarts):
            served.restart()
            crowd.wait(requests // restarts)
    assert crowd.lost == []
    assert crowd.answered >= requests
    figures(f"{crowd.answered:,} requests over {restarts} rolling restarts, {len(crowd.lost)} lost")


def requests_read(port: int) -> int:
    """Count connections to a port whose server has read all received data, by the system's
    table.
    """
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(
        local.endswith(f":{port:04X}") and state == "01" and queues.endswith(":00000000")
        for _, local, _, state, queues, *_ in lines
    )


class InFlight:
    """Requests that the service has read and cannot answer while a lock is held."""

    def __init__(
        self, server: ServerProcess, clients: list[SiteClient], waiting: Callable[[], int]
    ) -> None:
        #: By client: the error, if it got no right response.
        self.failures: dict[SiteClient, Exception] = {}
        self._threads = [threading.Thread(target=self._ask, args=(each,)) for each in clients]
        for thread in self._threads:
            thread.start()
        wait_until(lambda: waiting() > 0)
        wait_until(lambda: requests_read(server.port) == len(clients))

    def _ask(self, client: SiteClient) -> None:
        try:
            client.check(client.get())
        except Exception as error:
            self.failures[client] = error

    def join(self) -> None:
        for thread in self._threads:
            thread.join()


def nobody_listens(server: ServerProcess) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", server.port)) != 0


@pytest.mark.nightly
@on_postgresql
@pytest.mark.parametrize(
    "signals",
    [
        [signal.SIGINT, signal.SIGTERM],
        pytest.param([signal.SIGTERM, signal.SIGTERM], marks=at_night),
    ],
)
def test_f3_what_is_in_flight_is_answered_by_the_process_that_ends(
    served: Site, signals: list[signal.Signals]
) -> None:
    # The guard: granian's own graceful end; with drain_seconds = 1 (below) they are lost.
    (server,) = served.running
    clients = [served.client() for _ in range(CLIENTS)]
    with locked(served.url, "labels") as waiting:
        flying = InFlight(server, clients, waiting)
        served.forget(server)
        for each in signals:
            server.process.send_signal(each)
            wait_until(lambda: nobody_listens(server))
    flying.join()
    assert flying.failures == {}, server.said
    assert server.process.wait(60) == 0, server.said
    # No service is running now.
    answer = clients[0].get()
    assert answer.status == 503
    assert answer.headers["strict-transport-security"] == HSTS
    clients[0].check_or_503(answer)
    served.start()


@pytest.mark.nightly
@at_night
@on_postgresql
def test_f3_past_the_limit_requests_end_with_503_and_the_process_ends(served: Site) -> None:
    (first,) = served.running
    served.end(first)
    server = served.start(drain_seconds="1")
    (client,) = clients = [served.client()]
    with locked(served.url, "labels") as waiting:
        flying = InFlight(server, clients, waiting)
        served.forget(server)
        server.process.send_signal(signal.SIGTERM)
        # granian then kills its workers, which its log says, but not its exit code.
        assert server.process.wait(60) == 0, server.said
        assert "after it refused to gracefully stop" in server.said
        flying.join()
    assert "503" in str(flying.failures[client])
    client.check_or_503(client.get())
    served.start()


@on_postgresql
def test_f3_what_is_in_flight_is_answered_when_the_parent_is_killed(served: Site) -> None:
    # The guard: _end_with_parent in finance_api/server/worker.py. Without it the workers go on
    # listening.
    (server,) = served.running
    clients = [served.client() for _ in range(CLIENTS)]
    workers = server.workers
    with locked(served.url, "labels") as waiting:
        flying = InFlight(server, clients, waiting)
        served.forget(server)
        server.process.kill()
        server.process.wait()
        wait_until(lambda: nobody_listens(server))
    flying.join()
    assert flying.failures == {}, server.said
    wait_until(lambda: not any(worker.is_running() for worker in workers))
    served.start()


@on_postgresql
def test_f3_sighup_replaces_the_workers_and_loses_nothing(served: Site) -> None:
    (server,) = served.running
    before = {worker.pid for worker in server.workers}
    clients = [served.client() for _ in range(CLIENTS)]
    with locked(served.url, "labels") as waiting:
        flying = InFlight(server, clients, waiting)
        server.process.send_signal(signal.SIGHUP)
    flying.join()
    assert flying.failures == {}
    wait_until(lambda: server.said.count("Stopped old worker") == WORKERS)
    # granian does not wait for the new workers, so on a slow machine nobody may be listening yet.
    wait_until(lambda: server.said.count("Started worker") == 2 * WORKERS)
    assert not before & {worker.pid for worker in server.workers}
