"""401 and 403 responses; the tween sends a 401 before any other response, such as 404 or 400."""

from collections.abc import Sequence

from pyramid.authorization import ACLDenied
from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPException, HTTPForbidden
from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.auth.policy import NO_PREMIUM
from finance_api.http.errors import CONTENT_TYPE, as_problem, problem
from finance_api.http.identity import Failure, TokenIdentity
from finance_api.http.querystring import split_query
from finance_api.http.requests import Handler, Request
from finance_api.http.surfaces import needs_token

REALM = "finance_api"
NEEDS_PREMIUM = (
    "The public API needs premium, which your administrator can give to you, or to all users with "
    "the setting finance_api.users.api_access."
)

_DETAILS = {
    Failure.ABSENT: "A token is needed: send the header Authorization: Bearer <token>.",
    Failure.INVALID: "The token is not valid.",
    Failure.EXPIRED: "The token has expired.",
}

#: Other services take tokens in these query parameters, which logs and browser histories record.
TOKEN_PARAMETERS = frozenset({"access_token", "token", "api_key", "apikey", "api_token"})
TOKEN_IN_QUERY = "send a token in the header Authorization: Bearer <token>, never in the URL"  # noqa: S105


def unauthorized(failure: Failure) -> Response:
    """Make a 401; it has an ``error`` only if a token was sent (RFC 6750, section 3)."""
    challenge = f'Bearer realm="{REALM}"'
    if failure is not Failure.ABSENT:
        challenge += ', error="invalid_token"'
    return problem(401, _DETAILS[failure], headers={"WWW-Authenticate": challenge})


def authentication_tween(handler: Handler, registry: Registry) -> Handler:
    def tween(request: Request) -> Response:
        if needs_token(request.environ["PATH_INFO"]) and isinstance(
            request.authentication, Failure
        ):
            _refuse_token_in_query(request)
            raise unauthorized(request.authentication)
        return handler(request)

    return tween


def _refuse_token_in_query(request: Request) -> None:
    """Raise a 400 instead of a 401, so that the client learns where its token belongs.

    If the header has a valid token, this parameter is reported with other query string faults.
    """
    if not request.query_string:
        return
    names = [name for name, _ in split_query(request.query_string)]
    errors = [
        {"in": "query", "name": name, "message": TOKEN_IN_QUERY}
        for name in dict.fromkeys(names)
        if name.lower() in TOKEN_PARAMETERS
    ]
    if errors:
        raise problem(400, f"{errors[0]['name']}: {TOKEN_IN_QUERY}", errors=errors)


def forbidden(error: HTTPForbidden, request: Request) -> Response:
    """Return a 403 for an authenticated request, a 401 for others."""
    if error.content_type == CONTENT_TYPE:
        return as_problem(error, request)
    if isinstance(request.authentication, Failure):
        return unauthorized(request.authentication)
    denied = error.result
    if isinstance(denied, ACLDenied) and denied.ace and denied.ace[1] == NO_PREMIUM:
        return problem(403, NEEDS_PREMIUM)
    scopes = getattr(request.context, "scopes", ())
    if not scopes or not isinstance(request.authentication, TokenIdentity):
        return problem(403, "The token does not allow this.")
    missing = [scope for scope in scopes if scope not in (request.authentication.scopes or ())]
    return lacks_scopes(missing, scopes)


def lacks_scopes(missing: Sequence[str], scopes: Sequence[str]) -> HTTPException:
    """Make a 403 (RFC 6750, section 3.1). scopes: all that are needed."""
    return problem(
        403,
        f"The token lacks the scope{'s' if len(missing) > 1 else ''} {', '.join(missing)}.",
        headers={
            "WWW-Authenticate": f'Bearer realm="{REALM}", error="insufficient_scope", '
            f'scope="{" ".join(scopes)}"'
        },
    )


def require_scopes(request: Request, scopes: Sequence[str]) -> None:
    """Raise a 403 if the request's token lacks one."""
    identity = request.known_identity
    assert isinstance(identity, TokenIdentity)
    if identity.scopes is not None:
        missing = [scope for scope in dict.fromkeys(scopes) if scope not in identity.scopes]
        if missing:
            raise lacks_scopes(missing, scopes)


def includeme(config: Configurator) -> None:
    config.add_forbidden_view(forbidden)
