"""Runs hledger or beancount on the user's own book in plain text, for the command import.

A book can include any file that this process may read, and a beancount file can name Python code
to run. So a program is only run on a file that nobody else can have written.
"""

import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from finance_api.importers.books.beancount.reader import OPTION, QUERIES
from finance_api.importers.books.reading import END_YEAR
from finance_api.importers.books.sources import program_of
from finance_api.importers.decoding import opening_text
from finance_api.importers.formats import format_named
from finance_api.importers.interface import HEAD_BYTES, ImportRefused
from finance_api.values.text import shown

_SPAN = re.compile(r"([0-9]{4})-[0-9]{2}-[0-9]{2} to ([0-9]{4})-")
_VERSION = re.compile(r"hledger ([0-9]+)\.([0-9]+)")
#: hledger reads configuration files from this version on.
_WITH_CONFIGURATION = (1, 40)
#: How many years after the last transaction periodic rules are looked at.
_YEARS = 10
_MOST_CHARACTERS = 2_000
#: The name of one of beancount's roots, if the book changes it.
_ROOT_OPTION = re.compile(rb'option[ \t]+"(name_(?!prefix)[a-z]+)"[ \t]+"([^",\n]*)"')


@contextmanager
def printed_book(file: str, format_name: str | None) -> Iterator[str]:
    """Yield the path of what a program prints of a book in plain text; of other files, their own.

    format_name: the format that the user gives, if any. Raises ImportRefused.
    """
    if not os.path.isfile(file):
        yield file
        return
    program = _program(file, format_name)
    if program is None:
        yield file
        return
    path = Path(file).resolve()
    _check_own(path)
    with (
        tempfile.NamedTemporaryFile(prefix="finance-api-") as printed,
        tempfile.TemporaryDirectory(prefix="finance-api-") as folder,
    ):
        print_book = {"hledger": print_hledger, "beancount": print_beancount}[program]
        print_book(path, Program(printed.file, folder))
        printed.flush()
        yield printed.name


def _program(file: str, format_name: str | None) -> str | None:
    """Return the program to run on a file: the one that the user names, or the text looks like."""
    with open(file, "rb") as stream:
        text = opening_text(stream.read(HEAD_BYTES))
        stream.seek(0)
        if format_name in ("hledger", "beancount"):
            is_printed = format_named(format_name).recognises(text, stream)
            return None if is_printed else format_name
    return program_of(text) if format_name is None else None


def _check_own(path: Path) -> None:
    """Raise ImportRefused if anyone else could have written the file or its folder."""
    for each in (path, path.parent):
        status, name = each.stat(), shown(str(each))
        if status.st_uid != os.geteuid():
            raise ImportRefused(
                f"{name} belongs to another user: only the owner of a book in plain text can "
                "import it, because reading it runs a program that the book can give orders to"
            )
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise ImportRefused(
                f"other users can write to {name}, and a book in plain text can give orders to the "
                f"program that reads it: change this with 'chmod go-w {name}'"
            )


class Program:
    """Runs commands in an empty folder, and appends what they print to one file."""

    def __init__(self, printed: IO[bytes], folder: str) -> None:
        self.printed = printed
        self._folder = folder

    def run(self, *command: str, output: IO[bytes] | None = None) -> None:
        """Raises ImportRefused if the command fails."""
        with tempfile.TemporaryFile() as errors:
            try:
                done = subprocess.run(  # noqa: S603 (no shell; the user's own book)
                    command,
                    cwd=self._folder,
                    env=_environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=output or self.printed,
                    stderr=errors,
                    check=False,
                )
            except FileNotFoundError:
                raise ImportRefused(
                    f"the program {command[0]} is needed to read this book, and is not installed "
                    "here"
                ) from None
            errors.seek(0)
            said = errors.read(_MOST_CHARACTERS).decode(errors="replace")
        if done.returncode:
            lines = " / ".join(filter(None, map(str.strip, said.splitlines())))
            raise ImportRefused(f"{command[0]} cannot read the book: {shown(lines)}")

    def text(self, *command: str) -> str:
        """Return what a command prints. Raises ImportRefused if it fails."""
        with tempfile.TemporaryFile() as output:
            self.run(*command, output=output)
            output.seek(0)
            return output.read().decode(errors="replace")


def _environment() -> dict[str, str]:
    """Return what the programs need: in the locale C, hledger stops at the first accent."""
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    return {**kept, "LC_ALL": "C.UTF-8", "BEANCOUNT_DISABLE_LOAD_CACHE": "1"}


def print_hledger(path: Path, program: Program) -> None:
    """Print a journal: see `importers.books.hledger.printed`. Raises ImportRefused."""
    version = _VERSION.match(program.text("hledger", "--version"))
    is_new = version is not None and tuple(map(int, version.groups())) >= _WITH_CONFIGURATION
    # The prefix keeps a file of another name from being read with rules for CSV.
    hledger = ("hledger", *(["--no-conf"] if is_new else []), "-f", f"journal:{path}")
    span = _SPAN.search(program.text(*hledger, "stats"))
    program.run(*hledger, "accounts", "--types")
    program.run(*hledger, "prices")
    program.run(*hledger, "print", "-x", "-O", "json")
    program.run(*hledger, "balance", "--real", "--flat", "-N", "-O", "json")
    if span is not None:
        years = f"{span[1]}-01-01..{min(int(span[2]) + _YEARS, END_YEAR)}-01-01"
        rules = ("print", "-x", "-O", "json", f"--forecast={years}", "tag:generated-transaction")
        program.run(*hledger, *rules)


def print_beancount(path: Path, program: Program) -> None:
    """Print a file: see `importers.books.beancount.reader`. Raises ImportRefused."""
    program.text("bean-check", "--no-cache", str(path))
    for line in path.read_bytes().splitlines():
        if match := _ROOT_OPTION.match(line):
            program.printed.write(b"%s,%s,%s\n" % (OPTION.encode(), *match.groups()))
    program.printed.flush()
    for query in QUERIES:
        program.run("bean-query", "-f", "csv", str(path), query)
