"""The production server: granian, as a PasteDeploy server runner.

    [server:main]
    use = egg:finance-api#granian

Keys of the section: `finance_api.settings.SERVER_SETTINGS`.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from pyramid.paster import get_app, setup_logging

from finance_api import metrics, wsgi
from finance_api.settings import SERVER_SETTINGS, SettingError, Settings, read_settings
from finance_api.unended import UnendedBody


def serve(app: Any, global_conf: Mapping[str, str], **section: str) -> None:
    """Serve until SIGTERM or SIGINT; ends the process with 1 where that cannot be done.

    app: made by pserve in this process, only checked and then closed. Each worker makes its own,
    which `finance_api.wsgi` closes as the worker exits.
    """
    try:
        given = {f"server.{key}": value for key, value in section.items()}
        settings = read_settings(given, os.environ, SERVER_SETTINGS)
        _check(settings)
        wsgi.close_applications()
        # A forked worker would end without atexit, and draw the same random numbers as the others.
        multiprocessing.set_start_method("spawn", force=True)
        make_application = partial(_application, dict(global_conf))
        with ExitStack() as stack:
            if settings["server.workers"] > 1:
                # The workers count together there.
                directory = TemporaryDirectory(prefix="finance-api-metrics-")
                os.environ.setdefault(metrics.DIRECTORY, stack.enter_context(directory))
            _granian(settings).serve(target_loader=make_application, wrap_loader=False)
        return
    except SettingError as error:
        print(f"finance-api: {error}", file=sys.stderr, flush=True)
    except SystemExit:
        pass  # granian has logged the reason
    # pserve ends with 0 after SystemExit.
    os._exit(1)


def _check(settings: Settings) -> None:
    """Raises SettingError where workers would count apart, and for an address that is taken."""
    workers, host, port = (settings[f"server.{key}"] for key in ("workers", "host", "port"))
    for application in wsgi.applications:
        wsgi.check_threads(application, settings["server.threads"])
    for application in wsgi.applications if workers > 1 else ():
        need = f"server.workers: {workers} need"
        if application.registry.settings["finance_api.ratelimit.backend"] == "memory":
            raise SettingError(f"{need} finance_api.ratelimit.backend = redis, to count together")
        if not application.registry.services.storage.persistent:
            raise SettingError(f"{need} a finance_api.storage that they share, unlike memory")
    wsgi.check_address(host, port)


def _granian(settings: Settings) -> Any:
    return Granian(
        "finance_api",
        address=settings["server.host"],
        port=settings["server.port"],
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        http1_settings=HTTP1Settings(
            header_read_timeout=settings["server.header_seconds"] * 1000,
            # More than a request that the application answers with 414 or 431, so that it can.
            max_buffer_size=65_536,
        ),
        workers=settings["server.workers"],
        blocking_threads=settings["server.threads"],
        backlog=settings["server.backlog"],
        backpressure=settings["server.backpressure"],
        respawn_failed_workers=True,
        workers_kill_timeout=settings["server.drain_seconds"],
        # Its logger, by the name in its documentation: its lines go where the others go.
        log_dictconfig={"loggers": {"_granian": {"handlers": [], "propagate": True}}},
    )


def _application(global_conf: dict[str, str]) -> Any:
    """A worker's application."""
    setup_logging(global_conf["__file__"], global_conf)
    app = get_app(global_conf["__file__"], options=global_conf)

    def application(environ: dict[str, Any], start_response: Any) -> Any:
        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            # granian names itself in answers that name no server.
            return start_response(status, [*headers, ("Server", "finance_api")], *error)

        body = app(environ, start)
        return body if isinstance(body, list) else UnendedBody(body)

    # granian's handler needs the main thread, which waits for a lock. Python does not wake it where
    # the system gives the signal to another thread: such a worker would go on until it is killed.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    threading.Thread(target=_pass_sigterm_on, name="SIGTERM", daemon=True).start()
    return application


def _pass_sigterm_on() -> None:
    while True:
        number = signal.sigwait({signal.SIGTERM})
        signal.getsignal(number)(number, None)  # type: ignore[misc, operator]
