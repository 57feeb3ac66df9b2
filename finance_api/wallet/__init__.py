"""The public API as clients of the hosted Wallet REST API know it, below ``/wallet``.

This is a second representation of the same data. `objects` has the members of each object,
`declarations` the lists and their parameters; docs/wallet.md describes the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # For types only: commands run without the web framework.
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    from finance_api.http.tweens import TRACING, TWEENS
    from finance_api.wallet import lists, others, responses

    for module in (responses, lists, others):
        for service in module.SERVICES:
            config.add_cornice_service(service)
    # Errors below /wallet look like Wallet's.
    config.add_tween(
        "finance_api.wallet.responses.wallet_tween", under=(TRACING, TWEENS[0]), over=TWEENS[1]
    )
