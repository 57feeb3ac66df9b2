"""The settings of the endpoints."""

from finance_api.runtime.settings import Setting, integer

SETTINGS = (Setting("finance_api.cache.max_bytes", integer(0, 1 << 40), str(16 << 20)),)
