"""Who a request comes from."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

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


def known_identity(request: Any) -> Identity | None:
    """The identity of a request, as far as it was asked for: who it is, is not found out for this.

    For what comes after the request's transaction, or must not fail as finding out may.
    """
    found = vars(request).get("authentication")
    return None if isinstance(found, Failure) else found


class Failure(Enum):
    """Why there is no identity."""

    #: No credential was sent.
    ABSENT = "absent"
    #: One was sent that is malformed, unknown, revoked, of a disabled user, or not for this
    #: surface: not told apart.
    INVALID = "invalid"
    EXPIRED = "expired"
