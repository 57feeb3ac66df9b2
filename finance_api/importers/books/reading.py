"""What readers of all books share."""

from abc import ABC, abstractmethod
from collections import Counter, defaultdict, namedtuple
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import date
from typing import Any, BinaryIO

from finance_api.importers.clauses import Topic, clause
from finance_api.importers.interface import Choice, ImportRefused, listed, quoted, stated_code
from finance_api.importers.native import (
    TYPE_KEY,
    NativeFile,
    NativeRow,
    ValueRefused,
    native_object,
    spooled,
)
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.resources.currencies import money_text
from finance_api.resources.records import VOID
from finance_api.values.ids import derived_id
from finance_api.values.text import count_text, message

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


def parse_day(text: str, place: str) -> date:
    """Return a day of ISO 8601. Raises ImportRefused if it cannot be right."""
    try:
        return check_day(date.fromisoformat(text), place)
    except ValueError:
        raise ImportRefused(f"{quoted(text)} is not a date in {place}") from None


def row_type(title: str, names: Iterable[str]) -> Any:
    """Return a named tuple for the rows of a table or list of another program."""
    return namedtuple(title, names)


class Remarks:
    """What of a book is not here as it is there: sentences, each with a number or with names."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self._counts: Counter[str] = Counter()
        self._names: defaultdict[str, list[str]] = defaultdict(list)

    def count(self, what: str, number: int = 1) -> None:
        self._counts[what] += number

    def name(self, what: str, *names: str) -> None:
        self._names[what] += names

    def __iter__(self) -> Iterator[str]:
        yield from self.sentences
        for what, number in sorted(self._counts.items()):
            if number:
                yield message(f"{what}: {count_text(number)}")
        for what, names in sorted(self._names.items()):
            if names:
                yield message(f"{what}: {count_text(len(names))} ({listed(names)})")


class BookReader(ABC):
    """A reader of the books of one program, whose name is ``program``.

    given: the options by name. remarks, balances: see `NativeFile`; complete when all objects are
    read. advice: what to do if the records do not add up to the balances.
    """

    program: str
    advice = ""

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        self.given = given or {}
        self.remarks = Remarks()
        self.balances: Mapping[str, int] = {}

    @abstractmethod
    def read(self, stream: BinaryIO) -> Generator[Document]:
        """Yield the objects of the book in any order. Raises ImportRefused at any time.

        The stream is at its start.
        """

    def currency(self, stated: str | None) -> str:
        """Return the currency of a book that is kept in one. Raises ImportRefused.

        stated: what the book says, if anything.
        """
        code = stated_code(stated, "the currency of the book") if stated else None
        given: str | None = self.given.get("currency")
        if code and given and code != given:
            raise ImportRefused(
                f"the book is kept in {code}: give no other currency, or change it in "
                f"{self.program}"
            )
        if currency := code or given:
            return currency
        raise ImportRefused(
            clause(Topic.CURRENCY, example="EUR"), choices=(Choice({}, needs=("currency",)),)
        )


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
    with closing(reader.read(stream)) as documents, spooled(_checked(reader, documents)) as file:
        remarks = tuple(reader.remarks)
        yield file._replace(is_book=True, remarks=remarks, balances=reader.balances)


def _checked(reader: BookReader, documents: Iterable[Document]) -> Iterator[NativeRow]:
    """Yield the objects, and compare what they add up to with the balances that the program has.

    Raises ImportRefused.
    """
    sums: Counter[str] = Counter()
    accounts: dict[str, dict[str, Any]] = {}
    for row in map(_native_object, documents):
        values = row.values
        if row.resource is ACCOUNTS:
            accounts[values["id"]] = values
            sums[values["id"]] += values.get("initialBalance", 0)
        elif row.resource is RECORDS and values.get("recordState") != VOID:
            sums[values["accountId"]] += values["amount"]
        yield row
    for account_id, balance in reader.balances.items():
        if balance != sums[account_id]:
            account, found = accounts[account_id], sums[account_id]
            shown = [
                money_text(units, account["currencyCode"])
                for units in (balance, found, balance - found)
            ]
            raise ImportRefused(
                f"the account {quoted(account['name'])} has a balance of {shown[0]} in "
                f"{reader.program}, but its records add up to {shown[1]}, a difference of "
                f"{shown[2]}{reader.advice}"
            )


def _native_object(document: Document) -> NativeRow:
    named = f"the {document[TYPE_KEY]} {quoted(document.get('sourceId') or document['id'])}"
    try:
        return native_object(document)
    except ValueRefused as error:
        raise ImportRefused(f"{named}: {error}") from None
