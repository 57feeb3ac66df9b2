"""Personal tokens: ``fin_``, 43 characters of secret, 6 of checksum.

The checksum (CRC-32 of all before it) recognises a typo, or a string that only looks like a token,
without reading the storage. Only the SHA-256 of a token is stored: 256 random bits cannot be
guessed, so a slow hash would protect nothing.
"""

import hashlib
import re
import secrets
import zlib
from collections.abc import Mapping

from finance_api.runtime.background import WriteBehind
from finance_api.storage.interface import StorageBackend, unit_of_work

PREFIX = "fin_"
SECRET_CHARACTERS = 43
CHECKSUM_CHARACTERS = 6
#: Length of the stored prefix, by which owners recognise their tokens.
START_CHARACTERS = 8

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = [tens + ones for tens in _DIGITS for ones in _DIGITS]
_FORM = re.compile(f"{PREFIX}[0-9A-Za-z]{{{SECRET_CHARACTERS + CHECKSUM_CHARACTERS}}}")


def new_token() -> str:
    """A token of 256 random bits."""
    body = PREFIX + _base62(secrets.randbits(256), SECRET_CHARACTERS)
    return body + _checksum(body)


def is_well_formed(text: str) -> bool:
    """Return whether its form and checksum are right."""
    if not _FORM.fullmatch(text):
        return False
    body, checksum = text[:-CHECKSUM_CHARACTERS], text[-CHECKSUM_CHARACTERS:]
    return secrets.compare_digest(_checksum(body), checksum)


def digest(text: str) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def make_last_used(backend: StorageBackend, seconds: float) -> WriteBehind[str]:
    """Collect the last use of each token, by id, in memory, and write it periodically."""

    def write(used_at: Mapping[str, int]) -> None:
        with unit_of_work(backend, lock_timeout_seconds=1) as storage:
            storage.tokens.set_used(used_at)

    name = "writing when tokens were last used"
    return WriteBehind(name, seconds, merge=max, write=write)


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode("ascii")), CHECKSUM_CHARACTERS)


def _base62(number: int, width: int) -> str:
    # Two digits at a time: a checksum is computed at every request.
    pairs = []
    for _ in range((width + 1) // 2):
        number, pair = divmod(number, 62 * 62)
        pairs.append(_PAIRS[pair])
    return "".join(reversed(pairs))[-width:]
