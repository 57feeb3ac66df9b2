"""The public API as clients of the hosted Wallet REST API know it, below ``/wallet``.

A second representation of the same requests. `objects` has the fields of each object,
`declarations` the lists and their parameters; docs/wallet.md says what is answered to what.
"""

from pyramid.config import Configurator

from finance_api.api.wallet import api_usage, description, lists, records_by_id, references, writes


def includeme(config: Configurator) -> None:
    if config.registry.settings["finance_api.wallet"]:
        for module in (lists, records_by_id, references, api_usage, writes, description):
            for service in module.SERVICES:
                config.add_cornice_service(service)
