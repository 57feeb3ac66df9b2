"""Files and folders named on the command line, and the folder that imported files are moved to."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from finance_api.importers.interface import ChangeRefused, ImportRefused
from finance_api.values.text import shown

STANDARD_INPUT = "-"


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """Open the file for reading more than once, with a progress bar on a terminal.

    Raises ImportRefused if the file is empty: usually the program that writes it has failed. Adds
    the file's name to every refusal within the block.
    """
    with ExitStack() as stack:
        try:
            try:
                stream = stack.enter_context(open(stack.enter_context(path_of(file)), "rb"))
            except OSError as error:
                raise ImportRefused(f"cannot be read: {error.strerror}") from None
            if not stream.read(1):
                what = "standard input" if file == STANDARD_INPUT else "the file"
                raise ImportRefused(f"{what} is empty; there is nothing to import")
            stream.seek(0)
            yield stack.enter_context(_watched(stream, file)) if sys.stderr.isatty() else stream
        except ChangeRefused as error:
            error.file = file
            raise


@contextmanager
def _watched(stream: BinaryIO, file: str) -> Iterator[BinaryIO]:
    """Yield the stream, and show how much of it has been read."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    total, name = os.fstat(stream.fileno()).st_size, escape(shown(file))
    with (
        Progress(console=Console(stderr=True), transient=True) as progress,
        progress.wrap_file(stream, total=total, description=name) as watched,
    ):
        yield watched


@contextmanager
def path_of(file: str) -> Iterator[str]:
    """Yield a path that another process can open; copy a stream that can be read only once."""
    if file != STANDARD_INPUT and (os.path.isfile(file) or not os.path.exists(file)):
        yield file
        return
    with tempfile.NamedTemporaryFile() as copy:
        if file == STANDARD_INPUT:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with open(file, "rb") as stream:
                shutil.copyfileobj(stream, copy)
        copy.flush()
        yield copy.name


#: A file that was changed more recently may still be being written.
SETTLED_SECONDS = 10


def expanded(files: Iterable[str], done: Path, now: int) -> list[str]:
    """Return the files, with folders replaced by the files in them, in the order of their names.

    In folders, leave out hidden files, links, and files that may still be being written.
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
    return entry.stat().st_mtime <= now - SETTLED_SECONDS


def move_done(file: str, done: Path, before: os.stat_result) -> str:
    """Move an imported file to a free name in the folder, and return its new path.

    before: the file's status before it was read. Raises ImportRefused if the file has changed
    since, so that the next import reads what was added.
    """
    after = os.stat(file)
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise ImportRefused(f"{file} was changed while it was imported; it stays where it is")
    name = Path(file).name
    for number in range(1, 10_000):
        target = done / (name if number == 1 else f"{Path(name).stem}.{number}{Path(name).suffix}")
        try:
            # Reserves the name, so that two commands cannot choose the same name.
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
