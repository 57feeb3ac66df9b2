"""The XML of a part of a spreadsheet, read piece by piece: memory does not grow with the part.

expat reads the markup. Entities are refused, and nothing is fetched.
"""

from collections.abc import Callable, Mapping
from typing import IO
from xml.parsers import expat

_PIECE_BYTES = 1 << 16
#: The longest tag, text or comment. No program that writes spreadsheets comes near it.
_MAX_TAG_BYTES = 1_000_000
#: How many names elements and attributes may have. expat keeps all; the formats have hundreds.
_MAX_NAMES = 5_000

Attributes = dict[str, str]
#: The name of an element without its prefix -> what is called where one begins.
Handlers = Mapping[str, Callable[[Attributes], None]]


class MarkupError(Exception):
    """The part is no XML that a spreadsheet has."""


def read_part(
    part: IO[bytes], handlers: Handlers, text: Callable[[str], None] | None = None
) -> None:
    """text: is called with what stands between tags. Raises MarkupError."""
    known: dict[str, Callable[[Attributes], None] | None] = {}

    def start(name: str, attributes: Attributes) -> None:
        try:
            handler = known[name]
        except KeyError:
            handler = known[name] = handlers.get(local(name))
        if handler is not None:
            handler(attributes)

    def refuse(*_: object) -> None:
        raise MarkupError

    names: dict[str, str] = {}
    parser = expat.ParserCreate(intern=names)
    parser.StartElementHandler = start
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = refuse
    read = 0
    try:
        while piece := part.read(_PIECE_BYTES):
            read += len(piece)
            parser.Parse(piece)
            # expat holds back incomplete tags and comments.
            if read - parser.CurrentByteIndex > _MAX_TAG_BYTES or len(names) > _MAX_NAMES:
                raise MarkupError
        parser.Parse(b"", True)
    except expat.ExpatError:
        raise MarkupError from None


def local(name: str) -> str:
    """The name of an element or attribute without its prefix."""
    return name.rpartition(":")[2]


def value_of(attributes: Attributes, name: str) -> str | None:
    """The attribute of that name, whatever its prefix."""
    return next((value for key, value in attributes.items() if local(key) == name), None)
