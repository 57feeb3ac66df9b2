"""The fields of an MT940 file, while it comes in lines."""

import re
from collections.abc import Iterator
from io import TextIOWrapper
from typing import BinaryIO, NamedTuple

from finance_api.importers.charsets import fits, utf_16_of
from finance_api.importers.interface import ImportRefused

#: The longest field; no bank writes anything near it.
MAX_FIELD_CHARACTERS = 100_000
#: The standard has ASCII only. Banks write what their programs do; CP850 fits all bytes.
_BEGINNING_BYTES = 4
_CHARSETS = ("utf-8", "cp1252", "cp850")

_FIELD = re.compile(r"(?:\{.*\{4:)?:([0-9]{2}[A-Z]?|NS):(.*)", re.DOTALL)
_END = re.compile(r"\s*-\s*(?:\}.*|XXX)?", re.DOTALL)
#: Lines before a message.
_ENVELOPE = re.compile(r"\s*\{[1-5]:.*|:94[02]:", re.DOTALL)
#: The tag of an end, which is no field.
END = "-"
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


class Field(NamedTuple):
    """A field: ``61``, and its text, which may have several lines.

    line: where it begins in the file, from 1.
    """

    tag: str
    text: str
    line: int


def fields_in(stream: BinaryIO) -> Iterator[Field]:
    """The fields in their order, and the ends of messages; envelopes are left out.

    Raises ImportRefused.
    """
    utf_16 = utf_16_of(stream.read(_BEGINNING_BYTES))
    charsets = (utf_16, *_CHARSETS) if utf_16 else _CHARSETS
    charset = next(charset for charset in charsets if fits(stream, charset))
    text = TextIOWrapper(stream, encoding=charset)
    try:
        yield from _fields(text)
    finally:
        text.detach()


def _fields(text: TextIOWrapper) -> Iterator[Field]:
    tag: str | None = None
    parts: list[str] = []
    begin = number = size = 0
    while read := text.readline(MAX_FIELD_CHARACTERS + 1):
        number += 1
        if "\0" in read.rstrip("\0\n"):
            raise ImportRefused(
                "the file holds NUL bytes: it is damaged; download it again", number
            )
        line = _CONTROLS.sub("", read.removeprefix("\ufeff").removesuffix("\n"))
        field = _FIELD.match(line)
        is_end = _END.fullmatch(line) is not None
        if field or is_end or _ENVELOPE.fullmatch(line):
            if tag is not None:
                yield Field(tag, "\n".join(parts), begin)
            tag = field[1] if field else END if is_end else None
            parts = [field[2]] if field else []
            begin, size = number, 0
        elif tag is not None:
            parts.append(line)
        size += len(read)
        if size > MAX_FIELD_CHARACTERS:
            raise ImportRefused(
                f"a field has more than {MAX_FIELD_CHARACTERS:,} characters: it is no MT940 file, "
                "or a damaged one",
                begin,
            )
    if tag is not None:
        yield Field(tag, "\n".join(parts), begin)
