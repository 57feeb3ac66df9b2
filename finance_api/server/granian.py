"""The production server: granian, as a PasteDeploy server runner.

    [server:main]
    use = egg:finance-api#granian

Keys of the section: `finance_api.settings.SERVER_SETTINGS`.
"""

import multiprocessing
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings

from finance_api.runtime import metrics
from finance_api.runtime.settings import SettingError, Settings
from finance_api.server import worker, wsgi
from finance_api.settings import SERVER_SETTINGS, read_settings


def serve(app: Any, global_conf: Mapping[str, str], **section: str) -> None:
    """Serve until SIGTERM or SIGINT; end the process with exit code 1 if serving fails.

    app: made by pserve in this process, only to be checked and closed. Each worker makes its own
    application, which `finance_api.server.wsgi` closes when the worker exits.
    """
    try:
        given = {f"server.{key}": value for key, value in section.items()}
        settings = read_settings(given, os.environ, SERVER_SETTINGS)
        _check(settings)
        address = wsgi.reserve_address(settings["server.host"], settings["server.port"])
        wsgi.close_applications()
        # Forked workers would skip atexit handlers, and all draw the same random numbers.
        multiprocessing.set_start_method("spawn", force=True)
        make_application = partial(
            worker.make_application, dict(global_conf), settings["server.drain_seconds"]
        )
        with address, ExitStack() as stack:
            if settings["server.workers"] > 1:
                # The workers share their metrics in this directory.
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
    """Raise SettingError if workers have too few threads, or do not share counts and storage."""
    workers = settings["server.workers"]
    for application in wsgi.applications:
        wsgi.check_threads(application, settings["server.threads"])
    for application in wsgi.applications if workers > 1 else ():
        need = f"server.workers: {workers} need"
        if not application.registry.services.quotas.is_shared:
            raise SettingError(f"{need} finance_api.ratelimit.backend = redis, to count together")
        if not application.registry.services.storage.persistent:
            raise SettingError(f"{need} a finance_api.storage that they share, unlike memory")


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
            # Large enough for requests that the application should answer with 414 or 431.
            max_buffer_size=65_536,
        ),
        workers=settings["server.workers"],
        blocking_threads=settings["server.threads"],
        backlog=settings["server.backlog"],
        backpressure=settings["server.backpressure"],
        respawn_failed_workers=True,
        # After SIGHUP the old worker goes on listening this long, while the new one starts.
        respawn_interval=10,
        workers_kill_timeout=settings["server.drain_seconds"],
        # granian's logger, as its documentation names it. The root's handlers get its lines.
        log_dictconfig={"loggers": {"_granian": {"handlers": [], "propagate": True}}},
    )
