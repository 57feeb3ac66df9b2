"""Who a request comes from."""

from dataclasses import dataclass, field
from enum import Enum

from finance_api.storage.interface import Session, User


@dataclass(frozen=True, slots=True)
class TokenIdentity:
    """A user, by a personal token: on the public surface.

    scopes: paths of the resources that the token may read; None means all.
    """

    user: User
    token_id: str
    scopes: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class JwtIdentity:
    """A user, by a JSON Web Token: on the internal surface."""

    user: User
    jti: str


@dataclass(frozen=True, slots=True)
class SessionIdentity:
    """A user who signed in: on the settings pages.

    secret: what the cookie holds.
    """

    user: User
    session: Session
    secret: str = field(repr=False)


Identity = TokenIdentity | JwtIdentity | SessionIdentity


def credential_id(identity: Identity | None) -> str | None:
    """The id of a personal token, or the jti of a JWT; None for what is neither."""
    if isinstance(identity, TokenIdentity):
        return identity.token_id
    return identity.jti if isinstance(identity, JwtIdentity) else None


class Failure(Enum):
    """Why there is no identity."""

    #: No credential was sent.
    ABSENT = "absent"
    #: One was sent that is malformed, unknown, revoked, of a disabled user, or not for this
    #: surface: not told apart.
    INVALID = "invalid"
    EXPIRED = "expired"
