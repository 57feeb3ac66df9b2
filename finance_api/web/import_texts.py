"""Writes what importers say for a page: in the user's region, with the labels of the form."""

from collections.abc import Mapping
from typing import Any

from finance_api.importers.clauses import from_json
from finance_api.values.regions import Region
from finance_api.web.column_form import ROLES
from finance_api.web.option_labels import changes_in_labels, label_of
from finance_api.wording import Writer


class PageWriter(Writer):
    """Writes clauses as they are kept in an upload's outcome."""

    def __init__(self, region: Region) -> None:
        self._region = region

    def of_json(self, value: Any) -> str:
        """Return the sentence for the JSON of a clause, or for a sentence."""
        return self.text(from_json(value))

    def option(self, name: str, field: str) -> str:
        return f"“{label_of(name, field)}”"

    def role(self, name: str) -> str:
        return ROLES.get(name, name)

    def given(self, options: Mapping[str, Any]) -> str:
        return changes_in_labels(options)

    def amount(self, units: int, least_decimals: int) -> str:
        return self._region.amount(units, least_decimals)

    def money(self, units: int) -> str:
        return f"{'+' if units > 0 else ''}{self._region.amount(units)}"

    def day(self, seconds: int) -> str:
        return self._region.day(seconds)
