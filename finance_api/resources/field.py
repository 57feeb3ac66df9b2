"""Resources and their fields, each declared once.

Filters, sorting, JSON, CSV, the database tables, the native import format and the
documentation are all derived from these declarations.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any


class Kind(Enum):
    """The kind of a field's values; it decides how they are stored, filtered, sorted, written."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    DATETIME = "date-time"
    ID = "id"
    #: A number that counts a user's things, outside a UUID.
    SERIAL = "serial id"
    CHOICE = "choice"
    BOOLEAN = "boolean"
    TEXT_LIST = "list of text"
    ID_LIST = "list of ids"

    @property
    def is_list(self) -> bool:
        return self in (Kind.TEXT_LIST, Kind.ID_LIST)

    @property
    def is_text(self) -> bool:
        """Whether the values are free text, which can be searched without regard to case."""
        return self in (Kind.TEXT, Kind.TEXT_LIST)


class Role(Enum):
    """The origin of a field's values."""

    #: Given by the import and kept as it is.
    STORED = "stored"
    #: Worked out at import from other stored data, and kept: filtered and sorted like the rest.
    DERIVED = "derived"
    #: Worked out at each request (the contract's †): sorted by, but not filtered.
    COMPUTED = "computed"


@dataclass(frozen=True)
class Field:
    """One field of a resource.

    name: the public name, camelCase.
    example: a value as it appears in JSON.
    nullable: whether the value can be missing.
    default: the stored value where an import does not give the field.
    required: whether an import must give it.
    decimals: how many decimal places a NUMBER has.
    choices: the possible values of a CHOICE.
    references: the model type whose ids the field holds.
    keeps_time: a DATE whose time of day is stored, though only the day is public.
    private: stored but never shown: a change of it alone is no new revision.
    native: whether the native format carries it, although it is hidden.
    """

    name: str
    kind: Kind
    meaning: str = field(compare=False)
    example: Any = field(compare=False)
    _: KW_ONLY
    role: Role = Role.STORED
    nullable: bool = True
    default: Any = None
    required: bool = False
    decimals: int = 4
    choices: tuple[str, ...] = ()
    references: str | None = None
    keeps_time: bool = False
    private: bool = False
    native: bool = False

    @property
    def filterable(self) -> bool:
        return self.role is not Role.COMPUTED

    @property
    def sortable(self) -> bool:
        return not self.kind.is_list

    @property
    def can_be_missing(self) -> bool:
        """Whether ``is.null`` has a meaning: no value, or an empty list."""
        return self.nullable or self.kind.is_list


#: PostgreSQL indexes both together, in less than 2,704 bytes; a character has up to four.
MAX_SOURCE_CHARACTERS = 100
MAX_SOURCE_ID_CHARACTERS = 500

#: Where a row came from; a later import of the same source recognises it by the two together.
SOURCE = Field("source", Kind.TEXT, "Name of the source it came from.", "ofx", native=True)
SOURCE_ID = Field("sourceId", Kind.TEXT, "Its id within the source.", "20260131-1", native=True)
#: Rules and statement files no longer change these fields.
SET_BY_HAND = Field(
    "setByHand",
    Kind.TEXT_LIST,
    "Names of the fields that were edited manually.",
    ["payee"],
    default=(),
    private=True,
    native=True,
)


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A kind of data that a user has.

    name: the envelope key of a list, camelCase.
    path: the last part of the public URL and the name of its scope; None if it is not public.
    model_type: the type's name in the native format and on the internal surface.
    default_sort: as in ``sortBy``.
    hidden: what is kept beside the fields and never listed.
    open_ended: whether an import may bring fields that are not declared here; they are kept
        together, as JSON text, in the hidden field ``extra``.
    """

    name: str
    path: str | None
    model_type: str
    meaning: str
    default_sort: str
    fields: tuple[Field, ...]
    hidden: tuple[Field, ...] = (SOURCE, SOURCE_ID)
    open_ended: bool = False

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {f.name: f for f in self.fields}

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<Resource {self.name}>"

    def __getitem__(self, name: str) -> Field:
        """The field of that name, which there is."""
        return self._by_name[name]

    def get_field(self, name: str) -> Field | None:
        return self._by_name.get(name)

    def having_role(self, *roles: Role) -> tuple[Field, ...]:
        return tuple(f for f in self.fields if f.role in roles)

    @cached_property
    def native_fields(self) -> tuple[Field, ...]:
        """The fields that the native format carries."""
        return (*self.having_role(Role.STORED), *(f for f in self.hidden if f.native))

    @cached_property
    def listed_fields(self) -> tuple[Field, ...]:
        """The fields of a list that a storage keeps: stored and derived ones."""
        return self.having_role(Role.STORED, Role.DERIVED)

    @cached_property
    def persisted_fields(self) -> tuple[Field, ...]:
        """Everything that a storage keeps of a row."""
        return (*self.listed_fields, *self.hidden)

    @cached_property
    def computed_fields(self) -> tuple[Field, ...]:
        return self.having_role(Role.COMPUTED)

    @cached_property
    def references(self) -> tuple[Field, ...]:
        """The fields that hold ids of other data of the same user."""
        return tuple(f for f in self.fields if f.references)


def names_of(fields: Iterable[Field]) -> tuple[str, ...]:
    return tuple(f.name for f in fields)
