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


#: A value in a sentence; of several, the sentence has a list.
Fact = Union[str, int, Amount, Day, FileRow, StoredRow, "Clause", tuple["Fact", ...]]


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
