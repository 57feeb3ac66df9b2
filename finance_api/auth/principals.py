"""What an identity counts as in an ACL."""

from finance_api.auth.identity import Identity
from finance_api.auth.issuing import SCOPES

NO_PREMIUM = "plan:free"


def owner_with_scope(user_id: int, scope: str) -> str:
    """The user, by a token that has the scope."""
    return f"user:{user_id}:{scope}"


def principals_of(identity: Identity) -> list[str]:
    scopes = SCOPES if identity.scopes is None else identity.scopes
    principals = [owner_with_scope(identity.user.id, scope) for scope in scopes]
    if not identity.user.premium:
        principals.append(NO_PREMIUM)
    return principals
