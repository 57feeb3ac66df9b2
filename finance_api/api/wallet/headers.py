"""The headers of Wallet's answers."""

from finance_api.api.openapi.responses import OF_DATA, Header
from finance_api.api.representation import HeaderItems
from finance_api.api.wallet.members import moment
from finance_api.storage.interface import DataState

#: Of every response to a token.
OF_TOKEN = (
    Header(
        "X-RateLimit-Limit-Hour", "As X-RateLimit-Limit, if that is by hour.", "500", always=False
    ),
    Header(
        "X-RateLimit-Remaining-Hour",
        "As X-RateLimit-Remaining, if that is by hour.",
        "499",
        always=False,
    ),
)
_STATE = {
    "X-Last-Data-Change-At": Header(
        "X-Last-Data-Change-At", "When the data changed last.", "2026-01-31T10:00:00.000Z"
    ),
    "X-Last-Data-Change-Rev": Header(
        "X-Last-Data-Change-Rev", "The revision of the data: another with each change.", "r17"
    ),
}
#: Of lists.
OF_LIST = (
    *(_STATE.get(header.name, header) for header in OF_DATA),
    Header("X-Sync-In-Progress", "Always false.", "false"),
)
#: Of other answers about the user's data.
OF_OTHERS = tuple(header for header in OF_DATA if header.name not in _STATE)


def state_headers(state: DataState) -> HeaderItems:
    """Those of lists. There is no synchronisation."""
    return (
        ("X-Last-Data-Change-At", moment(state.changed_at) or ""),
        ("X-Last-Data-Change-Rev", f"r{state.revision}"),
        ("X-Sync-In-Progress", "false"),
    )
