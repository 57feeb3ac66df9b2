"""Recognises and opens books of GnuCash."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import BinaryIO

from finance_api.importers.books.gnucash.book import DAMAGED, Book, Transactions
from finance_api.importers.books.gnucash.markup import read_markup
from finance_api.importers.books.gnucash.tables import read_tables
from finance_api.importers.books.sqlite_file import MAGIC, SQLITE_DAMAGES, contains, opened
from finance_api.importers.interface import HEAD_BYTES, ImportRefused

_GZIP = b"\x1f\x8b"
_ROOT = b"<gnc-v2"
#: A table that only books of GnuCash have.
_OWN_TABLE = b"CREATE TABLE gnclock"
#: Up to this many bytes of transactions stay in memory.
_SPOOLED_BYTES = 1 << 20
_DAMAGES = (gzip.BadGzipFile, zlib.error, EOFError, *SQLITE_DAMAGES)


def looks_like_gnucash(stream: BinaryIO) -> bool:
    """Return whether a file is a book, even a damaged one. The stream is rewound."""
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    if head.startswith(MAGIC):
        return contains(stream, _OWN_TABLE)
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, HEAD_BYTES)
        except zlib.error:
            return False
    return _ROOT in head


@contextmanager
def gnucash_book(stream: BinaryIO) -> Iterator[Book]:
    """Read a book. Raises ImportRefused."""
    with SpooledTemporaryFile(_SPOOLED_BYTES) as file:
        book = Book(Transactions(file))
        try:
            _read(stream, book)
        except _DAMAGES:
            raise ImportRefused(DAMAGED) from None
        book.check()
        yield book


def _read(stream: BinaryIO, book: Book) -> None:
    head = stream.read(len(MAGIC))
    stream.seek(0)
    if head != MAGIC:
        read_markup(gzip.GzipFile(fileobj=stream) if head.startswith(_GZIP) else stream, book)
        return
    with opened(stream) as database:
        read_tables(database, book)
