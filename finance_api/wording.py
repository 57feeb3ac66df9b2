"""What importers say, in English: the sentences that commands and pages share.

Each topic has a sentence with its facts in braces: ``{column!r}`` is quoted, ``{days: and }`` joins
several, ``{option.currency}`` is an option as commands or pages call it.
"""

# A sentence is easier to read on one line.
# ruff: noqa: E501

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from finance_api.importers.clauses import (
    Clause,
    Day,
    FileRow,
    Given,
    Option,
    Role,
    Says,
    StoredRow,
    Topic,
    Units,
)
from finance_api.importers.interface import Effect, differing_fields, listed, quoted
from finance_api.importers.options import flags, words
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
    Topic.ACCOUNT_OF_BOOK_IS_KNOWN: "{entries} already in the account {account}, at most a day apart",
    Topic.ACCOUNT_OF_BOOK_IS_OWN: "{entries} already in the account {account}, which came from this book: it may have been renamed there",
    Topic.MAYBE_HERE: "{count} records of the book may be here already, up to {days} days apart, such as {amount} of {day}, which may be {record}",
    Topic.FOLLOWED: "this book is followed: importing it otherwise would replace what you changed here",
    Topic.MUCH_VANISHED: "{gone} of {count} {objects} would go, because the book no longer has them: it may be an older copy, or another book",
    Topic.OLDER_BOOK: "the newest day in the book is {own}, but it had {stored} before: it may be an older copy",
    Topic.CURRENCY: "the file does not state its currency",
    Topic.CURRENCY_OF_ACCOUNT: "the amounts are in {mark}, but the account {account} is in {currency}",
    Topic.CARD_BALANCE: "the balance {amount} of {account} on {day} may be what is owed, or money on the card",
    Topic.REPEATED_IN_FILE: "{entry} appears in line {first} as well, in another part of the file, and neither has an id",
    Topic.PART_OF_DAY: "the file covers only part of {day}, and {entry} equals a stored record",
    Topic.SAME_ID: "{entry} has the id of {record}",
    Topic.REUSED_ID: "{entry} contradicts {record}, unless the bank reuses ids, which it has not done for {account} so far",
    Topic.MOVED: "{entry} may be {record}, which the file should contain but does not{more}",
    Topic.OTHER_SOURCE: "{entry} may be {record}, which {origin}{more}",
    Topic.PART_OF_SUM: "{entry} may be part of {record}, which {origin}{more}",
    Topic.SUM_OF_PARTS: "{entry} may include {record}, which {origin}{more}",
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
    Topic.PROFILE_IS_WRONG: "the profile {path}: {fault}{place}",
    Topic.PROFILE_DECIDES: "{named}: the profile {profile} decides that",
    Topic.WORD_NOT_KNOWN: "the profile {profile} does not know {word!r} in the column {column!r}",
    Topic.WORD_NEEDS_BALANCE: "only a balance column shows whether a row of {word!r} moved money, and the file has none",
    Topic.ROW_WITHOUT_WAY: "the profile {profile} does not know whether money comes in or goes out in such a row ({cells})",
    Topic.ROW_NOT_READ: "{reason}",
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
    Topic.SIDES_EMPTY: "neither the debit nor the credit column has an amount",
    Topic.BOTH_SIDES: "both the debit and the credit column have an amount",
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
    Topic.AMOUNT_OR_SIDES: "the amounts are in {amount!r}, or in {debit!r} and {credit!r}",
    Topic.AMOUNT_COLUMNS: "the amounts are in {columns!r}",
    Topic.OWN_AMOUNT: "the amounts are in {columns!r}",
    Topic.PAIRS: "the amounts are in {columns!r}",
    Topic.SIDE_WITH_SIGNS: "the amounts of {column!r} have both signs",
    Topic.DATE_COLUMNS: "the dates are in {columns!r}",
    Topic.NOT_IN_FORM: "{text!r} is not a date in the form {form}",
    Topic.YEAR_OUTSIDE: "{text!r} has the year {year}, but dates go from {first_year} to {last_year}: correct it in the file",
    Topic.NO_YEAR: "{text!r} has no year",
    Topic.NOT_A_DATE: "{text!r} is not a date in a known form",
    Topic.OTHER_FORM: "{text!r} is not a date in the form of the rows above ({forms: or })",
    Topic.OTHER_MONEY: "{columns!r} has amounts of money beside the amount column",
    Topic.MAYBE_BALANCE: "the column {column!r} looks like a balance",
    Topic.MAYBE_FEES: "the column {column!r} looks like fees",
    Topic.UNITS: "the amounts of {heading!r} may be in hundredths of the currency",
    Topic.FEE_SIGNS: "{option.fee} {fee!r} does not say whether fees have signs",
    Topic.SPLIT_AMOUNT: "the amount has no decimals, and {column!r} goes on with digits: a comma may have split the amount into two cells; put such amounts in quotes",
    Topic.NO_DECIMALS: "the amount is {amount}, but {currency} has no decimals",
    Topic.BALANCE_JUMPS: "the balance is {balance}, but after the row before it should be {expected}: a row is missing, changed or moved; download the file again",
    Topic.MAYBE_BALANCE_JUMPS: "the balance is {balance}, but after the row before it should be {expected}: a row is missing, changed or moved; download the file again",
    Topic.MAYBE_DEBT: "the balances rise where money goes out: they may be what is owed, as on a card",
    Topic.UNSIGNED: "no amount is negative",
    Topic.UNSIGNED_WITHOUT_BALANCE: "no amount is negative, and no balance shows whether the amount of line {line} comes in or goes out",
    Topic.UNSIGNED_WITH_WORDS: "no amount is negative, and the column {column!r} may say whether money comes in or goes out ({words!r})",
    Topic.WORDS_NOT_KNOWN: "it is not known whether {unknown!r} in the column {column!r} means money coming in or going out; the column has {words!r}",
    Topic.WORDS_AGAINST_SIGNS: "the words of {column!r} contradict most of the signs",
    Topic.BALANCES_OF_CARD: "the balances may be what is owed, as on a card",
    Topic.UNSIGNED_BALANCES_OF_CARD: "no amount is negative, and the balances may be what is owed, as on a card",
    Topic.MOST_POSITIVE: "most amounts are positive",
    Topic.ONLY_PAYMENTS: "all that goes out is a payment, as on a card",
    Topic.WORD_AGAINST_SIGN: "the column {column!r} says {word!r} next to an amount that is {money}",
    Topic.WORD_AGAINST_SIDE: "the column {column!r} says {word!r} next to an amount that is {money}",
    Topic.SIDE_HAS_BOTH: "{side} has positive and negative numbers",
    Topic.SIDE_HAS_OTHER: "{side} has amounts with {word}",
    Topic.STATUS: "the column {column!r} has {words!r}",
    Topic.MAYBE_TOTAL: "the row of {text!r} may be a total",
    Topic.END_WITHOUT_TEXT: "the row lacks texts that all others have, and may be a balance",
    Topic.FIRST_IS_UNLIKE: "the row is unlike all rows below it, and may be no transaction",
    Topic.SUMS: "the rows of {texts!r} may be sums of other rows, or balances",
    Topic.SUMS_WITHOUT_TEXT: "the rows of {texts!r} may be sums of other rows, or balances",
    Topic.ADD_UP: "the rows of {texts!r} add up to the row beside them, and may be its parts",
    Topic.MAYBE_PARTS: "the column {column!r} may mark parts of other rows",
    Topic.DOUBLE_ENTRY: "the file is double entry: each payment has a row for each account in {column!r}",
    Topic.FOOTER: "{first}",
    Topic.WIDTH: "the row has {count} cells and {what} has {width}: {why}",
    Topic.QUOTE: "a quote inside a quoted cell is not doubled, or a quoted cell is not followed by the delimiter",
    Topic.OWN_EXPORT: "these are records exported by finance-api, and a table does not have all that belongs to them: import /v1/api/export/all.ndjson instead",
    Topic.ACCOUNT_OR_COLUMN: "the file does not say which account it belongs to",
    Topic.SEVERAL_ACCOUNTS: "the column {column!r} has several accounts",
    Topic.SECOND_ACCOUNT: "the column {column!r} may name the other account of transfers, and that account gets no records from these rows",
    Topic.ACCOUNT_NUMBERS: "the account number is {number!r} here and {earlier!r} in line {line}",
    Topic.ACCOUNT_NAMES: "the account is {account!r} here and {earlier!r} in line {line}",
    Topic.CURRENCIES_OF_ACCOUNT: "the amount is in {mark}, but earlier amounts of its account are in {earlier}; an account has one currency",
    Topic.CURRENCY_AGAINST: "the currency is {code}, but {option.currency} says {said}",
    Topic.HEADING_AGAINST: "the heading of the amount states {code}, but {option.currency} says {said}",
    Topic.AMOUNT_AGAINST: "the amount is in {code}, but {option.currency} says {said}",
    Topic.LINES_AGAINST: "the lines above the headings have {codes!r}, but {option.currency} says {said}",
    Topic.CURRENCY_COLUMN: "the column {column!r} has {codes!r}",
    Topic.CURRENCY_COLUMN_AGAINST: "the column {column!r} has {codes!r}, but {option.currency} says {said}",
    Topic.WORD_AGAINST_PROFILE: "the column {column!r} says {word!r} next to an amount that is {money}, which contradicts the profile {profile}",
}

