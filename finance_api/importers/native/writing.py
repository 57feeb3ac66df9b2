"""Rows -> NDJSON, so that reading it again gives the same rows."""

import orjson

from finance_api.importers.native.objects import TYPE_KEY
from finance_api.resources.field import Resource
from finance_api.resources.wire import RowEncoder, Writer
from finance_api.values import Row
from finance_api.values.time import instant_text


class NativeWriter:
    """Writes the rows of one resource: keys in the order of its fields, null where no value is."""

    def __init__(self, resource: Resource) -> None:
        self._type = resource.model_type
        with_time: dict[str, Writer] = {
            f.name: instant_text for f in resource.native_fields if f.keeps_time
        }
        self._encoder = RowEncoder(resource.native_fields, with_time)
        self._open_ended = resource.open_ended

    def line(self, row: Row) -> bytes:
        """One line, its newline included."""
        document = {TYPE_KEY: self._type, **self._encoder.document(row)}
        if self._open_ended and row["extra"] is not None:
            text = orjson.dumps(document)
            return text[:-1] + b"," + str(row["extra"])[1:].encode() + b"\n"
        return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
