"""The SQL storage without its read model, for the setting ``finance_api.storage``."""

from functools import partial

from finance_api.storage.sql import from_settings

open_plain = partial(from_settings, read_model=False)
