"""Writes what importers say for a command line: how its options decide what a file leaves open."""

from collections.abc import Mapping

from finance_api.importers.clauses import Clause, Topic
from finance_api.importers.interface import ImportRefused, Question
from finance_api.wording import Writer

#: Values that only the user knows -> what stands for them in a command line.
PLACEHOLDERS = {"account": "NAME", "currency": "CODE"}

#: The end of the sentence about a topic: the options that decide it.
WAYS: Mapping[Topic, str] = {
    Topic.ACCOUNT: ": give --account NAME",
    Topic.ACCOUNT_IS_ANOTHER: ": leave out --account, or rename the account",
    Topic.ACCOUNTS_OF_NUMBER: ": give --account NAME",
    Topic.ACCOUNTS_BUT_ONE_NAMED: ": leave out --account",
    Topic.ACCOUNT_IS_KNOWN: (
        ": if it is the same account, give --account {account!r}; if it is another account, give "
        "--new-account"
    ),
    Topic.ACCOUNT_IS_KNOWN_OF_SEVERAL: (
        ": if it is the same account, import a file of that account alone with --account "
        "{account!r}; if it is another account, give --new-account"
    ),
    Topic.CURRENCY: ": give --currency, such as {example}",
    Topic.CURRENCY_OF_ACCOUNT: (
        ": give another account with --account, or the currency with --currency"
    ),
    Topic.CARD_BALANCE: ": say with --card-balance what a positive balance means",
    Topic.REPEATED_IN_FILE: (
        ": if they are one transaction, say --first-day same; if they are two, say --first-day new"
    ),
    Topic.PART_OF_DAY: (
        ": if it is the same transaction, say --first-day same; if it is another one, say "
        "--first-day new"
    ),
    Topic.SAME_ID: (
        ": if it corrects that record, say --ids stable; if it is another transaction, say --ids "
        "reused"
    ),
    Topic.REUSED_ID: (
        ": say --ids stable if one id is always one transaction, or --ids reused if the bank uses "
        "ids again"
    ),
    Topic.MOVED: (
        ": if the bank now reports it differently, say with --match-days N how many days apart "
        "they may be ({days} here); if it is another transaction, say --match-days 0"
    ),
    Topic.OTHER_SOURCE: (
        ": if it is the same transaction, say with --match-days N how many days apart they may be "
        "({days} here); if it is another one, say --match-days {least}; if the files have no "
        "transaction in common, say --no-match"
    ),
    **dict.fromkeys(
        (Topic.PART_OF_SUM, Topic.SUM_OF_PARTS),
        ": if it does, say --match-days {days}; if it is another payment, say --match-days {least}",
    ),
    Topic.TWO_OF_THESE: "",
}

_WRITER = Writer()


def text(said: Clause | str) -> str:
    """Return the sentence of a clause or a remark."""
    return _WRITER.text(said)


def refusal_text(refused: ImportRefused) -> str:
    """Return a sentence about everything that a file leaves open, with the options that decide."""
    return refused.joined(_sentence)


def _sentence(question: Question) -> str:
    fact = question.fact
    return fact + question.how if isinstance(fact, str) else text(fact) + _way(fact)


def _way(fact: Clause) -> str:
    first = fact.facts.get("first")
    if isinstance(first, Clause):
        return _way(first)
    return _WRITER.fill(WAYS[Topic(fact.topic)], fact.facts)
