"""How many files and sockets a process may have open."""

import logging
import resource

logger = logging.getLogger(__name__)

# Files, database connections and answers spooled to disk need descriptors beside the sockets.
_SPARE_DESCRIPTORS = 256


def allow_descriptors(connections: int) -> None:
    """Raise the system's limit so that it is enough for that many connections."""
    wanted = connections + _SPARE_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed < wanted:
        logger.warning("the system allows %d open files, %d are wanted", allowed, wanted)
