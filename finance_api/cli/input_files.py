"""Files named on the command line, opened for an import."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from finance_api.importers.interface import ImportRefused
from finance_api.values.text import shown

STANDARD_INPUT = "-"


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """The file, which can be read more than once; with a progress bar on a terminal.

    Raises ImportRefused for an empty file: most often the program that should write it has failed.
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
    """A path that another process can open; a stream that can be read only once is copied."""
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
    """The content of a stream that can be read only once."""
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy


def _check_content(stream: BinaryIO, what: str) -> None:
    if not stream.read(1):
        raise ImportRefused(f"{what} is empty; there is nothing to import")
    stream.seek(0)
