"""The order of the tweens: what each request passes before Pyramid's router."""

from pyramid.config import Configurator
from pyramid.registry import Registry
from pyramid.response import Response
from pyramid.tweens import EXCVIEW, INGRESS, MAIN

from finance_api.http.requests import Handler, Request
from finance_api.runtime.settings import SettingError
from finance_api.runtime.time_limit import time_limit

#: Outermost first. Plug-ins add theirs between them.
TWEENS = (
    # The id, HSTS, the access log, and a response if nothing else has made one.
    "finance_api.http.request_id.request_id_tween",
    # 400, 403, 414, 431
    "finance_api.http.request_limits.request_limits_tween",
    "finance_api.http.cors.cors_tween",
    # Counts responses, so it is outside of the tweens that make them.
    "finance_api.usage.counting.usage_tween",
    "finance_api.http.tweens.periodic_work_tween",
    # Pyramid's: turns exceptions from further in into responses.
    EXCVIEW,
    # 503 for requests that take too long
    "finance_api.http.tweens.time_limit_tween",
    # 429
    "finance_api.ratelimit.tween.ratelimit_tween",
    # 401
    "finance_api.auth.refusals.authentication_tween",
)


#: Inside of the tween of the id, if tracing is switched on.
TRACING = "finance_api.http.tracing.tracing_tween"


def includeme(config: Configurator) -> None:
    if config.get_settings()["finance_api.traces"]:
        try:
            config.add_tween(TRACING, under=TWEENS[0], over=TWEENS[1])
        except ImportError as error:
            raise SettingError(
                f"finance_api.traces: needs the package {error.name}; "
                "install finance-api with its extra otel"
            ) from None
    for outer, tween, inner in zip((INGRESS, *TWEENS), TWEENS, (*TWEENS[1:], MAIN), strict=False):
        if tween != EXCVIEW:
            config.add_tween(tween, under=outer, over=inner)


def periodic_work_tween(handler: Handler, registry: Registry) -> Handler:
    """Start periodic work with the first request: the process at start-up may not be serving."""

    def tween(request: Request) -> Response:
        request.services.housekeeping.start()
        request.services.sampling.start()
        return handler(request)

    return tween


def time_limit_tween(handler: Handler, registry: Registry) -> Handler:
    """Limit the time of every request. A data request starts a new limit when it gets its turn."""

    def tween(request: Request) -> Response:
        with time_limit(request.services.statement_seconds):
            return handler(request)

    return tween
