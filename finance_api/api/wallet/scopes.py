"""What an answer needs beside the scope of its own resource."""

from collections.abc import Sequence

from finance_api.auth.refusals import lacks_scopes
from finance_api.http.identity import TokenIdentity
from finance_api.http.requests import Request
from finance_api.resources import CATEGORIES, LABELS, RECORD_RULES, STANDING_ORDERS
from finance_api.resources.field import Resource

#: They show categories and labels, which have scopes of their own.
_WITH_NAMES = (RECORD_RULES, STANDING_ORDERS)


def require_scopes(request: Request, scopes: Sequence[str]) -> None:
    """Raises a 403 if the request's token lacks one."""
    identity = request.known_identity
    assert isinstance(identity, TokenIdentity)
    if identity.scopes is not None:
        missing = [scope for scope in dict.fromkeys(scopes) if scope not in identity.scopes]
        if missing:
            raise lacks_scopes(missing, scopes)


def hidden_names(request: Request, resource: Resource) -> frozenset[str]:
    """The scopes that the request's token lacks: of their objects the list shows only the ids."""
    identity = request.known_identity
    assert isinstance(identity, TokenIdentity)
    if resource not in _WITH_NAMES or identity.scopes is None:
        return frozenset()
    return frozenset({str(CATEGORIES.path), str(LABELS.path)} - set(identity.scopes))
