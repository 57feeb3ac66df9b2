"""What an identity counts as in an ACL."""

from finance_api.auth.identity import Identity, JwtIdentity, SessionIdentity
from finance_api.auth.issuing import SCOPES

NO_PREMIUM = "plan:free"


def owner_by_token(user_id: int) -> str:
    """The user, by any personal token."""
    return f"user:{user_id}:token"


def owner_with_scope(user_id: int, scope: str) -> str:
    """The user, by a personal token that has the scope."""
    return f"user:{user_id}:token:{scope}"


def owner_by_jwt(user_id: int) -> str:
    """The user, by a JSON Web Token."""
    return f"user:{user_id}:jwt"


def owner_by_session(user_id: int) -> str:
    """The user, signed in to the settings pages."""
    return f"user:{user_id}:session"


def principals_of(identity: Identity) -> list[str]:
    user = identity.user
    if isinstance(identity, JwtIdentity):
        return [owner_by_jwt(user.id)]
    if isinstance(identity, SessionIdentity):
        return [owner_by_session(user.id)]
    scopes = SCOPES if identity.scopes is None else identity.scopes
    principals = [owner_with_scope(user.id, scope) for scope in scopes]
    principals.append(owner_by_token(user.id))
    if not user.premium:
        principals.append(NO_PREMIUM)
    return principals
