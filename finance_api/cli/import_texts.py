"""Writes what importers say for a command line: how its options decide what a file leaves open."""

# A sentence is easier to read on one line.
# ruff: noqa: E501

from collections.abc import Mapping, Sequence

from finance_api.importers.clauses import Clause, Topic
from finance_api.importers.interface import Effect, ImportRefused, Question
from finance_api.wording import Writer

#: Values that only the user knows -> what stands for them in a command line.
PLACEHOLDERS = {"account": "NAME", "currency": "CODE"}

#: The end of the sentence about a topic: the options that decide it.
WAYS: Mapping[Topic, str] = {
    Topic.ACCOUNT: ": give --account NAME",
    Topic.ACCOUNT_IS_ANOTHER: ": leave out --account, or rename the account",
    Topic.ACCOUNTS_OF_NUMBER: ": give --account NAME",
    Topic.ACCOUNTS_BUT_ONE_NAMED: ": leave out --account",
    Topic.ACCOUNT_IS_KNOWN: ": if it is the same account, give --account {account!r}; if it is another account, give --new-account",
    Topic.ACCOUNT_IS_KNOWN_OF_SEVERAL: ": if it is the same account, import a file of that account alone with --account {account!r}; if it is another account, give --new-account",
    Topic.ACCOUNT_OF_BOOK_IS_KNOWN: "; if it is the same account, give --into {into!r}; if it is another one, give --new-accounts",
    Topic.ACCOUNT_OF_BOOK_IS_OWN: "; if it is the same account, follow the book with --follow; if it is another one, give --new-accounts",
    Topic.MAYBE_HERE: ": if they are the same, give --match-days {days}; if not, --match-days {least}",
    Topic.FOLLOWED: "; give --follow",
    Topic.MUCH_VANISHED: "; if that is right, give --confirm-smaller",
    Topic.OLDER_BOOK: "; if that is right, give --confirm-smaller",
    Topic.CURRENCY: ": give --currency, such as {example}",
    Topic.CURRENCY_OF_ACCOUNT: ": give another account with --account, or the currency with --currency",
    Topic.CARD_BALANCE: ": say with --card-balance what a positive balance means",
    Topic.REPEATED_IN_FILE: ": if they are one transaction, say --first-day same; if they are two, say --first-day new",
    Topic.PART_OF_DAY: ": if it is the same transaction, say --first-day same; if it is another one, say --first-day new",
    Topic.SAME_ID: ": if it corrects that record, say --ids stable; if it is another transaction, say --ids reused",
    Topic.REUSED_ID: ": say --ids stable if one id is always one transaction, or --ids reused if the bank uses ids again",
    Topic.MOVED: ": if the bank now reports it differently, say with --moved-days N how many days apart they may be ({days} here); if it is another transaction, say --moved-days 0",
    Topic.OTHER_SOURCE: ": if it is the same transaction, say with --match-days N how many days apart they may be ({days} here); if it is another one, say --match-days {least}; if the files have no transaction in common, say --no-match",
    Topic.PART_OF_SUM: ": if it does, say --match-days {days}; if it is another payment, say --match-days {least}",
    Topic.SUM_OF_PARTS: ": if it does, say --match-days {days}; if it is another payment, say --match-days {least}",
    Topic.BYTE_ORDER: ": give its byte order with --encoding {little} or {big}",
    Topic.IS_UTF_8: ": leave out --encoding, or say --force-encoding",
    Topic.SURROGATE: ": give it with --encoding",
    Topic.NOT_DECODED: "; give the file's encoding with --encoding",
    Topic.NOT_OF_ENCODING: "; give its encoding with --encoding",
    Topic.NUL: "; UTF-16 without a byte order mark needs --encoding utf-16-le or utf-16-be",
    Topic.SHEETS: ": say with --sheet which ones have the statement",
    Topic.UNDIVIDED: "; give the delimiter with --delimiter, or say with --skip-rows how many lines come before the headings",
    Topic.DELIMITERS: ": choose one with --delimiter",
    Topic.NO_DELIMITER: ": choose one with --delimiter",
    Topic.HEADINGS_FOUND: ": leave out --no-header",
    Topic.DATA_IN_HEADINGS: ": if it is data, say --no-header",
    Topic.PROFILES: ": name one with --profile",
    Topic.NO_PROFILE: "; 'finance-api profiles' lists them",
    Topic.PROFILE_DOES_NOT_FIT: "; 'finance-api profiles show {name}' lists them",
    Topic.PROFILE_DECIDES: ": leave the option out, or say --no-profile and name every column with options",
    Topic.WORD_NOT_KNOWN: ": say with --only {column}=VALUE which rows are transactions",
    Topic.WORD_NEEDS_BALANCE: ": download it with that column, or say with --only {column}=VALUE which rows are transactions",
    Topic.ROW_WITHOUT_WAY: ": leave these rows out with --only COLUMN=VALUE, or say --no-profile and name every column with options",
    Topic.ROW_NOT_READ: "; leave such rows out with --only",
    Topic.ONLY_FOR_AMOUNT: "; to reverse the directions, swap --debit and --credit instead",
    Topic.DOUBLED: ": choose one by its number with --map {field}={first}, or none with --map {field}=",
    Topic.NO_AMOUNT: "; say which one is with --map amount=…, or which two with --debit … and --credit …; {headings}",
    Topic.NO_DATE: "; say which one is with --map recordDate=…; {headings}",
    Topic.DATE_EMPTY: "; with --only or --skip-last, leave out rows that are not transactions",
    Topic.AMOUNT_EMPTY: "; with --only, --leave-out or --skip-last, leave out rows that are not transactions",
    Topic.SIDES_EMPTY: "; with --only, --leave-out or --skip-last, leave out rows that are not transactions",
    Topic.BOTH_SIDES: "; with --only, --leave-out or --skip-last, leave out rows that are not transactions; if this is one, correct the file",
    Topic.DATE_FORM: "; give the form with --date-format",
    Topic.VALUE_DATE_FORM: "; the other dates are {form}: to ignore the column, say --map valueDate=",
    Topic.NO_TIME: ", so --timezone cannot convert it",
    Topic.DECIMAL: "; choose one with --decimal . or --decimal ,",
    Topic.NOT_OF_DECIMAL: " (--decimal, --thousands)",
    Topic.CARD_SIGNS: ": say with --positive what a positive amount means",
    Topic.TYPE_WITHOUT_SIGN: ": say with --positive what a positive amount means",
    Topic.TYPE_NOT_KNOWN: ": say with --sign which types go out and, after |, which come in",
    Topic.TYPE_AGAINST_SIGN: ": say with --positive what a positive amount means",
    Topic.NEW_ACCOUNT_CURRENCY: ": give it with --currency, such as {codes: or }; for an existing account, leave out --currency",
    Topic.NEW_ACCOUNT: ": give the currency with --currency, such as {codes: or }",
    Topic.NEW_ACCOUNTS: ": give the currency with --currency, such as {codes: or }",
    Topic.AMOUNT_OR_SIDES: ": say which with --map amount=…, or with --debit … and --credit …",
    Topic.AMOUNT_COLUMNS: ": say which column with --map amount=…, or which two with --debit … and --credit …",
    Topic.OWN_AMOUNT: ": say with --map amount=… and --map currency=… which are the account's",
    Topic.PAIRS: ": say which two columns with --debit … and --credit …",
    Topic.SIDE_WITH_SIGNS: ": say with --positive which way a positive amount goes",
    Topic.DATE_COLUMNS: ": say with --map recordDate=… which one to use",
    Topic.NOT_IN_FORM: " (--date-format)",
    Topic.YEAR_OUTSIDE: ", or give its form with --date-format",
    Topic.NO_YEAR: ": give the period of the file with --date-format, as in 'DD.MM. 2026-01-01..2026-01-31'",
    Topic.NOT_A_DATE: "; give its form with --date-format",
    Topic.OTHER_FORM: "; give the form with --date-format",
    Topic.OTHER_MONEY: ": ignore it with --ignore, or say with --fee or --map what it is",
    Topic.MAYBE_BALANCE: ": name it with --balance, or ignore it with --ignore",
    Topic.MAYBE_FEES: ": name it with --fee, or ignore it with --ignore",
    Topic.UNITS: ": say with --units minor or --units major",
    Topic.FEE_SIGNS: ": if a minus in it means money going out, say --fee {column}=signed; if its numbers have no signs, say --fee {column}=unsigned",
    Topic.SPLIT_AMOUNT: ", or say with --map amount=… which column has the amounts",
    Topic.NO_DECIMALS: "; say with --decimal which mark is the decimal mark, or correct --currency",
    Topic.MAYBE_BALANCE_JUMPS: ", or ignore the balances with --ignore",
    Topic.MAYBE_DEBT: "; if they are, name their column with --balance",
    Topic.UNSIGNED: ": if positive amounts are money coming in, say --positive in; if they are money going out, say --positive out",
    Topic.UNSIGNED_WITHOUT_BALANCE: ": say with --positive which way it goes",
    Topic.UNSIGNED_WITH_WORDS: ": say with --sign COLUMN=OUT,…|IN,… which words mean which",
    Topic.WORDS_NOT_KNOWN: ": say with --sign COLUMN=OUT,…|IN,… which words mean money going out and which mean money coming in, or leave such rows out with --only",
    Topic.WORDS_AGAINST_SIGNS: ": if positive amounts are money coming in, say --positive in; if they are payments, as on a card, say --positive out",
    Topic.BALANCES_OF_CARD: ": if positive amounts are money coming in, say --positive in; if they are payments, as on a card, say --positive out",
    Topic.UNSIGNED_BALANCES_OF_CARD: ": say with --card-balance owed or --card-balance owned what they are, and with --positive which way an amount goes that no balance precedes",
    Topic.MOST_POSITIVE: ": if positive amounts are money coming in, say --positive in; if they are payments, as on a card, say --positive out",
    Topic.ONLY_PAYMENTS: ": if positive amounts are money coming in, say --positive in; if they are payments, as on a card, say --positive out",
    Topic.WORD_AGAINST_SIGN: ": let the column decide with --sign, or, if the column means something else, ignore it with --ignore",
    Topic.WORD_AGAINST_SIDE: ": exchange --debit and --credit, or, if the column means something else, ignore it with --ignore",
    Topic.SIDE_HAS_BOTH: ": say with --mixed-signs what the sign means: plus (negative numbers reverse the direction of the column), minus (positive numbers reverse it) or ignore (the sign means nothing)",
    Topic.SIDE_HAS_OTHER: ": say with --mixed-signs what the sign means: plus ({word} reverses the direction of the column) or ignore (the sign means nothing)",
    Topic.STATUS: ": say with --only COLUMN=VALUE which rows are transactions",
    Topic.MAYBE_TOTAL: ": say with --leave-out COLUMN=VALUE which rows are not transactions",
    Topic.END_WITHOUT_TEXT: ": leave it out with --skip-last or --skip-rows, or keep it with --leave-out {column}=",
    Topic.FIRST_IS_UNLIKE: ": leave it out with --skip-rows, or keep it with --leave-out {column}=",
    Topic.SUMS: ": say with --leave-out COLUMN=VALUE which rows are not transactions",
    Topic.ADD_UP: ": say with --leave-out COLUMN=VALUE which rows are not transactions",
    Topic.SUMS_WITHOUT_TEXT: ": say with --leave-out COLUMN=VALUE which rows are not transactions, or remove them from the file",
    Topic.MAYBE_PARTS: ": leave them out with --only, or ignore it with --ignore",
    Topic.DOUBLE_ENTRY: ": say with --only COLUMN=VALUE which accounts are the bank's",
    Topic.FOOTER: "; if the rows from there on are not transactions, leave them out with --skip-last",
    Topic.WIDTH: "; with --skip-rows, leave out rows above the headings; with --skip-last, rows below the data",
    Topic.QUOTE: " (--delimiter)",
    Topic.OWN_EXPORT: ", or what 'finance-api dump' writes",
    Topic.ACCOUNT_OR_COLUMN: "; give the account with --account, or its column with --map account=…{headings}",
    Topic.SEVERAL_ACCOUNTS: ": if they are yours, say --map accountNumber=…; if they are the other side's, say --map counterpartyAccount=…, or ignore it with --ignore",
    Topic.SECOND_ACCOUNT: ": keep its name with --map counterpartyAccount=…, or ignore it with --ignore",
    Topic.ACCOUNT_NUMBERS: ": to import each number as an account of its own, leave out --account",
    Topic.ACCOUNT_NAMES: ": to import both accounts, leave out --account; to ignore the column, say --map account=",
    Topic.CURRENCIES_OF_ACCOUNT: ": say with --map account=… which column names the account",
    Topic.LINES_AGAINST: ": say with --currency which one is right, or confirm the other with --map currency=",
    Topic.CURRENCY_COLUMN: ": if these are the currencies of the amounts, say --map currency=…; if all amounts are in one currency, say --map currency=",
    Topic.CURRENCY_COLUMN_AGAINST: ": if these are the currencies of the amounts, say --map currency=…; if all amounts are in one currency, say --map currency=",
}

_WRITER = Writer()


def text(said: Clause | str) -> str:
    """Return the sentence of a clause or a remark."""
    return _WRITER.text(said)


def refusal_text(refused: ImportRefused) -> str:
    """Return a sentence about everything that a file leaves open, with the options that decide."""
    return refused.joined(_sentence, text)


def _sentence(question: Question) -> str:
    fact = question.fact
    return fact if isinstance(fact, str) else text(fact) + _way(fact)


def _way(fact: Clause) -> str:
    first = fact.facts.get("first")
    before = _way(first) if isinstance(first, Clause) else ""
    return before + _WRITER.fill(WAYS.get(Topic(fact.topic), ""), fact.facts)


def effect_texts(effects: Sequence[Effect | None]) -> list[str]:
    """Return what each of several choices does, in brackets; "" if they all do the same."""
    lines = sorted({entry.line for effect in effects if effect for entry in effect.entries})
    found = []
    for texts in _WRITER.effects(effects, lines):
        parts = (f"line {line}: {text}" for line, text in zip(lines, texts, strict=False))
        joined = "; ".join(parts if lines else texts)
        found.append(f" ({joined})" if joined else "")
    return found
