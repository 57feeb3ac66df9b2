"""Contexts with ACLs, made by the root factories of the routes."""

from collections.abc import Callable
from typing import Any

from pyramid.authorization import ALL_PERMISSIONS, DENY_ALL, Allow, Deny
from pyramid.config import Configurator

from finance_api.auth.issuing import SCOPES
from finance_api.auth.permissions import PAGES, Permission
from finance_api.auth.principals import (
    NO_PREMIUM,
    owner_by_jwt,
    owner_by_session,
    owner_by_token,
    owner_with_every_scope,
    owner_with_scope,
)
from finance_api.http.requests import Request

_PREMIUM_ONLY = (Deny, NO_PREMIUM, ALL_PERMISSIONS)


class OwnData:
    """Data of the authenticated user.

    scopes: the paths of public resources that a personal token needs as scopes.
    """

    def __init__(self, user_id: int, acl: list[Any], scopes: tuple[str, ...] = ()) -> None:
        self.user_id = user_id
        self.scopes = scopes
        self._acl = acl

    def __acl__(self) -> list[Any]:
        return [*self._acl, DENY_ALL]


Factory = Callable[[Request], OwnData]

# The authentication tween has refused requests without an identity before.


def own_data(scope: str, permission: Permission) -> Factory:
    """A resource of the public API: for tokens of premium users with its scope."""

    def factory(request: Request) -> OwnData:
        user_id = request.identity.user.id
        owner = owner_with_scope(user_id, scope)
        return OwnData(user_id, [_PREMIUM_ONLY, (Allow, owner, permission)], (scope,))

    return factory


def all_own_data(permission: Permission) -> Factory:
    """All that the user has: for tokens of premium users with every scope."""

    def factory(request: Request) -> OwnData:
        user_id = request.identity.user.id
        owner = owner_with_every_scope(user_id)
        return OwnData(user_id, [_PREMIUM_ONLY, (Allow, owner, permission)], SCOPES)

    return factory


def own_by_any_token(permission: Permission) -> Factory:
    """What needs no particular scope: for all tokens of premium users."""

    def factory(request: Request) -> OwnData:
        user_id = request.identity.user.id
        return OwnData(user_id, [_PREMIUM_ONLY, (Allow, owner_by_token(user_id), permission)])

    return factory


def own_internal_data(permission: Permission) -> Factory:
    """The internal API: for the user's JSON Web Tokens."""

    def factory(request: Request) -> OwnData:
        user_id = request.identity.user.id
        return OwnData(user_id, [(Allow, owner_by_jwt(user_id), permission)])

    return factory


class NoContext:
    """The default context: denies everything."""

    __acl__ = (DENY_ALL,)

    def __init__(self, request: Request) -> None: ...


def own_pages(request: Request) -> OwnData | NoContext:
    """The pages: for signed-in users."""
    identity = request.identity
    if identity is None:
        return NoContext(request)
    user_id = identity.user.id
    return OwnData(user_id, [(Allow, owner_by_session(user_id), PAGES)])


def includeme(config: Configurator) -> None:
    config.set_root_factory(NoContext)
