"""The listening socket and the loop over all connections."""

import time
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from finance_api.server.address import address_of, cannot_listen, url_of
from finance_api.server.channel import Channel
from finance_api.server.crew import Crew
from finance_api.server.deadlines import SWEEP_SECONDS, limits
from finance_api.server.descriptors import allow_descriptors
from finance_api.server.environment import SAME_FOR_ALL
from finance_api.server.settings import ServerSettings
from finance_api.server.sockets import Sockets


class Listener(TcpWSGIServer):  # type: ignore[misc]  # waitress has no types
    """waitress' server with its loop in our hands."""

    channel_class = Channel
    draining = False
    # Whether it accepts depends on the number of all others.
    settled = False
    working = False

    def __init__(self, app: Any, settings: ServerSettings, crew: Crew, **kwargs: Any) -> None:
        self.limits = limits(settings)
        self.crew = crew
        self._next_sweep = 0.0
        super().__init__(app, map=Sockets(), dispatcher=crew, **kwargs)
        #: What PEP 3333 wants to be told, and is the same for all requests.
        self.environment = {
            **SAME_FOR_ALL,
            "SERVER_NAME": self.server_name,
            "SERVER_PORT": str(self.effective_port),
            "wsgi.multiprocess": False,
        }

    @property
    def url(self) -> str:
        return url_of(self.effective_host, self.effective_port)

    def add_task(self, task: Channel) -> None:
        self.crew.add(task)

    def turn(self, timeout_seconds: float = SWEEP_SECONDS) -> None:
        """Wait for something to happen, deal with it, cut what is overdue."""
        self._map.turn(timeout_seconds)
        now = time.monotonic()
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_SECONDS
            for channel in self.channels():
                channel.cut_if_overdue(now)
            # What a worker did after its request was done with is seen here at the latest.
            self._map.ask_all()

    def ask(self, channel: Channel) -> None:
        """Have the loop look at what a connection waits for."""
        descriptor = channel._fileno  # noqa: SLF001 (None once it is closed)
        if descriptor is not None:
            self._map.ask(descriptor)
            # Only then: who has begun to lead meanwhile has seen it, or is woken.
            if not self.crew.is_leading:
                self.pull_trigger()

    def handle_accept(self) -> None:
        """Takes all connections that wait, as far as there may be more; waitress takes one."""
        before = -1
        while before < len(self._map) < self.adj.connection_limit:
            before = len(self._map)
            super().handle_accept()

    def channels(self) -> list[Channel]:
        return list(self.active_channels.values())

    def maintenance(self, now: float) -> None:
        """Left to ``turn``: waitress' own goes by the wall clock and by the last single byte."""

    def stop_listening(self) -> None:
        """Take what already waits in the system's queue, then close the listening socket only."""
        self.handle_accept()
        # Not self.close(): that would close the trigger, which the workers still pull.
        wasyncore.dispatcher.close(self)

    def close_all(self) -> None:
        """Close every connection, and what workers wake the loop by."""
        wasyncore.close_all(self._map, ignore_all=True)


def open_listener(app: Any, settings: ServerSettings, crew: Crew) -> Listener:
    """Bind and listen, for the crew to serve. Raises StartError."""
    allow_descriptors(settings.connection_limit)
    adjustments = Adjustments(
        connection_limit=settings.connection_limit,
        ident=None,
        # No proxy is trusted here and X-Forwarded-* pass as they came: the application decides.
        clear_untrusted_proxy_headers=False,
        expose_tracebacks=False,
        # Also what makes an OSError of the application reach AppTask instead of vanishing.
        log_socket_errors=True,
    )
    try:
        return Listener(app, settings, crew, adj=adjustments, sockinfo=address_of(settings))
    except (OSError, UnicodeError) as error:
        raise cannot_listen(settings, error) from None
