"""What importers say, in English: the sentences that commands and pages share.

Each topic has a sentence with its facts in braces: ``{column!r}`` is quoted, ``{days: and }`` joins
several, ``{option.currency}`` is an option as commands or pages call it.
"""

# A sentence is easier to read on one line.
# ruff: noqa: E501

from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any

from finance_api.importers.clauses import (
    Amount,
    Clause,
    Day,
    FileRow,
    Option,
    Says,
    StoredRow,
    Topic,
)
from finance_api.importers.interface import listed, quoted
from finance_api.importers.options import flags
from finance_api.values.number import decimal_text
from finance_api.values.text import shown
from finance_api.values.time import date_text

_LONGEST = 60

#: A clause about the file.
TOPICS: Mapping[Topic, str] = {
    Topic.ACCOUNT: "the file does not say which account it belongs to",
    Topic.ACCOUNT_IS_ANOTHER: "earlier statements of this account are in {account}",
    Topic.ACCOUNTS_OF_NUMBER: "{count} accounts have the number {number} ({accounts})",
    Topic.ACCOUNTS_BUT_ONE_NAMED: "the file has {count} accounts, but {option.account} names one",
    Topic.ACCOUNT_IS_KNOWN: "{entries} already in the account {account}, at most a day apart",
    Topic.ACCOUNT_IS_KNOWN_OF_SEVERAL: "{entries} already in the account {account}, at most a day apart",
    Topic.CURRENCY: "the file does not state its currency",
    Topic.CURRENCY_OF_ACCOUNT: "the amounts are in {mark}, but the account {account} is in {currency}",
    Topic.CARD_BALANCE: "the balance {amount} of {account} on {day} may be what is owed, or money on the card",
    Topic.REPEATED_IN_FILE: "{entry} appears in line {first} as well, in another part of the file, and neither has an id",
    Topic.PART_OF_DAY: "the file covers only part of {day}, and {entry} equals a stored record",
    Topic.SAME_ID: "{entry} has the id of {record}",
    Topic.REUSED_ID: "{entry} contradicts {record}, unless the bank reuses ids, which it has not done for {account} so far",
    Topic.MOVED: "{entry} may be {record}, which the file should contain but does not{more}",
    Topic.OTHER_SOURCE: "{entry} may be {record}, which {origin}{more}",
    Topic.PART_OF_SUM: "{entry} may be part of {record}, which {origin}",
    Topic.SUM_OF_PARTS: "{entry} may include {record}, which {origin}",
    Topic.TWO_OF_THESE: "{first}; and {second} (line {line})",
    Topic.MARK_OF_ANOTHER: "the file begins with the byte order mark of {mark}, but {option.encoding} is {encoding!r}",
    Topic.BYTE_ORDER: "the file has no byte order mark",
    Topic.IS_UTF_8: "the file is valid UTF-8, in which this line has {character!r}; {encoding} would read {wrong!r}",
    Topic.SURROGATE: "half of a surrogate pair; the file has another encoding",
    Topic.NOT_DECODED: "{what} is not {encoding}",
    Topic.NOT_OF_ENCODING: "the file is not {encoding}",
    Topic.NUL: "a NUL character",
    Topic.NO_SHEET: "no sheet with cells is called {sheet!r}: the sheets are {sheets!r}",
    Topic.SHEETS: "the spreadsheet has the sheets {sheets!r}",
    Topic.UNDIVIDED: "the file is not in a known format, and if it is CSV, its first row is not divided by , or ; or tab or |",
    Topic.DELIMITERS: "{delimiters: and } both divide the rows into the same columns",
    Topic.NO_DELIMITER: "no delimiter divides all rows into the same columns ({faults:; })",
    Topic.HEADINGS_FOUND: "the first row has headings",
    Topic.DATA_IN_HEADINGS: "the first row was read as headings, but it has a date or an amount",
    Topic.HEADINGS_SKIPPED: "line {line}, which {option.skip_rows} {skipped} leaves out, has headings",
    Topic.ALL_SKIPPED: "{option.skip_rows} skips the whole file",
    Topic.MORE_SKIPPED: "{option.skip_last} {count} leaves out more rows than there are",
    Topic.PROFILES: "the headings are those of the profiles {profiles!r}",
    Topic.NO_PROFILE: "there is no profile {profile!r}",
    Topic.PROFILE_DOES_NOT_FIT: "no line has the headings of the profile {profile}",
    Topic.PROFILE_IS_WRONG: "the profile {path}: {fault}",
    Topic.PROFILE_DECIDES: "{named}: the profile {profile} decides that",
    Topic.WORD_NOT_KNOWN: "the profile {profile} does not know {word!r} in the column {column!r}",
    Topic.WORD_NEEDS_BALANCE: "only a balance column shows whether a row of {word!r} moved money, and the file has none",
    Topic.ROW_WITHOUT_WAY: "the profile {profile} does not know whether money comes in or goes out in such a row ({cells})",
    Topic.EXCLUDE: "{first} and {second} exclude each other",
    Topic.MISPLACED: "{options}: not an option for a file in the format {format}",
    Topic.OPTION_IS_WRONG: "{named} {fault}",
    Topic.OPTION_HAS_FAULT: "{named}: {fault}",
    Topic.VALUE_IS_WRONG: "{named} {value!r} {fault}",
    Topic.SAME_VALUE: "{first} and {second} are both {value}",
    Topic.ALSO_NEEDS: "{first} also needs {second}",
    Topic.NEEDS: "{first} needs {second}",
    Topic.SAME_COLUMN: "{option.debit} and {option.credit} name the same column",
    Topic.ONLY_FOR_AMOUNT: "{named} is for an amount column",
    Topic.ONLY_FOR_SIDES: "{option.mixed_signs} is for {option.debit} and {option.credit}, or {option.sign}",
    Topic.NUMBERS_ONLY: "{named}: with {option.no_header}, give a column by its number, counted from 1, not as {column!r}",
    Topic.SIGN_OF_TYPES: "write {option.sign} as TRNTYPE=OUT or TRNTYPE=OUT|IN, with types of OFX",
    Topic.FEE_IS_SIGNED: "the fee is negative, but {option.fee} says that fees are unsigned",
    Topic.DOUBLED: "columns {numbers: and } all have a heading of {field}",
    Topic.NO_AMOUNT: "no column is the amount",
    Topic.NO_DATE: "no column is the date",
    Topic.NO_TABLE: "the file is not in a known format, and if it is CSV, {first}",
    Topic.DATE_EMPTY: "the date is empty",
    Topic.AMOUNT_EMPTY: "the amount is empty",
    Topic.DATE_FORM: "the date {text!r} is {days: and }",
    Topic.VALUE_DATE_FORM: "the date {text!r} is {days: and }",
    Topic.NO_TIME: "the date {text!r} has no time",
    Topic.DECIMAL: "the amount {text!r} can be read as {point} or {comma}, and no other row shows which",
    Topic.NOT_OF_DECIMAL: "{text!r} is not an amount with the decimal mark {mark}{grouped}, which the options or the rows above require",
    Topic.CARD_SIGNS: "the card has amounts with a minus only for payments",
    Topic.TYPE_WITHOUT_SIGN: "the transaction is a {type}, but no amount of the statement has a minus sign",
    Topic.TYPE_NOT_KNOWN: "the transaction is of the type {type!r}, which does not say whether its money comes in or goes out, and no amount of the statement has a minus sign",
    Topic.TYPE_AGAINST_SIGN: "the transaction is a DEBIT with a positive amount, but every CREDIT has a negative amount",
    Topic.NEW_ACCOUNT_CURRENCY: "a new account needs a currency",
    Topic.NEW_ACCOUNT: "{accounts!r} is a new account",
    Topic.NEW_ACCOUNTS: "{accounts!r} are new accounts",
    Topic.TYPES_NOT_KNOWN: "the transaction is of the type {type!r}, which does not say whether its money comes in or goes out, and no amount of the statement has a minus sign; download the file again, or in another format",
    Topic.VALUE_HAS_FAULT: "{named} {value!r}: {fault}",
}

