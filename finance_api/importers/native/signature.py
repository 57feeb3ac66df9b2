"""The beginning of a file in the native format."""

from finance_api.importers.charsets import as_utf_8


def looks_like_native(head: bytes) -> bool:
    return as_utf_8(head).startswith(b"{")
