"""OFX files read whole."""

from finance_api.importers.ofx.importer import OfxImporter
from support.whole import Whole, read_whole


def read_ofx(
    data: str | bytes, currency: str | None = None, positive: str | None = None
) -> list[Whole]:
    """The statements in the order of the file. Raises ImportRefused."""
    return read_whole(OfxImporter(currency, positive), data)
