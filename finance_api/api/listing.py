"""One page of a resource, as every list of the public surface answers it, and links to the next."""

from urllib.parse import quote, urlencode

from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.conditional import Freshness
from finance_api.api.parameters import query_of
from finance_api.api.representation import negotiate, next_offset
from finance_api.planning.computing import depends_on_today, list_computed
from finance_api.query.render import canonical_text
from finance_api.querystring import split_query
from finance_api.resources.field import Resource
from finance_api.values.time import DAY_SECONDS, date_text


def list_response(request: Request, resource: Resource) -> Response:
    """The page that the validated parameters ask for, or 304."""
    representation = negotiate(request)
    query = query_of(resource, request.validated)
    user_id = request.context.user_id
    now = request.registry.clock.now()
    today = now - now % DAY_SECONDS
    freshness = Freshness(
        request,
        request.storage.get_data_state(user_id),
        representation.media_type,
        canonical_text(query),
        date_text(today) if depends_on_today(resource) else "",
    )
    if freshness.is_known_to_client:
        return freshness.not_modified()
    page = list_computed(request.storage, user_id, query, today)
    response = freshness.mark(representation.write_page(query, page))
    return link_next(request, response, next_offset(query, page))


def link_next(request: Request, response: Response, offset: int | None) -> Response:
    """Adds where the next page is (RFC 8288), unless ``offset`` is None."""
    if offset is not None:
        response.headers["Link"] = f'<{_url_at(request, offset)}>; rel="next"'
    return response


def _url_at(request: Request, offset: int) -> str:
    """This request's path and query with another offset; the Host header has no part in it."""
    pairs = [(k, v or "") for k, v in split_query(request.query_string) if k != "offset"]
    return f"{request.path}?{urlencode([*pairs, ('offset', offset)], quote_via=quote)}"
