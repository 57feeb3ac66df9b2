"""The short way for requests that have nothing wrong with them.

Pyramid's router finds a route, a context and a view, and Cornice validates; each time anew, though
for the same path, query and Accept it always comes to the same. Here that is remembered, and the
request is answered by the very code that the view calls. Whatever is not plain, such as a faulty
parameter or a missing permission, goes on to the router, which knows what to say to it.
"""

from collections.abc import Callable
from functools import lru_cache

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPException
from pyramid.registry import Registry
from pyramid.request import Request
from pyramid.response import Response

from finance_api.api.answering import respond
from finance_api.api.inquiry import Inquiry, Target
from finance_api.api.parameters import read_parameters
from finance_api.api.service import DataEndpoint, DataService

#: How many inquiries are remembered, and how long what the client wrote may be.
_REMEMBERED = 1_024
_LONGEST = 4_096

Handler = Callable[[Request], Response]


def fast_lane_tween(handler: Handler, registry: Registry) -> Handler:
    endpoints: dict[str, DataEndpoint] = {
        service.path: service.endpoint
        for service in registry.cornice_services.values()
        if isinstance(service, DataService)
    }
    permits = registry.security_policy.permits

    def inquiry_of(target: Target) -> Inquiry | None:
        endpoint = endpoints[target.path]
        validated, faults = read_parameters(endpoint.schema, target.query_string)
        if faults:
            return None
        try:
            return endpoint.inquire(validated, target)
        except HTTPException:
            return None

    remembered = lru_cache(maxsize=_REMEMBERED)(inquiry_of)

    def tween(request: Request) -> Response:
        environ = request.environ
        endpoint = endpoints.get(environ["PATH_INFO"])
        if endpoint is None or environ["REQUEST_METHOD"] != "GET" or environ.get("SCRIPT_NAME"):
            return handler(request)
        target = Target(
            environ["PATH_INFO"], environ.get("QUERY_STRING", ""), environ.get("HTTP_ACCEPT")
        )
        is_short = len(target.query_string) + len(target.accept or "") <= _LONGEST
        inquiry = remembered(target) if is_short else inquiry_of(target)
        if inquiry is None or not permits(request, endpoint.context(request), endpoint.permission):
            return handler(request)
        return respond(request, inquiry)

    return tween


def includeme(config: Configurator) -> None:
    config.add_tween(
        "finance_api.api.fast_lane.fast_lane_tween",
        under="finance_api.auth.tween.authentication_tween",
    )
