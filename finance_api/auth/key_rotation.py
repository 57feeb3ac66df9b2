"""Putting a new signing key in the place of the old one, with nobody logged out."""

import json
import os
import secrets
from base64 import urlsafe_b64encode
from contextlib import suppress
from pathlib import Path
from typing import Any

from finance_api.auth.jwt_keys import (
    HS256,
    KeyFileError,
    key_entries,
    read_key_file,
)
from finance_api.auth.key_strength import MIN_BYTES, KeyRefused, hmac_key
from finance_api.values.time import date_text, instant_text


def add_signing_key(path: str, *, now: int, overlap_seconds: int) -> str:
    """Adds an HS256 key that signs from now on, and returns its kid; makes the file if need be.

    overlap_seconds: how long JWTs that older keys signed may still live. These keys get an end
    then, unless they have one. Raises KeyFileError; the file is then as it was.
    """
    file = Path(path)
    entries: list[dict[str, Any]] = []
    if file.exists():
        read_key_file(path)
        entries = key_entries(file.read_text("utf-8"))
    for entry in entries:
        if entry["alg"] == HS256 and entry.get("use_until") is None:
            entry["use_until"] = instant_text(now + overlap_seconds)
    kid = f"{date_text(now)}-{secrets.token_hex(4)}"
    entries.append({"kid": kid, "alg": HS256, "key": _new_key(), "use_from": instant_text(now)})
    _replace(file, json.dumps(entries, indent=2) + "\n")
    return kid


def _new_key() -> str:
    while True:
        text = urlsafe_b64encode(secrets.token_bytes(MIN_BYTES)).decode().rstrip("=")
        # One in some hundreds happens to look like text.
        with suppress(KeyRefused):
            hmac_key(text)
            return text


def _replace(file: Path, text: str) -> None:
    """Writes the file whole or not at all; it keeps its owner and mode, or is its owner's alone."""
    new = file.with_name(file.name + ".new")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise KeyFileError(f"{new}: is there already; is another new-key running?") from None
    except OSError as error:
        raise KeyFileError(f"{new}: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            if file.exists():
                old = file.stat()
                os.fchown(descriptor, old.st_uid, old.st_gid)
                os.fchmod(descriptor, old.st_mode & 0o777)
            stream.write(text)
            stream.flush()
            os.fsync(descriptor)
        os.replace(new, file)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise KeyFileError(f"{file}: {error.strerror}") from None
