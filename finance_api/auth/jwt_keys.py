"""The keys of JSON Web Tokens: a JSON file.

    [{"kid": "2026-11", "alg": "HS256", "key": "…", "use_from": "2026-11-01T00:00:00Z"},
     {"kid": "idp", "alg": "RS256", "public_key_file": "idp.pem", "issuer": "https://idp.example"}]

A key is in use from ``use_from`` until ``use_until``, and verifies the JWTs of one issuer. HS256
keys sign and verify, for the first issuer of the settings; the others are public keys.
"""

import logging
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from finance_api.auth.key_strength import KeyRefused, hmac_key
from finance_api.auth.strict_json import parse_json
from finance_api.values.time import TimeError, parse_time

logger = logging.getLogger(__name__)

HS256 = "HS256"
_MIN_RSA_BITS = 2_048
_MAX_KID_CHARACTERS = 100
_MEMBERS = frozenset({"kid", "alg", "key", "public_key_file", "issuer", "use_from", "use_until"})


class KeyFileError(Exception):
    """The file cannot be used; the message names the key and never holds it."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The identity of a file's content. seen: time, size, inode; None without such a file."""

    path: Path
    seen: tuple[int, int, int] | None

    @classmethod
    def of(cls, path: Path) -> "Stamp":
        try:
            found = path.stat()
        except (OSError, ValueError):
            return cls(path, None)
        return cls(path, (found.st_mtime_ns, found.st_size, found.st_ino))

    @property
    def is_current(self) -> bool:
        return Stamp.of(self.path) == self


@dataclass(frozen=True, slots=True)
class JwtKey:
    """material: for PyJWT: bytes for HS256, else a public key.

    use_from, use_until: seconds, the latter excluded; None is no limit.
    file: of a public key, as it was before it was read.
    issuer: whose JWTs it verifies; None is the first one of the settings.
    """

    kid: str
    algorithm: str
    material: Any
    use_from: int | None = None
    use_until: int | None = None
    file: Stamp | None = None
    issuer: str | None = None

    def is_in_use(self, now: int, leeway_seconds: int = 0) -> bool:
        """leeway_seconds: how far the signer's clock may be ahead."""
        return (self.use_from is None or self.use_from <= now + leeway_seconds) and (
            self.use_until is None or now < self.use_until
        )


def signing_key(keys: Sequence[JwtKey], now: int) -> JwtKey | None:
    """The HS256 key in use with the latest use_from; of several the last one in the file."""
    usable = [key for key in keys if key.algorithm == HS256 and key.is_in_use(now)]
    earliest = min((key.use_from for key in usable if key.use_from is not None), default=0)
    ordered = sorted(usable, key=lambda k: earliest - 1 if k.use_from is None else k.use_from)
    return ordered[-1] if ordered else None


class KeyRing:
    """The keys of a file, read again when it or the file of a public key has changed.

    A missing file has no keys: every JWT is refused until it is made. If the file becomes
    unreadable while the service runs, that is logged and the keys stay.
    """

    def __init__(self, path: str | None, issuers: Sequence[str]) -> None:
        """issuers: of the settings. Raises KeyFileError."""
        self._issuers = issuers
        self._lock = threading.Lock()
        self._keys: tuple[JwtKey, ...] = ()
        self._seen: tuple[Stamp, ...] = ()
        if path:
            self._read(Stamp.of(Path(path)))

    def keys(self) -> tuple[JwtKey, ...]:
        if not self._is_current():
            with self._lock:
                self._reload()
        return self._keys

    def _is_current(self) -> bool:
        return all(stamp.is_current for stamp in self._seen)

    def _reload(self) -> None:
        if self._is_current():
            return
        file = Stamp.of(self._seen[0].path)
        try:
            self._read(file)
        except KeyFileError as error:
            logger.error("%s; the keys read before stay in use", error)
            self._seen = (file, *(Stamp.of(stamp.path) for stamp in self._seen[1:]))
        else:
            logger.info("%s: %d keys", file.path, len(self._keys))

    def _read(self, file: Stamp) -> None:
        """file: as it was before it is read, so that a change meanwhile is noticed later."""
        keys = read_key_file(str(file.path)) if file.seen else ()
        for key in keys:
            self._check_issuer(file.path, key)
        if any(key.algorithm == HS256 for key in keys):
            _warn_of_readers(file.path)
        self._keys = keys
        self._seen = (file, *(key.file for key in self._keys if key.file is not None))

    def _check_issuer(self, path: Path, key: JwtKey) -> None:
        several = len(self._issuers) > 1
        if key.issuer is None and key.algorithm != HS256 and several:
            raise KeyFileError(
                f"{path}: key {key.kid!r}: has no issuer, and finance_api.jwt.issuers has several; "
                "name one of them"
            )
        if key.issuer is not None and self._issuers and key.issuer not in self._issuers:
            raise KeyFileError(
                f"{path}: key {key.kid!r}: issuer {key.issuer!r} is not in finance_api.jwt.issuers"
            )


