"""The first tweens: request id, request limits, CORS; and what reverse proxies forward."""
