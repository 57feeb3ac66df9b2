"""User accounts: e-mail addresses, passwords."""

import re

from finance_api.auth.passwords import hash_password, is_password
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Storage, User, WritableStorage
from finance_api.values.ids import new_id
from finance_api.values.text import TextError, clean

# No stricter than that: the parts around the @ are up to the mail system.
_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+")
MAX_EMAIL_CHARACTERS = 254


class EmailRefused(ValueError):
    """The text is no e-mail address."""


def normal_email(text: str) -> str:
    """The stored form, in lower case. Raises EmailRefused."""
    try:
        email = clean(text.strip()).lower()
    except TextError as error:
        raise EmailRefused(f"an e-mail address that {error}") from None
    if not _EMAIL.fullmatch(email) or len(email) > MAX_EMAIL_CHARACTERS:
        raise EmailRefused(f"{text!r} is not an e-mail address")
    return email


def make_user(
    storage: WritableStorage, email: str, *, premium: bool, password: str | None, now: int
) -> User:
    """A new user. Raises EmailRefused, PasswordRefused, storage.errors.Conflict."""
    return storage.users.add(
        uuid=new_id(),
        email=normal_email(email),
        premium=premium,
        password_hash=None if password is None else hash_password(password),
        created_at=now,
    )


def authenticate_user(storage: Storage, email: str, password: str) -> User | None:
    """The enabled user with this e-mail and password; takes equally long without such a user."""
    try:
        user = storage.users.get(normal_email(email))
    except (EmailRefused, NotFound):
        is_password(password, None)
        return None
    return user if is_password(password, user.password_hash) and user.enabled else None


def set_password(storage: WritableStorage, user: User, password: str, now: int) -> None:
    """Changes the password, and ends all sessions and JWTs. Raises PasswordRefused."""
    storage.users.update(user.id, password_hash=hash_password(password))
    storage.sessions.delete_all(user.id)
    storage.jwts.revoke_all(user.id, now)