def _warn_of_readers(path: Path) -> None:
    """The group of root is trusted, as by PostgreSQL: its file belongs to the service's group."""
    with suppress(OSError):
        found = path.stat()
        if found.st_mode & (0o007 if found.st_uid == 0 else 0o077):
            logger.warning(
                "%s holds keys that sign JWTs, and others than its owner can open it: chmod 600 %s",
                path,
                path,
            )


def read_key_file(path: str) -> tuple[JwtKey, ...]:
    """Raises KeyFileError."""
    try:
        text = Path(path).read_text("utf-8")
    except OSError as error:
        raise KeyFileError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise KeyFileError(f"{path}: is not UTF-8") from None
    try:
        return tuple(_key(entry, Path(path).parent) for entry in key_entries(text))
    except KeyRefused as error:
        raise KeyFileError(f"{path}: {error}") from None


def key_entries(text: str) -> list[dict[str, Any]]:
    """The entries of a key file. Raises KeyRefused."""
    try:
        entries = parse_json(text)
    except ValueError as error:
        raise KeyRefused(f"is not JSON: {error}") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise KeyRefused("is not a JSON list of objects")
    kids = [entry.get("kid") for entry in entries]
    for number, kid in enumerate(kids, 1):
        if not isinstance(kid, str) or not 0 < len(kid) <= _MAX_KID_CHARACTERS:
            raise KeyRefused(f"key {number}: kid is not a text of 1 to {_MAX_KID_CHARACTERS}")
        if kids.index(kid) != number - 1:
            raise KeyRefused(f"key {number}: there are two keys with the kid {kid!r}")
    return entries


def _key(entry: dict[str, Any], directory: Path) -> JwtKey:
    try:
        unknown = sorted(set(entry) - _MEMBERS)
        if unknown:
            raise KeyRefused(f"there is no member {unknown[0]!r}")
        algorithm = entry.get("alg")
        if algorithm == HS256:
            if "issuer" in entry:
                raise KeyRefused("HS256 keys are the first issuer's, and have no member issuer")
            material, file = _hmac_material(entry), None
        elif isinstance(algorithm, str) and algorithm in _PUBLIC_KEY_TYPES:
            material, file = _public_material(entry, algorithm, directory)
        else:
            known = ", ".join((HS256, *_PUBLIC_KEY_TYPES))
            raise KeyRefused(f"alg is not one of {known}")
        use_from, use_until = (_time(entry, name) for name in ("use_from", "use_until"))
        if use_from is not None and use_until is not None and use_from >= use_until:
            raise KeyRefused("use_until is not after use_from")
        issuer = entry.get("issuer")
        if issuer is not None and (not isinstance(issuer, str) or not issuer):
            raise KeyRefused("issuer is not a text")
        return JwtKey(entry["kid"], algorithm, material, use_from, use_until, file, issuer)
    except KeyRefused as error:
        raise KeyRefused(f"key {entry['kid']!r}: {error}") from None


def _hmac_material(entry: dict[str, Any]) -> bytes:
    key = entry.get("key")
    if "public_key_file" in entry or not isinstance(key, str):
        raise KeyRefused("HS256 needs the member key: base64url of at least 32 random bytes")
    try:
        return hmac_key(key)
    except KeyRefused as error:
        raise KeyRefused(f"key {error}; make one with finance-api jwt new-key") from None


_PUBLIC_KEY_TYPES: dict[str, tuple[type, ...]] = {
    "RS256": (rsa.RSAPublicKey,),
    "ES256": (ec.EllipticCurvePublicKey,),
    "EdDSA": (ed25519.Ed25519PublicKey, ed448.Ed448PublicKey),
}


def _public_material(entry: dict[str, Any], algorithm: str, directory: Path) -> tuple[Any, Stamp]:
    """The key and its file."""
    name = entry.get("public_key_file")
    if "key" in entry or not isinstance(name, str):
        raise KeyRefused(f"{algorithm} needs the member public_key_file: a PEM file's path")
    if "\n" in name or "-----" in name:
        raise KeyRefused("public_key_file is not a path; the key stands in a file of its own")
    path = directory / name
    file = Stamp.of(path)
    try:
        material = load_pem_public_key(path.read_bytes())
    except OSError as error:
        raise KeyRefused(f"{path}: {error.strerror}") from None
    except (ValueError, UnsupportedAlgorithm):
        raise KeyRefused(f"{path}: is not a public key in PEM") from None
    if not isinstance(material, _PUBLIC_KEY_TYPES[algorithm]):
        raise KeyRefused(f"{path}: is not a key for {algorithm}")
    if isinstance(material, rsa.RSAPublicKey) and material.key_size < _MIN_RSA_BITS:
        raise KeyRefused(f"{path}: has {material.key_size} bits; {_MIN_RSA_BITS} are needed")
    if isinstance(material, ec.EllipticCurvePublicKey) and material.curve.name != "secp256r1":
        raise KeyRefused(f"{path}: ES256 needs a key on the curve P-256")
    return material, file


def _time(entry: dict[str, Any], name: str) -> int | None:
    text = entry.get(name)
    if text is None:
        return None
    if not isinstance(text, str):
        raise KeyRefused(f"{name} is not a date-time such as 2026-01-31T10:00:00Z")
    try:
        return parse_time(text)
    except TimeError as error:
        raise KeyRefused(f"{name} {error}") from None
