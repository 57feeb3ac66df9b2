"""Passwords: argon2id (RFC 9106), with the library's current parameters."""

from argon2 import PasswordHasher

MIN_CHARACTERS = 8
MAX_CHARACTERS = 1_024

_hasher = PasswordHasher()


class PasswordRefused(ValueError):
    """The password cannot be used; the message says why."""


def hash_password(password: str) -> str:
    """What is kept of a password. Raises PasswordRefused."""
    if not MIN_CHARACTERS <= len(password) <= MAX_CHARACTERS:
        raise PasswordRefused(f"a password has {MIN_CHARACTERS} to {MAX_CHARACTERS} characters")
    return _hasher.hash(password)
