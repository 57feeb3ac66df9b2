"""The settings of the storages."""

from finance_api.runtime.settings import Setting, any_text, integer, required_text, url

SETTINGS = (
    Setting(
        "finance_api.storage",
        required_text,
        "sql",
        "sql, memory or a dotted name",
        "The storage of the data. A dotted name must be a function that takes the settings and "
        "returns a StorageBackend.",
    ),
    Setting(
        "finance_api.storage.memory.load",
        any_text,
        "",
        "path",
        "A file in the native format that the memory storage loads at start.",
    ),
    Setting(
        "finance_api.storage.memory.user",
        any_text,
        "",
        "e-mail",
        "E-mail address of the memory storage's only user, who has premium.",
    ),
    Setting(
        "finance_api.storage.memory.token_sha256",
        any_text,
        "",
        "64 hexadecimal digits",
        "SHA-256 of the personal token for reading the memory storage.",
    ),
    Setting(
        "sqlalchemy.url",
        url("@"),
        "",
        "SQLAlchemy URL",
        "The database of the sql storage: sqlite:///path or postgresql://user@host/name.",
        secret=True,
    ),
    Setting(
        "sqlalchemy.read_url",
        url("@"),
        "",
        "URL",
        "A read replica of that database. Data is read from the replica; users and tokens from "
        "the database itself.",
        secret=True,
    ),
    Setting(
        "sqlalchemy.pool_size",
        integer(1, 1000),
        "8",
        "connections",
        "Database connections of each process for reading; at least as many as the server's "
        "threads.",
    ),
    Setting(
        "sqlalchemy.statement_seconds",
        integer(1, 3600),
        "5",
        "seconds",
        "Time limit for reading and computing in a request; a slower request gets 503.",
    ),
    Setting(
        "finance_api.changes.keep_days",
        integer(1, 100_000),
        "400",
        "days",
        "How long change history is kept; clients that last synced before must start over.",
    ),
)
