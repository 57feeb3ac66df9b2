"""What is shown of each row of a resource: fields, and a converted amount."""

from collections.abc import Mapping, Sequence
from typing import Any

from finance_api.api.parameters import CONVERT_TO
from finance_api.planning.computing import depends_on_today
from finance_api.planning.conversion import CONVERTED, converted_fields, with_converted
from finance_api.query.render import fields_text
from finance_api.resources import ACCOUNTS
from finance_api.resources.field import Field, Resource
from finance_api.storage.interface import Storage
from finance_api.values import Row


class Columns:
    """Of validated parameters of `ParameterSchema.add_fields`.

    fields: those of the resource. shown: with those of the converted amount.
    text: its part of a canonical text; empty where nothing is asked for.
    """

    def __init__(self, resource: Resource, parameters: Mapping[str, Any]) -> None:
        self._resource = resource
        self.fields: Sequence[Field] = parameters["fields"]
        self.convert_to: str | None = parameters.get(CONVERT_TO)
        self.shown, self.text = self.fields, fields_text(resource, self.fields)
        self.depends_on_today = depends_on_today(resource)
        if self.convert_to is not None:
            self.shown = (*self.fields, *converted_fields(CONVERTED[resource]))
            self.text += f"\0{CONVERT_TO}={self.convert_to}"
            self.depends_on_today |= resource is ACCOUNTS

    @property
    def are_stored(self) -> bool:
        """Whether the stored JSON of rows has all of them."""
        return self.convert_to is None and not self._resource.computed_fields

    def converted(self, storage: Storage, rows: list[Row], today: int) -> list[Row]:
        """The rows with the columns of the converted amount, if one is asked for."""
        if self.convert_to is None:
            return rows
        return with_converted(storage, self._resource, rows, self.convert_to, today)
