"""All settings: declared by the parts of the application, and read once, at the start.

A setting is in the section ``[app:main]`` of the ini file. A setting of the server is in
``[server:main]``, without its prefix ``server.``. The environment variable ``FINANCE_API_<NAME>``
(no prefix ``finance_api.``, underscores for dots, upper case) overrides either. A secret can also
be in a file, which the variable ``FINANCE_API_<NAME>_FILE`` names, or in a systemd credential.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

from finance_api.runtime.settings import ENVIRONMENT_PREFIX, Setting, SettingError, Settings

#: Settings of Pyramid itself, which are passed on to it.
_PASSED_ON = ("pyramid.",)
#: The modules of this package that declare settings.
_PARTS = (
    *("storage.settings", "http.settings", "api.settings", "uploads.settings"),
    *("ledger.settings", "auth.settings", "ratelimit.settings", "runtime.logs"),
)
#: The default of `finance_api.plugins`; a plug-in need not be installed.
PLUGINS = ("finance_api.wallet", "finance_api.web")
#: Variables with the prefix ``FINANCE_API_`` that are not settings.
_OTHER_VARIABLES = frozenset({"FINANCE_API_CONFIG"})


def _declared(part: str) -> tuple[Setting, ...]:
    declared: tuple[Setting, ...] = import_module(part).SETTINGS
    return declared


def _declared_by_plugin(plugin: str) -> tuple[Setting, ...]:
    """Return a plug-in's settings, if the plug-in is installed and declares any."""
    try:
        return _declared(f"{plugin}.settings")
    except ModuleNotFoundError as error:
        if error.name not in (plugin, f"{plugin}.settings"):
            raise
        return ()


SETTINGS = (
    *(setting for part in _PARTS for setting in _declared(f"finance_api.{part}")),
    *(setting for plugin in PLUGINS for setting in _declared_by_plugin(plugin)),
)
#: Keys of ``[server:main]`` if granian is the server.
SERVER_SETTINGS = _declared("finance_api.server.settings")


def read_settings(
    given: Mapping[str, str], environment: Mapping[str, str], table: Iterable[Setting] = SETTINGS
) -> Settings:
    """Return the values of all settings. Raises SettingError for a wrong or unknown setting."""
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
    """Return the value that overrides the ini file's, if there is one. Raises SettingError."""
    text = environment.get(setting.variable)
    if not setting.secret:
        return text
    path = environment.get(setting.file_variable)
    if path is None:
        # systemd passes credentials to a service as files in this folder.
        folder = environment.get("CREDENTIALS_DIRECTORY")
        if text is not None or not folder or not (Path(folder) / setting.name).exists():
            return text
        path = str(Path(folder) / setting.name)
    elif text is not None:
        raise SettingError(f"{setting.variable} and {setting.file_variable}: set only one of them")
    try:
        return Path(path).read_text("utf-8").strip()
    except OSError as error:
        raise SettingError(f"{setting.name}: {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingError(f"{setting.name}: {path} is not UTF-8") from None
