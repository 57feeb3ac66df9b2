"""Personal tokens: their text, issuing, renaming, replacing and revoking them.

A token is ``fin_``, a secret of 43 characters, and a checksum of 6.

The checksum (CRC-32 of all before it) reveals a typo, or a string that only looks like a token,
without reading the storage. Only the SHA-256 of a token is stored: 256 random bits cannot be
guessed, so a slow hash would protect nothing.
"""

import hashlib
import re
import secrets
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from finance_api.resources import PUBLIC_RESOURCES
from finance_api.runtime.background import WriteBehind
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import (
    AuditAction,
    QuestionLink,
    StorageBackend,
    Token,
    User,
    WritableStorage,
    unit_of_work,
)
from finance_api.storage.interface.users import S
from finance_api.values.ids import new_id
from finance_api.values.text import TextError, clean_or_none
from finance_api.values.time import MAX_SECONDS

PREFIX = "fin_"
SECRET_CHARACTERS = 43
CHECKSUM_CHARACTERS = 6
#: Length of the stored prefix, by which owners recognise their tokens.
START_CHARACTERS = 8

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_FORM = re.compile(f"{PREFIX}[0-9A-Za-z]{{{SECRET_CHARACTERS + CHECKSUM_CHARACTERS}}}")


def new_token() -> str:
    """Return a token of 256 random bits."""
    body = PREFIX + _base62(secrets.randbits(256), SECRET_CHARACTERS)
    return body + _checksum(body)


def is_well_formed(text: str) -> bool:
    """Return whether the form and checksum of the text are right."""
    body, checksum = text[:-CHECKSUM_CHARACTERS], text[-CHECKSUM_CHARACTERS:]
    return _FORM.fullmatch(text) is not None and _checksum(body) == checksum


