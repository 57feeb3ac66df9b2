"""What an answer needs beside the scope of its own resource."""

from collections.abc import Sequence

from finance_api.auth.identity import TokenIdentity
from finance_api.auth.refusals import lacks_scopes
from finance_api.requests import Request


def require_scopes(request: Request, scopes: Sequence[str]) -> None:
    """Raises a 403 if the request's token lacks one."""
    identity = request.known_identity
    assert isinstance(identity, TokenIdentity)
    if identity.scopes is not None:
        missing = [scope for scope in dict.fromkeys(scopes) if scope not in identity.scopes]
        if missing:
            raise lacks_scopes(missing, scopes)
