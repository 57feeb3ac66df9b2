"""The settings of users, tokens and JSON Web Tokens."""

from finance_api.runtime.settings import (
    Setting,
    any_text,
    integer,
    issuers_by_kid,
    one_of,
    required_text,
    required_words,
)

JWT_KEYS = "finance_api.jwt.keys"
KEY_ISSUERS = "finance_api.jwt.key_issuers"


SETTINGS = (
    Setting("finance_api.audit.keep_days", integer(1, 100_000), "400"),
    Setting("finance_api.users.api_access", one_of("premium", "all"), "premium"),
    Setting("finance_api.sessions.max_live", integer(1, 10_000), "20"),
    Setting("finance_api.tokens.last_used_seconds", integer(1, 900), "60"),
    Setting("finance_api.tokens.max_live", integer(1, 10_000), "50"),
    Setting("finance_api.links.max_live", integer(1, 10_000), "50"),
    Setting(JWT_KEYS, any_text, ""),
    Setting("finance_api.jwt.issuers", required_words, "finance_api"),
    Setting(KEY_ISSUERS, issuers_by_kid, ""),
    Setting("finance_api.jwt.audience", required_text, "finance_api"),
    Setting("finance_api.jwt.subject", one_of("uuid", "email"), "uuid"),
    Setting("finance_api.jwt.ttl_seconds", integer(1, 31_536_000), "3600"),
    Setting("finance_api.jwt.max_ttl_seconds", integer(1, 31_536_000), "2592000"),
    Setting("finance_api.jwt.max_live", integer(1, 10_000), "50"),
    Setting("finance_api.jwt.leeway_seconds", integer(0, 30), "5"),
)
