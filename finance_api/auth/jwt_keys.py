"""The keys of JSON Web Tokens: a file with a JSON Web Key Set (RFC 7517).

    {"keys": [{"kty": "oct", "kid": "2026-11", "alg": "HS256", "k": "…", "nbf": 1793491200},
              {"kty": "RSA", "kid": "idp", "alg": "RS256", "n": "…", "e": "AQAB"}]}

A key is in use from ``nbf`` until ``exp`` and verifies the JWTs of one issuer. HS256 keys sign and
verify for the first issuer of the settings; all other keys are public keys, which only verify.
After a rotation, older signing keys still verify until their JWTs have expired.
"""

import json
import logging
import math
import os
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from finance_api.auth.settings import JWT_KEYS, KEY_ISSUERS
from finance_api.runtime.settings import SettingError
from finance_api.values.time import date_text

logger = logging.getLogger(__name__)

HS256 = "HS256"
_ADVICE = "; create a key with finance-api jwt new-key"
MIN_BYTES = 32
_MIN_RSA_BITS = 2_048
_MAX_KID_CHARACTERS = 100
#: Algorithm -> type of its keys, the members that make up a key, and the allowed curves.
_KINDS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    HS256: ("oct", ("k",), ()),
    "RS256": ("RSA", ("n", "e"), ()),
    "ES256": ("EC", ("crv", "x", "y"), ("P-256",)),
    "EdDSA": ("OKP", ("crv", "x"), ("Ed25519", "Ed448")),
}


class KeyFileError(Exception):
    """The file cannot be used; the message names the key and never contains it."""


@dataclass(frozen=True, slots=True)
class JwtKey:
    """A key for JWTs. material: the key as PyJWT takes it: bytes for HS256, else a public key.

    use_from, use_until: the seconds at which its use begins and ends; None means no limit.
    issuer: the issuer whose JWTs the key verifies; None means the first issuer of the settings.
    """

    kid: str
    algorithm: str
    material: Any
    use_from: int | None = None
    use_until: int | None = None
    issuer: str | None = None

    def is_in_use(self, now: int, leeway_seconds: int = 0) -> bool:
        """Return whether it is in use. leeway_seconds: how far a signer's clock may be ahead."""
        return (self.use_from is None or self.use_from <= now + leeway_seconds) and (
            self.use_until is None or now < self.use_until
        )


def signing_key(keys: Sequence[JwtKey], now: int) -> JwtKey | None:
    """Return the HS256 key in use with the latest use_from; on a tie, the last in the file."""
    usable = [key for key in reversed(keys) if key.algorithm == HS256 and key.is_in_use(now)]
    return max(usable, key=lambda k: -math.inf if k.use_from is None else k.use_from, default=None)


class KeyRing:
    """The keys of a file, which is read again when it has changed.

    If there is no path, or no file, there are no keys and every JWT is refused. If the file becomes
    unreadable while the service runs, this is logged and the keys stay.
    """

    def __init__(
        self, path: str, issuers: Sequence[str], key_issuers: Mapping[str, str] | None = None
    ) -> None:
        """key_issuers: the issuers of public keys, by kid. Raises KeyFileError."""
        self._path = path
        self._issuers = issuers
        self._key_issuers = key_issuers or {}
        self._seen = self._stamp()
        self._keys = self._read() if self._seen else ()

    def keys(self) -> tuple[JwtKey, ...]:
        # Taken before the file is read, so that a change during the reading is noticed later.
        seen = self._stamp()
        if seen != self._seen:
            self._reload(seen)
        return self._keys

    def _reload(self, seen: tuple[int, int, int] | None) -> None:
        try:
            self._keys = self._read() if seen else ()
        except KeyFileError as error:
            logger.error("%s; the keys read earlier stay in use", error)
        else:
            logger.info("%s: %d keys", self._path, len(self._keys))
        self._seen = seen

    def _stamp(self) -> tuple[int, int, int] | None:
        """Return time, size and inode of the file; None if it is missing."""
        try:
            status = os.stat(self._path)
        except (OSError, ValueError):
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _read(self) -> tuple[JwtKey, ...]:
        keys = read_key_file(self._path)
        if any(key.algorithm == HS256 for key in keys):
            _warn_of_readers(self._path)
        return tuple(replace(key, issuer=self._issuer(key)) for key in keys)

    def _issuer(self, key: JwtKey) -> str | None:
        issuer = self._key_issuers.get(key.kid)
        fault = None
        if key.algorithm == HS256 and issuer is not None:
            fault = "belongs to the first issuer, as all HS256 keys do; remove it from"
        if key.algorithm != HS256 and issuer is None and len(self._issuers) > 1:
            fault = "has no issuer, but there are several; give its issuer in"
        if fault:
            raise KeyFileError(
                f"{self._path}: key {key.kid!r}: {fault} finance_api.jwt.key_issuers"
            )
        return issuer


