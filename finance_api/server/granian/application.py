"""The application: made anew in each worker, from what the ini file said at the start."""

from collections.abc import Callable, Mapping
from typing import Any

from paste.deploy.loadwsgi import APP, loadcontext  # type: ignore[import-untyped]

from finance_api.server.hooks import registry_of
from finance_api.server.settings import StartError

_LIMITER = "finance_api.ratelimit.backend"


def recipe(global_conf: Mapping[str, str]) -> Callable[[], Any]:
    """What makes the application of ``[app:main]``, filters included.

    The file is read here and not by the workers, so that a worker that takes another one's place
    serves what the others serve, whatever the file says by then. Environment variables are those
    of this process.
    Raises StartError.
    """
    file = global_conf.get("__file__")
    if not file:
        raise StartError("the server granian needs an ini file, which its workers are made from")
    context = loadcontext(APP, f"config:{file}", name="main", global_conf=dict(global_conf))
    make: Callable[[], Any] = context.create
    return make


def check_shared(app: Any, workers: int) -> None:
    """Raises StartError where several processes would each have a state of their own."""
    registry = registry_of(app)
    settings = getattr(registry, "settings", None) or {}
    if workers == 1:
        return
    if settings.get(_LIMITER) == "memory":
        raise StartError(
            f"server setting workers: {workers} need {_LIMITER} = redis, to count requests together"
        )
    # The memory storage says so. A revocation, or a count of requests, would be known to one.
    if not getattr(getattr(registry, "storage", None), "persistent", True):
        raise StartError(
            f"server setting workers: {workers} need a finance_api.storage that they share; "
            "memory is one process' own"
        )
