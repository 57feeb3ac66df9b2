"""The settings of what every request passes through."""

from finance_api.runtime.settings import Setting, boolean, integer, networks, words


def _hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(word.lower() for word in words(text))
    if not hosts:
        raise ValueError("must name the hosts under which the service is reached")
    return hosts


def _origins(text: str) -> tuple[str, ...]:
    origins = words(text)
    for origin in origins:
        scheme, _, rest = origin.partition("://")
        if origin != "*" and (scheme not in ("http", "https") or not rest or "/" in rest):
            raise ValueError(f"{origin} is not an origin such as https://app.example.org")
    return origins


SETTINGS = (
    Setting(
        "finance_api.plugins",
        words,
        "finance_api.api.wallet finance_api.web",
        "dotted names",
        "Optional parts of the application: the public API below /wallet, as clients of the hosted "
        "Wallet API know it, and the pages. Others are included as well.",
    ),
    Setting(
        "finance_api.allowed_hosts",
        _hosts,
        "localhost 127.0.0.1 [::1]",
        "host names",
        "Accepted values of the Host header, without port; * accepts any.",
    ),
    Setting(
        "finance_api.require_https",
        boolean,
        "false",
        "true or false",
        "Whether requests over plain HTTP are refused with 403.",
    ),
    Setting(
        "finance_api.trusted_proxies",
        networks,
        "",
        "addresses or networks",
        "Reverse proxies whose X-Forwarded-Proto and X-Forwarded-For are trusted.",
    ),
    Setting(
        "finance_api.cors.origins",
        _origins,
        "",
        "origins",
        "Web origins whose scripts may read the public API; * for any. Never with credentials.",
    ),
    Setting(
        "finance_api.max_data_requests",
        integer(1, 1000),
        "5",
        "requests",
        "Requests for data that a process works on or keeps waiting; with downloads fewer than the "
        "server's threads, so that health is still answered.",
    ),
    Setting(
        "finance_api.max_downloads",
        integer(1, 1000),
        "2",
        "downloads",
        "Exports, and downloads of the settings pages, that a process sends at once, one of each "
        "user; uploads that it takes count as well.",
    ),
    Setting(
        "finance_api.traces",
        boolean,
        "false",
        "true or false",
        "Whether each request is a span of OpenTelemetry's; needs the extra otel, and an SDK.",
    ),
    Setting(
        "finance_api.metrics.clients",
        networks,
        "",
        "addresses or networks",
        "Who may read /__metrics__; for others there is nothing at that path.",
    ),
)
