"""401 before any other response of a surface, such as 404, 405 and 400."""

from pyramid.registry import Registry
from pyramid.response import Response

from finance_api.auth.refusals import unauthorized
from finance_api.http.errors import problem
from finance_api.http.identity import Failure
from finance_api.http.querystring import split_query
from finance_api.http.requests import Handler, Request
from finance_api.http.surfaces import needs_token

#: Query parameters for tokens in other services; logs and browser histories would record them.
TOKEN_PARAMETERS = frozenset({"access_token", "token", "api_key", "apikey", "api_token"})
TOKEN_IN_QUERY = "a token goes into the header Authorization: Bearer <token>, never into the URL"  # noqa: S105


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
    """400 instead of 401, so that the client learns where its token belongs.

    With a valid token in the header the parameter is one of the faults of the query string.
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
