"""Every setting: joined from the parts that declare them, and read once, at the start.

A setting stands in the ``[app:main]`` section of the ini file, one of the server in
``[server:main]`` without its prefix ``server.``; the environment variable ``FINANCE_API_<NAME>``
(without the prefix ``finance_api.``, dots as underscores, upper case) overrides it. A secret can be
in a file, too: named by this variable with ``_FILE`` at its end, or a credential of systemd.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

from finance_api.runtime.settings import (
    ENVIRONMENT_PREFIX,
    Setting,
    SettingError,
    Settings,
)

#: Settings of Pyramid itself, which are passed on to it.
_PASSED_ON = ("pyramid.",)
#: The modules that declare settings.
_PARTS = (
    "finance_api.storage.settings",
    "finance_api.http.settings",
    "finance_api.api.settings",
    "finance_api.uploads.settings",
    "finance_api.ledger.settings",
    "finance_api.auth.settings",
    "finance_api.ratelimit.settings",
    "finance_api.runtime.logs",
)
#: The default of `finance_api.plugins`; a plug-in need not be installed.
PLUGINS = ("finance_api.api.wallet", "finance_api.web")
#: Settings that earlier versions had, and what to do instead.
_REMOVED = {
    "finance_api.wallet": "name finance_api.api.wallet in finance_api.plugins, or leave it out",
}
#: Variables of that prefix that are no settings.
_OTHER_VARIABLES = frozenset({"FINANCE_API_CONFIG"})


def _declared(part: str) -> tuple[Setting, ...]:
    declared: tuple[Setting, ...] = import_module(part).SETTINGS
    return declared


def _declared_by_plugin(plugin: str) -> tuple[Setting, ...]:
    """None where the plug-in is not installed, or has no settings."""
    try:
        return _declared(f"{plugin}.settings")
    except ModuleNotFoundError as error:
        if error.name not in (plugin, f"{plugin}.settings"):
            raise
        return ()


SETTINGS = (
    *(setting for part in _PARTS for setting in _declared(part)),
    *(setting for plugin in PLUGINS for setting in _declared_by_plugin(plugin)),
)
#: Keys of ``[server:main]`` where granian serves.
SERVER_SETTINGS = _declared("finance_api.server.settings")


def read_settings(
    given: Mapping[str, str],
    environment: Mapping[str, str],
    table: Iterable[Setting] = SETTINGS,
) -> Settings:
    """The values of all settings of the table. Raises SettingError for a wrong or unknown one."""
    for name, advice in _REMOVED.items():
        if name in given:
            raise SettingError(f"{name}: this setting has been removed: {advice}")
    everywhere = (*SETTINGS, *SERVER_SETTINGS)
    variables = {setting.variable for setting in everywhere} | _OTHER_VARIABLES
    variables |= {setting.file_variable for setting in everywhere if setting.secret}
    for variable in environment:
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in variables:
            raise SettingError(f"{variable}: there is no such setting")
    names = {setting.name for setting in table}
    for name in given:
        if name not in names and not name.startswith(_PASSED_ON):
            raise SettingError(f"{name}: there is no such setting")
    settings = Settings({k: v for k, v in given.items() if k.startswith(_PASSED_ON)})
    for setting in table:
        text = _from_environment(setting, environment)
        if text is None:
            text = given.get(setting.name, setting.default)
        try:
            settings[setting.name] = setting.parse(text)
        except ValueError as error:
            value = "the value" if setting.secret else repr(text)
            raise SettingError(f"{setting.name}: {value} {error}") from None
    return settings


def _from_environment(setting: Setting, environment: Mapping[str, str]) -> str | None:
    """The value that overrides the ini file's. Raises SettingError."""
    text = environment.get(setting.variable)
    if not setting.secret:
        return text
    path = environment.get(setting.file_variable)
    if path is None:
        # The folder of the credentials that systemd passes to a service, by their names.
        folder = environment.get("CREDENTIALS_DIRECTORY")
        if text is not None or not folder or not (Path(folder) / setting.name).exists():
            return text
        path = str(Path(folder) / setting.name)
    elif text is not None:
        raise SettingError(f"{setting.variable} and {setting.file_variable}: give one of them")
    try:
        return Path(path).read_text("utf-8").strip()
    except OSError as error:
        raise SettingError(f"{setting.name}: {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingError(f"{setting.name}: {path} is not UTF-8") from None
