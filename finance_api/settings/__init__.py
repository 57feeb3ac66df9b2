"""Every setting: joined from the parts that declare them, and read once, at the start.

A setting stands in the ``[app:main]`` section of the ini file, one of the server in
``[server:main]`` without its prefix ``server.``; the environment variable ``FINANCE_API_<NAME>``
(without the prefix ``finance_api.``, dots as underscores, upper case) overrides it. A secret can be
in a file, too: named by this variable with ``_FILE`` at its end, or a credential of systemd.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module

from finance_api.runtime.settings import (
    ENVIRONMENT_PREFIX,
    Setting,
    SettingError,
    Settings,
    read_table,
)

#: The modules that declare settings.
_PARTS = (
    "finance_api.storage.settings",
    "finance_api.http.settings",
    "finance_api.api.wallet.settings",
    "finance_api.api.settings",
    "finance_api.uploads.settings",
    "finance_api.ledger.settings",
    "finance_api.auth.settings",
    "finance_api.ratelimit.settings",
    "finance_api.runtime.logs",
)
#: Variables of that prefix that are no settings.
_OTHER_VARIABLES = frozenset({"FINANCE_API_CONFIG"})


def _declared(part: str) -> tuple[Setting, ...]:
    declared: tuple[Setting, ...] = import_module(part).SETTINGS
    return declared


SETTINGS = tuple(setting for part in _PARTS for setting in _declared(part))
#: Keys of ``[server:main]`` where granian serves.
SERVER_SETTINGS = _declared("finance_api.server.settings")


def read_settings(
    given: Mapping[str, str],
    environment: Mapping[str, str],
    table: Iterable[Setting] = SETTINGS,
) -> Settings:
    """The values of all settings of the table. Raises SettingError for a wrong or unknown one."""
    everywhere = (*SETTINGS, *SERVER_SETTINGS)
    variables = {setting.variable for setting in everywhere} | _OTHER_VARIABLES
    variables |= {setting.file_variable for setting in everywhere if setting.secret}
    for variable in environment:
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in variables:
            raise SettingError(f"{variable}: there is no such setting")
    return read_table(table, given, environment)
