"""What a request is about, and who may do what with it."""

from collections.abc import Callable
from typing import Any

from pyramid.authorization import ALL_PERMISSIONS, DENY_ALL, Allow, Deny
from pyramid.request import Request

from finance_api.auth.identity import Identity
from finance_api.auth.permissions import Permission
from finance_api.auth.principals import NO_PREMIUM, owner_with_scope


class OwnData:
    """One resource of the authenticated user's own data, on the public surface.

    scope: the path of the resource.
    """

    def __init__(self, identity: Identity, scope: str, permission: Permission) -> None:
        self.user_id = identity.user.id
        self.scope = scope
        self._permission = permission

    def __acl__(self) -> list[Any]:
        return [
            (Deny, NO_PREMIUM, ALL_PERMISSIONS),
            (Allow, owner_with_scope(self.user_id, self.scope), self._permission),
            DENY_ALL,
        ]


def own_data(scope: str, permission: Permission) -> Callable[[Request], OwnData]:
    """A route factory; the authentication tween lets only requests with an identity get here."""

    def factory(request: Request) -> OwnData:
        return OwnData(request.identity, scope, permission)

    return factory
