"""The order of the tweens: what each request passes before Pyramid's router."""

from pyramid.config import Configurator
from pyramid.tweens import EXCVIEW, INGRESS, MAIN

#: Outermost first.
TWEENS = (
    # The id, HSTS, the access log, and a response even where nothing else made one.
    "finance_api.edge.request_id.request_id_tween",
    # What is refused below /wallet is refused as Wallet does it.
    "finance_api.api.wallet.errors.wallet_tween",
    # 400, 403, 414, 431
    "finance_api.edge.request_limits.request_limits_tween",
    "finance_api.edge.cors.cors_tween",
    # Counts responses, so it is outside of what makes them.
    "finance_api.usage.counting.usage_tween",
    "finance_api.housekeeping.housekeeping_tween",
    # Pyramid's: what is raised further in becomes a response here.
    EXCVIEW,
    # 429
    "finance_api.ratelimit.tween.ratelimit_tween",
    # 401
    "finance_api.auth.tween.authentication_tween",
    # Innermost: it answers in the place of the router.
    "finance_api.api.cached_dispatch.cached_dispatch_tween",
)


def includeme(config: Configurator) -> None:
    for outer, tween, inner in zip((INGRESS, *TWEENS), TWEENS, (*TWEENS[1:], MAIN), strict=False):
        if tween != EXCVIEW:
            config.add_tween(tween, under=outer, over=inner)