#: A clause that says what a choice means, a part of another clause, or a remark.
CLAUSES: Mapping[Says, str] = {
    Says.ACCOUNT_IS: "the account is {account}",
    Says.ANOTHER_ACCOUNT: "it is another account",
    Says.OWED: "{amount} is owed",
    Says.ON_CARD: "{amount} is on the card",
    Says.SAME_TRANSACTION: "line {line} is the same transaction",
    Says.OTHER_TRANSACTION: "line {line} is another one",
    Says.ENTERED: "you entered",
    Says.FROM_FORMAT: "came from a file in the format {format}",
    Says.MORE_PAIRS: " (and {count} more such pairs)",
    Says.MORE_ROWS: " (and {count} more such rows)",
    Says.ONE_ENTRY: "the entry for the new account {new} is",
    Says.SOME_ENTRIES: "{same} of the {count} entries for the new account {new} are",
    Says.HOUR_APART: "{entry} is imported, although it equals {record} but for the hour: if the bank changed its clock, undo this import and say {option.match_days} 1",
    Says.CORRECTS_ITSELF: "{entry} corrects itself: imported unchanged",
    Says.CORRECTS_NOTHING: "{entry} corrects {id!r}, which is not stored: imported unchanged",
    Says.RECORDS_MISSING: "the file lacks {count} stored records of days that it covers wholly, such as {record}",
    Says.BOTH: "{both}",
    Says.ENCODING_IS: "the file is {encoding}",
    Says.LINE_SAYS: "it says {text!r}",
    Says.END: "its end",
    Says.BYTE: "byte {byte}",
    Says.SHEET_IS: "the statement is in {sheet!r}",
    Says.FILE_OF: "the file is of {profile}",
    Says.DIVIDES: "{delimiter!r} divides the columns",
    Says.MISFITS: "with {delimiter!r} line {line} does not fit",
    Says.USE: "use {named}",
    Says.PROFILE_RIGHT: "the profile is right",
    Says.OPTION_RIGHT: "{named} is right",
    Says.OUT_IN: "money going out is in {column!r}",
    Says.IN_COLUMN: "{field} is in column {number}",
    Says.DATE_IS: "{text!r} is {day}",
    Says.DAY_AS: "{day} as {form}",
    Says.AMOUNT_IS: "{text!r} is {amount}",
    Says.THOUSANDS: " and thousands {thousands!r}",
    Says.HEADINGS: "the headings are {headings!r}",
    Says.BY_NUMBER: "give columns by their numbers, counted from 1",
    Says.COMES_IN: "the amount of line {line} comes in",
    Says.GOES_OUT: "the amount of line {line} goes out",
    Says.TYPE_IN: "{type} comes in",
    Says.TYPE_OUT: "{type} goes out",
    Says.TYPES: "{types}",
    Says.NO_HEADING: "there is no heading {column!r}{meant}; {headings}",
    Says.MEANT: ", did you mean {heading!r}?",
}


