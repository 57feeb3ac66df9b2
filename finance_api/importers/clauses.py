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
    ACCOUNT_OF_BOOK_IS_KNOWN = auto()
    ACCOUNT_OF_BOOK_IS_OWN = auto()
    MAYBE_HERE = auto()
    FOLLOWED = auto()
    MUCH_VANISHED = auto()
    OLDER_BOOK = auto()
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
    ROW_NOT_READ = auto()
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
    SIDES_EMPTY = auto()
    BOTH_SIDES = auto()
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
    TYPES_NOT_KNOWN = auto()
    VALUE_HAS_FAULT = auto()
    # The columns of money and dates.
    AMOUNT_OR_SIDES = auto()
    AMOUNT_COLUMNS = auto()
    OWN_AMOUNT = auto()
    PAIRS = auto()
    SIDE_WITH_SIGNS = auto()
    DATE_COLUMNS = auto()
    NOT_IN_FORM = auto()
    YEAR_OUTSIDE = auto()
    NO_YEAR = auto()
    NOT_A_DATE = auto()
    OTHER_FORM = auto()
    OTHER_MONEY = auto()
    MAYBE_BALANCE = auto()
    MAYBE_FEES = auto()
    UNITS = auto()
    FEE_SIGNS = auto()
    SPLIT_AMOUNT = auto()
    NO_DECIMALS = auto()
    BALANCE_JUMPS = auto()
    MAYBE_BALANCE_JUMPS = auto()
    MAYBE_DEBT = auto()
    # Which way money goes.
    UNSIGNED = auto()
    UNSIGNED_WITHOUT_BALANCE = auto()
    UNSIGNED_WITH_WORDS = auto()
    WORDS_NOT_KNOWN = auto()
    WORDS_AGAINST_SIGNS = auto()
    BALANCES_OF_CARD = auto()
    UNSIGNED_BALANCES_OF_CARD = auto()
    MOST_POSITIVE = auto()
    ONLY_PAYMENTS = auto()
    WORD_AGAINST_SIGN = auto()
    WORD_AGAINST_SIDE = auto()
    SIDE_HAS_BOTH = auto()
    SIDE_HAS_OTHER = auto()
    # Which rows are transactions.
    STATUS = auto()
    MAYBE_TOTAL = auto()
    END_WITHOUT_TEXT = auto()
    FIRST_IS_UNLIKE = auto()
    SUMS = auto()
    SUMS_WITHOUT_TEXT = auto()
    ADD_UP = auto()
    MAYBE_PARTS = auto()
    DOUBLE_ENTRY = auto()
    FOOTER = auto()
    WIDTH = auto()
    QUOTE = auto()
    OWN_EXPORT = auto()
    # The accounts and currencies of the rows.
    ACCOUNT_OR_COLUMN = auto()
    SEVERAL_ACCOUNTS = auto()
    SECOND_ACCOUNT = auto()
    ACCOUNT_NUMBERS = auto()
    ACCOUNT_NAMES = auto()
    CURRENCIES_OF_ACCOUNT = auto()
    CURRENCY_AGAINST = auto()
    HEADING_AGAINST = auto()
    AMOUNT_AGAINST = auto()
    LINES_AGAINST = auto()
    CURRENCY_COLUMN = auto()
    CURRENCY_COLUMN_AGAINST = auto()
    WORD_AGAINST_PROFILE = auto()


