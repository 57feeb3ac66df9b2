"""The settings of the storages."""

from finance_api.runtime.settings import Setting, any_text, integer, required_text, url

SETTINGS = (
    Setting("finance_api.storage", required_text, "sql"),
    Setting("finance_api.storage.memory.load", any_text, ""),
    Setting("finance_api.storage.memory.user", any_text, ""),
    Setting("finance_api.storage.memory.token_sha256", any_text, ""),
    Setting("sqlalchemy.url", url("@"), "", secret=True),
    Setting("sqlalchemy.read_url", url("@"), "", secret=True),
    Setting("sqlalchemy.pool_size", integer(1, 1000), "8"),
    Setting("sqlalchemy.statement_seconds", integer(1, 3600), "5"),
    Setting("finance_api.changes.keep_days", integer(1, 100_000), "400"),
)
