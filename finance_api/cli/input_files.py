"""Files and folders named on the command line, and the folder that imported files are moved to."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from finance_api.importers.interface import ImportRefused
from finance_api.values.text import shown

STANDARD_INPUT = "-"


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """Open the file for reading more than once, with a progress bar on a terminal.

    Raises ImportRefused for an empty file: most often the program that should have written it
    failed.
    """
    if file == STANDARD_INPUT:
        with _copied(sys.stdin.buffer) as copy:
            _check_content(copy, "standard input")
            yield copy
        return
    try:
        stream = open(file, "rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise ImportRefused(f"cannot be read: {error.strerror}") from None
    with stream:
        if not stream.seekable():
            with _copied(stream) as copy:
                _check_content(copy, "the file")
                yield copy
            return
        _check_content(stream, "the file")
        if not sys.stderr.isatty():
            yield stream
        else:
            from rich.console import Console
            from rich.markup import escape
            from rich.progress import Progress

            with Progress(console=Console(stderr=True), transient=True) as progress:
                total = stream.seek(0, 2)
                stream.seek(0)
                name = escape(shown(file))
                with progress.wrap_file(stream, total=total, description=name) as watched:
                    yield watched


@contextmanager
def path_of(file: str) -> Iterator[str]:
    """Yield a path that another process can open; copy a stream that can be read only once."""
    if file != STANDARD_INPUT and (os.path.isfile(file) or not os.path.exists(file)):
        yield file
        return
    with (
        tempfile.NamedTemporaryFile() as copy,
        open(0 if file == STANDARD_INPUT else file, "rb", closefd=file != STANDARD_INPUT) as stream,
    ):
        shutil.copyfileobj(stream, copy)
        copy.flush()
        yield copy.name


@contextmanager
def _copied(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Copy a stream that can be read only once."""
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy


def _check_content(stream: BinaryIO, what: str) -> None:
    if not stream.read(1):
        raise ImportRefused(f"{what} is empty; there is nothing to import")
    stream.seek(0)


#: A file that was changed more recently may still be being written.
_SETTLED_SECONDS = 10


def expanded(files: Iterable[str], done: Path, now: int) -> list[str]:
    """The files, and the files in the folders among them, by name.

    Hidden files, links, and files that may still be being written are left out.
    """
    found: list[str] = []
    for name in files:
        folder = Path(name)
        if not folder.is_dir():
            found.append(name)
            continue
        if folder.resolve() == done.resolve():
            raise click.UsageError(
                "--move-done: choose another folder than the one that the files come from"
            )
        with os.scandir(folder) as entries:
            found += sorted(entry.path for entry in entries if _is_settled(entry, now))
    return found


def _is_settled(entry: os.DirEntry[str], now: int) -> bool:
    if entry.name.startswith(".") or not entry.is_file(follow_symlinks=False):
        return False
    return entry.stat().st_mtime <= now - _SETTLED_SECONDS


def move_done(file: str, done: Path, before: os.stat_result) -> str:
    """Move an imported file to a free name in the folder, and return its path.

    before: its status before it was read. Raises ImportRefused if it has changed since, so that
    the next import reads what was added.
    """
    after = os.stat(file)
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise ImportRefused(f"{file} was changed while it was imported; it stays where it is")
    name = Path(file).name
    for number in range(1, 10_000):
        target = done / (name if number == 1 else f"{Path(name).stem}.{number}{Path(name).suffix}")
        try:
            # Reserves the name, so that two commands cannot choose the same one.
            os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            continue
        try:
            shutil.move(file, target)
        except OSError:
            target.unlink(missing_ok=True)
            raise
        return str(target)
    raise ImportRefused(f"{done} has too many files named {name}")
