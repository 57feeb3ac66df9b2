"""The formats that rows are written in, and rows in those that have no envelope."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from finance_api.resources.field import Field, Resource
from finance_api.serialization.csv import csv_chunks
from finance_api.serialization.rows import ndjson_chunks, shown
from finance_api.serialization.xlsx import xlsx_chunks


@dataclass(frozen=True, eq=False)
class Representation:
    """A format of responses. media_type: its name in Accept. content_type: its Content-Type.

    suffix: the end of a path that asks for it, without the dot.
    """

    media_type: str
    content_type: str
    suffix: str


_XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
JSON = Representation("application/json", "application/json", "json")
CSV = Representation("text/csv", "text/csv; charset=utf-8; header=present", "csv")
NDJSON = Representation("application/x-ndjson", "application/x-ndjson", "ndjson")
XLSX = Representation(_XLSX_TYPE, _XLSX_TYPE, "xlsx")

#: The representations of every list, the default first.
OF_LISTS = (JSON, CSV, NDJSON, XLSX)
#: The representations of exports, the default first.
OF_EXPORTS = (NDJSON, CSV, XLSX)
#: The representations with columns.
TABLES = (CSV, XLSX)
#: Representations by the suffix of the path that asks for them.
BY_SUFFIX = {f".{form.suffix}": form for form in (CSV, NDJSON, XLSX)}


def chunks_of(
    representation: Representation,
    name: str,
    fields: Sequence[Field],
    pages: Iterable[bytes],
    count: int,
    resource: Resource | None = None,
    remark: str = "",
) -> Iterator[bytes]:
    """Yield these fields of the rows, in a representation without an envelope.

    name: the name of the rows, such as "records". pages: JSON objects, one per line; no page is
    empty. count: the number of all rows. resource: the objects' resource; None if the objects have
    only these fields. remark: a sentence below the rows of a table.
    """
    if representation is CSV:
        return csv_chunks(fields, pages, remark)
    if representation is XLSX:
        return xlsx_chunks(name, fields, pages, count, remark)
    if resource is not None:
        pages = (shown(resource, fields, page) for page in pages)
    return ndjson_chunks(pages)


def body_of(
    representation: Representation,
    name: str,
    fields: Sequence[Field],
    lines: bytes,
    remark: str = "",
) -> bytes:
    """Return one page, which may be empty, in the form that `chunks_of` yields."""
    count = lines.count(b"\n") + 1 if lines else 0
    pages = [lines] if lines else []
    return b"".join(chunks_of(representation, name, fields, pages, count, remark=remark))
