"""OFX files read whole."""

from finance_api.importers.ofx.importer import PIECE_BYTES, OfxImporter
from support.whole import Whole, read_whole


def read_ofx(
    data: str | bytes,
    currency: str | None = None,
    positive: str | None = None,
    *,
    piece_bytes: int = PIECE_BYTES,
) -> list[Whole]:
    """The statements in the order of the file. Raises ImportRefused."""
    return read_whole(OfxImporter(currency, positive, piece_bytes=piece_bytes), data)
