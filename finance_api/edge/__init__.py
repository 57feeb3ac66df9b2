"""What every request passes before anything else: its id, its limits, its host, CORS.

The order of all tweens, outermost first:

1. `edge.request_id`: the id, the access log, and an answer even to what nothing else caught
2. `edge.request_limits`: what is not let in at all
3. `edge.cors`
4. `usage.counting`: what was answered is counted
5. `housekeeping`: begins with the first request
6. Pyramid's exception views
7. `ratelimit.tween`: 429
8. `auth.tween`: 401
9. `api.cached_dispatch`: what is plain needs no router
10. Pyramid's router
"""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    config.include("finance_api.edge.request_id")
    config.include("finance_api.edge.request_limits")
    config.include("finance_api.edge.cors")
