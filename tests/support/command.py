"""The command ``finance-api`` with its own ini file, in this process or in a separate one."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click

from finance_api.cli import run
from finance_api.cli.main import command as finance_api_command
from support.programs import as_child
from support.service import shared_applications

#: The entry point, as the installed script calls it.
PROGRAM = (sys.executable, "-c", "from finance_api.cli import run; run()")


def subcommands(group: click.Group) -> dict[str, click.Command]:
    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def all_commands(
    group: click.Group = finance_api_command, names: tuple[str, ...] = ()
) -> dict[tuple[str, ...], click.Command]:
    """Return all commands (but no groups) by the words of their names."""
    commands: dict[tuple[str, ...], click.Command] = {}
    for name, found in subcommands(group).items():
        words = (*names, name)
        commands |= all_commands(found, words) if isinstance(found, click.Group) else {words: found}
    return commands


def imported_by(
    commands: Sequence[Sequence[str]], modules: Sequence[str], **options: Any
) -> list[list[str]]:
    """Return, for each command, which of the modules are imported after it has run.

    The commands must succeed. All run in one new process. options: passed to `subprocess.run`.
    """
    program = (
        "import json, sys\n"
        "from finance_api.cli import run\n"
        f"for command in {commands!r}:\n"
        "    try:\n"
        "        run(command)\n"
        "    except SystemExit as end:\n"
        "        assert not end.code, command\n"
        f"    found = [name for name in {modules!r} if name in sys.modules]\n"
        "    print(json.dumps(found), file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done
    return [json.loads(line) for line in done.stderr.splitlines()]


class _Stream(io.TextIOWrapper):
    is_terminal = False

    def isatty(self) -> bool:
        return self.is_terminal


def run_here(
    arguments: Sequence[str | bytes],
    directory: Path,
    environment: Mapping[str, str],
    stdin: bytes = b"",
    *,
    is_terminal: bool = False,
) -> "Outcome":
    """Run a command in this process. is_terminal: whether its streams say that they are one."""
    streams = [_Stream(io.BytesIO(data), "utf-8") for data in (stdin, b"", b"")]
    for stream in streams:
        stream.is_terminal = is_terminal
    code: Any = 0
    with (
        patch.dict(os.environ, environment, clear=True),
        patch("sys.stdin", streams[0]),
        redirect_stdout(streams[1]),
        redirect_stderr(streams[2]),
        # The log of this process is pytest's.
        patch("plaster_pastedeploy.Loader.setup_logging"),
        chdir(directory),
        shared_applications(),
    ):
        try:
            run([os.fsdecode(a) for a in arguments])
        except SystemExit as end:
            code = end.code
    if isinstance(code, str):
        # Python prints such a code at the end of a process.
        streams[2].write(f"{code}\n")
        code = 1
    for stream in streams[1:]:
        stream.flush()
    out, err = (stream.buffer.getvalue() for stream in streams[1:])
    return Outcome(0 if code is None else code, out, err, arguments)


class Command:
    """Runs commands in ``directory``, where the ini file is."""

    def __init__(self, directory: Path, settings: dict[str, str]) -> None:
        self.directory = directory
        self.ini = directory / "test.ini"
        self.settings = settings
        self.write(settings)

    def write(self, settings: dict[str, str]) -> None:
        lines = [f"{name} = {value.replace('%', '%%')}" for name, value in settings.items()]
        self.ini.write_text("\n".join(["[app:main]", "use = egg:finance-api", *lines, ""]))

    def environment(self, **variables: str) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("FINANCE_API_")}
        return {**kept, "FINANCE_API_CONFIG": str(self.ini), "LC_ALL": "C.UTF-8", **variables}

    def start(
        self,
        *arguments: str | bytes,
        environment: dict[str, str] | None = None,
        program: Sequence[str] = PROGRAM,
        **options: Any,
    ) -> subprocess.Popen[bytes]:
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **options}
        return subprocess.Popen(
            as_child([*program, *arguments]),
            cwd=self.directory,
            env=self.environment(**(environment or {})),
            **{"stderr": subprocess.PIPE, **streams},
        )

    def run(
        self,
        *arguments: str | bytes,
        stdin: bytes = b"",
        environment: dict[str, str] | None = None,
        process: bool = False,
        is_terminal: bool = False,
    ) -> "Outcome":
        """process: run in a separate process, with real exit codes and streams."""
        if not process:
            variables = self.environment(**(environment or {}))
            return run_here(arguments, self.directory, variables, stdin, is_terminal=is_terminal)
        with self.start(*arguments, environment=environment, stdin=subprocess.PIPE) as child:
            out, err = child.communicate(stdin, timeout=240)
        return Outcome(child.returncode, out, err, arguments)

    def done(self, *arguments: str | bytes, **options: Any) -> bytes:
        """Run a command that must succeed without error output. Return its standard output."""
        outcome = self.run(*arguments, **options)
        assert (outcome.code, outcome.err) == (0, ""), outcome
        return outcome.raw_out

    def refused(self, *arguments: str | bytes, code: int = 1, **options: Any) -> str:
        """Run a command that must fail without a traceback. Return its standard error."""
        outcome = self.run(*arguments, **options)
        assert outcome.code == code, outcome
        assert outcome.out == "", outcome
        assert outcome.err.strip(), outcome
        for sign in ("Traceback", 'File "', "finance-api: unexpected ", "Exception ignored"):
            assert sign not in outcome.err, outcome
        return outcome.err

    def file(self, name: str, data: bytes | str) -> str:
        path = self.directory / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)


class Outcome:
    """How a process ended."""

    def __init__(self, code: int, out: bytes, err: bytes, arguments: Sequence[str | bytes]) -> None:
        self.code = code
        self.raw_out = out
        self.out = out.decode("utf-8", "backslashreplace")
        self.err = err.decode("utf-8", "backslashreplace")
        self.arguments = arguments

    def __repr__(self) -> str:
        return f"{self.arguments}: {self.code}\n--out: {self.out[:2000]}\n--err: {self.err[:3000]}"
