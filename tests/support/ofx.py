"""OFX files read whole."""

import io

from finance_api.importers.charsets import opening_text
from finance_api.importers.formats import format_named
from finance_api.importers.ofx.importer import OfxImporter
from support.whole import Whole, read_whole


def read_ofx(
    data: str | bytes, currency: str | None = None, positive: str | None = None
) -> list[Whole]:
    """The statements in the order of the file. Raises ImportRefused."""
    return read_whole(OfxImporter(currency, positive), data)


def looks_like_ofx(head: bytes) -> bool:
    return format_named("ofx").recognises(opening_text(head), io.BytesIO())
