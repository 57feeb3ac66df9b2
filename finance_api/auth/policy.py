"""The security policy of the application: identities, and their principals in the ACLs."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pyramid.authorization import ACLHelper
from pyramid.config import Configurator
from pyramid.interfaces import ISecurityPolicy
from zope.interface import implementer

from finance_api.auth.issuing import SCOPES, has_api_access
from finance_api.http.identity import Failure, Identity, JwtIdentity, SessionIdentity
from finance_api.http.requests import Request

#: A user with a personal token, with one of every scope, a JWT, or a session; and without premium.
BY_TOKEN, BY_FULL_TOKEN, BY_JWT, BY_SESSION = "token", "token:*", "jwt", "session"
NO_PREMIUM = "plan:free"


def by_token_with(scope: str) -> str:
    """The principal of a user with a personal token that has the scope."""
    return f"token:{scope}"


@implementer(ISecurityPolicy)
class SecurityPolicy:
    """See `pyramid.interfaces.ISecurityPolicy`. There is nothing to remember or forget."""

    def __init__(self) -> None:
        self._acl = ACLHelper()

    def identity(self, request: Request) -> Identity | None:
        found = request.authentication
        return None if isinstance(found, Failure) else found

    def authenticated_userid(self, request: Request) -> str | None:
        identity = self.identity(request)
        return None if identity is None else identity.user.uuid

    def permits(self, request: Request, context: Any, permission: str) -> Any:
        identity = self.identity(request)
        principals: Sequence[str] = ()
        if isinstance(identity, JwtIdentity):
            principals = (BY_JWT,)
        elif isinstance(identity, SessionIdentity):
            principals = (BY_SESSION,)
        elif identity is not None:
            has_access = has_api_access(identity.user, request.registry.settings)
            principals = _by_token(identity.scopes, has_access)
        return self._acl.permits(context, principals, permission)

    def remember(self, request: Request, userid: str, **options: Any) -> list[tuple[str, str]]:
        return []

    def forget(self, request: Request, **options: Any) -> list[tuple[str, str]]:
        return []


@lru_cache
def _by_token(scopes: tuple[str, ...] | None, has_access: bool) -> tuple[str, ...]:
    scopes = SCOPES if scopes is None else scopes
    principals = [BY_TOKEN, *map(by_token_with, scopes)]
    if set(scopes) >= set(SCOPES):
        principals.append(BY_FULL_TOKEN)
    if not has_access:
        principals.append(NO_PREMIUM)
    return tuple(principals)


def includeme(config: Configurator) -> None:
    config.set_security_policy(SecurityPolicy())
