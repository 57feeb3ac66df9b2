"""The settings of the Wallet-compatible API."""

from finance_api.runtime.settings import Setting, boolean

SETTINGS = (Setting("finance_api.wallet.older_names", boolean, "true"),)
