"""The headers of Wallet's answers."""

from finance_api.api.representation import HeaderItems
from finance_api.api.wallet.members import moment
from finance_api.storage.interface import DataState


def state_headers(state: DataState) -> HeaderItems:
    """Those of lists. There is no synchronisation."""
    return (
        ("X-Last-Data-Change-At", moment(state.changed_at) or ""),
        ("X-Last-Data-Change-Rev", f"r{state.revision}"),
        ("X-Sync-In-Progress", "false"),
    )
