"""The application factory for servers, and the clean-up at the end of a process.

Errors that prevent the start are reported in one line.
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
from finance_api.server.ini_files import ENCODING
from finance_api.storage.errors import StorageNotReady, StorageUnavailable

logger = logging.getLogger(__name__)

#: The applications of this process that have not been closed.
applications: list[Any] = []


def not_listening(host: str, port: Any, error: OSError) -> SettingError:
    """Make the error for an address on which a server cannot listen."""
    # A failed look-up of the host has no error number of the system.
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror)
    if error.errno == errno.EACCES:
        reason += "; ports below 1024 are for root: let the proxy listen there"
    elif error.errno == errno.EADDRINUSE:
        reason += "; choose another port with --port (make: PORT=7000)"
    return SettingError(f"server.port: cannot listen on {host}:{port}: {reason}")


def reserve_address(host: str, port: int) -> socket.socket:
    """Return a socket that keeps other servers off the address; granian's workers can share it.

    Raises SettingError if listening fails, or if another server listens there: granian would share
    the address with it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    reserved = socket.socket(family)
    try:
        # Fails if any socket listens there, whatever its options.
        everywhere = host == "::"
        socket.create_server((host, port), family=family, dualstack_ipv6=everywhere).close()
        # Connections that ended recently do not matter. To share, sockets need SO_REUSEPORT.
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

    If a setting is wrong or the storage is not ready, ends the process with one line that says
    why. A storage that does not respond may come back, so the service starts anyway, and answers
    with 503 until then.
    """
    # The start makes no garbage, and looking for garbage would take a fifth of the start's time.
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
    """Raise SettingError if slow requests and downloads could take every thread."""
    settings = application.registry.settings
    requests, downloads = (settings[f"finance_api.max_{w}"] for w in ("data_requests", "downloads"))
    if 1 < threads <= requests + downloads:
        raise SettingError(
            f"finance_api.max_data_requests: {requests}, together with {downloads} of "
            f"finance_api.max_downloads, are too many for the server's {threads} threads: one "
            f"thread must be left for health checks"
        )


def _check_waitress(application: Any, ini: str) -> None:
    """Raise SettingError if waitress' own settings contradict the application's.

    Trusted proxies, for example, have no effect if waitress removes their headers.
    """
    # Imported here, as commands import this module and should not wait for Pyramid.
    from pyramid.settings import asbool

    parser = configparser.RawConfigParser(strict=False)
    parser.read(ini, encoding=ENCODING)
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
    """Write pending data and close connections, once for each application."""
    while applications:
        try:
            applications.pop().registry.services.close()
        except Exception:
            logger.exception("closing the application failed")


def _exit_on_sigterm() -> None:
    """Make SIGTERM run atexit handlers if the server does not handle the signal."""
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())
