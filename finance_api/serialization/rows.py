"""Rows as JSON objects, one per line; and pages of them, in an envelope or as NDJSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, partial
from itertools import repeat
from typing import Any, NamedTuple

import orjson

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.resources.field import Field, Kind, Resource, names_of
from finance_api.serialization.values import Writer, json_limits, json_writer, text_writer
from finance_api.values import Row


class RowEncoder:
    """Writes rows as JSON objects: the same keys in the same order, null for missing values."""

    def __init__(
        self,
        fields: Sequence[Field],
        writers: dict[str, Writer] | None = None,
        *,
        keys: Sequence[str] | None = None,
    ) -> None:
        """writers: functions used in place of `json_writer`, by field name.

        keys: keys to write in place of the field names.
        """
        given = writers or {}
        names = names_of(fields)
        self._keys = list(zip(keys or names, names, strict=True))
        self._writers = [
            (key, write)
            for (key, _), f in zip(self._keys, fields, strict=True)
            if (write := given.get(f.name) or json_writer(f)) is not None
        ]

    def documents(self, rows: Iterable[Row]) -> list[dict[str, Any]]:
        """Return the documents of the rows, for orjson."""
        keys = self._keys
        documents = [{key: row[name] for key, name in keys} for row in rows]
        for key, write in self._writers:
            for document in documents:
                value = document[key]
                if value is not None:
                    document[key] = write(value)
        return documents

    def document(self, row: Row) -> dict[str, Any]:
        (document,) = self.documents((row,))
        return document

    def encode(self, row: Row) -> bytes:
        return orjson.dumps(self.document(row))

    def lines(self, rows: Iterable[Row]) -> bytes:
        """Return the rows as JSON objects, one per line, without a line end after the last."""
        return _lines(self.documents(rows))


class Rows(NamedTuple):
    """Rows that are a member of an answer, such as its totals."""

    columns: Sequence[Field]
    rows: Sequence[Row]

    def documents(self) -> list[dict[str, Any]]:
        return RowEncoder(self.columns).documents(self.rows)


def encoder_with_texts(fields: Sequence[Field], amounts: frozenset[str]) -> RowEncoder:
    """Return an encoder that writes these amounts as strings, and with them limits of periods."""
    writers = {field.name: text_writer(field) for field in fields if field.name in amounts}
    limits = [field for field in fields if amounts and field.kind is Kind.LIMIT_LIST]
    writers |= {field.name: partial(json_limits, number=str) for field in limits}
    return RowEncoder(fields, writers)


def exact_documents(fields: Sequence[Field], rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the documents of the rows with Decimal for numbers that may have decimals."""
    numbers = [field for field in fields if field.kind is Kind.NUMBER and field.decimals]
    writers = {field.name: _exact(field) for field in numbers}
    limits = [field for field in fields if field.kind is Kind.LIMIT_LIST]
    writers |= {field.name: partial(json_limits, number=Decimal) for field in limits}
    return RowEncoder(fields, writers).documents(rows)


def _exact(field: Field) -> Writer:
    write = text_writer(field)
    return lambda units: Decimal(write(units))


@cache
def encoder_of(resource: Resource) -> RowEncoder:
    """Return the encoder of the resource's rows for the public API."""
    return RowEncoder(resource.fields)


_PATHS = {resource.name: str(resource.path) for resource in PUBLIC_RESOURCES}
_NAMES = {path: name for name, path in _PATHS.items()}
_CHANGE, _DATA = '{"type":"', ',"data":'


def change_text(name: str, row_id: Any, revision: Any, row: Any) -> Any:
    """Return a change as a JSON object. The texts are strings, or columns of SQL.

    name: of the resource. row: the row's JSON object; None if it was deleted.
    """
    begin, operation = f'{_CHANGE}{_PATHS[name]}","id":"', "delete" if row is None else "put"
    text = begin + row_id + f'","op":"{operation}","revision":' + revision
    return text + "}" if row is None else text + _DATA + row + "}"


