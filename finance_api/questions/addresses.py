"""The addresses of saved questions: path and query of a GET request to the public API."""

import re
from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from finance_api.http.surfaces import PUBLIC_SURFACE, SUFFIXES, WALLET
from finance_api.values.text import count_text, message, shown

MAX_ADDRESS_CHARACTERS = 2_000
#: Characters that stay as they are in a query; others are percent-encoded.
_KEPT = "!$%&'()*+,-./:;=?@_~"
_SEPARATORS = re.compile("&+")


class AddressRefused(Exception):
    """No question can ask this address; the message says why. errors: as in problem documents."""

    def __init__(self, reason: str, errors: Sequence[dict[str, str]] = ()) -> None:
        super().__init__(message(reason))
        self.errors = errors


def normal_address(text: str) -> str:
    """Return the path from ``/v1/api/`` on, without a format's suffix, and the query.

    text: an address as people paste it, with or without a host. Raises AddressRefused.
    """
    text = text.strip()
    if len(text) > MAX_ADDRESS_CHARACTERS:
        raise AddressRefused(
            f"The address has more than {count_text(MAX_ADDRESS_CHARACTERS)} characters."
        )
    try:
        # Arguments of commands may contain bytes that are not UTF-8.
        text.encode()
        parts = urlsplit(text if text.startswith(("/", "http:", "https:")) else f"/{text}")
    except ValueError:
        raise AddressRefused(f"{shown(text)} is not an address.") from None
    before, surface, rest = parts.path.partition(PUBLIC_SURFACE)
    if not surface or before.endswith(WALLET):
        raise AddressRefused(
            f"The path must begin with {PUBLIC_SURFACE}, as in {PUBLIC_SURFACE}records?limit=5."
        )
    path = surface + rest.rstrip("/")
    for suffix in SUFFIXES:
        path = path.removesuffix(suffix)
    # Browsers show letters that must be percent-encoded.
    query = quote(_SEPARATORS.sub("&", parts.query).strip("&"), safe=_KEPT)
    address = f"{path}?{query}" if query else path
    if len(address) > MAX_ADDRESS_CHARACTERS:
        raise AddressRefused(
            f"The address has more than {count_text(MAX_ADDRESS_CHARACTERS)} characters."
        )
    return address
