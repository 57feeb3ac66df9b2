"""What a question, a choice or a remark says, as values: commands and pages write the sentences."""

from collections.abc import Mapping
from enum import StrEnum, auto
from typing import Any, NamedTuple, Union

from finance_api.values.number import decimal_text, parse_decimal, to_units
from finance_api.values.time import date_text, parse_date


class Topic(StrEnum):
    """What a file leaves open, or what is wrong with the options for it."""

    # The account and its currency.
    ACCOUNT = auto()
    ACCOUNT_IS_ANOTHER = auto()
    ACCOUNTS_OF_NUMBER = auto()
    ACCOUNTS_BUT_ONE_NAMED = auto()
    ACCOUNT_IS_KNOWN = auto()
    ACCOUNT_IS_KNOWN_OF_SEVERAL = auto()
    CURRENCY = auto()
    CURRENCY_OF_ACCOUNT = auto()
    CARD_BALANCE = auto()
    # Entries and stored records that may be the same transaction.
    REPEATED_IN_FILE = auto()
    PART_OF_DAY = auto()
    SAME_ID = auto()
    REUSED_ID = auto()
    MOVED = auto()
    OTHER_SOURCE = auto()
    PART_OF_SUM = auto()
    SUM_OF_PARTS = auto()
    TWO_OF_THESE = auto()
    # How the file's bytes and lines are read.
    MARK_OF_ANOTHER = auto()
    BYTE_ORDER = auto()
    IS_UTF_8 = auto()
    SURROGATE = auto()
    NOT_DECODED = auto()
    NOT_OF_ENCODING = auto()
    NUL = auto()
    NO_SHEET = auto()
    SHEETS = auto()
    UNDIVIDED = auto()
    DELIMITERS = auto()
    NO_DELIMITER = auto()
    HEADINGS_FOUND = auto()
    DATA_IN_HEADINGS = auto()
    HEADINGS_SKIPPED = auto()
    ALL_SKIPPED = auto()
    MORE_SKIPPED = auto()
    PROFILES = auto()
    NO_PROFILE = auto()
    PROFILE_DOES_NOT_FIT = auto()
    PROFILE_IS_WRONG = auto()
    PROFILE_DECIDES = auto()
    WORD_NOT_KNOWN = auto()
    WORD_NEEDS_BALANCE = auto()
    ROW_WITHOUT_WAY = auto()
    # Options that are wrong, or wrong together.
    EXCLUDE = auto()
    MISPLACED = auto()
    OPTION_IS_WRONG = auto()
    OPTION_HAS_FAULT = auto()
    VALUE_IS_WRONG = auto()
    SAME_VALUE = auto()
    ALSO_NEEDS = auto()
    NEEDS = auto()
    SAME_COLUMN = auto()
    ONLY_FOR_AMOUNT = auto()
    ONLY_FOR_SIDES = auto()
    NUMBERS_ONLY = auto()
    SIGN_OF_TYPES = auto()
    FEE_IS_SIGNED = auto()
    # What columns are, and how their cells are read.
    DOUBLED = auto()
    NO_AMOUNT = auto()
    NO_DATE = auto()
    NO_TABLE = auto()
    DATE_EMPTY = auto()
    AMOUNT_EMPTY = auto()
    DATE_FORM = auto()
    VALUE_DATE_FORM = auto()
    NO_TIME = auto()
    DECIMAL = auto()
    NOT_OF_DECIMAL = auto()
    # Money of a card, and types of OFX.
    CARD_SIGNS = auto()
    TYPE_WITHOUT_SIGN = auto()
    TYPE_NOT_KNOWN = auto()
    TYPE_AGAINST_SIGN = auto()
    # Accounts that may be new.
    NEW_ACCOUNT_CURRENCY = auto()
    NEW_ACCOUNT = auto()
    NEW_ACCOUNTS = auto()
    # Types of OFX that are too many.
    TYPES_NOT_KNOWN = auto()
    # Values of options.
    VALUE_HAS_FAULT = auto()