def change_line(key: tuple[int, str, str], row: bytes | None) -> bytes:
    """Return a change as a JSON object. key: see `change_key`. row: as in `change_text`."""
    revision, name, row_id = key
    json = None if row is None else row.decode()
    line: str = change_text(name, row_id, str(revision), json)
    return line.encode()


def change_key(line: bytes) -> tuple[int, str, str]:
    """Return the revision of a change, the name of the resource, and the id of the row."""
    head, _, _ = line.partition(_DATA.encode())
    change = orjson.loads(head.removesuffix(b"}") + b"}")
    return change["revision"], _NAMES[change["type"]], change["id"]


def are_changes(lines: Sequence[bytes]) -> bool:
    """Whether each line begins as a change does, and has a row if it needs one."""
    begin, empty = _CHANGE.encode(), f"{_DATA}}}".encode()
    begins, is_empty = (
        map(bytes.startswith, lines, repeat(begin)),
        map(bytes.endswith, lines, repeat(empty)),
    )
    return all(begins) and not any(is_empty)


#: Reads numbers with a decimal point so that they are written again unchanged.
_FRAGMENTS = json.JSONDecoder(parse_float=orjson.Fragment)
_TEXTS = json.JSONDecoder(parse_float=str, parse_int=str)


def shown(resource: Resource, fields: Sequence[Field], lines: bytes) -> bytes:
    """Return the JSON objects on these lines, with only the members for these fields."""
    if fields == resource.fields:
        return lines
    names = names_of(fields)
    objects = _decoded(_FRAGMENTS, lines)
    return _lines([{name: found[name] for name in names} for found in objects])


def with_texts(names: frozenset[str], lines: bytes) -> bytes:
    """Return the JSON objects on these lines, with strings in place of these members' numbers."""
    return _lines(_decoded(_texts_decoder(names), lines)) if names else lines


@cache
def _texts_decoder(names: frozenset[str]) -> json.JSONDecoder:
    def with_strings(found: dict[str, Any]) -> dict[str, Any]:
        for name in names & found.keys():
            if isinstance(found[name], orjson.Fragment):
                found[name] = orjson.dumps(found[name]).decode()
        return found

    number = orjson.Fragment
    return json.JSONDecoder(parse_float=number, parse_int=number, object_hook=with_strings)


def objects_of(lines: bytes) -> list[dict[str, Any]]:
    """Parse the JSON objects on the lines; numbers become texts, as written."""
    return _decoded(_TEXTS, lines)


def _decoded(decoder: json.JSONDecoder, lines: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = decoder.decode("[" + lines.decode().replace("\n", ",") + "]")
    return found


def _lines(documents: Iterable[dict[str, Any]]) -> bytes:
    return b"\n".join(map(orjson.dumps, documents))


# -- pages -----------------------------------------------------------------------------------------


def envelope(
    name: str, lines: bytes, members: Mapping[str, Any], amounts: frozenset[str] = frozenset()
) -> bytes:
    """Return a JSON object with the rows in an array, and the members after it.

    name: the name of the array. lines: JSON objects, one per line. members: for orjson, or `Rows`.
    amounts: see `with_texts`; the rows have their strings already.
    """
    texts = orjson.dumps(members, Rows.documents)
    if amounts:
        # The limit of a page is a number of rows; in rows it is an amount.
        texts = with_texts(amounts - {"limit"}, texts)
    end = b",%b" % texts[1:] if members else b"}"
    return b'{"%b":[%b]%b' % (name.encode(), lines.replace(b"\n", b","), end)


def ndjson_chunks(pages: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pages of JSON objects, one per line, each page with a line end."""
    return (page + b"\n" for page in pages)


def trailer(count: int) -> bytes:
    """Return the last line of a complete export, which counts its rows."""
    return b'{"end":true,"rows":%d}\n' % count
