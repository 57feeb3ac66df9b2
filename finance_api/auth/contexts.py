"""Contexts with ACLs, made by the root factories of the routes."""

from collections.abc import Callable
from typing import Any

from pyramid.authorization import ALL_PERMISSIONS, DENY_ALL, Allow, Deny
from pyramid.config import Configurator

from finance_api.auth.issuing import SCOPES
from finance_api.auth.permissions import PAGES, Permission
from finance_api.auth.policy import (
    BY_FULL_TOKEN,
    BY_JWT,
    BY_SESSION,
    BY_TOKEN,
    NO_PREMIUM,
    by_token_with,
)
from finance_api.http.requests import Request


class OwnData:
    """Data of the authenticated user.

    scopes: the paths of public resources that a personal token needs as scopes.
    """

    def __init__(self, user_id: int, acl: list[Any], scopes: tuple[str, ...] = ()) -> None:
        self.user_id = user_id
        self.scopes = scopes
        self.__acl__ = acl


Factory = Callable[[Request], OwnData]


def own_data(scope: str, permission: Permission) -> Factory:
    """A resource of the public API: for tokens of premium users with its scope."""
    return _own(by_token_with(scope), permission, (scope,))


def all_own_data(permission: Permission) -> Factory:
    """All data of the user: for tokens of premium users with every scope."""
    return _own(BY_FULL_TOKEN, permission, SCOPES)


def own_by_any_token(permission: Permission) -> Factory:
    """Data that needs no particular scope: for all tokens of premium users."""
    return _own(BY_TOKEN, permission)


def own_internal_data(permission: Permission) -> Factory:
    """The internal API: for the user's JSON Web Tokens."""
    return _own(BY_JWT, permission)


def _own(principal: str, permission: Permission, scopes: tuple[str, ...] = ()) -> Factory:
    premium_only = (Deny, NO_PREMIUM, ALL_PERMISSIONS)
    acl = [premium_only, (Allow, principal, permission), DENY_ALL]

    def factory(request: Request) -> OwnData:
        # The authentication tween has refused requests without an identity before.
        return OwnData(request.identity.user.id, acl, scopes)

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
    return OwnData(identity.user.id, [(Allow, BY_SESSION, PAGES), DENY_ALL])


def includeme(config: Configurator) -> None:
    config.set_root_factory(NoContext)
