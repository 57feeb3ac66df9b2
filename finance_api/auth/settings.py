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
    Setting(
        "finance_api.audit.keep_days",
        integer(1, 100_000),
        "400",
        "days",
        "How long the audit log is kept: sign-ins, tokens, JWTs, password changes, imports, edits, "
        "exports.",
    ),
    Setting(
        "finance_api.users.api_access",
        one_of("premium", "all"),
        "premium",
        "premium or all",
        "Who may use the public API: users with premium, or all enabled users.",
    ),
    Setting(
        "finance_api.tokens.last_used_seconds",
        integer(1, 900),
        "60",
        "seconds",
        "How often the last use of tokens is saved.",
    ),
    Setting(
        "finance_api.tokens.max_live",
        integer(1, 10_000),
        "50",
        "tokens",
        "Maximum number of active tokens per user.",
    ),
    Setting(
        "finance_api.links.max_live",
        integer(1, 10_000),
        "50",
        "links",
        "Maximum number of active links to saved questions per user.",
    ),
    Setting(
        JWT_KEYS,
        any_text,
        "",
        "path",
        "The file of the JWT keys, a JSON Web Key Set; without it the internal API refuses all "
        "requests.",
    ),
    Setting(
        "finance_api.jwt.issuers",
        required_words,
        "finance_api",
        "names",
        "Accepted values of the claim iss; JWTs issued here have the first one.",
    ),
    Setting(
        KEY_ISSUERS,
        issuers_by_kid,
        "",
        "KID=ISSUER",
        "The issuer of each public key, by kid; required for every public key if there are "
        "several issuers.",
    ),
    Setting(
        "finance_api.jwt.audience",
        required_text,
        "finance_api",
        "name",
        "The required value of the claim aud.",
    ),
    Setting(
        "finance_api.jwt.subject",
        one_of("uuid", "email"),
        "uuid",
        "uuid or email",
        "How the claim sub identifies the user: by UUID only, or (email) also by e-mail address.",
    ),
    Setting(
        "finance_api.jwt.ttl_seconds",
        integer(1, 31_536_000),
        "3600",
        "seconds",
        "The default lifetime of a JWT.",
    ),
    Setting(
        "finance_api.jwt.max_ttl_seconds",
        integer(1, 31_536_000),
        "2592000",
        "seconds",
        "The longest lifetime of a JWT; a longer one is refused.",
    ),
    Setting(
        "finance_api.jwt.max_live",
        integer(1, 10_000),
        "50",
        "JWTs",
        "Maximum number of active JWTs issued here per user.",
    ),
    Setting(
        "finance_api.jwt.leeway_seconds",
        integer(0, 30),
        "5",
        "seconds",
        "Tolerance for clock differences when the times in a JWT are checked.",
    ),
)
