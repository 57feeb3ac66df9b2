"""finance-api check"""

import getpass
import json
import os
from collections.abc import Iterator
from dataclasses import asdict

import click

from finance_api.auth.settings import JWT_KEYS, KEY_ISSUERS
from finance_api.cli.context import CliContext, pass_cli_context
from finance_api.cli.output import json_report_option, say
from finance_api.ledger.checking import find_faults
from finance_api.ratelimit.interface import open_limiter
from finance_api.runtime.settings import SettingError
from finance_api.settings import SERVER_SETTINGS, read_settings
from finance_api.storage.errors import StorageError
from finance_api.storage.interface import NO_VALUE, RESTORE, START, UNCHECKED, Fault, User
from finance_api.values.text import counted
from finance_api.values.time import instant_text

#: The clock of another machine that writes data may be this far ahead.
_CLOCK_SECONDS = 300


@click.command(epilog="Example: finance-api check --repair")
@click.option("--repair", is_flag=True, help="Rebuild data that is derived from other data.")
@json_report_option
@pass_cli_context
def check(cli: CliContext, repair: bool, as_json: bool) -> None:
    """Look for faults: settings, keys, clock, disk, the database, every user's data.

    Names the command that fixes each fault. The exit code is 1 if a fault remains.
    """
    faults: list[Fault] = []
    for fault in _faults(cli, repair=repair):
        faults.append(fault)
        if not as_json:
            _say(fault)
    left = sum(not fault.repaired for fault in faults)
    if as_json:
        click.echo(json.dumps({"ok": not left, "faults": [asdict(fault) for fault in faults]}))
    elif not faults:
        say("nothing is wrong")
    if left:
        are = "is" if left == 1 else "are"
        raise click.ClickException(f"{left} of {counted(len(faults), 'fault')} {are} left")


def _say(fault: Fault) -> None:
    user = "" if fault.user is None else f"{fault.user}: "
    fix = "repaired" if fault.repaired else f"to fix it: {fault.command}"
    say(f"{fault.kind}: {user}{fault.message}; {fix}")


def _faults(cli: CliContext, *, repair: bool) -> Iterator[Fault]:
    """Yield the faults. If a fault makes further checks impossible, it is the last one."""
    try:
        yield from _configuration(cli)
        backend = cli.unchecked_backend
    except SettingError as error:
        yield Fault("configuration", str(error), f"edit {cli.config or 'the ini file'}")
        return
    yield from _keys(cli)
    try:
        backend.check()
    except StorageError as error:
        yield Fault("database", str(error), _fix_for(error))
        return
    for fault in backend.find_faults(repair=repair):
        yield fault
        if fault.kind == UNCHECKED:
            return
    try:
        users = _users(cli)
    except StorageError as error:
        yield Fault.unreadable(error)
        return
    yield from _clock(cli, users)
    yield from _data(cli, users, repair=repair)


def _fix_for(error: Exception) -> str:
    """Return the command that fixes a database that cannot be used."""
    own = "give the database's file and folder to the user that the service runs as"
    for sign, command in (
        ("unable to open", own),
        ("cannot be written", own),
        ("db upgrade", "finance-api db upgrade"),
        ("too old", "finance-api dump EMAIL, with the version that made the database"),
        ("newer version", "pip install --upgrade finance-api"),
        ("damaged", RESTORE),
        ("cannot be read", RESTORE),
    ):
        if sign in str(error):
            return command
    return START


def _users(cli: CliContext) -> list[User]:
    with cli.reading() as storage:
        return storage.users.list_all()


def _configuration(cli: CliContext) -> Iterator[Fault]:
    """Yield faults of the server's settings. Raises SettingError for faults of other settings."""
    limiter = open_limiter(cli.settings)
    with cli.reading_ini() as loader:
        section = dict(loader.get_settings("server:main"))
    if "granian" not in section.pop("use", ""):
        return
    given = {f"server.{name}": value for name, value in section.items()}
    try:
        server = read_settings(given, os.environ, SERVER_SETTINGS)
    except SettingError as error:
        yield Fault("configuration", str(error), f"edit {cli.ini}")
        return
    if server["server.workers"] > 1 and not limiter.is_shared:
        message = "server.workers: several need finance_api.ratelimit.backend = redis"
        yield Fault("configuration", message, f"edit {cli.ini}")


def _keys(cli: CliContext) -> Iterator[Fault]:
    path = cli.settings[JWT_KEYS]
    if not path:
        return
    # Imported here, as it loads signature libraries that many installations never need.
    from finance_api.auth.jwt_keys import open_key_ring, signing_key

    try:
        keys = open_key_ring(cli.settings).keys()
    except SettingError as error:
        if KEY_ISSUERS in str(error):
            command = f"edit {cli.ini}"
        else:
            is_readable = os.access(path, os.R_OK)
            command = f"ls -l {path}" if is_readable else f"chown {getpass.getuser()} {path}"
        yield Fault("keys", str(error), command)
        return
    if signing_key(keys, cli.clock.now()) is None:
        yield Fault(
            "keys", f"{path} is missing, or has no key that signs now", "finance-api jwt new-key"
        )


def _clock(cli: CliContext, users: list[User]) -> Iterator[Fault]:
    """Yield a fault if the clock was set back, because expired credentials would work again."""
    now = cli.clock.now()
    newest = max((user.data.changed_at for user in users), default=now)
    if newest > now + _CLOCK_SECONDS:
        message = (
            f"data was changed at {instant_text(newest)}, but the clock says {instant_text(now)}"
        )
        yield Fault("clock", message, "timedatectl status")


def _data(cli: CliContext, users: list[User], *, repair: bool) -> Iterator[Fault]:
    for user in users:
        try:
            yield from find_faults(cli.backend, user, now=cli.clock.now(), repair=repair)
        except (StorageError, *NO_VALUE) as error:
            yield Fault.unreadable(error, user.email)
