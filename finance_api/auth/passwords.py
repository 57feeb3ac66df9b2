"""Passwords: argon2id (RFC 9106), with the library's current parameters."""

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MIN_CHARACTERS = 8
MAX_CHARACTERS = 1_024

_hasher = PasswordHasher()


class PasswordRefused(ValueError):
    """The password cannot be used; the message says why."""


def hash_password(password: str) -> str:
    """The hash to store. Raises PasswordRefused."""
    if not MIN_CHARACTERS <= len(password) <= MAX_CHARACTERS:
        raise PasswordRefused(f"a password has {MIN_CHARACTERS} to {MAX_CHARACTERS} characters")
    try:
        return _hasher.hash(password)
    except UnicodeEncodeError:
        raise PasswordRefused("the password is not made of Unicode characters") from None


def is_password(password: str, password_hash: str | None) -> bool:
    """Whether the password matches; without a hash it takes as long as with a wrong password."""
    expected = placeholder_hash() if password_hash is None else password_hash
    try:
        _hasher.verify(expected, password[: MAX_CHARACTERS + 1])
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False
    return password_hash is not None


@cache
def placeholder_hash() -> str:
    """The hash that a password is compared with if there is no account; made once, at start."""
    return _hasher.hash("no password")
