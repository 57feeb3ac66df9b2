"""Links of saved questions: their secrets, issuing and revoking them.

A secret is ``finq_`` and 32 letters and digits, 190 random bits. Anyone with the address can read
the answer, so only the SHA-256 of a secret is stored, and secrets are never logged.
"""

import re
import secrets
import string
from collections.abc import Sequence

from finance_api.auth.personal_tokens import (
    MAX_LIVE,
    checked_expiry,
    checked_name,
    digest,
    is_live,
    lock_for_issue,
)
from finance_api.http.surfaces import LINKS
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import AuditAction, QuestionLink, User, WritableStorage
from finance_api.values.ids import new_id

PREFIX = "finq_"
SECRET_CHARACTERS = 32
_LETTERS = string.ascii_letters + string.digits
_SECRET = re.compile(f"{PREFIX}[{_LETTERS}]{{{SECRET_CHARACTERS}}}")


def new_secret() -> str:
    return PREFIX + "".join(secrets.choice(_LETTERS) for _ in range(SECRET_CHARACTERS))


def link_path(secret: str, ending: str) -> str:
    """Return the path of a link. ending: the suffix of a format, such as .csv."""
    return f"{LINKS}{secret}{ending}"


def digest_in(text: str) -> str:
    """Return the digest of the secret in a text, such as a link's address. Raises NotFound."""
    secret = _SECRET.search(text)
    if secret is None:
        raise NotFound("this is not a link: a character is missing or wrong")
    return digest(secret[0])


def digest_of_path(path: str) -> str:
    """Return the digest of the secret in a link's path, without the suffix of a format."""
    return digest(path.removeprefix(LINKS).partition(".")[0])


def issue_link(
    storage: WritableStorage,
    user: User,
    question_id: str,
    *,
    name: str,
    now: int,
    expires_at: int | None = None,
    max_live: int = MAX_LIVE,
    is_open_to_all: bool = False,
    link_id: str | None = None,
) -> str:
    """Issue a link, and return its secret, which is not stored. Raises IssueRefused, NotFound.

    The question must be the user's. The other arguments are those of `issue_token`.
    """
    lock_for_issue(
        storage, user, QuestionLink, now=now, max_live=max_live, is_open_to_all=is_open_to_all
    )
    secret = new_secret()
    link = QuestionLink(
        id=link_id or new_id(),
        user_id=user.id,
        question_id=question_id,
        name=checked_name(name, "link"),
        sha256=digest(secret),
        created_at=now,
        expires_at=checked_expiry(now, expires_at),
    )
    storage.users.add_owned(link)
    storage.note(user.id, AuditAction.LINK_CREATED, now, link.name)
    return secret


def live_links(
    links: Sequence[QuestionLink], now: int, question_id: str | None = None
) -> list[QuestionLink]:
    """Return the links that are neither revoked nor expired. question_id: None means all."""
    return [li for li in links if is_live(li, now) and question_id in (None, li.question_id)]


def revoke_links(
    storage: WritableStorage, user_id: int, now: int, question_id: str | None = None
) -> int:
    """Revoke all links of a question, or of the user; return how many were active."""
    live = live_links(storage.users.list_owned(QuestionLink, user_id), now, question_id)
    for link in live:
        revoke_link(storage, link, now)
    return len(live)


def revoke_link(storage: WritableStorage, link: QuestionLink, now: int) -> None:
    """Revoke a link; harmless if it has been revoked before."""
    storage.users.revoke(QuestionLink, link.id, now, user_id=link.user_id)
    storage.note(link.user_id, AuditAction.LINK_REVOKED, now, link.name)