def digest(text: str) -> str:
    """Return the SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def make_last_used(backend: StorageBackend, seconds: float, kind: type[S]) -> WriteBehind[str]:
    """Return a collector of the last uses of credentials, which it writes periodically.

    Tokens and links are noted by id, sessions by their SHA-256.
    """

    def write(used_at: Mapping[str, int]) -> None:
        with unit_of_work(backend, lock_timeout_seconds=1) as storage:
            storage.users.set_used(kind, used_at)

    name = f"writing when {kind.noun}s were last used"
    return WriteBehind(name, seconds, merge=max, write=write)


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode("ascii")), CHECKSUM_CHARACTERS)


def _base62(number: int, width: int) -> str:
    return "".join([_DIGITS[number // 62**place % 62] for place in reversed(range(width))])


#: The scopes of the lists; "all data" needs all of them. Saved questions have their own scope.
DATA_SCOPES: tuple[str, ...] = tuple(str(r.path) for r in PUBLIC_RESOURCES)
QUESTIONS = "questions"
SCOPES: tuple[str, ...] = (*DATA_SCOPES, QUESTIONS)
MAX_NAME_CHARACTERS = 100
#: The default of the settings finance_api.tokens.max_live, .jwt.max_live and .links.max_live.
MAX_LIVE = 50


class IssueRefused(Exception):
    """No token is issued; the message says why."""


def is_open_to_all(settings: Mapping[str, Any]) -> bool:
    """Return whether every enabled user may use the API, even without premium."""
    return bool(settings["finance_api.users.api_access"] == "all")


def issue_token(
    storage: WritableStorage,
    user: User,
    *,
    name: str,
    now: int,
    scopes: Sequence[str] = (),
    expires_at: int | None = None,
    max_live: int = MAX_LIVE,
    is_open_to_all: bool = False,
    token_id: str | None = None,
) -> str:
    """Issue a token and return its text, which is not stored.

    Raises IssueRefused, NotFound; Conflict if a token with this ``token_id`` exists.

    scopes: the paths of resources; if empty, all. expires_at: None means never.
    max_live: the maximum number of a user's tokens that are neither revoked nor expired.
    is_open_to_all: whether the user needs no premium.
    """
    lock_for_issue(storage, user, Token, now=now, max_live=max_live, is_open_to_all=is_open_to_all)
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown:
        raise IssueRefused(f"{unknown[0]} is not a scope; the scopes are {', '.join(SCOPES)}")
    text = new_token()
    token = Token(
        id=token_id or new_id(),
        user_id=user.id,
        name=checked_name(name),
        sha256=digest(text),
        start=text[:START_CHARACTERS],
        scopes=tuple(s for s in SCOPES if s in scopes) or None,
        created_at=now,
        expires_at=checked_expiry(now, expires_at),
    )
    storage.users.add_owned(token)
    storage.note(user.id, AuditAction.TOKEN_CREATED, now, token.name)
    return text


def lock_for_issue(
    storage: WritableStorage,
    user: User,
    kind: type[Token] | type[QuestionLink],
    *,
    now: int,
    max_live: int,
    is_open_to_all: bool,
) -> None:
    """Lock a user who wants a token or link. Raises IssueRefused, NotFound; see `issue_token`."""
    user = storage.users.lock(user.id)
    if not (user.premium or is_open_to_all):
        what = "personal tokens" if kind is Token else "links of questions"
        raise IssueRefused(
            f"{what} need premium: finance-api user set EMAIL --premium, or for all users the "
            "setting finance_api.users.api_access = all"
        )
    if not user.enabled:
        raise IssueRefused("the user is disabled")
    number = sum(is_live(each, now) for each in storage.users.list_owned(kind, user.id))
    if number >= max_live:
        raise IssueRefused(
            f"there are {number} active {kind.noun}s, and {max_live} are allowed: revoke one first"
        )


def rename_token(
    storage: WritableStorage, token_id: str, *, user_id: int, before: str, name: str, now: int
) -> None:
    """Rename a token. before: its current name. name: a `checked_name`. Raises NotFound."""
    storage.users.update_owned(Token, token_id, user_id=user_id, name=name)
    storage.note(user_id, AuditAction.TOKEN_RENAMED, now, f"{before}, now {name}")


def revoke_token(
    storage: WritableStorage, token_id: str, now: int, *, user_id: int | None = None
) -> Token:
    """Revoke a token as `UserWriter.revoke` does, and note it in the audit log."""
    token = storage.users.revoke(Token, token_id, now, user_id=user_id)
    storage.note(token.user_id, AuditAction.TOKEN_REVOKED, now, token.name)
    return token


def regenerate_token(
    storage: WritableStorage,
    user: User,
    token_id: str,
    *,
    now: int,
    overlap_seconds: int,
    max_live: int,
    is_open_to_all: bool,
) -> str:
    """Issue a token in place of an active one, and return its text. Raises as `issue_token`.

    The new token has the name, scopes and lifetime of the old token. The old token stays valid for
    overlap_seconds; if that is 0, it is revoked.
    """
    storage.users.lock(user.id)
    own = storage.users.list_owned(Token, user.id)
    old = next((token for token in own if token.id == token_id), None)
    if old is None:
        raise NotFound("there is no such token")
    if not is_live(old, now):
        raise IssueRefused("the token is no longer active: create a new one")
    if overlap_seconds:
        ends = min(now + overlap_seconds, old.expires_at or MAX_SECONDS)
        storage.users.update_owned(Token, old.id, user_id=user.id, expires_at=ends)
    else:
        revoke_token(storage, old.id, now, user_id=user.id)
    expires_at = None
    if old.expires_at is not None:
        expires_at = min(now + old.expires_at - old.created_at, MAX_SECONDS)
    return issue_token(
        storage,
        user,
        name=old.name,
        now=now,
        scopes=old.scopes or (),
        expires_at=expires_at,
        max_live=max_live,
        is_open_to_all=is_open_to_all,
    )


def is_live(token: Token | QuestionLink, now: int) -> bool:
    """Return whether the token or link is neither revoked nor expired."""
    return token.revoked_at is None and (token.expires_at is None or token.expires_at > now)


def checked_name(name: str, noun: str = "token") -> str:
    """Return a credential's name as we store it. Raises IssueRefused."""
    try:
        cleaned = clean_or_none(" ".join(name.split()))
    except TextError as error:
        raise IssueRefused(f"the name {error}") from None
    if cleaned is None:
        raise IssueRefused(f"a {noun} needs a name")
    if len(cleaned) > MAX_NAME_CHARACTERS:
        raise IssueRefused(f"the name has more than {MAX_NAME_CHARACTERS} characters")
    return cleaned


def checked_expiry(now: int, expires_at: int | None) -> int | None:
    if expires_at is not None and not now < expires_at <= MAX_SECONDS:
        raise IssueRefused("the expiry must be in the future, and before the year 10000")
    return expires_at
