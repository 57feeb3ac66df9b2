"""The settings of imports and edits."""

from finance_api.runtime.settings import Setting, any_text, boolean, integer

SETTINGS = (
    Setting("finance_api.imports.keep_days", integer(1, 100_000), "400"),
    Setting("finance_api.imports.profiles_directory", any_text, ""),
    Setting("finance_api.transfers.link_by_number", boolean, "false"),
)
