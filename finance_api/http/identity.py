"""Identities: the authenticated user of a request."""

from dataclasses import dataclass, field
from enum import Enum

from finance_api.storage.interface import Session, User


@dataclass(frozen=True, slots=True)
class TokenIdentity:
    """A user with a personal token, on the public API.

    scopes: paths of the resources that the token may read; None means all.
    """

    user: User
    token_id: str
    scopes: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class JwtIdentity:
    """A user with a JSON Web Token, on the internal API."""

    user: User
    jti: str


@dataclass(frozen=True, slots=True)
class SessionIdentity:
    """A signed-in user, on the pages.

    secret: the value of the cookie.
    """

    user: User
    session: Session
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class LinkIdentity:
    """The owner of a saved question. The answer is requested through a link."""

    user: User
    link_id: str
    question_id: str


Identity = TokenIdentity | JwtIdentity | SessionIdentity | LinkIdentity


def credential_id(identity: Identity | None) -> str | None:
    """Return the id of the token or link, or the jti of the JWT; None for other identities."""
    if isinstance(identity, TokenIdentity):
        return identity.token_id
    if isinstance(identity, LinkIdentity):
        return identity.link_id
    return identity.jti if isinstance(identity, JwtIdentity) else None


class Failure(Enum):
    """The reason why there is no identity."""

    #: There is no credential.
    ABSENT = "absent"
    #: The credential is malformed, unknown, revoked, a disabled user's, or for another surface.
    #: Clients do not learn which of these it is.
    INVALID = "invalid"
    #: The credential has expired; or it is a link that no longer works, for whatever reason.
    EXPIRED = "expired"
