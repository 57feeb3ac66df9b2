"""Reads a book of XML, one object at a time.

expat parses the markup. Document types are refused, and so there are no entities; size and depth
are limited.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from gzip import GzipFile
from typing import BinaryIO
from xml.parsers import expat

from finance_api.importers.books.gnucash.book import (
    BUSINESS,
    DAMAGED,
    Book,
    Recurrence,
    commodity_code,
    day,
    with_former,
)
from finance_api.importers.books.sqlite_file import MAX_BYTES
from finance_api.importers.interface import ImportRefused, quoted
from finance_api.values.text import count_text

_PIECE_BYTES = 1 << 16
_MAX_DEPTH = 100
#: Maximum number of elements and characters in one object of the book, such as a transaction.
_MAX_ELEMENTS, _MAX_CHARACTERS = 500_000, 20_000_000
_MAX_NAMES = 5_000
_VERSION = "2.0.0"
_SPLIT = (
    "split:id split:account split:memo split:action split:reconciled-state split:value "
    "split:quantity"
)
#: Elements with an object in each of their children.
_CONTAINERS = ("gnc-v2", "gnc:book", "gnc:template-transactions", "gnc:pricedb")
#: The objects that a book states the number of, and that are counted.
_COUNTED = ("account", "transaction", "schedxaction", "budget")


@dataclass(slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    text: str = ""
    children: list["_Element"] = field(default_factory=list)

    def find(self, *path: str) -> "_Element | None":
        element: _Element | None = self
        for name in path:
            children = element.children if element else ()
            element = next((child for child in children if child.name == name), None)
        return element

    def get(self, *path: str) -> str:
        """Return the text of a descendant; "" if there is none."""
        found = self.find(*path)
        return found.text if found else ""

    def texts(self, paths: str) -> list[str]:
        """Return the texts of descendants, such as ``trn:id trn:date-posted/ts:date``."""
        return [self.get(*path.split("/")) for path in paths.split()]

    def commodity(self, *path: str) -> tuple[str, str]:
        return self.get(*path, "cmdty:space"), self.get(*path, "cmdty:id")

    def slots(self, *path: str) -> dict[str, str]:
        """Return the texts of slots, also of nested ones, by their path."""
        found = self.find(*path)
        return dict(_slots(found, "")) if found else {}


def _slots(frame: _Element, above: str) -> Iterator[tuple[str, str]]:
    for slot in frame.children:
        value = slot.find("slot:value")
        key = above + slot.get("slot:key")
        if value is None:
            continue
        if value.attributes.get("type") == "frame":
            yield from _slots(value, f"{key}/")
        else:
            yield key, value.get("gdate") or value.text


def read_markup(stream: BinaryIO | GzipFile, book: Book) -> None:
    """Raises ImportRefused."""
    objects = _Objects(book)
    parser = _Parser(objects.put)
    size = 0
    try:
        while piece := stream.read(_PIECE_BYTES):
            size += len(piece)
            if size > MAX_BYTES:
                raise ImportRefused(
                    f"the book has more than {count_text(MAX_BYTES)} bytes, which is the limit"
                )
            parser.expat.Parse(piece)
        parser.expat.Parse(b"", True)
    except (expat.ExpatError, ValueError):
        raise ImportRefused(DAMAGED) from None
    objects.check()


class _Parser:
    """Builds elements from a parser's events. put: takes an object, and its container's name."""

    def __init__(self, put: Callable[[_Element, str], None]) -> None:
        self._put = put
        self._open: list[_Element] = []
        self._texts: list[str] = []
        self._elements = self._characters = 0
        self.expat = expat.ParserCreate(intern={})
        self.expat.buffer_text = True
        self.expat.StartDoctypeDeclHandler = self._refuse_doctype
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self._add_text

    def _refuse_doctype(self, *_: object) -> None:
        raise ImportRefused("the file has a document type (<!DOCTYPE>), which books never have")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        self._texts.clear()
        if (
            len(self._open) > _MAX_DEPTH
            or self._elements > _MAX_ELEMENTS
            or len(self.expat.intern) > _MAX_NAMES
        ):
            raise ImportRefused(DAMAGED)
        self._open.append(_Element(sys.intern(name), attributes))

    def _add_text(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > _MAX_CHARACTERS:
            raise ImportRefused(DAMAGED)
        self._texts.append(text)

    def _end(self, name: str) -> None:
        element = self._open.pop()
        if not element.children:
            element.text = "".join(self._texts)
        self._texts.clear()
        if not self._open:
            return
        container = self._open[-1]
        if container.name in _CONTAINERS:
            self._elements = self._characters = 0
            self._put(element, container.name)
        else:
            container.children.append(element)


class _Objects:
    """Puts objects into the book, and counts them."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._root: str | None = None
        self._stated: dict[str, int] = {}
        self._found: Counter[str] = Counter()

    def check(self) -> None:
        """Raises ImportRefused if the book lacks objects that it states the number of."""
        if self._found["book"] != 1:
            raise ImportRefused(f"the file has {self._found['book']} books: give one book a file")
        for name, stated in self._stated.items():
            if name in _COUNTED and self._found[name] != stated:
                raise ImportRefused(
                    f"the book states {count_text(stated)} objects of the type {name}, but has "
                    f"{count_text(self._found[name])}: {DAMAGED}"
                )
        accounts = self._book.accounts
        for account in list(accounts.values()):
            if account.parent == self._root:
                accounts[account.id] = account._replace(parent=None)

    def put(self, element: _Element, container: str) -> None:
        if element.name in ("gnc:book", "gnc:account", "gnc:transaction"):
            version = element.attributes.get("version")
            if version != _VERSION:
                raise ImportRefused(
                    f"the book has the version {quoted(version or '-')} of {element.name}, and "
                    f"only {_VERSION} is known: finance-api needs an update to read it"
                )
        if container == "gnc:template-transactions":
            if element.name == "gnc:transaction":
                self._template(element)
            return
        self._found[element.name.removeprefix("gnc:")] += 1
        match element.name:
            case "gnc:account":
                self._account(element)
            case "gnc:transaction":
                self._transaction(element)
            case "gnc:budget":
                self._budget(element)
            case "gnc:schedxaction":
                self._schedule(element)
            case _:
                self._put_other(element, container)

    def _put_other(self, element: _Element, container: str) -> None:
        match element.name:
            case "gnc:count-data" if container == "gnc:book":
                self._stated[element.attributes.get("cd:type", "")] = int(element.text)
            case "book:id":
                self._book.id = element.text
            case "book:slots":
                self._book.set_options(dict(_slots(element, "")))
            case "price":
                base, currency = (
                    commodity_code(*element.commodity(f"price:{name}"))
                    for name in ("commodity", "currency")
                )
                self._book.add_price(
                    base, currency, *element.texts("price:time/ts:date price:source price:value")
                )
            case name if name.startswith("gnc:Gnc"):
                self._book.remarks.count(BUSINESS)

    def _account(self, element: _Element) -> None:
        account_id, name, kind, scu, parent = element.texts(
            "act:id act:name act:type act:commodity-scu act:parent"
        )
        if kind == "ROOT":
            self._root = account_id
            return
        slots = element.slots("act:slots")
        self._book.add_account(
            account_id,
            name,
            kind,
            commodity_code(*element.commodity("act:commodity"), name),
            int(scu or 1),
            parent or None,
            is_hidden=slots.get("hidden") == "true",
            is_placeholder=slots.get("placeholder") == "true",
        )

    def _transaction(self, element: _Element) -> None:
        guid, num, posted, entered, description = element.texts(
            "trn:id trn:num trn:date-posted/ts:date trn:date-entered/ts:date trn:description"
        )
        currency = commodity_code(*element.commodity("trn:currency"))
        splits = [
            with_former(each.texts(_SPLIT), each.slots("split:slots"))
            for each in _children(element, "trn:splits")
        ]
        slots = element.slots("trn:slots")
        self._book.add_transaction(guid, currency, num, posted, entered, description, slots, splits)

    def _template(self, element: _Element) -> None:
        for each in _children(element, "trn:splits"):
            account, memo = each.texts("split:account split:memo")
            description = element.get("trn:description")
            self._book.add_template(account, description, memo, each.slots("split:slots"))

    def _budget(self, element: _Element) -> None:
        guid, name, periods = element.texts("bgt:id bgt:name bgt:num-periods")
        found = element.find("bgt:recurrence")
        amounts = [
            (account, int(period), value)
            for key, value in element.slots("bgt:slots").items()
            for account, _, period in [key.partition("/")]
            if period.isdigit()
        ]
        recurrences = [] if found is None else [_recurrence(found)]
        self._book.add_budget(guid, name, int(periods), recurrences, amounts)

    def _schedule(self, element: _Element) -> None:
        guid, name, enabled, start, end, times, rest, template = element.texts(
            "sx:id sx:name sx:enabled sx:start/gdate sx:end/gdate sx:num-occur sx:rem-occur "
            "sx:templ-acct"
        )
        recurrences = [_recurrence(each) for each in _children(element, "sx:schedule")]
        numbers = int(times or 0), int(rest or 0)
        is_on = enabled != "n"
        self._book.add_schedule(guid, name, is_on, start, end, *numbers, template, recurrences)


def _children(element: _Element, name: str) -> list[_Element]:
    found = element.find(name)
    return found.children if found else []


def _recurrence(element: _Element) -> Recurrence:
    kind, mult, start, weekend = element.texts(
        "recurrence:period_type recurrence:mult recurrence:start/gdate recurrence:weekend_adj"
    )
    return Recurrence(kind, int(mult), day(start), weekend or "none")
