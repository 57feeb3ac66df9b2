"""Authorisation: permissions, contexts with ACLs, and the security policy.

A permission is ``<surface>:<resource>:<action>``; each view has one. The root factories of the
routes make the contexts.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any

from pyramid.authorization import ALL_PERMISSIONS, DENY_ALL, ACLHelper, Allow, Deny
from pyramid.config import Configurator
from pyramid.exceptions import ConfigurationError

from finance_api.auth.personal_tokens import DATA_SCOPES, SCOPES, is_open_to_all
from finance_api.http.identity import Failure, Identity, JwtIdentity, LinkIdentity, SessionIdentity
from finance_api.http.requests import Request
from finance_api.storage.interface import User


class Permission(StrEnum):
    RECORDS_READ = "public:records:read"
    ACCOUNTS_READ = "public:accounts:read"
    CATEGORIES_READ = "public:categories:read"
    BUDGETS_READ = "public:budgets:read"
    GOALS_READ = "public:goals:read"
    STANDING_ORDERS_READ = "public:standing-orders:read"
    LABELS_READ = "public:labels:read"
    RECORD_RULES_READ = "public:record-rules:read"
    QUESTIONS_READ = "public:questions:read"
    CHANGES_READ = "public:changes:read"
    ALL_READ = "public:all:read"
    API_USAGE_READ = "public:api-usage:read"
    INTERNAL_RECORDS_READ = "internal:records:read"
    INTERNAL_DOCUMENTS_READ = "internal:documents:read"
    LINK_READ = "link:answer:read"
    SETTINGS_READ = "settings:all:read"
    SETTINGS_TOKENS_WRITE = "settings:tokens:write"
    SETTINGS_JWTS_WRITE = "settings:jwts:write"
    SETTINGS_PROFILE_WRITE = "settings:profile:write"
    SETTINGS_SECURITY_WRITE = "settings:security:write"
    QUESTIONS_SHOW = "pages:questions:read"
    QUESTIONS_CHANGE = "pages:questions:write"
    DATA_READ = "pages:data:read"
    DATA_WRITE = "pages:data:write"


#: The permissions of the pages.
PAGES = tuple(p for p in Permission if p.startswith(("pages:", "settings:")))


def require_permission(view: Callable[..., Any], info: Any) -> Callable[..., Any]:
    """Refuse to register a view without a permission. This is a view deriver."""
    if info.options.get("permission") is None and not info.exception_only:
        raise ConfigurationError(f"the view {info.original_view!r} has no permission")
    return view


#: Principals: users with a personal token, a token with every scope, a JWT, a session; people with
#: a link; users without premium.
BY_TOKEN, BY_FULL_TOKEN, BY_JWT, BY_SESSION = "token", "token:*", "jwt", "session"
BY_LINK = "link"
NO_PREMIUM = "plan:free"


def by_token_with(scope: str) -> str:
    """Return the principal of a user with a personal token that has the scope."""
    return f"token:{scope}"


class SecurityPolicy:
    """Pyramid's security policy (`ISecurityPolicy`), without what only a sign-in of Pyramid uses:
    there is nothing to remember or forget."""

    def __init__(self) -> None:
        self._acl = ACLHelper()

    def identity(self, request: Request) -> Identity | None:
        found = request.authentication
        return None if isinstance(found, Failure) else found

    def permits(self, request: Request, context: Any, permission: str) -> Any:
        identity = self.identity(request)
        principals: Sequence[str] = ()
        if isinstance(identity, JwtIdentity):
            principals = (BY_JWT,)
        elif isinstance(identity, SessionIdentity):
            principals = (BY_SESSION,)
        elif isinstance(identity, LinkIdentity):
            principals = (BY_LINK,)
        elif identity is not None:
            has_access = has_api_access(identity.user, request.registry.settings)
            principals = _by_token(identity.scopes, has_access)
        return self._acl.permits(context, principals, permission)


@lru_cache
def _by_token(scopes: tuple[str, ...] | None, has_access: bool) -> tuple[str, ...]:
    scopes = SCOPES if scopes is None else scopes
    principals = [BY_TOKEN, *map(by_token_with, scopes)]
    if set(scopes) >= set(DATA_SCOPES):
        principals.append(BY_FULL_TOKEN)
    if not has_access:
        principals.append(NO_PREMIUM)
    return tuple(principals)


def has_api_access(user: User, settings: Mapping[str, Any]) -> bool:
    """Return whether the user may use the public API."""
    return user.premium or is_open_to_all(settings)


class OwnData:
    """The context of data of the authenticated user.

    scopes: the scopes that a personal token needs, which are paths of public resources.
    """

    def __init__(self, *acl: tuple[str, str, Any], scopes: tuple[str, ...] = ()) -> None:
        self.scopes = scopes
        self.__acl__ = (*acl, DENY_ALL)


Factory = Callable[[Request], OwnData]


def scopes_for(permission: str) -> tuple[str, ...]:
    """Return the scopes that a personal token needs for the permission."""
    surface, _, rest = permission.partition(":")
    resource = rest.partition(":")[0]
    if surface != "public":
        return ()
    if permission == Permission.ALL_READ:
        return DATA_SCOPES
    return (resource,) if resource in SCOPES else ()


def own_data(permission: Permission) -> Factory:
    """Return the context factory of data that premium users may read.

    The internal API takes a JSON Web Token; the public one a token with the scopes that the
    permission needs, or any token if it needs none.
    """
    scopes = scopes_for(permission)
    principal = BY_TOKEN
    if permission.startswith("internal:"):
        principal = BY_JWT
    elif len(scopes) == 1:
        principal = by_token_with(scopes[0])
    elif scopes:
        principal = BY_FULL_TOKEN
    no_premium = (Deny, NO_PREMIUM, ALL_PERMISSIONS)
    return _always(OwnData(no_premium, (Allow, principal, permission), scopes=scopes))


def _always(context: OwnData) -> Factory:
    return lambda request: context


#: The context for reading a saved question's answer through one of its links.
own_answer = _always(OwnData((Allow, BY_LINK, Permission.LINK_READ)))
#: The context of the pages, for signed-in users.
own_pages = _always(OwnData((Allow, BY_SESSION, PAGES)))
#: The default context, which denies everything.
no_access = _always(OwnData())


def includeme(config: Configurator) -> None:
    config.set_root_factory(no_access)
    config.add_view_deriver(require_permission, name="require_permission")
    config.set_security_policy(SecurityPolicy())
