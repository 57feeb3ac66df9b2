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
from itertools import pairwise

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_der_public_key

MIN_BYTES = 32
MAX_CHARACTERS = 2_000
#: Of 32 random bytes some 30 are different; fewer than 20 once in 10**12 times.
_MIN_DISTINCT_BYTES = 20
_DIGEST_CHARACTERS = 16

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
    if _is_text(key) or _reads_like_text(text) or _is_row(key):
        raise KeyRefused("does not look random")
    if len(set(key)) < _MIN_DISTINCT_BYTES:
        raise KeyRefused("does not look random")
    if _is_public_key(key):
        raise KeyRefused("is a public key, which anybody may know")
    if hashlib.sha256(key).hexdigest()[:_DIGEST_CHARACTERS] in _published():
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


def _is_public_key(key: bytes) -> bool:
    try:
        load_der_public_key(key)
    except (ValueError, UnsupportedAlgorithm):
        return False
    return True


def _is_text(key: bytes) -> bool:
    """Whether the bytes are written words, in whatever usual encoding."""
    try:
        key.decode()
    except UnicodeDecodeError:
        return key.count(0) > len(key) // 4 or key.decode("latin-1").isprintable()
    return True


def _reads_like_text(text: str) -> bool:
    """Whether the characters themselves are words, or digits of another notation."""
    kinds = (re.search(kind, text) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    runs = [text[i : i + _REPEATED_CHARACTERS] for i in range(len(text))]
    repeats = len(set(runs)) < len(runs)
    pairs = list(pairwise(text))
    # Every sixth pair is of small letters by chance; in words most are.
    small = sum(a.islower() and b.islower() for a, b in pairs) > len(pairs) / 2
    return not all(kinds) or repeats or small or _WORDS.search(text) is not None


def _is_row(key: bytes) -> bool:
    """Whether the bytes follow each other in few different steps."""
    return len({(b - a) % 256 for a, b in pairwise(key)}) < _MIN_DISTINCT_BYTES // 2


@cache
def _published() -> frozenset[str]:
    """Beginnings of the SHA-256 of keys in public lists, however they are written there."""
    text = files("finance_api.auth").joinpath("published_secrets.txt").read_text("ascii")
    return frozenset(text.split())
