"""What the commands work with: the settings of the ini file, the storage, the clock."""

import configparser
import os
from contextlib import AbstractContextManager
from functools import cached_property

import click
from plaster import PlasterError
from pyramid.paster import get_appsettings

from finance_api.clock import SystemClock
from finance_api.preload import preload
from finance_api.settings import SettingError, Settings, read_settings
from finance_api.storage import open_backend
from finance_api.storage.interface import (
    Storage,
    StorageBackend,
    WritableStorage,
    reading,
    unit_of_work,
)


class CliContext:
    """Opened when a command first needs it, so that ``--help`` needs no ini file."""

    def __init__(self, config: str) -> None:
        self._config = config
        self.clock = SystemClock()

    @cached_property
    def settings(self) -> Settings:
        if not os.path.exists(self._config):
            raise SettingError(f"there is no file {self._config}; name the ini file with -c")
        try:
            given = get_appsettings(self._config, name="main")
        except (LookupError, ValueError, PlasterError, configparser.Error) as error:
            reason = " ".join(str(error).split())
            raise SettingError(f"{self._config} cannot be read: {reason}") from None
        return read_settings(given, os.environ)

    @cached_property
    def backend(self) -> StorageBackend:
        """The storage, ready for use. Raises SettingError, StorageNotReady."""
        backend = self.unchecked_backend
        backend.check()
        return backend

    @cached_property
    def unchecked_backend(self) -> StorageBackend:
        """The storage, which may still need `upgrade`."""
        backend = open_backend(self.settings)
        preload(backend, self.settings, self.clock)
        return backend

    def reading(self) -> AbstractContextManager[Storage]:
        return reading(self.backend)

    def writing(self) -> AbstractContextManager[WritableStorage]:
        """What is written is kept if the block ends without an error."""
        self.require_persistence()
        return unit_of_work(self.backend)

    def require_persistence(self) -> None:
        """Raises SettingError where nothing that a command writes would last."""
        if not self.backend.persistent:
            raise SettingError(
                "finance_api.storage: the memory storage lives inside one process: what this "
                "command writes would be gone at its end. Use the sql storage, or fill the memory "
                "storage at start with finance_api.storage.memory.load"
            )

    def close(self) -> None:
        if "unchecked_backend" in self.__dict__:
            self.unchecked_backend.close()


pass_cli_context = click.make_pass_decorator(CliContext)
