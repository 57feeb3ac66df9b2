"""The settings of the Wallet-compatible API."""

from finance_api.runtime.settings import Setting, boolean

SETTINGS = (
    Setting(
        "finance_api.wallet.older_names",
        boolean,
        "true",
        "true or false",
        "Whether objects below /wallet also have the members that Wallet had before version 2.0.",
    ),
)
