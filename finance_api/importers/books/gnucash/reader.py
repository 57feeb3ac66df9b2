"""Recognises books of GnuCash, and turns them into objects of the native format."""

import gzip
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import BinaryIO

from finance_api.importers.books.double_entry.mapping import DoubleEntry
from finance_api.importers.books.gnucash.book import DAMAGED, Book
from finance_api.importers.books.gnucash.markup import read_markup
from finance_api.importers.books.gnucash.plans import Plans
from finance_api.importers.books.gnucash.tables import ADVICE, READ, read_tables
from finance_api.importers.books.reading import BookIds, BookReader, Document
from finance_api.importers.books.sqlite_file import MAGIC, SQLITE_DAMAGES, contains, opened
from finance_api.importers.interface import HEAD_BYTES, ImportRefused
from finance_api.resources.currencies import decimals_of

_GZIP = b"\x1f\x8b"
_ROOT = b"<gnc-v2"
#: A table that only books of GnuCash have.
_OWN_TABLE = b"CREATE TABLE gnclock"
#: Up to this many bytes of transactions stay in memory.
_SPOOLED_BYTES = 1 << 20
_DAMAGES = (gzip.BadGzipFile, zlib.error, EOFError, *SQLITE_DAMAGES)


class GnucashReader(BookReader):
    program = "GnuCash"

    def read(self, stream: BinaryIO) -> Generator[Document]:
        with gnucash_book(stream) as book:
            self.remarks = book.remarks
            ledger = DoubleEntry(
                BookIds(f"gnucash:{book.id}"),
                book.accounts,
                book.transactions,
                self.remarks,
                lambda code: book.places.get(code, decimals_of(code)),
            )
            yield from ledger.documents()
            plans = Plans(book, ledger.names)
            yield from plans.budgets()
            yield from plans.standing_orders()
            self.balances = ledger.balances()


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
        book = Book(file)
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
    with opened(stream, READ, ADVICE, "") as database:
        read_tables(database, book)