def open_key_ring(settings: Mapping[str, Any]) -> KeyRing:
    """Return the key ring of the settings. Raises SettingError."""
    issuers, key_issuers = settings["finance_api.jwt.issuers"], settings[KEY_ISSUERS]
    unknown = sorted(set(key_issuers.values()) - set(issuers))
    if unknown:
        raise SettingError(f"{KEY_ISSUERS}: {unknown[0]!r} is not in finance_api.jwt.issuers")
    try:
        return KeyRing(settings[JWT_KEYS], issuers, key_issuers)
    except KeyFileError as error:
        raise SettingError(f"{JWT_KEYS}: {error}") from None


def _warn_of_readers(path: str) -> None:
    """Log a warning if other users can read the file. If root owns it, its group may read it."""
    with suppress(OSError):
        status = os.stat(path)
        if status.st_mode & (0o007 if status.st_uid == 0 else 0o077):
            logger.warning(
                "%s contains keys that sign JWTs, but users other than its owner can open it: "
                "chmod 600 %s",
                path,
                path,
            )


def read_key_file(path: str) -> tuple[JwtKey, ...]:
    """Read the keys of a file. Raises KeyFileError."""
    try:
        text = Path(path).read_text("utf-8")
        return tuple(_key(entry) for entry in key_entries(text))
    except OSError as error:
        raise KeyFileError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise KeyFileError(f"{path}: is not UTF-8") from None
    except KeyFileError as error:
        raise KeyFileError(f"{path}: {error}") from None


def key_entries(text: str) -> list[dict[str, Any]]:
    """Return the entries of a key file. Raises KeyFileError."""
    try:
        content = parse_json(text)
    except ValueError as error:
        raise KeyFileError(f"is not JSON: {error}") from None
    entries = content.get("keys") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise KeyFileError('is not a JSON Web Key Set: {"keys": […]}')
    kids = [entry.get("kid") for entry in entries]
    for number, kid in enumerate(kids, 1):
        if not isinstance(kid, str) or not 0 < len(kid) <= _MAX_KID_CHARACTERS:
            raise KeyFileError(f"key {number}: kid is not a text of 1 to {_MAX_KID_CHARACTERS}")
        if kids.index(kid) != number - 1:
            raise KeyFileError(f"key {number}: another key has the same kid {kid!r}")
    return entries


def _key(entry: dict[str, Any]) -> JwtKey:
    try:
        algorithm = _algorithm(entry)
        (material,) = (key.key for key in jwt.PyJWKSet([entry]))
        if algorithm == HS256:
            _check_secret(entry["k"], material)
        elif isinstance(material, rsa.RSAPublicKey) and material.key_size < _MIN_RSA_BITS:
            raise KeyFileError(f"has {material.key_size} bits; {_MIN_RSA_BITS} are needed")
        use_from, use_until = (_time(entry, name) for name in ("nbf", "exp"))
        if use_from is not None and use_until is not None and use_from >= use_until:
            raise KeyFileError("exp is not after nbf")
        return JwtKey(entry["kid"], algorithm, material, use_from, use_until)
    except jwt.PyJWKSetError:
        error = f"its members are not a valid key for {entry['alg']} in base64url"
        error += _ADVICE if entry["alg"] == HS256 else ""
    except KeyFileError as refused:
        error = str(refused)
    raise KeyFileError(f"key {entry['kid']!r}: {error}")


