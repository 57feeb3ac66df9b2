"""One worker: a process with an application of its own."""

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from finance_api.server.granian.engine import Engine
from finance_api.server.granian.gateway import Gateway
from finance_api.server.granian.settings import GranianSettings
from finance_api.server.hooks import call_shutdown_hooks
from finance_api.server.process import share_memory, work_in_batches
from finance_api.server.stop import leave

logger = logging.getLogger(__name__)

#: How a worker ends that must not be started again: what is wrong has been said in one line.
REFUSED = 3


@dataclass(frozen=True)
class Plan:
    """What all workers have in common.

    lifeline: both ends of a pipe on which nothing is sent; it ends when the parent does.
    """

    settings: GranianSettings
    listening: socket.socket
    make_application: Callable[[], Any]
    lifeline: tuple[int, int]


def work(number: int, plan: Plan, ready: Connection) -> NoReturn:
    """Serve until SIGTERM, in a process that was forked with the signals of `stop` blocked.

    They stay blocked: SIGTERM is waited for, and what a terminal sends to all processes is the
    parent's business.
    ready: told when it serves.
    """
    stopping = threading.Event()
    _watch(plan.lifeline, stopping)
    share_memory()
    work_in_batches()
    app = _make(plan)
    gateway = Gateway(app, plan.settings)
    engine = Engine(number, plan.settings, plan.listening, gateway)
    engine.start()
    ready.send(True)
    signal.sigwait({signal.SIGTERM})
    stopping.set()
    gateway.end()
    started = time.monotonic()
    limit = plan.settings.drain_seconds
    finished = engine.stop(limit)
    finished = gateway.wait_idle(max(0, started + limit - time.monotonic())) and finished
    if not finished:
        logger.error("worker %d: the drain limit of %g s has passed", number, limit)
    call_shutdown_hooks(app)
    leave(0 if finished else 1)


def _make(plan: Plan) -> Any:
    try:
        return plan.make_application()
    except SystemExit as error:
        print(error, file=sys.stderr)
        leave(REFUSED)
    except Exception:
        logger.exception("the application cannot be made")
        leave(REFUSED)


def _watch(lifeline: tuple[int, int], stopping: threading.Event) -> None:
    """End with the parent: gracefully, or at once when the end has begun already."""
    reading, writing = lifeline
    os.close(writing)

    def watch() -> None:
        os.read(reading, 1)
        if stopping.is_set():
            os._exit(1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="watches the parent", daemon=True).start()