class Says(StrEnum):
    """What a choice means for the file, or what a remark tells."""

    ACCOUNT_IS = auto()
    ANOTHER_ACCOUNT = auto()
    OWED = auto()
    ON_CARD = auto()
    SAME_TRANSACTION = auto()
    OTHER_TRANSACTION = auto()
    ENTERED = auto()
    FROM_FORMAT = auto()
    MORE_PAIRS = auto()
    MORE_ROWS = auto()
    ONE_ENTRY = auto()
    SOME_ENTRIES = auto()
    HOUR_APART = auto()
    CORRECTS_ITSELF = auto()
    CORRECTS_NOTHING = auto()
    RECORDS_MISSING = auto()
    BOTH = auto()
    ENCODING_IS = auto()
    LINE_SAYS = auto()
    END = auto()
    BYTE = auto()
    SHEET_IS = auto()
    FILE_OF = auto()
    DIVIDES = auto()
    MISFITS = auto()
    USE = auto()
    PROFILE_RIGHT = auto()
    OPTION_RIGHT = auto()
    OUT_IN = auto()
    IN_COLUMN = auto()
    DATE_IS = auto()
    DAY_AS = auto()
    AMOUNT_IS = auto()
    THOUSANDS = auto()
    HEADINGS = auto()
    BY_NUMBER = auto()
    COMES_IN = auto()
    GOES_OUT = auto()
    TYPE_IN = auto()
    TYPE_OUT = auto()
    TYPES = auto()
    NO_HEADING = auto()
    MEANT = auto()


class Amount(NamedTuple):
    """Ten-thousandths. least_decimals: how many decimals are written at least."""

    units: int
    least_decimals: int = 2


class Day(NamedTuple):
    """seconds: any second of the day."""

    seconds: int


class FileRow(NamedTuple):
    """An entry of the file. text: its payee and note. bank_id: None if it has none."""

    date: Day
    amount: Amount
    text: str
    bank_id: str | None
    line: int


class StoredRow(NamedTuple):
    """A stored record, as its file stated it."""

    date: Day
    amount: Amount
    id: str


class Option(NamedTuple):
    """An option for importing a file. field: of ``columns``, the field."""

    name: str
    field: str = ""


def options_in(changes: Mapping[str, Any]) -> tuple[Option, ...]:
    """Return the options that are changed; for columns, one for each field."""
    return tuple(
        Option(name, field)
        for name, value in changes.items()
        for field in (value if name == "columns" and value else ("",))
    )


#: A value in a sentence; of several, the sentence has a list.
Fact = Union[str, int, Amount, Day, FileRow, StoredRow, Option, "Clause", tuple["Fact", ...]]


class Clause(NamedTuple):
    """A sentence without its words. facts: the values that it names."""

    topic: Topic | Says
    facts: Mapping[str, Fact] = {}


def clause(topic: Topic | Says, **facts: Fact) -> Clause:
    return Clause(topic, facts)


def as_json(fact: Any) -> Any:
    """Return a fact as JSON: an amount as ``{"amount": "-12.5", …}``, a day as ``{"day": …}``."""
    match fact:
        case Amount(units, least):
            return {"amount": decimal_text(units), "leastDecimals": least}
        case Day(seconds):
            return {"day": date_text(seconds)}
        case Option(name, field):
            return {"option": name, "field": field}
        case Clause() | FileRow() | StoredRow():
            return {name: as_json(each) for name, each in fact._asdict().items()}
        case dict():
            return {name: as_json(each) for name, each in fact.items()}
        case tuple() | list():
            return [as_json(each) for each in fact]
    return fact


def from_json(value: Any) -> Any:
    """Return the fact that `as_json` wrote."""
    match value:
        case {"amount": str(text), "leastDecimals": int(least)}:
            return Amount(to_units(parse_decimal(text)), least)
        case {"day": str(text)}:
            return Day(parse_date(text))
        case {"option": str(name), "field": str(field)}:
            return Option(name, field)
        case {"topic": str(name), "facts": dict(facts)}:
            topic = Topic(name) if name in _TOPICS else Says(name)
            return Clause(topic, {key: from_json(each) for key, each in facts.items()})
        case {"date": _, "line": _}:
            return FileRow(**{key: from_json(each) for key, each in value.items()})
        case {"date": _}:
            return StoredRow(**{key: from_json(each) for key, each in value.items()})
        case list():
            return tuple(map(from_json, value))
    return value


_TOPICS = frozenset(Topic)
