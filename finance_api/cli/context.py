"""The context of the commands: the settings of the ini file, the storage, the clock.

Modules that only some commands need are imported in functions, here and in the commands' modules,
so that ``--help`` is quick.
"""

from __future__ import annotations

import configparser
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from finance_api.runtime.clock import SystemClock

if TYPE_CHECKING:
    from finance_api.runtime.settings import Settings
    from finance_api.storage.interface import Storage, StorageBackend, User, WritableStorage

#: The default ini files; the first one that exists is used.
INI_FILES = ("finance-api.ini", "development.ini")
#: Prefix of the settings of the memory storage.
_MEMORY = "finance_api.storage.memory."


class CliContext:
    """Opens everything when a command first needs it, so that ``--help`` needs no ini file.

    config: the ini file named by -c. debug: whether errors show a traceback. done: sentences on
    what the command has stored so far, for the message if it is interrupted.
    """

    config: str | None = None
    debug = False

    def __init__(self) -> None:
        self.clock = SystemClock()
        self.done: list[str] = []

    @cached_property
    def ini(self) -> str:
        """Return the path of the ini file. Raises SettingError."""
        from finance_api.runtime.settings import SettingError

        for name in INI_FILES if self.config is None else (self.config,):
            if os.path.exists(name):
                return name
        wanted = self.config or " or ".join(INI_FILES)
        raise SettingError(
            f"there is no file {wanted}; name the ini file with -c, or make one with "
            "'finance-api init'"
        )

    @contextmanager
    def reading_ini(self) -> Iterator[Any]:
        """Yield plaster's loader of the ini file. Raises SettingError if it cannot be read."""
        import plaster
        import plaster_pastedeploy

        from finance_api.runtime.settings import SettingError
        from finance_api.server.ini_files import accept_marks

        accept_marks()
        try:
            # The loader is named here: plaster would search all installed packages for one.
            yield plaster_pastedeploy.Loader(plaster.parse_uri(self.ini))
        except configparser.Error as error:
            raise SettingError(f"{self.ini} cannot be read: {_ini_fault(error)}") from None
        except (LookupError, ValueError, plaster.PlasterError) as error:
            reason = " ".join(str(error).split())
            raise SettingError(f"{self.ini} cannot be read: {reason}") from error

    @cached_property
    def settings(self) -> Settings:
        from finance_api.settings import read_settings

        with self.reading_ini() as loader:
            given = loader.get_wsgi_app_settings("main")
        return read_settings(given, os.environ)

    @cached_property
    def backend(self) -> StorageBackend:
        """Return the storage, ready for use. Raises SettingError, StorageNotReady."""
        backend = self.unchecked_backend
        backend.check()
        return backend

    @cached_property
    def unchecked_backend(self) -> StorageBackend:
        """Return the storage, which may still need `upgrade`."""
        from finance_api.storage.interface import open_backend

        backend = open_backend(self.settings)
        if any(v for name, v in self.settings.items() if name.startswith(_MEMORY)):
            from finance_api.demo.preload import preload

            preload(backend, self.settings, self.clock)
        return backend

    def service_address(self) -> str:
        """Return the public address of the service, or that of the server in the ini file."""
        public: str = self.settings["finance_api.public_address"]
        if public:
            return public
        with self.reading_ini() as loader:
            server = loader.get_settings("server:main")
        return local_address(server.get("host", "127.0.0.1"), server.get("port", "6543"))

    def reading(self) -> AbstractContextManager[Storage]:
        from finance_api.storage.interface import reading

        return reading(self.backend)

    def writing(self) -> AbstractContextManager[WritableStorage]:
        """Return a unit of work that can write, and commits if the block raises no error."""
        from finance_api.storage.interface import unit_of_work

        self.require_persistence()
        return unit_of_work(self.backend)

    def require_persistence(self) -> None:
        """Raise SettingError if the storage does not outlive this process."""
        if not self.backend.persistent:
            from finance_api.runtime.settings import SettingError

            raise SettingError(
                "finance_api.storage: the memory storage exists only inside the server's process, "
                "so this command cannot write to it. Use the sql storage, or load data at start "
                "with finance_api.storage.memory.load"
            )

    def key_file(self) -> str:
        """Return the path of the JWT key file. Raises SettingError if the settings name none."""
        from finance_api.auth.settings import JWT_KEYS
        from finance_api.runtime.settings import SettingError

        path: str = self.settings[JWT_KEYS]
        if not path:
            raise SettingError(f"{JWT_KEYS}: give the path of the key file")
        return path

    def close(self) -> None:
        if "unchecked_backend" in self.__dict__:
            self.unchecked_backend.close()


def _ini_fault(error: configparser.Error) -> str:
    """Describe the fault without quoting the line, which may contain a password."""
    if isinstance(error, configparser.InterpolationError):
        return (
            f"{error.option} in [{error.section}] has a % that is not doubled: "
            "write %% for a % sign"
        )
    if isinstance(error, configparser.MissingSectionHeaderError):
        return f"line {error.lineno} is before the first [section]"
    if isinstance(error, configparser.ParsingError):
        lines = ", ".join(str(number) for number, _ in error.errors)
        return f"line {lines} is not of the form name = value"
    return " ".join(str(error).split())


def local_address(host: str, port: int | str) -> str:
    """Return the address at which this computer reaches a server that listens on this host."""
    if host in ("0.0.0.0", "*", "::"):  # noqa: S104
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def get_user(storage: Storage, email: str) -> User:
    """Return the user with this e-mail. Raises EmailRefused, NotFound."""
    from finance_api.values.text import normal_email

    return storage.users.get(normal_email(email))


pass_cli_context = click.make_pass_decorator(CliContext)
