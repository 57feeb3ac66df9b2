"""The settings of what every request passes through."""

from finance_api.runtime.settings import Setting, boolean, hosts, integer, networks, origins, words

SETTINGS = (
    Setting(
        "finance_api.plugins",
        words,
        "finance_api.api.wallet finance_api.web",
        "dotted names",
        "Optional parts of the application: the Wallet-compatible API below /wallet, and the "
        "pages. Packages of your own can be added.",
    ),
    Setting(
        "finance_api.allowed_hosts",
        hosts,
        "localhost 127.0.0.1 [::1]",
        "host names",
        "Accepted values of the Host header, without the port; * accepts any.",
    ),
    Setting(
        "finance_api.require_https",
        boolean,
        "false",
        "true or false",
        "Whether to refuse requests over plain HTTP with 403.",
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
        origins,
        "",
        "origins",
        "Web origins whose scripts may read the public API; * for any. Cookies are never accepted "
        "from them.",
    ),
    Setting(
        "finance_api.links.frame_ancestors",
        origins,
        "",
        "origins",
        "Web origins that may show the page of a link in a frame; * for any.",
    ),
    Setting(
        "finance_api.max_data_requests",
        integer(1, 1000),
        "5",
        "requests",
        "Maximum number of data requests that a process runs or keeps waiting. Together with "
        "downloads it must be less than the server's threads, so that health checks are still "
        "answered.",
    ),
    Setting(
        "finance_api.max_downloads",
        integer(1, 1000),
        "2",
        "downloads",
        "Maximum number of exports, downloads and uploads that a process handles at once; each "
        "user can have one.",
    ),
    Setting(
        "finance_api.traces",
        boolean,
        "false",
        "true or false",
        "Whether to record each request as an OpenTelemetry span; needs the extra otel, and an "
        "SDK.",
    ),
    Setting(
        "finance_api.metrics.clients",
        networks,
        "",
        "addresses or networks",
        "Who may read /__metrics__; all others get 404.",
    ),
)
