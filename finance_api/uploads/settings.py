"""The settings of files sent on the pages."""

from finance_api.runtime.settings import Setting, integer

SETTINGS = (
    Setting(
        "finance_api.imports.max_upload_bytes",
        integer(1, 900_000_000),
        str(20 << 20),
        "bytes",
        "Maximum size of a file sent on the page Import; larger files are refused with 413.",
    ),
    Setting(
        "finance_api.imports.max_waiting_bytes",
        integer(1, 100_000_000_000),
        str(100 << 20),
        "bytes",
        "Maximum size of all files of a user that wait on the page Import; each counts as 256 KB "
        "at least.",
    ),
    Setting(
        "finance_api.imports.upload_seconds",
        integer(1, 3600),
        "300",
        "seconds",
        "Time limit for sending files on the page Import; a slower upload is refused with 408.",
    ),
    Setting(
        "finance_api.imports.max_memory_mb",
        integer(128, 1_000_000),
        "512",
        "MB",
        "Maximum memory of the process that reads an upload; a file that needs more is refused.",
    ),
    Setting(
        "finance_api.imports.max_cpu_seconds",
        integer(1, 86_400),
        "60",
        "seconds",
        "Maximum processor time of the process that reads an upload; a file that needs more is "
        "refused.",
    ),
    Setting(
        "finance_api.imports.max_seconds",
        integer(1, 86_400),
        "120",
        "seconds",
        "Maximum run time of the process that reads an upload, including waiting; a file that "
        "needs more is refused.",
    ),
)
