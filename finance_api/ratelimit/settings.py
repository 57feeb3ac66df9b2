"""The settings of rate limits."""

from finance_api.ratelimit.interface import parse_limits
from finance_api.runtime.settings import Setting, integer, required_text, url

SETTINGS = (
    Setting("finance_api.ratelimit.public", parse_limits, "500/hour"),
    Setting("finance_api.ratelimit.internal", parse_limits, "100/minute, 1000/hour"),
    Setting("finance_api.ratelimit.links", parse_limits, "60/hour"),
    Setting("finance_api.ratelimit.free", integer(1, 10_000), "20"),
    Setting("finance_api.ratelimit.failed_auth", parse_limits, "30/minute"),
    Setting("finance_api.ratelimit.sign_in_account_address", parse_limits, "10/hour"),
    Setting("finance_api.ratelimit.sign_in_account", parse_limits, "100/hour"),
    Setting("finance_api.ratelimit.sign_in_address", parse_limits, "30/hour"),
    Setting("finance_api.ratelimit.sign_in_browser", parse_limits, "10/hour"),
    Setting("finance_api.ratelimit.password_change", parse_limits, "10/hour"),
    Setting("finance_api.ratelimit.backend", required_text, "memory"),
    Setting("finance_api.ratelimit.redis_url", url("@/#?"), "", secret=True),
)
