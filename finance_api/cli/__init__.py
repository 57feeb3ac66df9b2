"""The command ``finance-api``: one file for each group of commands."""

from finance_api.cli.main import run

__all__ = ["run"]
