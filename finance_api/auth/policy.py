"""The security policy of the application: identities and ACLs."""

from typing import Any

from pyramid.authorization import ACLHelper
from pyramid.config import Configurator
from pyramid.interfaces import ISecurityPolicy
from zope.interface import implementer

from finance_api.auth.principals import has_api_access, principals_of
from finance_api.http.identity import Failure, Identity
from finance_api.http.requests import Request


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
        if identity is None:
            return self._acl.permits(context, (), permission)
        has_access = has_api_access(identity.user, request.registry.settings)
        principals = principals_of(identity, has_api_access=has_access)
        return self._acl.permits(context, principals, permission)

    def remember(self, request: Request, userid: str, **options: Any) -> list[tuple[str, str]]:
        return []

    def forget(self, request: Request, **options: Any) -> list[tuple[str, str]]:
        return []


def includeme(config: Configurator) -> None:
    config.set_security_policy(SecurityPolicy())
