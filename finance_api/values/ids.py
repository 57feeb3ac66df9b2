"""Identifiers: UUIDs (RFC 9562) as 36 lower-case characters."""

import re
import uuid

#: As a regular expression.
FORM = "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_UUID = re.compile(FORM)
_UUIDS = re.compile(f"{FORM}(?:,{FORM})*")


class IdError(ValueError):
    """The text is not a UUID of 36 characters."""


def parse_id(text: str) -> str:
    """The id in lower case; any case comes in."""
    if not _UUID.fullmatch(text):
        raise IdError("is not a UUID such as 0b7e1c9a-5f0e-4a43-9d53-0f6a3f1f7a11")
    return text.lower()


def are_ids(text: str) -> bool:
    """Whether these are ids, with a comma between each two."""
    return _UUIDS.fullmatch(text) is not None


def new_id() -> str:
    """A random id (UUID version 4)."""
    return str(uuid.uuid4())


def derived_id(user: str, *names: str) -> str:
    """The same id for the same names of the same user (UUID version 5 in the user's namespace)."""
    return str(uuid.uuid5(uuid.UUID(user), "\x1f".join(names)))
