"""What the application asked to be called at the end."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

logger = logging.getLogger(__name__)

# Where middleware usually keeps what it wraps.
_WRAPPED = ("app", "application")


def registry_of(app: Any) -> Any:
    """The registry of the Pyramid router in or below ``app``; None without one."""
    seen: set[int] = set()
    while app is not None and id(app) not in seen:
        seen.add(id(app))
        registry = getattr(app, "registry", None)
        if registry is not None:
            return registry
        app = next((getattr(app, name) for name in _WRAPPED if hasattr(app, name)), None)
    return None


def shutdown_hooks(app: Any) -> Iterable[Callable[[], object]]:
    """`Services.close` of the Pyramid router in or below ``app``, else nothing."""
    services = getattr(registry_of(app), "services", None)
    return () if services is None else (services.close,)


def call_shutdown_hooks(app: Any) -> None:
    """Call each; one that raises is logged and keeps none of the others from its turn."""
    for hook in shutdown_hooks(app):
        try:
            hook()
        except Exception:
            logger.exception("a shutdown hook failed")
