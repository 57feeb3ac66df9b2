"""The server runner that ``[server:granian]`` names."""

import gc
import os
import socket
import sys
from collections.abc import Mapping
from typing import Any

from finance_api.server.address import address_of, cannot_listen, url_of
from finance_api.server.descriptors import allow_descriptors
from finance_api.server.granian.application import check_shared, recipe
from finance_api.server.granian.settings import GranianSettings
from finance_api.server.hooks import call_shutdown_hooks
from finance_api.server.settings import StartError, read_settings
from finance_api.server.stop import leave

# A client that is gone without a word is found out after this, and nine questions.
_KEEP_ALIVE_SECONDS = 60


def serve(app: Any, global_conf: Mapping[str, str] | None = None, **settings: str) -> int:
    """Serve until a signal. Returns 0 after a graceful end; otherwise the process ends with 1.

    app: only looked at: each worker makes its own, from the ini file that global_conf names.
    settings: the section's keys, see ``GranianSettings``.
    """
    code = run(app, global_conf or {}, settings)
    if code:
        leave(code)
    return code


def run(app: Any, global_conf: Mapping[str, str], section: Mapping[str, str]) -> int:
    """Serve until a signal; the exit code."""
    try:
        _check_library()
        settings = read_settings(global_conf, section, GranianSettings)
        check_shared(app, settings.workers)
        make_application = recipe(global_conf)
        listening = _listen(settings)
    except StartError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        # Its threads and connections must be gone before a worker is forked.
        call_shutdown_hooks(app)
    # With the library, which may not be installed.
    from finance_api.server.granian.supervisor import Supervisor
    from finance_api.server.granian.worker import Plan

    # What is there already is shared by the workers as long as nobody touches it.
    gc.collect()
    gc.freeze()
    url = url_of(*listening.getsockname()[:2])
    supervisor = Supervisor(Plan(settings, listening, make_application, os.pipe()))
    return supervisor.run(lambda: print(f"Serving on {url}", flush=True))


def _check_library() -> None:
    if not sys.platform.startswith("linux"):
        raise StartError("the server granian is for Linux only; waitress runs everywhere")
    try:
        import granian  # noqa: F401
    except ImportError:
        raise StartError(
            "granian is not installed; install finance-api with its extra granian"
        ) from None


def _listen(settings: GranianSettings) -> socket.socket:
    """The socket that all workers accept from. Raises StartError.

    granian would bind one for each of them with SO_REUSEPORT: then a second server would get
    hold of half of the connections, and those waiting for a worker that dies would be lost.
    """
    from finance_api.server.granian.engine import BACKLOG

    allow_descriptors(settings.connection_limit)
    try:
        family, kind, protocol, address = address_of(settings)
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Connections that are accepted from it have these too.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEP_ALIVE_SECONDS)
        listening.bind(address)
        listening.listen(BACKLOG)
    except (OSError, UnicodeError) as error:
        raise cannot_listen(settings, error) from None
    return listening
