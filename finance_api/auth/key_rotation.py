"""Rotation of the signing key: older keys verify until their JWTs have expired."""

import json
import os
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from finance_api.auth.jwt_keys import HS256, MIN_BYTES, KeyFileError, key_entries, read_key_file
from finance_api.values.time import date_text


def add_signing_key(path: str, *, now: int, overlap_seconds: int, drop_old: bool = False) -> str:
    """Add an HS256 key that signs from now on, and return its kid; make the file if needed.

    overlap_seconds: for how long older signing keys still verify: their exp, unless they have one.
    drop_old: remove them at once, which ends all their JWTs. Keys past their exp are always
    removed. Raises KeyFileError; the file is then unchanged.
    """
    # A symbolic link stays one.
    file = Path(os.path.realpath(path))
    kid = f"{date_text(now)}-{secrets.token_hex(4)}"
    secret = urlsafe_b64encode(secrets.token_bytes(MIN_BYTES)).decode().rstrip("=")
    new = {"kty": "oct", "kid": kid, "alg": HS256, "use": "sig", "k": secret, "nbf": now}
    with _replacing(file) as stream:
        remaining = _remaining(file, now, now + overlap_seconds, drop_old) if file.exists() else []
        json.dump({"keys": [*remaining, new]}, stream, indent=2)
        stream.write("\n")
    return kid


def _remaining(file: Path, now: int, end: int, drop_old: bool) -> list[dict[str, Any]]:
    """Return the entries that stay; older signing keys get an exp."""
    remaining = []
    keys = read_key_file(str(file))
    for key, entry in zip(keys, key_entries(file.read_text("utf-8")), strict=True):
        signs = key.algorithm == HS256
        if (key.use_until is not None and key.use_until <= now) or (signs and drop_old):
            continue
        if signs and key.use_until is None and key.is_in_use(now):
            entry["exp"] = end
        remaining.append(entry)
    return remaining


@contextmanager
def _replacing(file: Path) -> Iterator[TextIO]:
    """Replace the file atomically, under a lock, with what is written to the stream.

    The file keeps its owner and mode; a new one belongs to its directory's owner, with mode 600.
    """
    new = file.with_name(file.name + ".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise KeyFileError(f"{new}: is there already; is another new-key running?") from None
    except OSError as error:
        raise KeyFileError(f"{new}: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            _take_after(descriptor, file)
            yield stream
            stream.flush()
            os.fsync(descriptor)
        os.replace(new, file)
    except OSError as error:
        raise KeyFileError(f"{file}: {error.strerror}") from None
    finally:
        new.unlink(missing_ok=True)


def _take_after(descriptor: int, file: Path) -> None:
    """Copy owner and mode of the replaced file; a new one of root belongs to the folder's owner."""
    if not file.exists() and os.geteuid() != 0:
        return
    model = file.stat() if file.exists() else file.parent.stat()
    if (model.st_uid, model.st_gid) != (os.geteuid(), os.getegid()):
        os.fchown(descriptor, model.st_uid, model.st_gid)
    if file.exists():
        os.fchmod(descriptor, model.st_mode & 0o777)
