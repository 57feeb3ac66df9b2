"""The settings of the storages."""

from finance_api.runtime.settings import Setting, any_text, integer, required_text, url

SETTINGS = (
    Setting(
        "finance_api.storage",
        required_text,
        "sql",
        "sql, memory or a dotted name",
        "The storage of the data; a dotted name is a function of the settings that returns a "
        "StorageBackend.",
    ),
    Setting(
        "finance_api.storage.memory.load",
        any_text,
        "",
        "path",
        "The file in the native format that the memory storage loads at start.",
    ),
    Setting(
        "finance_api.storage.memory.user",
        any_text,
        "",
        "e-mail",
        "The user of the memory storage; with premium.",
    ),
    Setting(
        "finance_api.storage.memory.token_sha256",
        any_text,
        "",
        "64 hexadecimal digits",
        "SHA-256 of the personal token that reads the memory storage.",
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
        "A read replica of that database, for reading data; users and tokens are still read from "
        "the database itself.",
        secret=True,
    ),
    Setting(
        "sqlalchemy.pool_size",
        integer(1, 1000),
        "8",
        "connections",
        "Database connections of a process for reading; at least the server's threads.",
    ),
    Setting(
        "sqlalchemy.statement_seconds",
        integer(1, 3600),
        "5",
        "seconds",
        "The time limit for all that a request reads and computes; beyond it the response is 503.",
    ),
    Setting(
        "finance_api.changes.keep_days",
        integer(1, 100_000),
        "400",
        "days",
        "How long change history is kept; clients that last synced before must start over.",
    ),
)