class _Options:
    """The options, so that a sentence can name one: ``{option.currency}``."""

    def __init__(self, write: Callable[[str, str], str]) -> None:
        self._write = write

    def __getattr__(self, name: str) -> str:
        return self._write(name, "")


class Writer(Formatter):
    """Writes clauses as commands do: numbers and days plainly, options as on a command line."""

    def text(self, what: Clause | str) -> str:
        """Return the sentence; a sentence that an importer wrote itself stays as it is."""
        if not isinstance(what, Clause):
            return self.plain(what)
        words = TOPICS[what.topic] if isinstance(what.topic, Topic) else CLAUSES[what.topic]
        return self.fill(words, what.facts)

    def fill(self, words: str, facts: Mapping[str, Any]) -> str:
        return self.vformat(words, (), {"option": _Options(self.option), **facts})

    def plain(self, sentence: str) -> str:
        return str(sentence)

    def amount(self, units: int, least_decimals: int) -> str:
        return decimal_text(units)

    def day(self, seconds: int) -> str:
        return date_text(seconds)

    def option(self, name: str, field: str) -> str:
        (flag,) = flags({name: {field: None} if field else None})
        return flag

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        if conversion is None:
            return value
        return listed(value) if type(value) is tuple else quoted(value)

    def format_field(self, value: Any, format_spec: str) -> str:
        match value:
            case Amount(units, least):
                return self.amount(units, least)
            case Day(seconds):
                return self.day(seconds)
            case Option(name, field):
                return self.option(name, field)
            case Clause():
                return self.text(value)
            case FileRow():
                bank_id = "" if value.bank_id is None else f" (id {shown(value.bank_id)})"
                text = value.text
                if len(text) > _LONGEST:
                    text = text[: _LONGEST - 1] + "…"
                text = f" {shown(text)}" if text else ""
                facts = {"row": value, "text": text, "id": bank_id}
                return self.fill("{row.date} {row.amount}{text}{id} in line {row.line}", facts)
            case StoredRow():
                return self.fill(
                    "the record of {row.date} {row.amount} (id {row.id})", {"row": value}
                )
            case tuple():
                return (format_spec or ", ").join(self.format_field(each, "") for each in value)
        return str(value)