class Says(StrEnum):
    """What a choice means for the file, or what a remark tells."""

    ACCOUNT_IS = auto()
    ANOTHER_ACCOUNT = auto()
    ARE_SAME = auto()
    ARE_OTHERS = auto()
    OWED = auto()
    ON_CARD = auto()
    SAME_TRANSACTION = auto()
    OTHER_TRANSACTION = auto()
    ENTERED = auto()
    FROM_FORMAT = auto()
    OUT_OF_DATE = auto()
    VOIDED = auto()
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
    SHEETS_ARE = auto()
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
    FIELD_IN = auto()
    POSITIVE_OUT = auto()
    POSITIVE_IN = auto()
    HAS_CURRENCIES = auto()
    ALL_IN = auto()
    ONE_CURRENCY = auto()
    TRANSACTION = auto()
    NOT_TRANSACTION = auto()
    NOT_TRANSACTIONS = auto()
    WITHOUT_AMOUNT = auto()
    THESE_TRANSACTIONS = auto()
    ALL_TRANSACTIONS = auto()
    ROWS_TRANSACTIONS = auto()
    ONLY_PARTS = auto()
    ONLY_ROWS = auto()
    ONLY_ROWS_DEBIT_IN = auto()
    ONLY_ROWS_DEBIT_OUT = auto()
    IGNORED = auto()
    IS_FEE = auto()
    IS_ORIGINAL = auto()
    IS_AMOUNT = auto()
    IS_BALANCE = auto()
    IS_OWED = auto()
    NOT_RUNNING = auto()
    REPEATS_ABOVE = auto()
    OWN_ACCOUNTS = auto()
    OTHER_ACCOUNTS = auto()
    ACCOUNTS_OF_FILE = auto()
    EVERY_ROW = auto()
    MINOR = auto()
    MAJOR = auto()
    FEE_OUT = auto()
    FEE_IN = auto()
    MONEY_IN = auto()
    MONEY_OUT = auto()
    DEBIT_COLUMN = auto()
    CREDIT_COLUMN = auto()
    WORD_IS = auto()
    WORDS_ARE = auto()
    SAYS_WAY = auto()
    NO_WAY = auto()
    NO_WAY_BUT = auto()
    ONLY_WORDS = auto()
    ONLY_NEGATIVE = auto()
    FITS_ONLY = auto()
    HEADING_ROW = auto()
    FIRST_ROW = auto()
    NEEDS_QUOTES = auto()
    CUT_SHORT = auto()
    AFTER = auto()
    COLUMN_IS = auto()
    WITH_PROFILE = auto()
    WITH_OPTIONS = auto()
    USED_OPTIONS = auto()
    SKIPPED_LINES = auto()
    BALANCE_UNUSED = auto()
    BALANCES_WITHOUT_DAY = auto()


class Units(NamedTuple):
    """An amount in ten-thousandths. least_decimals: how many decimals are written at least."""

    units: int
    least_decimals: int = 2


class Day(NamedTuple):
    """seconds: any second of the day."""

    seconds: int


class FileRow(NamedTuple):
    """An entry of the file. text: its payee and note. bank_id: None if it has none."""

    date: Day
    amount: Units
    text: str
    bank_id: str | None
    line: int


class StoredRow(NamedTuple):
    """A stored record, as its file stated it. text: its payee or note."""

    date: Day
    amount: Units
    id: str
    text: str = ""


class Option(NamedTuple):
    """An option for importing a file. field: of ``columns``, the field."""

    name: str
    field: str = ""


class Role(NamedTuple):
    """What a column is: a field, or another option that names columns."""

    name: str


class Given(NamedTuple):
    """Options with their values."""

    options: Mapping[str, Any]


def options_in(changes: Mapping[str, Any]) -> tuple[Option, ...]:
    """Return the options that are changed; for columns, one for each field."""
    return tuple(
        Option(name, field)
        for name, value in changes.items()
        for field in (value if name == "columns" and value else ("",))
    )


#: A value in a sentence; of several, the sentence has a list.
Fact = Union[
    str, int, Units, Day, FileRow, StoredRow, Option, Role, Given, "Clause", tuple["Fact", ...]
]


class Clause(NamedTuple):
    """A sentence without its words. facts: the values that it names."""

    topic: Topic | Says
    facts: Mapping[str, Fact] = {}


def clause(topic: Topic | Says, **facts: Fact) -> Clause:
    return Clause(topic, facts)


def as_json(fact: Any) -> Any:
    """Return a fact as JSON: an amount as ``{"amount": "-12.5", …}``, a day as ``{"day": …}``."""
    match fact:
        case Units(units, least):
            return {"amount": decimal_text(units), "leastDecimals": least}
        case Day(seconds):
            return {"day": date_text(seconds)}
        case Option(name, field):
            return {"option": name, "field": field}
        case Role(name):
            return {"role": name}
        case Given(options):
            return {"options": options}
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
            return Units(to_units(parse_decimal(text)), least)
        case {"day": str(text)}:
            return Day(parse_date(text))
        case {"option": str(name), "field": str(field)}:
            return Option(name, field)
        case {"role": str(name)}:
            return Role(name)
        case {"options": dict(options)}:
            return Given(options)
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
