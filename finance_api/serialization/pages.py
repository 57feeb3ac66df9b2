"""Rows as pages: in an envelope of JSON, or as NDJSON."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from finance_api.serialization.rows import Rows, with_texts


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
