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

from finance_api.api.conditional import respond
from finance_api.api.data_request import DataRequest, RequestTarget
from finance_api.api.parameters import read_parameters
from finance_api.api.service import DataEndpoint, DataService

#: How many data requests are remembered, and how long what the client wrote may be.
_REMEMBERED = 1_024
_LONGEST = 4_096

Handler = Callable[[Request], Response]


def cached_dispatch_tween(handler: Handler, registry: Registry) -> Handler:
    endpoints: dict[str, DataEndpoint] = {
        service.path: service.endpoint
        for service in registry.cornice_services.values()
        if isinstance(service, DataService)
    }
    permits = registry.security_policy.permits

    def data_request_of(target: RequestTarget) -> DataRequest | None:
        endpoint = endpoints[target.path]
        validated, faults = read_parameters(endpoint.schema, target.query_string)
        if faults:
            return None
        try:
            return endpoint.parse(validated, target)
        except HTTPException:
            return None

    remembered = lru_cache(maxsize=_REMEMBERED)(data_request_of)

    def tween(request: Request) -> Response:
        environ = request.environ
        endpoint = endpoints.get(environ["PATH_INFO"])
        if endpoint is None or environ["REQUEST_METHOD"] != "GET" or environ.get("SCRIPT_NAME"):
            return handler(request)
        target = RequestTarget(
            environ["PATH_INFO"], environ.get("QUERY_STRING", ""), environ.get("HTTP_ACCEPT")
        )
        is_short = len(target.query_string) + len(target.accept or "") <= _LONGEST
        data_request = remembered(target) if is_short else data_request_of(target)
        if data_request is None or not permits(
            request, endpoint.context(request), endpoint.permission
        ):
            return handler(request)
        return respond(request, data_request)

    return tween


def includeme(config: Configurator) -> None:
    config.add_tween(
        "finance_api.api.cached_dispatch.cached_dispatch_tween",
        under="finance_api.auth.tween.authentication_tween",
    )
