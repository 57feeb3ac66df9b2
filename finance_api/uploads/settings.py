"""The settings of files sent on the pages."""

from finance_api.runtime.settings import Setting, integer

SETTINGS = (
    Setting("finance_api.imports.max_upload_bytes", integer(1, 900_000_000), str(20 << 20)),
    Setting("finance_api.imports.max_waiting_bytes", integer(1, 100_000_000_000), str(100 << 20)),
    Setting("finance_api.imports.upload_seconds", integer(1, 3600), "300"),
    Setting("finance_api.imports.max_memory_mb", integer(128, 1_000_000), "512"),
    Setting("finance_api.imports.max_cpu_seconds", integer(1, 86_400), "60"),
    Setting("finance_api.imports.max_seconds", integer(1, 86_400), "120"),
)
