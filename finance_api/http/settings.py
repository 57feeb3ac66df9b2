"""The settings of the parts that every request passes through."""

from finance_api.runtime.settings import (
    Setting,
    address,
    boolean,
    hosts,
    integer,
    networks,
    origins,
    words,
)

SETTINGS = (
    Setting("finance_api.plugins", words, "finance_api.wallet finance_api.web"),
    Setting("finance_api.allowed_hosts", hosts, "localhost 127.0.0.1 [::1]"),
    Setting("finance_api.public_address", address, ""),
    Setting("finance_api.require_https", boolean, "false"),
    Setting("finance_api.trusted_proxies", networks, ""),
    Setting("finance_api.cors.origins", origins, ""),
    Setting("finance_api.links.frame_ancestors", origins, ""),
    Setting("finance_api.max_data_requests", integer(1, 1000), "5"),
    Setting("finance_api.queue_seconds", integer(1, 60), "2"),
    Setting("finance_api.max_downloads", integer(1, 1000), "2"),
    Setting("finance_api.traces", boolean, "false"),
    Setting("finance_api.metrics.clients", networks, ""),
)
