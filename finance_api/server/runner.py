"""The server runner that ``[server:main]`` names."""

import sys
from collections.abc import Mapping
from typing import Any

from finance_api.server.crew import Crew
from finance_api.server.deadlines import SWEEP_SECONDS
from finance_api.server.drain import Drain
from finance_api.server.hooks import call_shutdown_hooks
from finance_api.server.listener import open_listener
from finance_api.server.process import share_memory
from finance_api.server.settings import ServerSettings, StartError, read_settings
from finance_api.server.stop import Stop, leave


def serve(app: Any, global_conf: Mapping[str, str] | None = None, **settings: str) -> int:
    """Serve until a signal. Returns 0 after a graceful end; otherwise the process ends with 1.

    settings: the section's keys, see ``ServerSettings``.
    """
    code = run(app, global_conf or {}, settings)
    if code:
        leave(code)
    return code


def run(app: Any, global_conf: Mapping[str, str], section: Mapping[str, str]) -> int:
    """Serve until a signal; the exit code."""
    try:
        settings: ServerSettings = read_settings(global_conf, section)
        crew = Crew(settings.threads)
        listener = open_listener(app, settings, crew)
    except StartError as error:
        print(error, file=sys.stderr)
        call_shutdown_hooks(app)
        return 1
    stop = Stop(listener.pull_trigger)
    drain = Drain(listener, settings.drain_seconds)

    def turn(wait: bool) -> bool:
        if stop.wanted():
            return drain.turn(wait)
        listener.turn(SWEEP_SECONDS if wait else 0)
        return True

    with stop.on_signals():
        print(f"Serving on {listener.url}", flush=True)
        share_memory()
        crew.start(turn, listener.pull_trigger)
        crew.wait()
        finished = drain.finish(crew.join(drain.seconds_left))
        call_shutdown_hooks(app)
    return 0 if finished else 1
