"""Resources and their fields, each declared once.

Filters, sorting, JSON, CSV, the database tables, the native import format and the
documentation are all derived from these declarations.
"""

import re
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from finance_api.values.number import DECIMALS

# The start of a word: a capital after a small letter or digit, or the last of several capitals.
_WORD_START = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_CAMEL_CASE = re.compile("[a-z][a-zA-Z0-9]*")


def snake_case(name: str) -> str:
    """Convert to snake case: ``recordDate`` -> ``record_date``, ``homeURL`` -> ``home_url``."""
    return _WORD_START.sub("_", name).lower()


def words_of(name: str) -> str:
    """Return a name as words: ``valueDate`` -> ``Value date``."""
    return snake_case(name).replace("_", " ").capitalize()


def is_camel_case(name: str) -> bool:
    """Whether the name is in ASCII, starts with a small letter and has no underscore."""
    return _CAMEL_CASE.fullmatch(name) is not None


class Kind(Enum):
    """The kind of a field's values, which decides how they are stored, filtered and written."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    DATETIME = "date-time"
    ID = "id"
    #: A number that counts a user's objects; clients see it as a UUID.
    SERIAL = "serial id"
    CHOICE = "choice"
    BOOLEAN = "boolean"
    TEXT_LIST = "list of text"
    ID_LIST = "list of ids"
    #: Limits of single periods; see `values.period_limits`.
    LIMIT_LIST = "list of limits"

    @property
    def is_list(self) -> bool:
        return self in (Kind.TEXT_LIST, Kind.ID_LIST, Kind.LIMIT_LIST)

    @property
    def is_text(self) -> bool:
        """Whether the values are free text, which can be searched ignoring case."""
        return self in (Kind.TEXT, Kind.TEXT_LIST)


class Unit(Enum):
    """The unit of a number with decimals."""

    MONEY = "money"
    #: A fraction of another number: 0.25 for a quarter.
    SHARE = "share"
    #: 25 for a quarter.
    PERCENT = "percent"


class Role(Enum):
    """The origin of a field's values."""

    #: Imported, and stored unchanged.
    STORED = "stored"
    #: Derived from other stored data by each change, and stored. Lists can be filtered and sorted
    #: by the field.
    DERIVED = "derived"
    #: Computed for each request. Lists can be sorted by the field, but not filtered.
    COMPUTED = "computed"


@dataclass(frozen=True)
class Field:
    """One field of a resource.

    name: the public name, camelCase.
    example: a value as it appears in JSON.
    nullable: whether the value can be missing.
    default: the stored value if an import does not give the field.
    required: whether an import must give the field.
    decimals: the number of decimal places of a NUMBER.
    unit: the unit of a NUMBER with decimals; money by default.
    choices: the possible values of a CHOICE.
    references: the model type whose ids the field contains.
    keeps_time: whether a DATE is stored with its time of day, though only the day is public.
    private: whether the field is never shown. Changing only private fields makes no new revision.
    native: whether the native format includes the field although it is hidden.
    stated: the attribute of a statement's entry that states it. Such a field of records also has a
        column of CSV files.
    entered: its place in the forms of records, from 1; 0 if people do not fill it in. Texts that
        people fill in can also be edited in spreadsheets.
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
    decimals: int = DECIMALS
    unit: Unit = Unit.MONEY
    choices: tuple[str, ...] = ()
    references: str | None = None
    keeps_time: bool = False
    private: bool = False
    native: bool = False
    stated: str | None = None
    entered: int = 0

    def __repr__(self) -> str:
        return f"<Field {self.name}>"

    @property
    def filterable(self) -> bool:
        return self.role is not Role.COMPUTED and self.kind is not Kind.LIMIT_LIST

    @property
    def sortable(self) -> bool:
        return not self.kind.is_list

    @property
    def is_money(self) -> bool:
        return self.kind is Kind.NUMBER and self.decimals == DECIMALS and self.unit is Unit.MONEY

    @property
    def currency_name(self) -> str:
        """Return the name of the field with the currency of this amount."""
        prefix = next((p for p in ("original", "converted") if self.name.startswith(p)), "")
        return f"{prefix}CurrencyCode" if prefix else "currencyCode"

    @property
    def can_be_missing(self) -> bool:
        """Whether ``is.null`` can match: the field is nullable, or a list, which can be empty."""
        return self.nullable or self.kind.is_list


#: The two share an index entry. PostgreSQL allows 2,704 bytes, and a character takes up to 4.
MAX_SOURCE_CHARACTERS = 100
MAX_SOURCE_ID_CHARACTERS = 500

#: The source of a row, and the row's id there. Together they let later imports recognise the row.
SOURCE = Field("source", Kind.TEXT, "Name of the source it came from.", "ofx", native=True)
SOURCE_ID = Field("sourceId", Kind.TEXT, "Its id within the source.", "20260131-1", native=True)
#: See `ledger.following`.
BOOK_STATE = Field(
    "bookState",
    Kind.TEXT,
    "Digest of the object as its book last had it; gone if it stayed when the book lost it.",
    "5f0c2a9d1e7b3c48",
    private=True,
    native=True,
)
#: Lists the fields that rules and statement files must no longer change.
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
    path: the last part of the public URL, and the name of the scope; None if there is no URL.
    model_type: the type's name in the native format and on the internal surface.
    default_sort: the default order, written as in ``sortBy``.
    hidden: fields that are stored with the row but never listed.
    open_ended: whether an import may bring fields that are not declared here. Such fields are
        stored together, as JSON text, in the hidden field ``extra``.
    """

    name: str
    path: str | None
    model_type: str
    meaning: str
    default_sort: str
    fields: tuple[Field, ...]
    hidden: tuple[Field, ...] = (SOURCE, SOURCE_ID, BOOK_STATE)
    open_ended: bool = False

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {f.name: f for f in self.fields}

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<Resource {self.name}>"

    def __getitem__(self, name: str) -> Field:
        """Return the field with this name. Raises KeyError if there is no such field."""
        return self._by_name[name]

    def get_field(self, name: str) -> Field | None:
        return self._by_name.get(name)

    def having_role(self, *roles: Role) -> tuple[Field, ...]:
        return tuple(f for f in self.fields if f.role in roles)

    @cached_property
    def word(self) -> str:
        """Return the word for one object: ``standing order``."""
        return snake_case(self.model_type).replace("_", " ")

    @cached_property
    def native_fields(self) -> tuple[Field, ...]:
        """Return the fields that the native format has."""
        return (*self.having_role(Role.STORED), *(f for f in self.hidden if f.native))

    @cached_property
    def listed_fields(self) -> tuple[Field, ...]:
        """Return the fields of a list that are in the database: the stored and the derived ones."""
        return self.having_role(Role.STORED, Role.DERIVED)

    @cached_property
    def persisted_fields(self) -> tuple[Field, ...]:
        """Return all fields of a row that are in the database, hidden ones included."""
        return (*self.listed_fields, *self.hidden)

    @cached_property
    def computed_fields(self) -> tuple[Field, ...]:
        return self.having_role(Role.COMPUTED)

    @cached_property
    def references(self) -> tuple[Field, ...]:
        """Return the fields that contain ids of the same user's other rows."""
        return tuple(f for f in self.fields if f.references)


def names_of(fields: Iterable[Field]) -> tuple[str, ...]:
    return tuple(f.name for f in fields)
