"""Which HS256 keys are refused: short ones, a single word, one repeated character, public keys.

`finance-api jwt new-key` makes random keys. Randomness itself cannot be checked.
"""

import base64
import binascii

from jwt import get_algorithm_by_name
from jwt.exceptions import InvalidKeyError

MIN_BYTES = 32
MAX_CHARACTERS = 2_000


class KeyRefused(ValueError):
    """The key is refused; the message says why, without the key."""


def hmac_key(text: str) -> bytes:
    """The bytes of a key in base64url, without padding. Raises KeyRefused."""
    if len(text) > MAX_CHARACTERS:
        raise KeyRefused(f"has more than {MAX_CHARACTERS} characters")
    key = _decoded(text)
    if len(key) < MIN_BYTES:
        raise KeyRefused(f"has {len(key)} bytes; at least {MIN_BYTES} random ones are needed")
    if len(set(text)) == 1 or len(set(key)) == 1:
        raise KeyRefused("is one repeated character")
    if _is_word(text) or _is_word(key.decode("utf-8", "replace")):
        raise KeyRefused("is a single word")
    try:
        get_algorithm_by_name("HS256").prepare_key(key)
    except InvalidKeyError:
        raise KeyRefused("is a public key, which anybody may know") from None
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


def _is_word(text: str) -> bool:
    """Whether it is letters only, all of one case except perhaps the first."""
    return text.isalpha() and (text[1:].islower() or text.isupper())
