"""The service and the token that commands use as clients of the API, from the environment."""

import os
from urllib.parse import urlsplit

import click

BASE, TOKEN = "FINANCE_BASE", "FINANCE_TOKEN"
_DEFAULT_BASE = "http://127.0.0.1:6543"


def base_of_environment() -> str:
    """Return the address of the service, without a slash at its end."""
    text = os.environ.get(BASE, _DEFAULT_BASE)
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.username or parts.password or parts.query or parts.fragment:
        raise click.UsageError(
            f"{BASE} must be the address of the service, such as {_DEFAULT_BASE}, without a user "
            f"name or query."
        )
    return text.rstrip("/")


def token_of_environment(message: str) -> str:
    """Return the personal token. message: the error if the variable is missing or malformed."""
    token = os.environ.get(TOKEN, "")
    if not (token.isascii() and token.replace("_", "").isalnum()):
        raise click.UsageError(message)
    return token
