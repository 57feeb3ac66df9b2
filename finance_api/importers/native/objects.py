"""A JSON object -> its resource and the stored values that it gives."""

from typing import Any

from finance_api.importers.native.extra import clean_key, extra_text
from finance_api.importers.native.values import ValueRefused, reader_of
from finance_api.resources import BY_MODEL_TYPE
from finance_api.resources.field import Resource

TYPE_KEY = "reserved_model_type"
#: The most text of all values of an object. Written out it stays below the limit of a line,
#: whatever has to be escaped.
MAX_TEXT_BYTES = 4_194_304
# A shorter one cannot have more, however Unicode composes it.
_LONG_LINE_BYTES = MAX_TEXT_BYTES // 4


def read_object(document: Any, line_bytes: int) -> tuple[Resource, dict[str, Any]]:
    """document: a line of the file, decoded; it is used up. line_bytes: how long the line is.

    Raises ValueRefused.
    """
    if not isinstance(document, dict):
        raise ValueRefused("is not a JSON object")
    model_type = document.pop(TYPE_KEY, None)
    reader = _READERS.get(model_type) if isinstance(model_type, str) else None
    if reader is None:
        known = ", ".join(BY_MODEL_TYPE)
        raise ValueRefused(f"{TYPE_KEY} {model_type!r} is not one of {known}")
    values = reader.read(document)
    if line_bytes > _LONG_LINE_BYTES:
        _check_length(values)
    reader.complete(values)
    return reader.resource, values


class _ObjectReader:
    """Reads the objects of one type; what it has to know of the fields is looked up once."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        self._readers = {f.name: reader_of(f) for f in resource.native_fields}
        self._required = [f.name for f in resource.native_fields if f.required]

    def read(self, members: dict[str, Any]) -> dict[str, Any]:
        """The values of the fields that are given; null counts as not given."""
        values: dict[str, Any] = {}
        others: dict[str, Any] = {}
        readers = self._readers
        open_ended = self.resource.open_ended
        for name, value in members.items():
            if open_ended:
                name = clean_key(name)
                if name in values or name in others:
                    raise ValueRefused(f'the key "{name}" stands twice in one object')
            read = readers.get(name)
            if read is None:
                if not open_ended:
                    raise self._unknown(name)
                others[name] = value
            elif value is not None:
                try:
                    values[name] = read(value)
                except ValueRefused as error:
                    raise ValueRefused(f"{name} {error}") from None
        if open_ended:
            values["extra"] = extra_text(others)
        return values

    def _unknown(self, name: str) -> ValueRefused:
        return ValueRefused(
            f'"{name}" is not a field of {self.resource.model_type}; '
            f"its fields are {', '.join(self._readers)}"
        )

    def complete(self, values: dict[str, Any]) -> None:
        """Checks that what must be given is, and says where it is from."""
        if values.get("sourceId") is not None:
            if values.get("source") is None:
                values["source"] = "native"
        elif "id" not in values:
            raise ValueRefused("has neither id nor sourceId")
        for name in self._required:
            if values.get(name) is None:
                raise ValueRefused(f"{self.resource.model_type} needs {name}")


def _check_length(values: dict[str, Any]) -> None:
    """Check that the object can be written as a line that is read again."""
    total = sum(len(str(value).encode()) for value in values.values())
    if total > MAX_TEXT_BYTES:
        raise ValueRefused(f"has {total} bytes of text; at most {MAX_TEXT_BYTES} are kept")


_READERS = {model_type: _ObjectReader(r) for model_type, r in BY_MODEL_TYPE.items()}
