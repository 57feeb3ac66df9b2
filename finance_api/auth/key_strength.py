"""Whether an HS256 key could be guessed.

Randomness cannot be proved, but its absence shows: a random key of 32 bytes fails these tests about
twice in a thousand times. Keys that pass them and stand in public lists all the same (examples
in documents and tutorials, keys left in public source code) are known by their digests.
"""

import base64
import binascii
import hashlib
import re
from functools import cache
from importlib.resources import files

MIN_BYTES = 32
MAX_CHARACTERS = 2_000
#: Of 32 random bytes some 30 are different; fewer than 20 once in 10**12 times.
_MIN_DISTINCT_BYTES = 20
_DIGEST_CHARACTERS = 20

_WORDS = re.compile("[a-z]{12}|[A-Z]{12}|[0-9]{8}|([A-Za-z0-9_-])\\1{3}")
#: So many characters in a row never come twice by chance.
_REPEATED_CHARACTERS = 8


class KeyRefused(ValueError):
    """The text is no key that may sign; the message says why, and does not hold it."""


def hmac_key(text: str) -> bytes:
    """The bytes of a key in base64url, without padding. Raises KeyRefused."""
    if len(text) > MAX_CHARACTERS:
        raise KeyRefused(f"has more than {MAX_CHARACTERS} characters")
    key = _decoded(text)
    if len(key) < MIN_BYTES:
        raise KeyRefused(f"has {len(key)} bytes; at least {MIN_BYTES} random ones are needed")
    if _is_text(key) or _reads_like_text(text) or len(set(key)) < _MIN_DISTINCT_BYTES:
        raise KeyRefused("does not look random")
    if hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARACTERS] in _published():
        raise KeyRefused("stands in public lists of secrets")
    return key


def _decoded(text: str) -> bytes:
    try:
        key = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise KeyRefused("is not base64url") from None
    # The decoder passes over characters that it does not know.
    if base64.urlsafe_b64encode(key).decode().rstrip("=") != text:
        raise KeyRefused("is not base64url without padding")
    return key


def _is_text(key: bytes) -> bool:
    try:
        key.decode()
    except UnicodeDecodeError:
        return False
    return True


def _reads_like_text(text: str) -> bool:
    """Whether the characters themselves are words, or digits of another notation."""
    kinds = (re.search(kind, text) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    runs = [text[i : i + _REPEATED_CHARACTERS] for i in range(len(text))]
    repeats = len(set(runs)) < len(runs)
    return not all(kinds) or repeats or _WORDS.search(text) is not None


@cache
def _published() -> frozenset[str]:
    """Beginnings of the SHA-256 of secrets that stand in public lists."""
    text = files("finance_api.auth").joinpath("published_secrets.txt").read_text("ascii")
    return frozenset(text.split())