#: A clause that says what a choice means, a part of another clause, or a remark.
CLAUSES: Mapping[Says, str] = {
    Says.ACCOUNT_IS: "the account is {account}",
    Says.ANOTHER_ACCOUNT: "it is another account",
    Says.ARE_SAME: "they are the same transactions",
    Says.ARE_OTHERS: "they are others",
    Says.OWED: "{amount} is owed",
    Says.ON_CARD: "{amount} is on the card",
    Says.SAME_TRANSACTION: "line {line} is the same transaction",
    Says.OTHER_TRANSACTION: "line {line} is another one",
    Says.ENTERED: "you entered",
    Says.FROM_FORMAT: "came from a file in the format {format}",
    Says.OUT_OF_DATE: "the bank deleted or corrected since",
    Says.VOIDED: "you made void",
    Says.MORE_PAIRS: " (and {count} more such pairs)",
    Says.MORE_ROWS: " (and {count} more such rows)",
    Says.ONE_ENTRY: "the entry for the new account {new} is",
    Says.SOME_ENTRIES: "{same} of the {count} entries for the new account {new} are",
    Says.HOUR_APART: "{entry} is imported, although it equals {record} but for the hour: if the bank changed its clock, undo this import and say {option.moved_days} 1",
    Says.CORRECTS_ITSELF: "{entry} corrects itself: imported unchanged",
    Says.CORRECTS_NOTHING: "{entry} corrects {id!r}, which is not stored: imported unchanged",
    Says.RECORDS_MISSING: "the file lacks {count} stored records of days that it covers wholly, such as {record}",
    Says.BOTH: "{both}",
    Says.ENCODING_IS: "the file is {encoding}",
    Says.LINE_SAYS: "it says {text!r}",
    Says.END: "its end",
    Says.BYTE: "byte {byte}",
    Says.SHEETS_ARE: "the statements are in {sheets!r}",
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
    Says.FIELD_IN: "{field} is in {column!r}",
    Says.POSITIVE_OUT: "a positive amount goes out",
    Says.POSITIVE_IN: "a positive amount comes in",
    Says.HAS_CURRENCIES: "{column!r} has the currency of each amount",
    Says.ALL_IN: "all amounts are in {code}",
    Says.ONE_CURRENCY: "all amounts are in one currency",
    Says.TRANSACTION: "{text!r} is a transaction",
    Says.NOT_TRANSACTION: "{text!r} is not a transaction",
    Says.NOT_TRANSACTIONS: "{texts!r} are not transactions",
    Says.WITHOUT_AMOUNT: "rows without an amount are not transactions",
    Says.THESE_TRANSACTIONS: "these rows are transactions",
    Says.ALL_TRANSACTIONS: "all rows are transactions",
    Says.ROWS_TRANSACTIONS: "rows of {words!r} are transactions",
    Says.ONLY_PARTS: "rows with a {column!r} are only parts",
    Says.ONLY_ROWS: "only the rows of {accounts!r} are transactions",
    Says.ONLY_ROWS_DEBIT_IN: "only the rows of {accounts!r} are transactions, and a debit comes in",
    Says.ONLY_ROWS_DEBIT_OUT: "only the rows of {accounts!r} are transactions, and a debit goes out",
    Says.IGNORED: "{columns!r} can be ignored",
    Says.IS_FEE: "{column!r} is a fee paid in addition to the amount",
    Says.IS_ORIGINAL: "{column!r} is the amount before conversion",
    Says.IS_AMOUNT: "{column!r} is the amount",
    Says.IS_BALANCE: "{column!r} is the balance",
    Says.IS_OWED: "{column!r} is what is owed",
    Says.NOT_RUNNING: "{column!r} is not a running balance",
    Says.REPEATS_ABOVE: "blank cells of {columns!r} repeat the row above",
    Says.OWN_ACCOUNTS: "{column!r} has your own accounts",
    Says.OTHER_ACCOUNTS: "{column!r} has the other side's accounts",
    Says.ACCOUNTS_OF_FILE: "the file has several accounts",
    Says.EVERY_ROW: "every row belongs to {account!r}",
    Says.MINOR: "an amount of 1250 is 12.5",
    Says.MAJOR: "an amount of 1250 is 1250",
    Says.FEE_OUT: "a fee of 1 goes out",
    Says.FEE_IN: "a fee of 1 goes in",
    Says.MONEY_IN: "money coming in",
    Says.MONEY_OUT: "money going out",
    Says.DEBIT_COLUMN: "the debit column",
    Says.CREDIT_COLUMN: "the credit column",
    Says.WORD_IS: "{word!r} is {money}",
    Says.WORDS_ARE: "{ways: and }",
    Says.SAYS_WAY: "{column!r} says whether money comes in or goes out",
    Says.NO_WAY: "{column!r} does not mean a direction",
    Says.NO_WAY_BUT: "{column!r} does not mean a direction, and {way}",
    Says.ONLY_WORDS: "only the words of {column!r} count",
    Says.ONLY_NEGATIVE: "{side} has only negative numbers: they are read as {money}",
    Says.FITS_ONLY: "{side} has numbers of both signs; the balance column fits only {option.mixed_signs} {way}",
    Says.HEADING_ROW: "the heading row",
    Says.FIRST_ROW: "the first row",
    Says.NEEDS_QUOTES: "a cell with the delimiter in it needs quotes",
    Says.CUT_SHORT: "the row is cut short or has another delimiter",
    Says.AFTER: "; {text}",
    Says.COLUMN_IS: "{role} is {column!r}: {reason}",
    Says.WITH_PROFILE: " (read with the profile {profile}; {option.no_profile} reads the file without it)",
    Says.WITH_OPTIONS: " (with the options given before: {options})",
    Says.USED_OPTIONS: "used the options given before for this account: {options}",
    Says.SKIPPED_LINES: "skipped the lines before the headings: {option.skip_rows} {count}",
    Says.BALANCE_UNUSED: "the balance {amount} of {day} is not used",
    Says.BALANCES_WITHOUT_DAY: "no day is stated for {balances!r}: not used as a balance",
}

