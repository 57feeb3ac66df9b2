"""Principals: the names of identities in ACLs; and whom the setting gives the public API."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from finance_api.auth.issuing import SCOPES
from finance_api.http.identity import Identity, JwtIdentity, SessionIdentity
from finance_api.storage.interface import User

NO_PREMIUM = "plan:free"


def has_api_access(user: User, settings: Mapping[str, Any]) -> bool:
    return user.premium or is_open_to_all(settings)


def is_open_to_all(settings: Mapping[str, Any]) -> bool:
    """Return whether every enabled user counts as one with premium."""
    return bool(settings["finance_api.users.api_access"] == "all")


def owner_by_token(user_id: int) -> str:
    """The user with any personal token."""
    return f"user:{user_id}:token"


def owner_with_scope(user_id: int, scope: str) -> str:
    """The user with a personal token that has the scope."""
    return f"user:{user_id}:token:{scope}"


def owner_with_every_scope(user_id: int) -> str:
    """The user with a personal token that has all scopes."""
    return owner_with_scope(user_id, "*")


def owner_by_jwt(user_id: int) -> str:
    """The user with a JSON Web Token."""
    return f"user:{user_id}:jwt"


def owner_by_session(user_id: int) -> str:
    """The user, signed in to the settings pages."""
    return f"user:{user_id}:session"


def principals_of(identity: Identity, *, has_api_access: bool) -> Sequence[str]:
    user = identity.user
    if isinstance(identity, JwtIdentity):
        return [owner_by_jwt(user.id)]
    if isinstance(identity, SessionIdentity):
        return [owner_by_session(user.id)]
    return _by_token(user.id, identity.scopes, has_api_access)


@lru_cache(maxsize=4_096)
def _by_token(
    user_id: int, scopes: tuple[str, ...] | None, has_api_access: bool
) -> tuple[str, ...]:
    scopes = SCOPES if scopes is None else scopes
    principals = [owner_with_scope(user_id, scope) for scope in scopes]
    principals.append(owner_by_token(user_id))
    if set(scopes) >= set(SCOPES):
        principals.append(owner_with_every_scope(user_id))
    if not has_api_access:
        principals.append(NO_PREMIUM)
    return tuple(principals)
