"""How long a connection may stay in one phase.

A connection is looked at now and then: it is in a phase, and has got so far in it. One that is
found in the same place for longer than the phase allows is cut. A client can send or take single
bytes as it likes: only what ends a phase moves it on.
"""

import enum
from dataclasses import dataclass

from finance_api.server.settings import ServerSettings

# How often the connections are looked at, so how late one may be cut.
SWEEP_SECONDS = 0.5
# Between two requests of a connection.
IDLE_SECONDS = 60.0
# For every ANSWER_BYTES of an answer the client may take this long.
ANSWER_SECONDS = 30.0
ANSWER_BYTES = 1 << 20
# After the last answer, for the client to close from its side.
LINGER_SECONDS = 2.0


class Phase(enum.Enum):
    """What a connection is waiting for."""

    SILENT = "the first byte of the first request"
    HEADER = "the rest of the headers"
    BODY = "the rest of the body"
    WORK = "the application"
    ANSWER = "the client, to take the answer"
    IDLE = "the next request"
    LINGER = "the client, to close"


@dataclass(frozen=True)
class Place:
    """A phase, and what was got done in it: two equal ones mean standing still."""

    phase: Phase
    progress: int


def limits(settings: ServerSettings) -> dict[Phase, float]:
    """Seconds each phase may last; the application's time is not limited here."""
    return {
        Phase.SILENT: settings.header_seconds,
        Phase.HEADER: settings.header_seconds,
        Phase.BODY: settings.body_seconds,
        Phase.ANSWER: ANSWER_SECONDS,
        Phase.IDLE: IDLE_SECONDS,
        Phase.LINGER: LINGER_SECONDS,
    }
