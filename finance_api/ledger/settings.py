"""The settings of imports and edits."""

from finance_api.runtime.settings import Setting, any_text, boolean, integer

SETTINGS = (
    Setting(
        "finance_api.imports.keep_days",
        integer(1, 100_000),
        "400",
        "days",
        "How long imports and edits can be undone.",
    ),
    Setting(
        "finance_api.imports.profiles_directory",
        any_text,
        "",
        "path",
        "A directory with your own profiles of CSV files, in addition to the built-in ones.",
    ),
    Setting(
        "finance_api.transfers.link_by_number",
        boolean,
        "false",
        "true or false",
        "Whether an import of statements links two records as a transfer if one names the account "
        "number of the other.",
    ),
)
