"""What importers say, in English: the sentences that commands and pages share.

Each topic has a sentence with its facts in braces: ``{column!r}`` is quoted, ``{days: and }`` joins
several, ``{option.currency}`` is an option as commands or pages call it.
"""

from collections.abc import Mapping
from string import Formatter
from typing import Any

from finance_api.importers.clauses import Amount, Clause, Day, FileRow, Says, StoredRow, Topic
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
    Topic.ACCOUNT_IS_KNOWN_OF_SEVERAL: (
        "{entries} already in the account {account}, at most a day apart"
    ),
    Topic.CURRENCY: "the file does not state its currency",
    Topic.CURRENCY_OF_ACCOUNT: (
        "the amounts are in {mark}, but the account {account} is in {currency}"
    ),
    Topic.CARD_BALANCE: (
        "the balance {amount} of {account} on {day} may be what is owed, or money on the card"
    ),
    Topic.REPEATED_IN_FILE: (
        "{entry} appears in line {first} as well, in another part of the file, and neither has an "
        "id"
    ),
    Topic.PART_OF_DAY: ("the file covers only part of {day}, and {entry} equals a stored record"),
    Topic.SAME_ID: "{entry} has the id of {record}",
    Topic.REUSED_ID: (
        "{entry} contradicts {record}, unless the bank reuses ids, which it has not done for "
        "{account} so far"
    ),
    Topic.MOVED: ("{entry} may be {record}, which the file should contain but does not{more}"),
    Topic.OTHER_SOURCE: "{entry} may be {record}, which {origin}{more}",
    Topic.PART_OF_SUM: "{entry} may be part of {record}, which {origin}",
    Topic.SUM_OF_PARTS: "{entry} may include {record}, which {origin}",
    Topic.TWO_OF_THESE: "{first}; and {second} (line {line})",
}

#: A clause that says what a choice means, a part of another clause, or a remark.
CLAUSES: Mapping[Says, str] = {
    Says.ACCOUNT_IS: "the account is {account}",
    Says.ANOTHER_ACCOUNT: "it is another account",
    Says.OWED: "{amount} is owed",
    Says.ON_CARD: "{amount} is on the card",
    Says.SAME_TRANSACTION: "line {line} is the same transaction",
    Says.OTHER_TRANSACTION: "line {line} is another one",
    Says.BOTH: "{both}",
    Says.ENTERED: "you entered",
    Says.FROM_FORMAT: "came from a file in the format {format}",
    Says.MORE_PAIRS: " (and {count} more such pairs)",
    Says.MORE_ROWS: " (and {count} more such rows)",
    Says.ONE_ENTRY: "the entry for the new account {new} is",
    Says.SOME_ENTRIES: "{same} of the {count} entries for the new account {new} are",
    Says.HOUR_APART: (
        "{entry} is imported, although it equals {record} but for the hour: if the bank changed "
        "its clock, undo this import and say {option.match_days} 1"
    ),
    Says.CORRECTS_ITSELF: "{entry} corrects itself: imported unchanged",
    Says.CORRECTS_NOTHING: "{entry} corrects {id!r}, which is not stored: imported unchanged",
    Says.RECORDS_MISSING: (
        "the file lacks {count} stored records of days that it covers wholly, such as {record}"
    ),
}


class _Flags:
    """Options as commands call them."""

    def __getattr__(self, name: str) -> str:
        (flag,) = flags({name: None})
        return flag


class Writer(Formatter):
    """Writes clauses as commands do: numbers and days plainly, options as on a command line."""

    options: Any = _Flags()

    def text(self, what: Clause | str) -> str:
        """Return the sentence; a sentence that an importer wrote itself stays as it is."""
        if not isinstance(what, Clause):
            return self.plain(what)
        words = TOPICS[what.topic] if isinstance(what.topic, Topic) else CLAUSES[what.topic]
        return self.fill(words, what.facts)

    def fill(self, words: str, facts: Mapping[str, Any]) -> str:
        return self.vformat(words, (), {"option": self.options, **facts})

    def plain(self, sentence: str) -> str:
        return str(sentence)

    def amount(self, units: int, least_decimals: int) -> str:
        return decimal_text(units)

    def day(self, seconds: int) -> str:
        return date_text(seconds)

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
