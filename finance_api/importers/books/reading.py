"""What readers of all books share."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import date
from typing import Any, BinaryIO, Protocol

from finance_api.importers.interface import ImportRefused, quoted
from finance_api.importers.native import (
    TYPE_KEY,
    NativeFile,
    NativeRow,
    ValueRefused,
    native_object,
    spooled,
)
from finance_api.values.ids import derived_id

#: The namespace of the ids that are derived from the ids of other programs.
_NAMESPACE = "8f0c4a5e-6f0b-5d0e-9b0a-3b1f5c7d2e10"

#: An object of the native format, as its line of JSON has it.
Document = dict[str, Any]


#: The years of days.
FIRST_YEAR, END_YEAR = 1900, 2200


def check_day(day: date, place: str) -> date:
    """Return the day. Raises ImportRefused if it cannot be right."""
    if FIRST_YEAR <= day.year < END_YEAR:
        return day
    raise ImportRefused(f"{day} cannot be right: give it a date from 1900 to 2199 in {place}")


class BookReader(Protocol):
    """A reader of the books of one program.

    remarks, balances: see `NativeFile`; complete when all objects are read.
    """

    remarks: list[str]
    balances: Mapping[str, int]

    def read(self, stream: BinaryIO) -> Generator[Document]:
        """Yield the objects of the book in any order. Raises ImportRefused at any time.

        The stream is at its start.
        """


class BookIds:
    """Ids of one book's objects. source: the `source` of the objects, which names the book."""

    def __init__(self, source: str) -> None:
        self.source = source

    def get(self, model_type: str, source_id: str) -> str:
        """Raises ImportRefused."""
        try:
            return derived_id(_NAMESPACE, self.source, model_type, source_id)
        except UnicodeEncodeError:
            named = quoted(f"{self.source} {source_id}")
            raise ImportRefused(f"{named} contains half of a surrogate pair") from None

    def document(self, model_type: str, source_id: str, **values: Any) -> Document:
        """Return an object that is recognised again by its id in the program."""
        return {
            TYPE_KEY: model_type,
            "id": self.get(model_type, source_id),
            "source": self.source,
            "sourceId": source_id,
            **values,
        }


@contextmanager
def book_file(reader: BookReader, stream: BinaryIO) -> Iterator[NativeFile]:
    """Read a book to its end. Raises ImportRefused."""
    with closing(reader.read(stream)) as documents, spooled(map(_native_object, documents)) as file:
        remarks = tuple(reader.remarks)
        yield file._replace(is_book=True, remarks=remarks, balances=reader.balances)


def _native_object(document: Document) -> NativeRow:
    named = f"the {document[TYPE_KEY]} {quoted(document.get('sourceId') or document['id'])}"
    try:
        return native_object(document)
    except ValueRefused as error:
        raise ImportRefused(f"{named}: {error}") from None
