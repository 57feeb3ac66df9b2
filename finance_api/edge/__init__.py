"""What every request passes before anything else: its id, its limits, its host, CORS.

The order of all tweens, outermost first:

1. `edge.request_id`: the id, the access log, and an answer even to what nothing else caught
2. `edge.admission`: what is not let in at all
3. `edge.cors`
4. Pyramid's exception views
5. `ratelimit.tween`: 429
6. `auth.tween`: 401
7. Pyramid's router
"""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    config.include("finance_api.edge.request_id")
    config.include("finance_api.edge.admission")
    config.include("finance_api.edge.cors")
