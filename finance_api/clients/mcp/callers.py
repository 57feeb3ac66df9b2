"""Limits for callers over HTTP: how many connections, and whose call runs next."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import anyio
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_BODY_BYTES = 65_536
#: Maximum for all addresses together. A process can usually have 1,024 open files.
_MAX_CONNECTIONS = 800

#: Address and port.
Client = tuple[str, int]


@dataclass(frozen=True)
class Limits:
    #: Maximum number of connections from one address.
    per_address: int
    #: Seconds for sending a whole request, from the start of the connection or the last answer.
    request_seconds: float
    #: Maximum number of calls that run at once.
    calls: int
    #: How many seconds a call may wait for its turn.
    wait_seconds: float


@dataclass
class _Connection:
    transport: asyncio.Transport
    #: The timer that closes the connection.
    deadline: asyncio.TimerHandle
    #: The call that runs or waits for its turn; None while the server waits for the client.
    call: anyio.CancelScope | None = None


class Connections:
    """All open connections, first the one whose client has kept the server waiting longest."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: dict[Client, _Connection] = {}

    def add(self, client: Client, transport: asyncio.Transport) -> None:
        """Add a connection. If there are too many, close one that waits for its client, or else
        the new one.
        """
        same = [other for other in self._open if other[0] == client[0]]
        if len(same) >= self._limits.per_address:
            has_room = self._close_one(same)
        else:
            has_room = len(self._open) < _MAX_CONNECTIONS or self._close_one(self._open)
        if has_room:
            self._wait(client, transport)
        else:
            transport.abort()

    def remove(self, client: Client) -> None:
        connection = self._open.pop(client, None)
        if connection is not None:
            connection.deadline.cancel()
            if connection.call is not None:
                connection.call.cancel()

    @contextmanager
    def calling(self, client: Client) -> Iterator[None]:
        """Run a call without the connection's deadline. End it if the client disconnects."""
        connection = self._open.get(client)
        with anyio.CancelScope() as scope:
            if connection is None:
                scope.cancel()
            else:
                connection.deadline.cancel()
                connection.call = scope
            yield
        if self._open.get(client) is connection and connection is not None:
            del self._open[client]
            self._wait(client, connection.transport)

    def _wait(self, client: Client, transport: asyncio.Transport) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.call_later(self._limits.request_seconds, transport.abort)
        self._open[client] = _Connection(transport, deadline)

    def _close_one(self, clients: Iterable[Client]) -> bool:
        for client in clients:
            connection = self._open[client]
            if connection.call is None:
                self.remove(client)
                connection.transport.abort()
                return True
        return False

    def protocol(self) -> type[asyncio.Protocol]:
        """Return uvicorn's protocol, with its connections counted here."""
        connections = self

        class Protocol(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                self._counted_as = _client(transport.get_extra_info("peername"))
                if self._counted_as is None:
                    transport.abort()
                else:
                    connections.add(self._counted_as, transport)

            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                if self._counted_as is not None:
                    connections.remove(self._counted_as)

        return Protocol


def _client(address: tuple[str, int] | None) -> Client | None:
    """Return the address; None if the client had already disconnected."""
    return None if address is None else (address[0], address[1])


class Turns:
    """Lets a few calls run at once; the others wait, and get a 503 after a while.

    A call's turn begins once the whole call has arrived, and ends when its answer is complete, so
    that neither slow senders nor slow readers keep other calls waiting.
    """

    def __init__(self, app: ASGIApp, connections: Connections, limits: Limits) -> None:
        self._app = app
        self._connections = connections
        self._limits = limits
        self._turns = asyncio.Semaphore(limits.calls)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] == "POST":
            await self._call(scope, receive, send)
        else:
            # GET would only open an endless stream that never has an event.
            refusal = {"error": "Only POST is accepted: the server sends nothing on its own."}
            await JSONResponse(refusal, 405, headers={"Allow": "POST"})(scope, receive, send)

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> None:
        unread = [await _whole(receive)]
        client = _client(scope["client"])
        answer: list[Message] = []

        async def replay() -> Message:
            return unread.pop() if unread else await receive()

        async def collect(message: Message) -> None:
            answer.append(message)

        if client is not None and unread[0]["type"] == "http.request":
            with self._connections.calling(client):
                await self._in_turn(scope, replay, collect)
        for message in answer:
            await send(message)

    async def _in_turn(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with anyio.fail_after(self._limits.wait_seconds):
                await self._turns.acquire()
        except TimeoutError:
            document = {
                "error": f"Too many calls: this one waited {self._limits.wait_seconds:g} seconds "
                "for its turn. Call again later."
            }
            await JSONResponse(document, 503, headers={"Retry-After": "5"})(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            self._turns.release()


async def _whole(receive: Receive) -> Message:
    """Return the request with its body, cut off if it is too large; or the disconnection."""
    body = b""
    while len(body) <= MAX_BODY_BYTES:
        message = await receive()
        if message["type"] != "http.request":
            return message
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return {"type": "http.request", "body": body, "more_body": False}
