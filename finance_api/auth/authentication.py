"""A personal token -> who it belongs to."""

import secrets

from pyramid.request import Request

from finance_api.auth.bearer import MalformedHeader, bearer_token
from finance_api.auth.identity import Failure, Identity
from finance_api.auth.personal_tokens import digest, is_well_formed
from finance_api.storage.errors import NotFound


def authenticate(request: Request) -> Identity | Failure:
    """The identity behind the request's token, or why there is none. Raises StorageUnavailable.

    The storage is asked at every request, so that a revocation holds from the next one on; it is
    not asked about what cannot be a token.
    """
    try:
        text = bearer_token(request.headers.get("Authorization"))
    except MalformedHeader:
        return Failure.INVALID
    if text is None:
        return Failure.ABSENT
    if not is_well_formed(text):
        return Failure.INVALID
    sha256 = digest(text)
    try:
        token, user = request.storage.get_token_owner(sha256)
    except NotFound:
        return Failure.INVALID
    matches = secrets.compare_digest(token.sha256, sha256)
    if not matches or token.revoked_at is not None or not user.enabled:
        return Failure.INVALID
    now = request.registry.clock.now()
    if token.expires_at is not None and token.expires_at <= now:
        return Failure.EXPIRED
    request.registry.last_used.note(token.id, now)
    return Identity(user, token.id, token.scopes)
