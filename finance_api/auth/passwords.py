"""Passwords: argon2id (RFC 9106), with the library's current parameters.

A new password must not be one that attackers try first (NIST SP 800-63B, 3.1.1.2): a common
password, the user's e-mail, or the service's name. The list of common passwords comes from zxcvbn.
We do not use zxcvbn's strength estimate, which takes exponential time for some passwords.
"""

import math
import string
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MIN_CHARACTERS = 8
MAX_CHARACTERS = 1_024

_SERVICE_NAMES = ("finance_api", "finance-api", "finance api", "financeapi")
#: Characters people add before or after a password that was refused.
_DECORATION = string.digits + string.punctuation + " "

_hasher = PasswordHasher()


class PasswordRefused(ValueError):
    """The password cannot be used; the message says why."""


def checked_hash(password: str, email: str, old_hash: str | None = None) -> str:
    """Check a new password, and return its hash. Raises PasswordRefused.

    old_hash: the hash of the previous password. The new password must be a different one.
    """
    if not MIN_CHARACTERS <= len(password) <= MAX_CHARACTERS:
        raise PasswordRefused(f"a password has {MIN_CHARACTERS} to {MAX_CHARACTERS} characters")
    folded = password.casefold()
    forms = {folded, folded.strip(_DECORATION)}
    if forms & _common():
        raise PasswordRefused("the password is one of the most common ones; choose another")
    if forms & {email, *email.split("@"), *_SERVICE_NAMES}:
        raise PasswordRefused("the password is your e-mail or the service's name; choose another")
    if old_hash is not None and is_password(password, old_hash):
        raise PasswordRefused("the password is the same as the old one; choose another")
    try:
        return _hasher.hash(password)
    except UnicodeEncodeError:
        raise PasswordRefused("the password contains invalid Unicode") from None


def is_password(password: str, password_hash: str | None) -> bool:
    """Return whether the password matches; takes as long without a hash as with one."""
    expected = _no_hash() if password_hash is None else password_hash
    try:
        _hasher.verify(expected, password[: MAX_CHARACTERS + 1])
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False
    return password_hash is not None


def _no_hash() -> str:
    """Return a hash of zeros, to compare a password with if there is no account."""
    costs = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    salt, digest = ("A" * math.ceil(n * 4 / 3) for n in (_hasher.salt_len, _hasher.hash_len))
    return f"$argon2id$v=19${costs}${salt}${digest}"


@cache
def _common() -> frozenset[str]:
    """Return common passwords in lower case, without those that are too short anyway."""
    # Imported here: most processes never set a password, and the list takes 15 MB.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset(p for p in FREQUENCY_LISTS["passwords"] if len(p) >= MIN_CHARACTERS)