def _algorithm(entry: dict[str, Any]) -> str:
    """Return the algorithm of a key whose members have the right types. Raises KeyFileError."""
    algorithm = entry.get("alg")
    if not isinstance(algorithm, str) or algorithm not in _KINDS:
        raise KeyFileError(f"alg is not one of {', '.join(_KINDS)}")
    kind, members, curves = _KINDS[algorithm]
    if entry.get("kty") != kind:
        raise KeyFileError(f"{algorithm} needs a key of kty {kind}")
    if not all(isinstance(entry.get(name), str) for name in members):
        raise KeyFileError(f"{algorithm} needs the members {', '.join(members)}")
    if curves and entry["crv"] not in curves:
        raise KeyFileError(f"{algorithm} needs a key on the curve {' or '.join(curves)}")
    if "d" in entry:
        raise KeyFileError("is a private key; leave only its public members in the file")
    if entry.get("use", "sig") != "sig" or "verify" not in str(entry.get("key_ops", "verify")):
        raise KeyFileError("is not a key for signatures; remove it")
    return algorithm


def _check_secret(text: str, secret: bytes) -> None:
    """Raise KeyFileError for a key that somebody could guess or know.

    `finance-api jwt new-key` makes random keys. Randomness itself cannot be checked.
    """
    if urlsafe_b64encode(secret).decode().rstrip("=") != text:
        # The decoder skips unknown characters.
        fault = "is not base64url without padding"
    elif len(secret) < MIN_BYTES:
        fault = f"has {len(secret)} bytes; at least {MIN_BYTES} random ones are needed"
    elif len(set(text)) == 1 or len(set(secret)) == 1:
        fault = "is one repeated character"
    elif _is_word(text) or _is_word(secret.decode("utf-8", "replace")):
        fault = "is a single word"
    else:
        try:
            jwt.get_algorithm_by_name(HS256).prepare_key(secret)
        except jwt.InvalidKeyError:
            fault = "is a public key, but HS256 needs a secret"
        else:
            return
    raise KeyFileError(f"k {fault}{_ADVICE}")


def _is_word(text: str) -> bool:
    """Return whether the text has only letters, all of one case except perhaps the first."""
    return text.isalpha() and (text[1:].islower() or text.isupper())


def _time(entry: dict[str, Any], name: str) -> int | None:
    value = entry.get(name)
    if value is None or type(value) is int:
        return value
    raise KeyFileError(f"{name} is not a whole number of seconds since 1970")


def includeme(config: Any) -> None:
    settings = config.get_settings()
    if settings[JWT_KEYS] and not config.registry.services.jwt_keys.keys():
        logger.warning(
            "%s: there are no keys in %s yet, so the internal API refuses everybody; create one "
            "with finance-api jwt new-key",
            JWT_KEYS,
            settings[JWT_KEYS],
        )


def parse_json(text: str) -> Any:
    """Parse JSON. Raises ValueError, also for duplicate members, NaN and infinities."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has the same member twice")
    return members


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


def add_signing_key(path: str, *, now: int, overlap_seconds: int, drop_old: bool = False) -> str:
    """Add an HS256 key that signs from now on, and return its kid; make the file if needed.

    overlap_seconds: how long older signing keys without an exp still verify; sets that exp.
    drop_old: remove older signing keys at once, which ends all their JWTs. Keys past their exp are
    always removed. Raises KeyFileError; the file is then unchanged.
    """
    # A symbolic link remains: the file it points to is replaced.
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
    """Return the entries to keep; older signing keys get an exp."""
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
    """Yield a stream; its content then replaces the file atomically, under a lock.

    The file keeps its owner and mode; a new file belongs to its folder's owner, with mode 600.
    """
    new = file.with_name(file.name + ".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise KeyFileError(f"{new}: exists already; is another new-key running?") from None
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
    """Copy the replaced file's owner and mode; give root's new file to the folder's owner."""
    if not file.exists() and os.geteuid() != 0:
        return
    model = file.stat() if file.exists() else file.parent.stat()
    if (model.st_uid, model.st_gid) != (os.geteuid(), os.getegid()):
        os.fchown(descriptor, model.st_uid, model.st_gid)
    if file.exists():
        os.fchmod(descriptor, model.st_mode & 0o777)
