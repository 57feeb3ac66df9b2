"""The e-mail addresses of users."""

import re

from finance_api.values.text import TextError, clean

# No stricter, as the mail system decides which texts around the @ are valid.
_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+")
MAX_EMAIL_CHARACTERS = 254


class EmailRefused(ValueError):
    """The text is not an e-mail address."""


def normal_email(text: str) -> str:
    """Return the form that is stored, in lower case. Raises EmailRefused."""
    try:
        email = clean(text.strip()).lower()
    except TextError as error:
        raise EmailRefused(f"an e-mail address that {error}") from None
    if not _EMAIL.fullmatch(email) or len(email) > MAX_EMAIL_CHARACTERS:
        raise EmailRefused(f"{text!r} is not an e-mail address")
    return email
