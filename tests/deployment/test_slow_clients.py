"""F9: clients that are slow, on purpose or not, do not slow down others."""

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from support.deployment import LABELS, Site, SiteClient
from support.native_rows import account, record
from support.nginx import HOST
from support.nightly import count
from support.programs import wait_until

#: Pause between an honest client's requests after the first ones.
PAUSE_SECONDS = 0.05
#: The number of slow clients of each of the four kinds.
SLOW = count(15, 125)
HONEST = count(200, 2_000)
LONG = "/v1/api/records?limit=100"
PATIENCE_SECONDS = 60

Work = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class SlowClients:
    """Many slow clients of each kind at once, in one thread, each until nginx cuts it."""

    def __init__(self, site: Site, token: str) -> None:
        self._port = site.nginx.port
        self._tls = site.nginx.tls
        self._token = token
        self._kinds: dict[str, Work] = {
            "a header line a second": self._slow_header,
            "a body that stops": self._slow_body,
            "an answer that nobody reads": self._slow_reader,
            "half a TLS handshake": self._half_open,
        }
        #: The number of connected clients.
        self.connected = 0
        #: By kind: the seconds after which each client was cut, None for a client that was not.
        self.cut: dict[str, list[float | None]] = {}
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))

    def start(self) -> None:
        """Start all clients, and wait until they are connected."""
        self._thread.start()
        wait_until(lambda: self.connected == SLOW * len(self._kinds))

    @property
    def going_on(self) -> bool:
        return self._thread.is_alive()

    def join(self) -> None:
        self._thread.join()

    async def _run(self) -> None:
        tasks = [
            [asyncio.create_task(self._timed(work)) for _ in range(SLOW)]
            for work in self._kinds.values()
        ]
        self.cut = {
            kind: await asyncio.gather(*each) for kind, each in zip(self._kinds, tasks, strict=True)
        }

    async def _timed(self, work: Work) -> float | None:
        plain = socket.socket()
        # A small buffer, so that most of a response has to wait at nginx.
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.setblocking(False)
        await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", self._port))
        tls = None if work == self._half_open else self._tls
        reader, writer = await asyncio.open_connection(
            sock=plain, ssl=tls, server_hostname=HOST if tls else None, limit=1
        )
        self.connected += 1
        started = time.monotonic()
        try:
            await asyncio.wait_for(work(reader, writer), PATIENCE_SECONDS)
        except TimeoutError:
            return None
        except OSError:
            pass
        finally:
            writer.transport.abort()
        return time.monotonic() - started

    async def _slow_header(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(f"GET {LABELS} HTTP/1.1\r\nHost: {HOST}\r\n".encode())
        end = asyncio.create_task(reader.read())
        while not end.done():
            writer.write(b"X: y\r\n")
            await asyncio.wait([end], timeout=1)
        await end

    async def _slow_body(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(
            f"POST /settings/login HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 1000\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n\r\na=b".encode()
        )
        await reader.read()

    async def _slow_reader(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Request more than ten megabytes, and do not read them."""
        request = f"GET {LONG} HTTP/1.1\r\nHost: {HOST}\r\n"
        writer.write((request + f"Authorization: Bearer {self._token}\r\n\r\n").encode() * 200)
        plain = writer.get_extra_info("socket")
        # 1 is "established". A read would notice the end only after all pending data.
        while plain.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == 1:
            await asyncio.sleep(0.1)

    async def _half_open(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"\x16\x03\x01")
        await reader.read()


def ask(site: Site, client: SiteClient, wanted: Callable[[int], bool]) -> list[float]:
    """Send an honest client's requests while more are wanted. Return the seconds of each."""
    seconds = []
    with closing(site.connect()) as connection:
        while wanted(len(seconds)):
            started = time.perf_counter()
            client.check(client.get(LABELS, connection))
            seconds.append(time.perf_counter() - started)
            if len(seconds) >= HONEST:
                time.sleep(PAUSE_SECONDS)
    return seconds


def p99_ms(seconds: list[float]) -> str:
    return f"{sorted(seconds)[len(seconds) * 99 // 100] * 1000:.1f} ms"


@pytest.mark.nightly
def test_f9_slow_clients_are_cut_and_cost_others_nothing(
    served: Site, figures: Callable[[str], None]
) -> None:
    # This tests the time limits and proxy_request_buffering in deploy/nginx.conf. If buffering were
    # off, clients that stop in a body would hold all threads of the service for ten seconds.
    client, slow_reader = served.client(), served.client()
    slow_reader.load(account(), *(record(n, note="long " * 200) for n in range(1, 101)))
    assert len(slow_reader.get(LONG).body) > 100_000
    # After these requests each worker thread has allocated its memory, so it grows no further.
    with ThreadPoolExecutor(24) as crowd:
        list(crowd.map(lambda _: slow_reader.get(LONG), range(120)))
    quiet = ask(served, client, lambda done: done < HONEST)
    assert served.nginx.worker is not None
    memory, of_nginx = served.memory_bytes(), served.nginx.worker.memory_info().rss
    slow = SlowClients(served, slow_reader.token)
    slow.start()
    busy = ask(served, client, lambda done: done < HONEST or slow.going_on)
    slow.join()
    for kind, cut in slow.cut.items():
        seconds = [each for each in cut if each is not None]
        assert len(seconds) == SLOW, f"{kind}: {SLOW - len(seconds)} were not cut"
        figures(f"{SLOW} with {kind}: all cut, the last one after {max(seconds):.1f} s")
    figures(f"others meanwhile: p99 {p99_ms(busy)}, without slow ones {p99_ms(quiet)}")
    grown = served.nginx.worker.memory_info().rss - of_nginx
    figures(f"nginx grew by {grown / 1e6:.0f} MB")
    figures(f"the service grew by {(served.memory_bytes() - memory) / 1e6:.0f} MB")
    assert served.memory_bytes() - memory < 20_000_000
