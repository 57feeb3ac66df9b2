"""The application factory for servers, and the end of a process.

Errors that prevent the start are one line.
"""

import atexit
import configparser
import errno
import gc
import logging
import os
import signal
import socket
import sys
import threading
from typing import Any

from finance_api import main
from finance_api.runtime.logs import log_what_python_says
from finance_api.runtime.settings import SettingError
from finance_api.storage.errors import StorageNotReady, StorageUnavailable

logger = logging.getLogger(__name__)

#: The applications of this process that have not been closed.
applications: list[Any] = []


def not_listening(host: str, port: Any, error: OSError) -> SettingError:
    """For an address that a server cannot have."""
    # The error of a failed look-up has no number of the system's.
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror)
    if error.errno == errno.EACCES:
        reason += "; ports below 1024 are for root: let the proxy listen there"
    return SettingError(f"server.port: cannot listen on {host}:{port}: {reason}")


def reserve_address(host: str, port: int) -> socket.socket:
    """Return a socket that keeps other servers off the address; granian's workers can share it.

    Raises SettingError if nothing can listen there, or something does: granian would join it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    reserved = socket.socket(family)
    try:
        # Fails beside whatever listens there, with any options.
        everywhere = host == "::"
        socket.create_server((host, port), family=family, dualstack_ipv6=everywhere).close()
        # Connections that ended a minute ago do not matter; later sockets need SO_REUSEPORT.
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind((host, port))
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    except OSError as error:
        reserved.close()
        raise not_listening(host, port, error) from None
    return reserved


def app(global_config: dict[str, str], **settings: str) -> Any:
    """`finance_api.main` as PasteDeploy's app factory.

    Ends the process for a wrong setting and for a storage that is not ready, with one line that
    says why. A storage that does not answer may come back: the service starts, and answers with
    503 until it does.
    """
    # Nothing of what is made here is garbage; looking for it takes a fifth of the start.
    gc.disable()
    try:
        application = main(global_config, **settings)
        if application.registry.settings["finance_api.log.format"] == "json":
            log_what_python_says()
        _check_waitress(application, global_config.get("__file__", ""))
        application.registry.services.storage.check()
    except (SettingError, StorageNotReady) as error:
        raise SystemExit(f"finance-api: {error}") from None
    except StorageUnavailable as error:
        logger.error("storage: %s", error)
    finally:
        gc.freeze()
        gc.enable()
    applications.append(application)
    atexit.register(close_applications)
    _exit_on_sigterm()
    return application


def check_threads(application: Any, threads: int) -> None:
    """Raises SettingError where slow requests and downloads could take every thread."""
    settings = application.registry.settings
    requests, downloads = (settings[f"finance_api.max_{w}"] for w in ("data_requests", "downloads"))
    if 1 < threads <= requests + downloads:
        raise SettingError(
            f"finance_api.max_data_requests: {requests}, and {downloads} of "
            f"finance_api.max_downloads, are too many for {threads} threads of the server; one has "
            "to be left that answers health"
        )


def _check_waitress(application: Any, ini: str) -> None:
    """Raises SettingError where waitress' own settings do not go with the application's.

    Trusted proxies are of no use while it removes what they say.
    """
    # Only here: commands look this module up, and need not wait for it.
    from pyramid.settings import asbool

    parser = configparser.RawConfigParser(strict=False)
    parser.read(ini)
    if "waitress" not in parser.get("server:main", "use", fallback=""):
        return
    threads = parser.get("server:main", "threads", fallback="4")
    try:
        check_threads(application, int(threads))
    except ValueError:
        raise SettingError(f"server.threads: {threads!r} is not a whole number") from None
    option = parser.get("server:main", "clear_untrusted_proxy_headers", fallback="true")
    if application.registry.settings["finance_api.trusted_proxies"] and asbool(option):
        raise SettingError(
            "finance_api.trusted_proxies: waitress removes their headers unless [server:main] has "
            "clear_untrusted_proxy_headers = false"
        )


def close_applications() -> None:
    """Write what is noted in memory and close connections, once for each application."""
    while applications:
        try:
            applications.pop().registry.services.close()
        except Exception:
            logger.exception("closing the application failed")


def _exit_on_sigterm() -> None:
    """Let SIGTERM run atexit handlers where the server leaves the signal to the system."""
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())