#: What the other sentences are made of.
PHRASES: Mapping[str, str] = {
    "entry": "{row.date} {row.amount}{text}{id} in line {row.line}",
    "stored": "the record of {row.date} {row.amount}{text}",
    "effect": "{amount} on {day}",
    "and": " and ",
    "not_imported": "not imported",
    "created": "{count} created",
    "updated": "{count} updated",
    "unchanged": "{count} unchanged",
    "matched": "{count} matched",
    "skipped": "{count} skipped",
}


class _Options:
    """The options, so that a sentence can name one: ``{option.currency}``."""

    def __init__(self, write: Callable[[str, str], str]) -> None:
        self._write = write

    def __getattr__(self, name: str) -> str:
        return self._write(name, "")


class Writer(Formatter):
    """Writes clauses as commands do: numbers and days plainly, options as on a command line.

    sentences: by the names of topics, of what choices say, and of phrases.
    """

    sentences: Mapping[str, str] = dict([*TOPICS.items(), *CLAUSES.items(), *PHRASES.items()])

    def text(self, what: Clause | str) -> str:
        """Return the sentence; a sentence that an importer wrote itself stays as it is."""
        if not isinstance(what, Clause):
            return str(what)
        return self.fill(self.sentences[what.topic], what.facts)

    def fill(self, words: str, facts: Mapping[str, Any]) -> str:
        return self.vformat(words, (), {"option": _Options(self.option), **facts})

    def effects(
        self, effects: Sequence[Effect | None], lines: Sequence[int]
    ) -> list[tuple[str, ...]]:
        """Return what each of several choices does: a text for each of the lines, or for all if
        only the counts differ; nothing if the choices do the same, or one was not tried.
        """
        told = [effect for effect in effects if effect is not None]
        if len(told) < len(effects) or len(set(map(repr, told))) < 2:
            return [()] * len(effects)
        if len({effect.entries for effect in told}) == 1:
            return [(self._counts(effect.counts or {}),) for effect in told]
        fields = differing_fields(told)
        return [tuple(self._entries(effect, line, fields) for line in lines) for effect in told]

    def _counts(self, counts: Mapping[str, int]) -> str:
        phrases = ((self.sentences[name], count) for name, count in counts.items() if count)
        return ", ".join(self.fill(phrase, {"count": count}) for phrase, count in phrases)

    def _entries(self, effect: Effect, line: int, fields: Sequence[str]) -> str:
        texts = (
            self.fill(
                self.sentences["effect"], {"amount": self.money(each.amount), "day": Day(each.day)}
            )
            + "".join(f", {shown(getattr(each, name) or '')}" for name in fields)
            for each in effect.entries
            if each.line == line
        )
        return self.sentences["and"].join(texts) or self.sentences["not_imported"]

    def money(self, units: int) -> str:
        return self.amount(units, 2)

    def amount(self, units: int, least_decimals: int) -> str:
        return decimal_text(units)

    def day(self, seconds: int) -> str:
        return date_text(seconds)

    def option(self, name: str, field: str) -> str:
        (flag,) = flags({name: {field: None} if field else None})
        return flag

    def role(self, name: str) -> str:
        return name

    def given(self, options: Mapping[str, Any]) -> str:
        return " ".join(quoted(w) if " " in w or not w else w for w in words(options))

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        if conversion is None:
            return value
        if type(value) is tuple:
            return listed(self.format_field(each, "") for each in value)
        return quoted(value)

    def format_field(self, value: Any, format_spec: str) -> str:
        match value:
            case Units(units, least):
                return self.amount(units, least)
            case Day(seconds):
                return self.day(seconds)
            case Option(name, field):
                return self.option(name, field)
            case Role(name):
                return self.role(name)
            case Given(options):
                return self.given(options)
            case Clause():
                return self.text(value)
            case FileRow():
                bank_id = "" if value.bank_id is None else f" (id {shown(value.bank_id)})"
                facts = {"row": value, "text": _shortened(value.text), "id": bank_id}
                return self.fill(self.sentences["entry"], facts)
            case StoredRow():
                text = _shortened(value.text) or f" (id {value.id})"
                return self.fill(self.sentences["stored"], {"row": value, "text": text})
            case tuple():
                return (format_spec or ", ").join(self.format_field(each, "") for each in value)
        return str(value)


def _shortened(text: str) -> str:
    """Return what follows amounts: the text after a blank, or nothing."""
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    return f" {shown(text)}" if text else ""
