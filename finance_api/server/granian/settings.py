"""The keys of the ``[server:granian]`` section."""

from dataclasses import dataclass

from finance_api.server.settings import ServerSettings


@dataclass(frozen=True)
class GranianSettings(ServerSettings):
    """Those of waitress, and how many processes.

    workers: processes. threads, connection_limit: of each of them.
    header_seconds: also how long a connection may idle between two requests.
    """

    workers: int = 1
