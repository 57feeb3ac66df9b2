"""Checks that an HS256 key cannot be guessed.

Randomness cannot be proved, but its absence can be seen: a random key of 32 bytes fails these tests
about twice in a thousand times. Published keys that pass them (of documents, tutorials and public
source code) are recognised by their digests.
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
#: 32 random bytes have about 30 distinct values; fewer than 20 once in 10**12 times.
_MIN_DISTINCT_BYTES = 20
_DIGEST_CHARACTERS = 16

_WORDS = re.compile("[a-z]{12}|[A-Z]{12}|[0-9]{8}|([A-Za-z0-9_-])\\1{3}")
#: A sequence of this length does not repeat by chance.
_REPEATED_CHARACTERS = 8


class KeyRefused(ValueError):
    """The key is refused; the message says why, without the key."""


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
    # The decoder skips unknown characters.
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
    """Whether the bytes are text in a usual encoding."""
    try:
        key.decode()
    except UnicodeDecodeError:
        return key.count(0) > len(key) // 4 or key.decode("latin-1").isprintable()
    return True


def _reads_like_text(text: str) -> bool:
    """Whether the characters are words, or digits of another notation."""
    kinds = (re.search(kind, text) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    runs = [text[i : i + _REPEATED_CHARACTERS] for i in range(len(text))]
    repeats = len(set(runs)) < len(runs)
    pairs = list(pairwise(text))
    # By chance every sixth pair is of two small letters; in words most are.
    small = sum(a.islower() and b.islower() for a, b in pairs) > len(pairs) / 2
    return not all(kinds) or repeats or small or _WORDS.search(text) is not None


def _is_row(key: bytes) -> bool:
    """Whether the differences between neighbouring bytes have few values."""
    return len({(b - a) % 256 for a, b in pairwise(key)}) < _MIN_DISTINCT_BYTES // 2


@cache
def _published() -> frozenset[str]:
    """First characters of the SHA-256 of published keys, in each of their notations."""
    text = files("finance_api.auth").joinpath("published_secrets.txt").read_text("ascii")
    return frozenset(text.split())
